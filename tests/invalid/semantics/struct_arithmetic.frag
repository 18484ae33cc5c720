// ERROR: E0302 8:11
#version 300 es
precision mediump float;
struct S { float x; };
out vec4 color;
void main() {
    S a = S(1.0);
    S b = a + a;
    color = vec4(b.x);
}
