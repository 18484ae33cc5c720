// ERROR: E0302 7:5
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    vec2 v = vec2(1.0);
    v *= mat3x2(1.0);
    color = v.xyxy;
}
