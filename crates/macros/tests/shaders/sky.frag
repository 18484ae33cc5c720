#version 300 es
#extension GL_GOOGLE_include_directive : enable
precision highp float;
#ifdef LIBRARY
#include <noise.glsl>
#else
float noise(vec2 at) { return fract(at.x * at.y); }
#endif
#ifndef STARS
#define STARS 1
#endif
in vec2 uv;
out vec4 color;
void main() { color = vec4(noise(uv) * float(STARS)); }
