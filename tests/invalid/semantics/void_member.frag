// ERROR: E0202 6:11
// ERROR: E0312 6:17
// ERROR: E0202 6:20
#version 300 es
precision mediump float;
struct S { void x; };
out vec4 color;
void main() {
    color = vec4(1.0);
}
