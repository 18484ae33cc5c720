#version 300 es
// A planished copper disc: overlapping hammer marks on metal, lit by a sunset.
precision highp float;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const float PI = 3.14159265;

struct Blow {
    float height;   // of the surface after the hammer
    float tint;     // each blow leaves its own sheen
};

vec2 hash(vec2 cell) {
    vec2 p = vec2(dot(cell, vec2(127.1, 311.7)), dot(cell, vec2(269.5, 183.3)));
    return fract(sin(p) * 43758.5453);
}

float noise(vec2 p) {
    vec2 cell = floor(p);
    vec2 f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    float a = hash(cell).x;
    float b = hash(cell + vec2(1.0, 0.0)).x;
    float c = hash(cell + vec2(0.0, 1.0)).x;
    float d = hash(cell + vec2(1.0, 1.0)).x;
    return mix(mix(a, b, f.x), mix(c, d, f.x), f.y);
}

// The deepest of the blows around a point: each a shallow spherical dent.
Blow hammered(vec2 p) {
    vec2 cell = floor(p);
    Blow blow = Blow(0.0, 0.5);
    for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
            vec2 at = cell + vec2(x, y);
            vec2 jitter = hash(at);
            vec2 to = at + 0.2 + 0.6 * jitter - p;
            float depth = dot(to, to) - 0.85 - 0.15 * jitter.x;
            if (depth >= blow.height) continue;
            blow.height = depth;
            blow.tint = jitter.y;
        }
    }
    return blow;
}

float surface(vec2 p, out float tint) {
    Blow large = hammered(p * 7.0);
    Blow small = hammered(p * 15.0 + 31.7);
    tint = mix(large.tint, small.tint, 0.3);
    return 0.034 * large.height + 0.0028 * small.height + 0.0003 * noise(p * 60.0);
}

// A room for the metal to mirror: dark floor, a band of evening light, a cool ceiling, and two lamps.
vec3 room(vec3 dir) {
    vec3 floorLight = vec3(0.035, 0.018, 0.015);
    vec3 evening = vec3(0.95, 0.50, 0.24);
    vec3 ceiling = vec3(0.07, 0.12, 0.22);
    float up = dir.y;
    vec3 sky = up < 0.0 ? mix(floorLight, evening, smoothstep(-0.55, 0.05, up)) : mix(evening, ceiling, smoothstep(0.0, 0.5, up));
    sky *= 0.75 + 0.25 * dir.x;
    vec3 sun = normalize(vec3(sin(0.3 * time) * 0.4 - 0.35, 0.45, 0.8));
    vec3 lamp = normalize(vec3(0.6, -0.25, 0.75));
    sky += vec3(2.6, 2.1, 1.5) * pow(max(dot(dir, sun), 0.0), 90.0);
    sky += vec3(0.25, 0.4, 0.65) * pow(max(dot(dir, lamp), 0.0), 14.0);
    return sky;
}

vec3 background(vec2 p) {
    float grain = noise(vec2(p.x * 3.0, p.y * 60.0)) * 0.6 + noise(vec2(p.x * 7.0, p.y * 170.0)) * 0.4;
    vec3 wood = mix(vec3(0.055, 0.035, 0.03), vec3(0.13, 0.08, 0.055), grain);
    float shadow = smoothstep(0.86, 1.25, length(p - vec2(0.03, -0.05)));
    return wood * mix(0.15, 1.0, shadow) * (1.0 - 0.25 * dot(p, p));
}

vec3 shade(vec2 p) {
    float r = length(p);
    if (r > 0.9) return background(p);

    float tint, unused;
    float e = 0.002;
    float h = surface(p, tint);
    vec2 slope = vec2(surface(p + vec2(e, 0.0), unused) - h, surface(p + vec2(0.0, e), unused) - h) / e;
    // The disc is a shallow bowl with a rolled rim.
    float rim = smoothstep(0.80, 0.86, r) - 1.6 * smoothstep(0.86, 0.90, r);
    slope += p * 0.22 + normalize(p + 1e-5) * rim * 0.9;

    vec3 normal = normalize(vec3(-slope, 1.0));
    vec3 view = normalize(vec3(p * 0.35, -1.6));
    vec3 mirrored = reflect(view, normal);
    float facing = clamp(-dot(view, normal), 0.0, 1.0);

    vec3 copper = mix(vec3(0.94, 0.52, 0.36), vec3(1.0, 0.67, 0.42), tint);
    vec3 fresnel = copper + (1.0 - copper) * pow(1.0 - facing, 5.0);
    float patina = smoothstep(0.52, 0.8, noise(p * 2.6 + 4.0) * 0.7 + noise(p * 9.0) * 0.3);
    vec3 lit = room(mirrored) * fresnel;
    lit = mix(lit, vec3(0.10, 0.23, 0.20) + 0.25 * lit, 0.55 * patina * smoothstep(0.2, 0.8, r));
    float hollow = clamp(1.0 + 16.0 * h, 0.45, 1.0);
    return lit * mix(0.8, 1.0, hollow) * (1.0 - 0.4 * smoothstep(0.885, 0.9, r));
}

void main() {
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 4; ++i) {
        // Four samples a pixel, on a rotated grid.
        vec2 offset = vec2(float(i / 2), float(i % 2)) * 0.5 - 0.25 + vec2(0.125, -0.125) * float(i % 2 * 2 - 1);
        vec2 p = (2.0 * (gl_FragCoord.xy + offset) - resolution) / min(resolution.x, resolution.y);
        sum += shade(p * 1.05);
    }
    vec3 linear = sum / 4.0;
    // Filmic curve, then to the display.
    vec3 mapped = linear * (2.51 * linear + 0.03) / (linear * (2.43 * linear + 0.59) + 0.14);
    color = vec4(pow(clamp(mapped, 0.0, 1.0), vec3(1.0 / 2.2)), 1.0);
}
