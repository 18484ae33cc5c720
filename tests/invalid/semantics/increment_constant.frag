// ERROR: E0308 7:5
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    const int k = 1;
    k++;
    color = vec4(float(k));
}
