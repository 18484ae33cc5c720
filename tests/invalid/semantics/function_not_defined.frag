// ERROR: E0503 7:18
#version 300 es
precision mediump float;
float f(float x);
out vec4 color;
void main() {
    color = vec4(f(1.0));
}
