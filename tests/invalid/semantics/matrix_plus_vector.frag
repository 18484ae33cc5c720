// ERROR: E0302 6:14
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    mat2 a = mat2(1.0) + vec2(1.0);
    color = vec4(a);
}
