// ERROR: E0303 7:18
#version 300 es
precision mediump float;
float f(float a) { return a; }
out vec4 color;
void main() {
    color = vec4(f(1.0, 2.0));
}
