// ERROR: E0501 5:27
#version 300 es
precision mediump float;
float b(float x);
float a(float x) { return b(x); }
float b(float x) { return a(x); }
out vec4 color;
void main() {
    color = vec4(a(1.0));
}
