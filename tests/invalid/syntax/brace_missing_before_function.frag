// ERROR: E0202 9:1
precision mediump float;
varying float x;
float f() {
    if (x > 0.5) {
        return 1.0;
    return 0.0;
}
void main() {
    gl_FragColor = vec4(f());
}
