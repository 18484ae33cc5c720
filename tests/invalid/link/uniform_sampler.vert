#version 300 es
uniform sampler2D u;
void main() { gl_Position = texture(u, vec2(0.0)); }
