// ERROR: E0401 4:1
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
invariant const float c = 1.0;
void main() { gl_FragColor = vec4(1.0); }
