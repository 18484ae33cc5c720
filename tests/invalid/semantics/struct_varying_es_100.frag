// ERROR: E0407 4:11
precision mediump float;
struct S { float x; };
varying S s;
void main() {
    gl_FragColor = vec4(s.x);
}
