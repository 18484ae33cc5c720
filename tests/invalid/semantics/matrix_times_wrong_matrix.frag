// ERROR: E0302 6:14
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    mat2 a = mat2x3(1.0) * mat2x3(1.0);
    color = vec4(a);
}
