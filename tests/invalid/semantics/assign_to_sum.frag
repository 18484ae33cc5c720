// ERROR: E0308 7:5
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float a = 1.0;
    a + 1.0 = 2.0;
    color = vec4(a);
}
