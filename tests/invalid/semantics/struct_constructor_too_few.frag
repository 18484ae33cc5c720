// ERROR: E0305 7:11
#version 300 es
precision mediump float;
struct S { float x; float y; };
out vec4 color;
void main() {
    S s = S(1.0);
    color = vec4(s.x);
}
