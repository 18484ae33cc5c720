// ERROR: E0407 4:15
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
varying ivec4 v;
void main() { gl_FragColor = vec4(1.0); }
