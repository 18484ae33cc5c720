#version 300 es
// ERROR: E0303 9:28
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
uniform mediump sampler2DArrayShadow a;
uniform mediump samplerCubeShadow c;
uniform mediump sampler2DShadow s;
out vec4 color;
void main() { color = vec4(textureLod(c, vec4(0.0), 0.0)); }
