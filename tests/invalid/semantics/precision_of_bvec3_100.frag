// ERROR: E0401 4:21
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
uniform highp bvec3 u;
void main() { gl_FragColor = vec4(1.0); }
