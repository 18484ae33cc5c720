#version 300 es
// A night sky: three layers of stars with colours of their temperature, and a faint band.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

uint next(inout uint state) {
    state = state * 747796405u + 2891336453u;
    uint word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

float random(inout uint state) {
    return float(next(state) >> 8u) / 16777216.0;
}

vec3 layer(vec2 p, uint seed) {
    ivec2 cell = ivec2(floor(p));
    uint state = uint(cell.x) * 1973u + uint(cell.y) * 9277u + seed * 26699u;
    next(state);
    vec2 at = vec2(0.2 + 0.6 * random(state), 0.2 + 0.6 * random(state));
    float bright = random(state);
    bright = bright * bright * bright;
    float warm = random(state);
    float d = length(fract(p) - at);
    float twinkle = 0.8 + 0.2 * sin(5.0 * time + 6.28 * random(state));
    vec3 tint = mix(vec3(0.70, 0.80, 1.0), vec3(1.0, 0.80, 0.60), warm);
    return tint * bright * twinkle * (smoothstep(0.09, 0.0, d) + 0.5 * smoothstep(0.3, 0.0, d) * bright);
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    float band = exp(-3.0 * pow(abs(p.y * 0.8 - p.x * 0.5), 2.0));
    vec3 sky = mix(vec3(0.01, 0.01, 0.04), vec3(0.09, 0.07, 0.14), band);
    sky += layer(p * 5.0 + 0.02 * time, 1u) * 1.4;
    sky += layer(p * 11.0 + 0.01 * time, 2u);
    sky += layer(p * 23.0, 3u) * (0.4 + 0.9 * band);
    color = vec4(sqrt(sky), 1.0);
}
