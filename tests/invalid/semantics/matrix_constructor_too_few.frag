// ERROR: E0305 6:14
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    mat2 a = mat2(1.0, 2.0, 3.0);
    color = vec4(a);
}
