#version 300 es
precision highp float;
in vec2 stars;
out vec4 color;
void main() { color = star.xyxy; }
