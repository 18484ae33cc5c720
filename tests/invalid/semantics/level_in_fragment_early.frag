// ERROR: E0311 5:30
// REFUSED BY: glslangValidator
#version 120
uniform sampler2D picture;
void main() { gl_FragColor = texture2DLod(picture, vec2(0.5), 1.0); }
