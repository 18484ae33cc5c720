#version 300 es
// A spiral galaxy: two logarithmic arms around a bulge, and dust between.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float grain(ivec2 p) {
    uint h = uint(p.x) + uint(p.y) * 57u;
    h = (h << 13u) ^ h;
    h = h * (h * h * 15731u + 789221u) + 1376312589u;
    return float(h & 0x7fffffffu) / 2147483648.0;
}

float noise(vec2 p) {
    ivec2 i = ivec2(floor(p));
    vec2 f = smoothstep(0.0, 1.0, fract(p));
    return mix(mix(grain(i), grain(i + ivec2(1, 0)), f.x), mix(grain(i + ivec2(0, 1)), grain(i + 1), f.x), f.y);
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    p = mat2(0.9, 0.35, -0.35, 0.9) * p * vec2(1.0, 1.7);
    float r = length(p) + 0.001;
    float angle = atan(p.y, p.x);
    float wind = angle - 3.2 * log(r + 0.15) + 0.15 * time;
    float arms = 0.5 + 0.5 * cos(2.0 * wind);
    float c = cos(2.0 * log(r)), s = sin(2.0 * log(r));
    float dust = noise(mat2(c, s, -s, c) * p * 7.0) * 0.6 + noise(p * 19.0) * 0.4;
    float disc = exp(-2.6 * r);
    vec3 light = vec3(0.35, 0.50, 0.95) * pow(arms, 2.0) * disc * (0.5 + dust) * 1.6;
    light += vec3(1.0, 0.45, 0.55) * pow(arms, 8.0) * disc * smoothstep(0.55, 0.85, dust);
    light += vec3(1.0, 0.85, 0.60) * (exp(-9.0 * r) * 1.4 + 0.25 * disc);
    light *= 1.0 - 0.5 * smoothstep(0.4, 0.9, dust) * (1.0 - arms);
    float star = grain(ivec2(gl_FragCoord.xy / 2.0));
    light += 0.8 * smoothstep(0.996, 1.0, star);
    color = vec4(sqrt(1.0 - exp(-light)), 1.0);
}
