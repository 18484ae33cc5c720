// ERROR: E0108 2:1
#define
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0);
}
