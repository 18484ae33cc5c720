// ERROR: E0401 4:23
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
void main() { mediump const float c = 1.0; gl_FragColor = vec4(c); }
