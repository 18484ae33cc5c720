#version 300 es
// Clouds: five octaves of value noise, lit from the upper right.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float lattice(ivec2 p) {
    uint h = uint(p.x) * 0x27d4eb2du ^ uint(p.y) * 0x165667b1u;
    h = (h ^ (h >> 15u)) * 0x85ebca6bu;
    h ^= h >> 13u;
    return float(h >> 8u) / 16777216.0;
}

float noise(vec2 p) {
    ivec2 i = ivec2(floor(p));
    vec2 f = fract(p);
    f = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
    float bottom = mix(lattice(i), lattice(i + ivec2(1, 0)), f.x);
    float top = mix(lattice(i + ivec2(0, 1)), lattice(i + ivec2(1, 1)), f.x);
    return mix(bottom, top, f.y);
}

float density(vec2 p) {
    float sum = 0.0;
    float weight = 0.5;
    const mat2 turn = mat2(1.6, 1.2, -1.2, 1.6);
    for (int octave = 0; octave < 5; ++octave) {
        sum += weight * noise(p);
        p = turn * p + 3.7;
        weight *= 0.5;
    }
    return smoothstep(0.42, 0.80, sum);
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution;
    vec2 p = vec2(uv.x * 4.0 + 0.2 * time, uv.y * 5.0 / (0.6 + uv.y));
    float here = density(p);
    float towardsSun = density(p + vec2(0.12, 0.15));
    vec3 sky = mix(vec3(0.62, 0.80, 0.94), vec3(0.16, 0.38, 0.72), uv.y);
    vec3 cloud = mix(vec3(1.0, 0.98, 0.94), vec3(0.56, 0.60, 0.70), clamp(towardsSun * 0.9 + 0.15 * here, 0.0, 1.0));
    color = vec4(mix(sky, cloud, here), 1.0);
}
