#version 300 es
// Three forms on a table with soft shadows and ambient occlusion: three loops, one after the other, all with a local `d`.
// `break`, early return.
precision highp float;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float rounded(vec3 p, vec3 size, float r) {
    vec3 q = abs(p) - size + r;
    return length(max(q, 0.0)) + min(max(q.x, max(q.y, q.z)), 0.0) - r;
}

float cone(vec3 p) {
    float radius = length(p.xz);
    return max(0.80 * radius + 0.45 * (p.y - 0.75), -p.y - 0.6);
}

float table(vec3 p) {
    float d = p.y + 0.6;
    d = min(d, length(p - vec3(-1.15, -0.05, 0.1)) - 0.55);
    d = min(d, rounded(p - vec3(0.05, -0.15, -0.5), vec3(0.42, 0.45, 0.42), 0.06));
    return min(d, cone(p - vec3(1.3, 0.0, 0.25)));
}

float march(vec3 eye, vec3 ray) {
    float t = 2.0;
    for (int i = 0; i < 36; ++i) {
        float d = table(eye + t * ray);
        if (d < 0.002) return t;
        t += d;
        if (t > 10.0) break;
    }
    return -1.0;
}

float shadow(vec3 from, vec3 light) {
    float open = 1.0;
    float t = 0.04;
    for (int i = 0; i < 16; ++i) {
        float d = table(from + t * light);
        open = min(open, 9.0 * d / t);
        t += clamp(d, 0.05, 0.4);
        if (open < 0.01 || t > 3.5) break;
    }
    return smoothstep(0.0, 1.0, open);
}

float occlusion(vec3 p, vec3 n) {
    float dark = 0.0;
    float weight = 1.0;
    for (int i = 1; i <= 4; ++i) {
        float far = 0.09 * float(i);
        float d = table(p + far * n);
        dark += weight * (far - d);
        weight *= 0.6;
    }
    return clamp(1.0 - 2.0 * dark, 0.0, 1.0);
}

void main() {
    vec2 uv = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec3 eye = vec3(0.0, 1.7, 5.0);
    vec3 ray = normalize(vec3(uv.x, uv.y - 0.66, -2.1));
    float t = march(eye, ray);
    vec3 back = vec3(0.88, 0.84, 0.80) - 0.15 * uv.y;
    if (t < 0.0) {
        color = vec4(back, 1.0);
        return;
    }
    vec3 p = eye + t * ray;
    vec2 e = vec2(0.002, -0.002);
    vec3 n = normalize(e.xyy * table(p + e.xyy) + e.yxy * table(p + e.yxy) + e.yyx * table(p + e.yyx) + e.xxx * table(p + e.xxx));
    vec3 light = normalize(vec3(-0.7 + 0.4 * sin(time), 0.9, 0.5));
    vec3 paint = vec3(0.80, 0.76, 0.70);
    if (p.y > -0.59) paint = p.x < -0.55 ? vec3(0.86, 0.38, 0.28) : p.x < 0.5 ? vec3(0.30, 0.55, 0.62) : vec3(0.93, 0.75, 0.30);
    float key = max(dot(n, light), 0.0) * shadow(p + 0.01 * n, light);
    vec3 c = paint * (key * vec3(1.05, 0.98, 0.88) + 0.38 * occlusion(p, n) * vec3(0.75, 0.85, 1.05));
    c = mix(c, back, smoothstep(5.0, 9.5, t));
    color = vec4(sqrt(c), 1.0);
}
