#version 300 es
uniform B { highp float x; highp vec2 y; };
void main() { gl_Position = vec4(x); }
