// ERROR: E0203 3:1
precision mediump float;
inline float square(float x) { return x * x; }
void main() {
    gl_FragColor = vec4(square(2.0));
}
