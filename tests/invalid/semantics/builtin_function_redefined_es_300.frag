// ERROR: E0412 4:7
#version 300 es
precision mediump float;
float sin(float x) { return x; }
out vec4 color;
void main() {
    color = vec4(sin(1.0));
}
