// ERROR: E0201 7:19
#version 300 es
precision mediump float;
struct S { float a; };
out vec4 color;
void main() {
    color = vec4(S);
}
