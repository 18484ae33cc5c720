// ERROR: E0302 7:13
#version 300 es
precision mediump float;
struct S { float x; };
out vec4 color;
void main() {
    S s = S(1);
    color = vec4(s.x);
}
