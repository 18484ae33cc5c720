// ERROR: E0313 4:13
#version 300 es
precision mediump float;
float f() { return; }
out vec4 color;
void main() {
    color = vec4(f());
}
