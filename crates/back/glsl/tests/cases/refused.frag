#version 300 es
// write: es 100
precision highp float;
uniform uint bits;
out vec4 color;
void main() { color = vec4(float(bits >> 3u & 7u)); }
