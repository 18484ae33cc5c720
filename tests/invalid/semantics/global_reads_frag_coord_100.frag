// ERROR: E0309 4:11
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
float g = gl_FragCoord.x;
void main() { gl_FragColor = vec4(1.0); }
