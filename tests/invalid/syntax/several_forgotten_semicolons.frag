// ERROR: E0201 8:19
// ERROR: E0201 9:19
// ERROR: E0201 10:14
// ERROR: E0201 11:27
precision mediump float;
varying vec2 uv;
void main() {
    float a = uv.x
    float b = uv.y
    a = a * b
    gl_FragColor = vec4(a)
}
