#version 300 es
// Ray marching: three melting spheres over a floor, with soft shadows.
precision highp float;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float melt(float a, float b, float k) {
    float h = max(k - abs(a - b), 0.0) / k;
    return min(a, b) - h * h * k * 0.25;
}

float scene(vec3 p) {
    float d = length(p - vec3(-0.8, 0.7 + 0.15 * sin(time), 0.0)) - 0.7;
    d = melt(d, length(p - vec3(0.5, 0.55, 0.3)) - 0.55, 0.5);
    d = melt(d, length(p - vec3(0.1, 1.4 + 0.1 * cos(time), -0.2)) - 0.4, 0.4);
    return min(d, p.y);
}

vec3 normal_at(vec3 p) {
    const vec2 e = vec2(1.0, -1.0) * 0.002;
    return normalize(e.xyy * scene(p + e.xyy) + e.yyx * scene(p + e.yyx) + e.yxy * scene(p + e.yxy) + e.xxx * scene(p + e.xxx));
}

float shadow(vec3 from, vec3 dir) {
    float lit = 1.0;
    float t = 0.05;
    for (int i = 0; i < 24 && t < 4.0; ++i) {
        float d = scene(from + t * dir);
        lit = min(lit, 8.0 * d / t);
        t += clamp(d, 0.04, 0.4);
    }
    return clamp(lit, 0.0, 1.0);
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec3 eye = vec3(0.0, 1.6, 4.2);
    vec3 dir = normalize(vec3(p * 0.55, -1.0) + vec3(0.0, -0.18, 0.0));
    float t = 0.0;
    bool hit = false;
    for (int i = 0; i < 70; ++i) {
        float d = scene(eye + t * dir);
        if (d < 0.001) {
            hit = true;
            break;
        }
        t += d;
        if (t > 20.0) break;
    }
    vec3 sky = mix(vec3(0.85, 0.80, 0.75), vec3(0.45, 0.60, 0.80), smoothstep(-0.1, 0.5, dir.y));
    vec3 shade = sky;
    if (hit) {
        vec3 at = eye + t * dir;
        vec3 n = normal_at(at);
        vec3 sun = normalize(vec3(0.6, 0.9, 0.5));
        vec3 base = at.y < 0.01 ? vec3(0.75, 0.72, 0.68) : vec3(0.85, 0.30, 0.22);
        float direct = max(dot(n, sun), 0.0) * shadow(at, sun);
        shade = base * (direct * vec3(1.1, 1.0, 0.9) + (0.35 + 0.15 * n.y) * vec3(0.5, 0.6, 0.8));
        shade += 0.4 * pow(max(dot(reflect(dir, n), sun), 0.0), 40.0) * step(0.01, at.y) * direct;
        shade = mix(shade, sky, smoothstep(6.0, 18.0, t));
    }
    color = vec4(sqrt(clamp(shade, 0.0, 1.0)), 1.0);
}
