#version 300 es
// A checkered floor to the horizon, filtered by the size of a pixel on it.
precision highp float;

uniform vec2 resolution;
uniform float time;
out vec4 color;

// The mean of a square wave over a pixel of width `w`.
vec2 wave_integral(vec2 p) {
    return abs(fract(0.5 * p) - 0.5) * 2.0;
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec3 dir = normalize(vec3(p.x, p.y + 0.1, -1.6));
    float t = -1.0 / min(dir.y, -1e-3);
    vec2 at = 2.0 * vec2(dir.x, dir.z) * t + vec2(0.0, -time);
    vec2 w = max(abs(dFdx(at)), abs(dFdy(at))) + 1e-4;
    vec2 mean = (wave_integral(at - 0.5 * w) - wave_integral(at + 0.5 * w)) / w;
    float checker = 0.5 - 0.5 * mean.x * mean.y;
    vec3 tiles = mix(vec3(0.13, 0.14, 0.17), vec3(0.93, 0.91, 0.86), checker);
    vec3 sky = mix(vec3(0.93, 0.80, 0.66), vec3(0.32, 0.48, 0.70), smoothstep(-0.1, 0.8, p.y));
    float haze = 1.0 - exp(-0.06 * t);
    vec3 ground = mix(tiles * (0.75 + 0.25 * dot(dir, normalize(vec3(0.3, -0.5, -0.5)))), vec3(0.93, 0.80, 0.66), haze);
    color = vec4(dir.y < -2e-3 ? ground : sky, 1.0);
}
