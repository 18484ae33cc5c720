// ERROR: E0205 6:24
#version 300 es
precision mediump float;
out vec4 colour;
void main() {
    float weights[3] = { 0.25, 0.5, 0.25 };
    colour = vec4(weights[0]);
}
