#include <common>

uniform float time;
uniform float amplitude;
varying vec3 vNormal;
varying float vHeight;

void main() {
    float phase = length(position.xy) * PI2 - time;
    vec2 slope = position.xy * cos(phase) * amplitude * PI2 / (length(position.xy) + 0.001);
    vHeight = sin(phase);
    vNormal = normalMatrix * normalize(vec3(-slope, 1.0));
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position.xy, vHeight * amplitude, 1.0);
}
