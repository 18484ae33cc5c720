// ERROR: E0302 6:18
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    color = vec4(vec2(0.0) < vec2(1.0) ? 1.0 : 0.0);
}
