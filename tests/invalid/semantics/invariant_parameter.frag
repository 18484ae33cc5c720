// ERROR: E0401 4:9
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
float f(invariant float x) { return x; }
void main() { gl_FragColor = vec4(1.0); }
