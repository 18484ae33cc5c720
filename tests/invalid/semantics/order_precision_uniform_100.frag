// ERROR: E0401 4:9
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
mediump uniform float u;
void main() { gl_FragColor = vec4(1.0); }
