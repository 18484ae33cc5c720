// ERROR: E0304 5:8
#version 300 es
precision mediump float;
struct S { float a; };
struct S { float b; };
out vec4 color;
void main() {
    color = vec4(0.0);
}
