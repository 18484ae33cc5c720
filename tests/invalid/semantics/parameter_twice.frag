// ERROR: E0304 4:24
#version 300 es
precision mediump float;
float f(float a, float a) { return a; }
out vec4 color;
void main() {
    color = vec4(f(1.0, 2.0));
}
