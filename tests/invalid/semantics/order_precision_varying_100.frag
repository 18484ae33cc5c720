// ERROR: E0401 4:6
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
lowp varying vec2 v;
void main() { gl_FragColor = vec4(1.0); }
