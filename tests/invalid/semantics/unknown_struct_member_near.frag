// ERROR: E0307 8:20
#version 300 es
precision mediump float;
struct S { float color; };
out vec4 color;
void main() {
    S s = S(1.0);
    color = vec4(s.colr);
}
