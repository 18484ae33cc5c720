#version 300 es
// A glass ball's silhouette over a checkered floor: the plainest ray march.
// Fixed steps with `break` on a hit, early return on a miss.
precision highp float;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float scene(vec3 p) {
    float ball = length(p - vec3(0.0, 0.15 * sin(time), 0.0)) - 1.0;
    return min(ball, p.y + 1.0);
}

bool march(vec3 eye, vec3 ray, out vec3 hit) {
    float t = 0.0;
    hit = eye;
    for (int i = 0; i < 40; ++i) {
        hit = eye + t * ray;
        float d = scene(hit);
        if (d < 0.002) return true;
        t += d;
        if (t > 14.0) break;
    }
    return false;
}

vec3 normal_at(vec3 p) {
    vec2 e = vec2(0.001, 0.0);
    float d = scene(p);
    return normalize(vec3(scene(p + e.xyy) - d, scene(p + e.yxy) - d, scene(p + e.yyx) - d));
}

vec3 sky(vec3 ray) {
    return mix(vec3(0.95, 0.75, 0.62), vec3(0.28, 0.48, 0.80), smoothstep(-0.1, 0.7, ray.y));
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec3 eye = vec3(0.0, 0.6, 3.4);
    vec3 ray = normalize(vec3(p, -1.7));
    vec3 hit;
    if (!march(eye, ray, hit)) {
        color = vec4(sky(ray), 1.0);
        return;
    }
    vec3 light = normalize(vec3(-0.6, 0.9, 0.5));
    vec3 n = normal_at(hit);
    float lit = max(dot(n, light), 0.0);
    vec3 c;
    if (n.y > 0.99 && hit.y < -0.9) {
        bool odd = mod(floor(hit.x) + floor(hit.z), 2.0) > 0.5;
        c = (odd ? vec3(0.85, 0.83, 0.78) : vec3(0.18, 0.20, 0.26)) * (0.25 + 0.75 * lit);
        float shade = length(hit.xz - vec2(0.9, -0.75));
        c *= 0.35 + 0.65 * smoothstep(0.5, 1.3, shade);
        c = mix(c, sky(ray), smoothstep(4.0, 13.0, length(hit - eye)));
    } else {
        vec3 mirrored = reflect(ray, n);
        float rim = pow(1.0 + dot(ray, n), 3.0);
        c = mix(vec3(0.65, 0.12, 0.16) * (0.2 + 0.8 * lit), sky(mirrored), 0.15 + 0.7 * rim);
        c += pow(max(dot(mirrored, light), 0.0), 60.0);
    }
    color = vec4(sqrt(c) * 0.98, 1.0);
}
