// ERROR: E0302 4:20
#version 300 es
precision mediump float;
float f() { return 1; }
out vec4 color;
void main() {
    color = vec4(f());
}
