// ERROR: E0401 4:28
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
void main() { mediump bool b = true; gl_FragColor = vec4(b); }
