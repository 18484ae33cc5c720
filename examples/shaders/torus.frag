#version 330 core
// A torus in desktop GLSL: its distance, its slope by finite differences, a striped skin.
uniform vec2 resolution;
uniform float time;
layout(location = 0) out vec4 fragColor;

mat3 turn(float yaw, float pitch) {
    float cy = cos(yaw), sy = sin(yaw), cp = cos(pitch), sp = sin(pitch);
    return mat3(cy, 0, -sy, 0, 1, 0, sy, 0, cy) * mat3(1, 0, 0, 0, cp, sp, 0, -sp, cp);
}

float torus(vec3 p) {
    return length(vec2(length(p.xz) - 1.0, p.y)) - 0.42;
}

void main() {
    vec2 p = (2 * gl_FragCoord.xy - resolution) / resolution.y;
    mat3 frame = turn(0.4 * time, 0.9);
    vec3 eye = vec3(0, 0, 4) * frame;
    vec3 dir = normalize(vec3(p * 0.45, -1)) * frame;
    float t = 2.0;
    for (int i = 0; i < 60; i++) {
        float d = torus(eye + t * dir);
        t += d;
        if (d < 1e-3 || t > 8) break;
    }
    vec3 back = mix(vec3(0.12, 0.10, 0.18), vec3(0.30, 0.22, 0.36), 0.5 + 0.5 * p.y);
    if (t > 7) {
        fragColor = vec4(back, 1);
        return;
    }
    vec3 at = eye + t * dir;
    vec3 ring = vec3(normalize(at.xz), 0).xzy;
    vec3 n = normalize(at - ring);
    float around = atan(at.z, at.x);
    float inside = atan(at.y, length(at.xz) - 1);
    float stripe = smoothstep(-0.15, 0.15, sin(6 * inside + 3 * around));
    vec3 skin = mix(vec3(0.95, 0.85, 0.70), vec3(0.20, 0.45, 0.55), stripe);
    vec3 light = normalize(vec3(1, 2, 3)) * frame;
    float diffuse = max(dot(n, light), 0) * 0.8 + 0.25;
    float gloss = pow(max(dot(reflect(dir, n), light), 0), 30);
    fragColor = vec4(skin * diffuse + 0.5 * gloss, 1);
}
