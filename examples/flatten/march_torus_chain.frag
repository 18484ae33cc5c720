#version 300 es
// A golden chain: links alternate their plane, three are tested a step.
// A loop in a helper in a loop, rotation matrices, `break` and a step counter kept.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

mat2 turn(float angle) {
    float c = cos(angle);
    float s = sin(angle);
    return mat2(c, s, -s, c);
}

float link(vec3 p) {
    p.x -= clamp(p.x, -0.25, 0.25);
    vec2 q = vec2(length(p.xy) - 0.42, p.z);
    return length(q) - 0.13;
}

float chain(vec3 p) {
    p.xy = turn(0.5) * p.xy;
    float nearest = 9.0;
    float first = floor(p.x / 1.02);
    for (int i = -1; i <= 1; ++i) {
        float at = first + float(i) + 0.5;
        vec3 q = p - vec3(1.02 * at, 0.0, 0.0);
        q.yz = mod(floor(at), 2.0) > 0.5 ? q.yz : q.zy;
        q.yz = turn(0.35) * q.yz;
        nearest = min(nearest, link(q));
    }
    return nearest;
}

vec3 slope(vec3 p) {
    vec3 n = vec3(0.0);
    for (int i = 0; i < 3; ++i) {
        vec3 e = vec3(0.0);
        e[i] = 0.002;
        n[i] = chain(p + e) - chain(p - e);
    }
    return normalize(n);
}

vec3 room(vec3 d) {
    float strip = smoothstep(0.55, 0.7, d.y) + 0.7 * smoothstep(0.1, 0.0, abs(d.x + 0.55));
    return vec3(0.10, 0.08, 0.12) + strip * vec3(1.0, 0.93, 0.8) + 0.25 * max(-d.y, 0.0) * vec3(0.3, 0.4, 0.8);
}

void main() {
    vec2 uv = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec3 eye = vec3(0.3 * sin(time), 0.0, 4.0);
    vec3 ray = normalize(vec3(uv, -2.2));
    float t = 2.4;
    int steps = 0;
    bool hit = false;
    for (int i = 0; i < 28; ++i) {
        float d = chain(eye + t * ray);
        steps = i;
        if (d < 0.003) {
            hit = true;
            break;
        }
        t += 0.9 * d;
        if (t > 6.5) break;
    }
    vec3 c = mix(vec3(0.05, 0.07, 0.11), vec3(0.16, 0.10, 0.16), 0.5 + 0.5 * uv.y);
    if (hit) {
        vec3 n = slope(eye + t * ray);
        vec3 gold = vec3(1.0, 0.76, 0.34);
        c = gold * room(reflect(ray, n));
        c += 0.25 * gold * max(dot(n, normalize(vec3(0.5, 0.8, 0.6))), 0.0);
        c *= 1.0 - 0.5 * float(steps) / 28.0;
    } else {
        c += 0.004 * float(steps) * vec3(1.0, 0.7, 0.4);
    }
    color = vec4(sqrt(clamp(c, 0.0, 1.0)), 1.0);
}
