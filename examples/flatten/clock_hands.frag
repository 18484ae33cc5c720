#version 300 es
// A station clock: marks by a loop over the hours, three hands from an array of structs.
// Integer division and remainder, nested `if`s, `continue`.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

struct Hand {
    float turn;
    float reach;
    float width;
    vec3 paint;
};

float capsule(vec2 p, vec2 a, vec2 b, float r) {
    vec2 along = b - a;
    float h = clamp(dot(p - a, along) / dot(along, along), 0.0, 1.0);
    return length(p - a - h * along) - r;
}

vec2 direction(float turn) {
    float angle = 6.2831853 * turn;
    return vec2(sin(angle), cos(angle));
}

void lay(inout vec3 c, float d, vec3 paint) {
    c = mix(c, paint, smoothstep(0.008, -0.008, d));
}

void marks(inout vec3 c, vec2 p) {
    float r = length(p);
    if (r < 0.6 || r > 0.88) return;
    for (int i = 0; i < 60; ++i) {
        vec2 way = direction(float(i) / 60.0);
        if (dot(way, p) < 0.98 * r) continue;
        bool hour = i % 5 == 0;
        if (hour) {
            float inner = i / 5 % 3 == 0 ? 0.62 : 0.68;
            lay(c, capsule(p, inner * way, 0.84 * way, 0.028), vec3(0.10));
        } else {
            lay(c, capsule(p, 0.79 * way, 0.84 * way, 0.009), vec3(0.10));
        }
    }
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    int seconds = 36543 + int(time);
    Hand hands[3];
    hands[0] = Hand(float(seconds % 43200) / 43200.0, 0.48, 0.042, vec3(0.12));
    hands[1] = Hand(float(seconds / 60 % 60) / 60.0, 0.74, 0.030, vec3(0.12));
    hands[2] = Hand(float(seconds % 60) / 60.0, 0.70, 0.010, vec3(0.78, 0.10, 0.10));
    float r = length(p);
    vec3 c = mix(vec3(0.20, 0.25, 0.32), vec3(0.32, 0.38, 0.45), 0.5 + 0.5 * p.y);
    lay(c, length(p - vec2(0.04, -0.06)) - 0.97, vec3(0.10, 0.12, 0.16));
    lay(c, r - 0.96, vec3(0.70, 0.72, 0.74) - 0.35 * p.y);
    lay(c, r - 0.90, vec3(0.96, 0.95, 0.92) - 0.10 * r);
    marks(c, p);
    for (int i = 0; i < 3; ++i) {
        vec2 way = direction(hands[i].turn);
        float tail = i == 2 ? -0.20 : -0.12;
        float shadow = capsule(p - vec2(0.02, -0.03), tail * way, hands[i].reach * way, hands[i].width);
        c *= 0.82 + 0.18 * smoothstep(-0.01, 0.04, shadow);
        lay(c, capsule(p, tail * way, hands[i].reach * way, hands[i].width), hands[i].paint);
        if (i == 2) lay(c, length(p - 0.56 * way) - 0.065, hands[i].paint);
    }
    lay(c, r - 0.045, vec3(0.78, 0.10, 0.10));
    color = vec4(c, 1.0);
}
