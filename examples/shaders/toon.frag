#version 330 core
// Toon shading: three steps of light, a hard gloss, an outline; on a lumpy thing found by ray marching.
uniform vec2 resolution;
uniform float time;
out vec4 fragColor;

float shape(vec3 p) {
    float body = length(p - vec3(0, -0.25, 0)) - 0.75;
    float head = length(p - vec3(0, 0.65, 0)) - 0.45;
    vec3 q = vec3(abs(p.x), p.yz);
    float ear = length((q - vec3(0.28, 1.15, 0)) * vec3(2.2, 1, 2.2)) / 2.2 - 0.15;
    float foot = length(q - vec3(0.38, -0.95, 0.3)) - 0.22;
    return min(min(min(body, head), ear), foot);
}

vec3 slope(vec3 p) {
    vec2 e = vec2(0.002, 0);
    return normalize(vec3(shape(p + e.xyy) - shape(p - e.xyy), shape(p + e.yxy) - shape(p - e.yxy), shape(p + e.yyx) - shape(p - e.yyx)));
}

void main() {
    vec2 p = (2 * gl_FragCoord.xy - resolution) / resolution.y;
    vec3 eye = vec3(0, 0.15, 5);
    vec3 dir = normalize(vec3(p * 0.34, -1));
    float t = 3.0, nearest = 1e3;
    bool hit = false;
    for (int i = 0; i < 64; ++i) {
        float d = shape(eye + t * dir);
        nearest = min(nearest, d);
        if (d < 5e-4) {
            hit = true;
            break;
        }
        t += d * 0.8;
        if (t > 8) break;
    }
    float rays = step(0, sin(10 * atan(p.y + 0.1, p.x + 1e-4) + time));
    vec3 paint = mix(vec3(0.99, 0.85, 0.35), vec3(1.0, 0.91, 0.55), rays);
    if (hit) {
        vec3 at = eye + t * dir;
        vec3 n = slope(at);
        vec3 l = normalize(vec3(-0.5, 0.8, 0.7));
        float light = dot(n, l);
        vec3 fur = at.y > 0.35 ? vec3(0.85, 0.45, 0.35) : vec3(0.30, 0.55, 0.75);
        float level = light > 0.55 ? 1.0 : light > 0.1 ? 0.75 : 0.5;
        paint = fur * level;
        if (dot(reflect(dir, n), l) > 0.95) paint = vec3(1);
        vec2 face = vec2(abs(at.x) - 0.15, at.y - 0.72);
        if (at.z > 0 && length(face) < 0.07) paint = vec3(0.1);
        if (-dot(n, dir) < 0.28) paint = vec3(0.12, 0.1, 0.15);
    } else if (nearest < 0.03) {
        paint = vec3(0.12, 0.1, 0.15);
    }
    fragColor = vec4(paint, 1);
}
