#version 300 es
// ERROR: E0309 6:10
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
uniform sampler2D s;
vec4 g = texture(s, vec2(0.0));
out vec4 color;
void main() { color = vec4(1.0); }
