#version 300 es
precision highp float;
out vec4 color;
void main() {
    float never = 1.0;
    color = vec4(1.0);
}
