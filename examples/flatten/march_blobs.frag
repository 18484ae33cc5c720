#version 300 es
// Blobs that flow into each other: smooth minimum of distance and colour over an array.
// `inout` struct, loops in helpers, march with `break`.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

struct Hit {
    float d;
    vec3 paint;
};

void blend(inout Hit into, Hit other, float soft) {
    float h = clamp(0.5 + 0.5 * (into.d - other.d) / soft, 0.0, 1.0);
    into.d = mix(into.d, other.d, h) - soft * h * (1.0 - h);
    into.paint = mix(into.paint, other.paint, h);
}

Hit blobs(vec3 p) {
    Hit all = Hit(p.y + 1.1, vec3(0.30, 0.32, 0.42));
    for (int i = 0; i < 5; ++i) {
        float k = float(i);
        vec3 centre = vec3(0.85 * cos(1.26 * k + 0.3 * time), 0.45 * sin(2.1 * k + time) - 0.1, 0.6 * sin(1.26 * k + 0.3 * time));
        vec3 paint = 0.55 + 0.45 * cos(1.2 * k + vec3(0.3, 2.2, 4.3));
        blend(all, Hit(length(p - centre) - 0.44, paint), 0.5);
    }
    return all;
}

float march(vec3 eye, vec3 ray) {
    float t = 1.0;
    for (int i = 0; i < 32; ++i) {
        float d = blobs(eye + t * ray).d;
        if (d < 0.004 || t > 9.0) break;
        t += d;
    }
    return t;
}

vec3 normal_at(vec3 p) {
    float d = blobs(p).d;
    vec3 n;
    n.x = blobs(p + vec3(0.004, 0.0, 0.0)).d;
    n.y = blobs(p + vec3(0.0, 0.004, 0.0)).d;
    n.z = blobs(p + vec3(0.0, 0.0, 0.004)).d;
    return normalize(n - d);
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec3 eye = vec3(0.0, 1.0, 3.8);
    vec3 ray = normalize(vec3(p.x, p.y - 0.42, -1.9));
    float t = march(eye, ray);
    vec3 fog = mix(vec3(0.55, 0.62, 0.78), vec3(0.90, 0.82, 0.80), p.y);
    vec3 c = fog;
    if (t < 9.0) {
        vec3 at = eye + t * ray;
        vec3 n = normal_at(at);
        vec3 light = normalize(vec3(0.6, 0.9, 0.4));
        float wrapped = max(0.35 + 0.65 * dot(n, light), 0.0);
        c = blobs(at).paint * wrapped;
        c += 0.35 * pow(max(dot(reflect(ray, n), light), 0.0), 30.0);
        c += 0.20 * pow(1.0 + dot(n, ray), 3.0);
        c = mix(c, fog, smoothstep(4.5, 9.0, t));
    }
    color = vec4(sqrt(clamp(c, 0.0, 1.0)), 1.0);
}
