#version 300 es
// A cube carved by a sphere and three bars: union, intersection and difference.
// A `switch` that falls through in a helper called with constants, a component at the loop's index cleared, a march left by `break`.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const int UNION = 0;
const int INTERSECT = 1;
const int SUBTRACT = 2;

float combine(float a, float b, int how) {
    switch (how) {
        case UNION:
            return min(a, b);
        case SUBTRACT:
            b = -b;
        case INTERSECT:
            return max(a, b);
    }
    return a;
}

float box(vec3 p, vec3 size) {
    vec3 q = abs(p) - size;
    return length(max(q, 0.0)) + min(max(q.x, max(q.y, q.z)), 0.0);
}

float solid(vec3 p) {
    float d = box(p, vec3(0.9)) - 0.04;
    d = combine(d, length(p) - 1.22, INTERSECT);
    for (int axis = 0; axis < 3; ++axis) {
        vec3 q = p;
        q[axis] = 0.0;
        d = combine(d, length(q) - 0.55, SUBTRACT);
    }
    d = combine(d, length(p) - 0.52, UNION);
    return d;
}

void spin(inout vec3 p, float angle) {
    float c = cos(angle);
    float s = sin(angle);
    p.xz = vec2(c * p.x + s * p.z, c * p.z - s * p.x);
    p.yz = vec2(0.85 * p.y - 0.53 * p.z, 0.53 * p.y + 0.85 * p.z);
}

vec3 normal_at(vec3 p) {
    const vec2 k = vec2(1.0, -1.0);
    vec3 n = k.xyy * solid(p + 0.001 * k.xyy);
    n += k.yyx * solid(p + 0.001 * k.yyx);
    n += k.yxy * solid(p + 0.001 * k.yxy);
    n += k.xxx * solid(p + 0.001 * k.xxx);
    return normalize(n);
}

void main() {
    vec2 uv = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec3 at = vec3(0.0, 0.0, 5.0);
    vec3 ray = normalize(vec3(uv, -3.2));
    vec3 light = normalize(vec3(-0.4, 0.9, 0.6));
    float angle = 0.25 + 0.4 * time;
    spin(at, angle);
    spin(ray, angle);
    spin(light, angle);
    bool hit = false;
    for (int i = 0; i < 36; ++i) {
        float d = solid(at);
        hit = d < 0.002;
        if (hit || d > 4.5) break;
        at += d * ray;
    }
    vec3 c = vec3(0.93, 0.91, 0.87) * (1.0 - 0.25 * dot(uv, uv));
    if (hit) {
        vec3 n = normal_at(at);
        float inner = length(at);
        vec3 paint = mix(vec3(0.95, 0.45, 0.10), vec3(0.16, 0.42, 0.55), smoothstep(0.53, 0.6, inner));
        float open = 0.35 + 0.65 * smoothstep(0.3, 1.15, inner);
        c = paint * (0.35 * open + 0.75 * max(dot(n, light), 0.0));
        c += 0.3 * pow(max(dot(reflect(ray, n), light), 0.0), 20.0);
    }
    color = vec4(sqrt(clamp(c, 0.0, 1.0)), 1.0);
}
