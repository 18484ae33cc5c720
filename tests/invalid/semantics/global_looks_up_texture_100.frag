// ERROR: E0309 5:10
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
uniform sampler2D s;
vec4 g = texture2D(s, vec2(0.0));
void main() { gl_FragColor = vec4(1.0); }
