#version 300 es
// ERROR: E1001 5:9
// REFUSED BY: ANGLE
precision mediump float;
uniform B { highp vec2 y; highp float x; };
out vec4 color;
void main() { color = vec4(x); }
