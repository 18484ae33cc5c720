#version 300 es
// write: es 100, desktop 120
precision highp float;
uniform mat2 m;
uniform mat4 n;
out vec4 color;
void main() {
    mat3 up = mat3(m);
    mat3 down = mat3(n);
    color = vec4(up * down[2], mat2(up * down)[0].x);
}
