#version 300 es
// ERROR: E1001 5:21
// REFUSED BY: ANGLE
precision mediump float;
uniform samplerCube u;
out vec4 color;
void main() { color = texture(u, vec3(0.0)); }
