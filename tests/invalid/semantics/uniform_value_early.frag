// ERROR: E0406 4:23
// REFUSED BY: glslangValidator
#version 110
uniform float level = 0.5;
void main() { gl_FragColor = vec4(level); }
