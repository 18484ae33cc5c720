// ERROR: E0110 7:1
precision mediump float;
#ifdef FANCY
const float k = 2.0;
#else
const float k = 1.0;
#else
const float k = 0.0;
#endif
void main() {
    gl_FragColor = vec4(k);
}
