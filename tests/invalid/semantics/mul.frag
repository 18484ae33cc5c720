// ERROR: E0301 7:13
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    mat2 a = mat2(1.0);
    color = mul(a, vec2(1.0)).xyxy;
}
