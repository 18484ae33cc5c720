// ERROR: E0301 6:13
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    color = lerp(vec4(0.0), vec4(1.0), 0.5);
}
