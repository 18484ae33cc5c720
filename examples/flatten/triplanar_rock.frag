#version 300 es
// A mossy boulder: one texture from three sides, weighted by the normal, and relief by a few steps.
// Weights in a vector, loops over axes, an early return.
precision highp float;
precision highp int;

uniform sampler2D noise_map;
uniform vec2 resolution;
uniform float time;
out vec4 color;

float rock(vec3 p) {
    float d = length(p) - 1.0;
    float size = 0.16;
    for (int i = 0; i < 3; ++i) {
        p = vec3(0.8 * p.x - 0.6 * p.y, 0.6 * p.x + 0.8 * p.y, p.z).yzx * 1.9;
        d += size * sin(p.x + 1.3) * sin(p.y + 0.4) * sin(p.z);
        size *= 0.5;
    }
    return d;
}

vec3 weights(vec3 n) {
    vec3 w = abs(n);
    w *= w;
    w *= w;
    return w / (w.x + w.y + w.z);
}

vec3 triplanar(vec3 p, vec3 w) {
    vec3 sum = vec3(0.0);
    vec2 plane = p.yz;
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1) {
            plane = p.zx;
        } else if (axis == 2) {
            plane = p.xy;
        }
        sum += w[axis] * texture(noise_map, 0.35 * plane + 0.1 * float(axis)).rgb;
    }
    return sum;
}

void main() {
    vec2 uv = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    float angle = 0.4 * time + 0.5;
    mat2 spin = mat2(cos(angle), sin(angle), -sin(angle), cos(angle));
    vec3 p = vec3(uv * 1.25, 1.6);
    vec3 ray = vec3(0.0, 0.0, -1.0);
    bool hit = false;
    p.xz = spin * p.xz;
    ray.xz = spin * ray.xz;
    for (int i = 0; i < 30; ++i) {
        float d = rock(p);
        if (d < 0.003) {
            hit = true;
            break;
        }
        p += 0.8 * d * ray;
    }
    vec2 e = vec2(0.004, 0.0);
    float d = rock(p);
    vec3 n = normalize(vec3(rock(p + e.xyy) - d, rock(p + e.yxy) - d, rock(p + e.yyx) - d));
    vec3 grain = triplanar(p, weights(n));
    if (!hit) {
        float ground = smoothstep(-0.75, -0.9, uv.y) * smoothstep(1.1, 0.3, abs(uv.x));
        color = vec4(mix(vec3(0.78, 0.82, 0.84), vec3(0.45, 0.47, 0.46), ground) - 0.1 * uv.y, 1.0);
        return;
    }
    vec3 light = vec3(-0.5, 0.7, 0.5);
    light.xz = spin * light.xz;
    float lit = max(dot(n, normalize(light)), 0.0);
    vec3 stone = vec3(0.42, 0.39, 0.36) * (0.35 + 1.2 * grain.r);
    float moss = smoothstep(0.25, 0.6, n.y + 0.7 * (grain.g - 0.5));
    vec3 c = mix(stone, vec3(0.22, 0.32, 0.08) * (0.5 + grain.b), moss);
    c *= 0.28 + 0.95 * lit;
    color = vec4(sqrt(c), 1.0);
}
