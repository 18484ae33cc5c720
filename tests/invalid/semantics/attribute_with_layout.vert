// ERROR: E0404 4:8
#version 120
#extension GL_ARB_explicit_attrib_location : require
layout(location = 1) attribute vec4 place;
void main() { gl_Position = place; }
