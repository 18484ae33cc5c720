// ERROR: E0407 5:15
// REFUSED BY: glslangValidator
#version 120
struct Light { vec3 way; };
varying Light light;
void main() { gl_FragColor = vec4(light.way, 1.0); }
