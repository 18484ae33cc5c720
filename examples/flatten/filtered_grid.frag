#version 300 es
// A tiled floor to the horizon without aliasing: boxes integrated over the pixel's footprint from derivatives.
// A struct by value, helpers of helpers.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

struct Footprint {
    vec2 centre;
    vec2 width;
};

vec2 bars_up_to(vec2 x, float share) {
    vec2 whole = floor(x);
    return whole * share + max(x - whole - (1.0 - share), 0.0);
}

vec2 bars(Footprint f, float share) {
    vec2 low = f.centre - 0.5 * f.width;
    vec2 high = f.centre + 0.5 * f.width;
    return clamp((bars_up_to(high, share) - bars_up_to(low, share)) / f.width, 0.0, 1.0);
}

float triangle(float x) {
    float f = fract(0.5 * x);
    return x - floor(x) + (f < 0.5 ? 0.0 : 1.0) - 2.0 * max(f - 0.5, 0.0) * (f < 0.5 ? 0.0 : 2.0);
}

float checker(Footprint f) {
    vec2 a = abs(fract(0.5 * (f.centre - 0.5 * f.width)) - 0.5);
    vec2 b = abs(fract(0.5 * (f.centre + 0.5 * f.width)) - 0.5);
    vec2 i = 2.0 * (a - b) / f.width;
    return clamp(0.5 - 0.5 * i.x * i.y, 0.0, 1.0);
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    float bend = 0.25 * sin(0.4 * time + 0.5);
    float horizon = 0.28 + bend * p.x * 0.4;
    float depth = 1.0 / max(horizon - p.y, 0.002);
    vec2 at = vec2(p.x * depth, depth + time) * 2.2;
    vec2 width = max(max(abs(dFdx(at)), abs(dFdy(at))), 1e-4);
    vec3 c;
    if (p.y < horizon - 0.004) {
        Footprint tiles = Footprint(at, width);
        float odd = checker(tiles);
        vec2 joints = bars(Footprint(at + 0.02, width), 0.04);
        c = mix(vec3(0.20, 0.26, 0.34), vec3(0.90, 0.86, 0.78), odd);
        c = mix(c, vec3(0.62, 0.30, 0.20), max(joints.x, joints.y));
        vec2 inlay = bars(Footprint(0.25 * at, 0.25 * width), 0.12);
        c = mix(c, vec3(0.80, 0.56, 0.22), inlay.x * inlay.y);
        c *= 0.9 + 0.1 * triangle(0.5 * at.x);
        c = mix(vec3(0.97, 0.80, 0.66), c, exp(-0.045 * depth));
    } else {
        float up = p.y - horizon;
        c = mix(vec3(0.97, 0.80, 0.66), vec3(0.35, 0.45, 0.72), smoothstep(0.0, 0.8, up));
        c += 0.3 * exp(-5.0 * length(p - vec2(0.3, horizon + 0.22))) * vec3(1.0, 0.7, 0.3);
    }
    color = vec4(c, 1.0);
}
