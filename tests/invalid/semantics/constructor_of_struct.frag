// ERROR: E0305 7:18
#version 300 es
precision mediump float;
struct S { float x; };
out vec4 color;
void main() {
    color = vec4(S(1.0));
}
