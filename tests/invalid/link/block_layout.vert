#version 300 es
layout(std140) uniform B { highp float x; };
void main() { gl_Position = vec4(x); }
