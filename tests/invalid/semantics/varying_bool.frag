// ERROR: E0407 4:14
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
varying bool v;
void main() { gl_FragColor = vec4(1.0); }
