#version 300 es
#extension GL_GOOGLE_include_directive : require
precision highp float;

#include "lib/clouds.glsl"
#include <tone.glsl>

uniform float time;
uniform vec3 zenith;
in vec2 uv;
out vec4 color;

void main() {
    vec3 air = mix(vec3(0.9, 0.7, 0.5), zenith, uv.y);
    color = vec4(tone(mix(air, vec3(1.0), clouds(uv * 4.0 + time))), 1.0);
}
