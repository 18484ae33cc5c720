// ERROR: E0311 5:34
// REFUSED BY: glslangValidator
#version 400
uniform sampler2D picture;
void main() { gl_Position = vec4(textureQueryLod(picture, vec2(0.5)), 0.0, 1.0); }
