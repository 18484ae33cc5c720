#version 300 es
// ERROR: E1001 6:11
// REFUSED BY: ANGLE
precision mediump float;
struct S { highp vec2 a; };
uniform S u;
out vec4 color;
void main() { color = u.a.xyxy; }
