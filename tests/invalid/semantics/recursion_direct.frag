// ERROR: E0501 4:40
#version 300 es
precision mediump float;
float f(int n) { return n == 0 ? 1.0 : f(n - 1); }
out vec4 color;
void main() {
    color = vec4(f(3));
}
