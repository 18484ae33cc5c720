// ERROR: E0401 4:1
// REFUSED BY: glslangValidator
#version 120
const float half_of(float x) { return 0.5 * x; }
void main() { gl_FragColor = vec4(half_of(1.0)); }
