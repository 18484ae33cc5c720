// ERROR: E0304 4:26
#version 300 es
precision mediump float;
struct S { float a; vec2 a; };
out vec4 color;
void main() {
    color = vec4(0.0);
}
