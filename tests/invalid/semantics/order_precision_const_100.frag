// ERROR: E0401 4:9
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
mediump const float c = 1.0;
void main() { gl_FragColor = vec4(1.0); }
