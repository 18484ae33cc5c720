#version 300 es
// Pearls on a cloth: outside a pearl the root is no number, and every comparison with it is false, whichever way it is written.
// Negated conditions, nested arms, `return`.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float depth(vec2 d, float radius) {
    return sqrt(radius * radius - dot(d, d));
}

bool covers(vec2 d, float radius) {
    float z = depth(d, radius);
    if (!(z >= 0.0)) return false;
    return true;
}

vec3 pearl(vec2 d, float z, float radius, vec3 lustre) {
    vec3 n = vec3(d, z) / radius;
    float lit = 0.5 + 0.5 * dot(n, normalize(vec3(-0.5, 0.6, 0.6)));
    vec3 c = lustre * (0.35 + 0.65 * lit);
    c += 0.08 * cos(9.0 * n.z + vec3(0.0, 1.5, 3.0));
    vec3 glint = normalize(vec3(-0.4 + 0.2 * sin(time), 0.5, 1.0));
    return c + 0.9 * pow(max(dot(n, glint), 0.0), 60.0) + 0.12 * (1.0 - n.z);
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    float folds = sin(3.0 * p.x + 2.0 * sin(1.5 * p.y)) + 0.5 * sin(7.0 * p.x - 4.0 * p.y);
    vec3 c = vec3(0.20, 0.05, 0.10) * (1.0 + 0.45 * folds);
    float highest = -1.0;
    for (int i = 0; i < 17; ++i) {
        float k = float(i);
        float angle = 0.3696 * k - 0.4 * sin(0.5 * time);
        vec2 centre = vec2(0.72 * cos(angle), 0.62 * sin(angle) + 0.12 * sin(2.0 * angle));
        float radius = 0.115 + 0.02 * sin(2.2 * k);
        vec2 d = p - centre;
        float z = depth(d, radius);
        if (z <= highest) {
            continue;
        } else if (covers(d, radius)) {
            vec3 lustre = mix(vec3(0.96, 0.91, 0.86), vec3(0.62, 0.60, 0.68), 0.5 + 0.5 * sin(5.0 * k));
            c = pearl(d, z, radius, lustre);
            highest = z;
        } else if (highest < 0.0) {
            float shade = depth(d - vec2(0.03, -0.04), radius * 1.25);
            c *= shade > 0.0 ? 0.62 : 1.0;
        }
    }
    float drop = depth((p - vec2(0.0, -0.05)) * vec2(1.0, 0.8), 0.27);
    color = drop < 0.0 || drop >= 0.0 ? vec4(pearl((p - vec2(0.0, -0.05)) * vec2(1.0, 0.8), drop, 0.27, vec3(0.98, 0.88, 0.84)), 1.0) : vec4(c, 1.0);
}
