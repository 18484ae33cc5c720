#version 300 es
// ERROR: E1001 6:6
// REFUSED BY: ANGLE
precision mediump float;
struct S { vec2 a; };
in S v;
out vec4 color;
void main() { color = v.a.xyxy; }
