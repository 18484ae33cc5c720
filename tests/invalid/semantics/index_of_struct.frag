// ERROR: E0306 8:18
#version 300 es
precision mediump float;
struct S { float x; };
out vec4 color;
void main() {
    S s = S(1.0);
    color = vec4(s[0]);
}
