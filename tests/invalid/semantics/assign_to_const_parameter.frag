// ERROR: E0308 4:26
#version 300 es
precision mediump float;
float f(const float x) { x = 2.0; return x; }
out vec4 color;
void main() {
    color = vec4(f(1.0));
}
