// ERROR: E0203 3:1
precision mediump float;
static const float PI = 3.14159;
void main() {
    gl_FragColor = vec4(PI);
}
