// ERROR: E0302 6:18
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    color = vec4(mat3(1.0) * vec4(1.0));
}
