// ERROR: E0412 4:7
#version 300 es
precision mediump float;
float length(int x) { return float(x); }
out vec4 color;
void main() {
    color = vec4(length(1));
}
