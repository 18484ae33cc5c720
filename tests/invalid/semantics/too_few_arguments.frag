// ERROR: E0303 7:18
#version 300 es
precision mediump float;
float f(float a, float b) { return a + b; }
out vec4 color;
void main() {
    color = vec4(f(1.0));
}
