#version 300 es
// Crackled celadon: the four nearest distances, kept in order by insertion into an array.
// A `while` whose bound is the outer loop's variable, dynamic stores.
precision highp float;
precision highp int;

uniform vec2 resolution;
out vec4 color;

float whole(ivec2 c, int salt) {
    uint h = uint(c.x) * 0xcc9e2d51u + uint(c.y) * 0x1b873593u + uint(salt) * 0xe6546b64u;
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    return float(h & 0xffffffu) / 16777215.0;
}

void insert(inout float sorted[4], float d) {
    if (d >= sorted[3]) return;
    sorted[3] = d;
    for (int i = 3; i > 0; --i) {
        if (sorted[i] >= sorted[i - 1]) break;
        float kept = sorted[i];
        sorted[i] = sorted[i - 1];
        sorted[i - 1] = kept;
    }
}

float crackle(vec2 p, int salt) {
    float sorted[4] = float[4](9.0, 9.0, 9.0, 9.0);
    ivec2 cell = ivec2(floor(p));
    for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
            ivec2 at = cell + ivec2(x, y);
            vec2 point = vec2(at) + vec2(whole(at, salt), whole(at, salt + 1));
            insert(sorted, length(point - p));
        }
    }
    float edge = sorted[1] - sorted[0];
    float knot = sorted[2] - sorted[0] + sorted[3] - sorted[2];
    return min(smoothstep(0.0, 0.07, edge), 0.25 + smoothstep(0.0, 0.3, knot));
}

float glaze(vec2 p) {
    float value = 1.0;
    for (int layer = 1; layer <= 2; ++layer) {
        int turns = 0;
        vec2 q = p;
        while (turns < layer) {
            q = mat2(0.8, 0.6, -0.6, 0.8) * q + 3.0;
            ++turns;
        }
        value *= mix(1.0, crackle(q * float(layer) * 4.0, 3 * layer), 1.2 / float(layer + 1));
    }
    return value;
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    float r = length(p);
    vec3 c = vec3(0.86, 0.84, 0.80) - 0.10 * r;
    c *= 0.7 + 0.3 * smoothstep(0.0, 0.25, length(p - vec2(0.06, -0.08)) - 0.78);
    if (r < 0.9) {
        float g = glaze(p * 1.3);
        float depth = sqrt(max(0.81 - r * r, 0.0));
        c = mix(vec3(0.22, 0.34, 0.28), vec3(0.66, 0.80, 0.70), g) * (0.72 + 0.35 * depth);
        c += 0.5 * smoothstep(0.12, 0.0, length(p - vec2(-0.35, 0.42)) - 0.05);
        if (r > 0.82) {
            c *= 0.75 + 2.0 * abs(r - 0.86);
        }
    }
    color = vec4(c, 1.0);
}
