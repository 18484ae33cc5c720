#version 300 es
layout(std140) uniform B { layout(row_major) highp mat4 x; };
void main() { gl_Position = x[0]; }
