// ERROR: E0313 4:7
#version 300 es
precision mediump float;
float f(float x) { x += 1.0; }
out vec4 color;
void main() {
    color = vec4(f(1.0));
}
