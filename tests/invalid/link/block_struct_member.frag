#version 300 es
// ERROR: E1001 6:9
// REFUSED BY: ANGLE
precision mediump float;
struct S { highp vec2 a; };
uniform B { S x; };
out vec4 color;
void main() { color = x.a.xyxy; }
