#version 300 es
// write: es 100
precision highp float;
out vec3 albedo;
void main() { albedo = vec3(1.0); }
