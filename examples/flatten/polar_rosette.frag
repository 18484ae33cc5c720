#version 300 es
// A rose window: rings of petals, each ring with its own number and shape.
// A `switch` that falls through, chosen in a loop with `continue`.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const float TAU = 6.2831853;

float petal(vec2 q, int kind) {
    float d = 9.0;
    switch (kind) {
        case 0:
            d = length(q) - 0.5;
            break;
        case 1:
            q.x = abs(q.x) + 0.25;
        case 2:
            d = length(vec2(max(abs(q.x) - 0.1, 0.0), 0.8 * q.y)) - 0.45;
            break;
        case 3:
            d = abs(q.x) + abs(q.y) - 0.5;
        default:
            d = max(min(d, length(q) - 0.42), 0.12 - length(q));
    }
    return d;
}

vec3 ink(int ring) {
    return 0.5 + 0.5 * cos(0.9 * float(ring) + vec3(3.4, 4.6, 5.9));
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    float radius = length(p);
    float angle = atan(p.y, p.x) + 0.02 * time;
    vec3 c = vec3(0.09, 0.08, 0.13);
    for (int ring = 0; ring < 6; ++ring) {
        float inner = 0.16 * float(ring);
        float outer = inner + 0.155;
        if (radius < inner || radius > outer) continue;
        int count = ring == 0 ? 1 : 6 * ring;
        float slice = TAU / float(count);
        float turn = angle + ((ring & 1) == 1 ? 0.5 * slice : 0.0);
        float local = turn - slice * floor(turn / slice + 0.5);
        vec2 q = vec2(local * radius, radius - 0.5 * (inner + outer)) / 0.155;
        if (ring == 0) q = p / 0.31;
        float d = petal(q, (ring * 3 + 2) % 5);
        vec3 glow = ink(ring);
        c = mix(c, glow * (1.0 + 0.5 * d), smoothstep(0.03, -0.03, d));
        c += 0.18 * glow * exp(-18.0 * abs(d));
        c *= smoothstep(0.0, 0.012, min(radius - inner + step(float(ring), 0.5), outer - radius));
    }
    c += 0.10 * exp(-30.0 * abs(radius - 0.98));
    color = vec4(pow(c, vec3(0.85)), 1.0);
}
