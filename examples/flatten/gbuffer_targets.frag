#version 300 es
// A geometry buffer of a small temple of spheres: colour, normal and depth in three targets, all written along several paths.
// Structs, early return.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
layout(location = 0) out vec4 albedo;
layout(location = 1) out vec4 normal;
layout(location = 2) out vec4 depth;

struct Nearest {
    float t;
    vec3 n;
    vec3 paint;
};

void sphere(inout Nearest hit, vec3 eye, vec3 ray, vec3 centre, float radius, vec3 paint) {
    vec3 from = eye - centre;
    float b = dot(from, ray);
    float disc = b * b - dot(from, from) + radius * radius;
    if (disc < 0.0) return;
    float t = -b - sqrt(disc);
    if (t < 0.0 || t > hit.t) return;
    hit.t = t;
    hit.n = (from + t * ray) / radius;
    hit.paint = paint;
}

void ground(inout Nearest hit, vec3 eye, vec3 ray) {
    if (ray.y >= 0.0) return;
    float t = -(eye.y + 1.0) / ray.y;
    if (t >= hit.t) return;
    vec2 at = floor((eye + t * ray).xz * 1.5);
    hit = Nearest(t, vec3(0.0, 1.0, 0.0), mod(at.x + at.y, 2.0) < 0.5 ? vec3(0.88, 0.86, 0.80) : vec3(0.35, 0.45, 0.55));
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec3 eye = vec3(0.0, 0.8, 5.0);
    vec3 ray = normalize(vec3(p.x, p.y - 0.25, -2.0));
    Nearest hit = Nearest(40.0, vec3(0.0), vec3(0.0));
    ground(hit, eye, ray);
    for (int i = 0; i < 6; ++i) {
        float angle = 1.0472 * float(i) + 0.3 * time;
        vec3 paint = 0.6 + 0.4 * cos(float(i) + vec3(0.0, 2.1, 4.2));
        vec3 centre = vec3(1.5 * cos(angle), -0.55, 1.5 * sin(angle));
        sphere(hit, eye, ray, centre, 0.45, paint);
        sphere(hit, eye, ray, centre + vec3(0.0, 0.72, 0.0), 0.28, paint.bgr);
    }
    if (hit.t >= 40.0) {
        albedo = vec4(mix(vec3(0.95, 0.83, 0.70), vec3(0.45, 0.62, 0.82), 0.5 + 0.5 * p.y), 1.0);
        normal = vec4(0.5, 0.5, 1.0, 1.0);
        depth = vec4(1.0);
        return;
    }
    float lit = 0.45 + 0.55 * max(dot(hit.n, normalize(vec3(-0.5, 0.8, 0.6))), 0.0);
    albedo = vec4(hit.paint * lit, 1.0);
    normal = vec4(0.5 + 0.5 * hit.n, 1.0);
    depth.rgb = vec3(1.0 - exp(-0.2 * hit.t));
    depth.a = 1.0;
}
