// ERROR: E0305 6:19
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    mat3 a = mat3(mat2(1.0), 1.0, 1.0, 1.0, 1.0, 1.0);
    color = vec4(a[0], 1.0);
}
