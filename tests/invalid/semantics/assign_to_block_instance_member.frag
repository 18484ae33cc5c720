// ERROR: E0308 7:5
#version 300 es
precision mediump float;
uniform B { float k; } b;
out vec4 color;
void main() {
    b.k = 2.0;
    color = vec4(b.k);
}
