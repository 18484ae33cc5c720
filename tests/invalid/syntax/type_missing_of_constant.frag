// ERROR: E0201 3:7
precision mediump float;
const PI = 3.14159;
void main() {
    gl_FragColor = vec4(PI);
}
