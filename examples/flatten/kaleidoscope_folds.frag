#version 300 es
// A kaleidoscope of six mirrors, folded again at every scale.
// `while` with a bound, swizzles stored in an `if`, a ternary with side effects.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

int mirrored = 0;

vec2 flip(vec2 p) {
    ++mirrored;
    return vec2(p.x, -p.y);
}

vec2 sector(vec2 p, float count) {
    float slice = 6.2831853 / count;
    float angle = atan(p.y, p.x);
    angle -= slice * floor(angle / slice + 0.5);
    vec2 q = length(p) * vec2(cos(angle), sin(angle));
    return q.y < 0.0 ? flip(q) : q;
}

vec3 shards(vec2 p) {
    vec3 sum = vec3(0.0);
    float size = 1.0;
    int i = 0;
    while (i < 4) {
        p = sector(p, 6.0);
        p -= vec2(0.52, 0.18 + 0.05 * sin(0.7 * time));
        if (p.x < p.y) {
            p.xy = p.yx;
            mirrored++;
        }
        float d = abs(p.y - 0.3 * p.x) - 0.02;
        vec3 hue = 0.55 + 0.45 * cos(vec3(0.0, 1.9, 3.9) + 1.3 * float(i) + 3.0 * p.x + 0.4 * time);
        sum += size * hue * exp(-14.0 * abs(d));
        p *= 1.4;
        size *= 0.82;
        i++;
    }
    return sum;
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec3 c = 1.5 * shards(0.8 * p);
    c *= 0.55 + 0.12 * float(mirrored % 5);
    float rim = length(p);
    if (rim > 0.97) {
        c *= 0.15;
    }
    c *= 1.05 - 0.35 * rim;
    color = vec4(c / (0.55 + 0.8 * c), 1.0);
}
