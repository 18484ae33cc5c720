// ERROR: E0304 5:7
#version 300 es
precision mediump float;
float f() { return 1.0; }
float f() { return 2.0; }
out vec4 color;
void main() {
    color = vec4(f());
}
