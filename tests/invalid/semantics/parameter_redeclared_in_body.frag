// ERROR: E0304 4:26
#version 300 es
precision mediump float;
float f(float a) { float a = 2.0; return a; }
out vec4 color;
void main() {
    color = vec4(f(1.0));
}
