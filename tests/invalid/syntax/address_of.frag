// ERROR: E0201 6:12
precision mediump float;
void change(inout float x) { x = 1.0; }
void main() {
    float a;
    change(&a);
    gl_FragColor = vec4(a);
}
