// ERROR: E0301 7:18
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float brightness = 1.0;
    color = vec4(brightnes);
}
