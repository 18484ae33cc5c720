#version 300 es
// A woven cloth with a pattern in its warp: which thread lies on top comes from the bits of a table.
// Array of ints, bit operations, ternaries in a struct.
precision highp float;
precision highp int;

uniform vec2 resolution;
out vec4 color;

const int DRAFT[8] = int[8](0x99, 0x33, 0x66, 0xcc, 0x99, 0xcc, 0x66, 0x33);

struct Thread {
    vec3 dye;
    float across;
    float along;
};

vec3 stripe(int index, bool warp) {
    int at = index % 16;
    if (warp) {
        if (at < 2) return vec3(0.82, 0.66, 0.30);
        if (at < 9) return vec3(0.16, 0.24, 0.42);
        return vec3(0.30, 0.40, 0.55);
    }
    return at == 5 ? vec3(0.80, 0.30, 0.22) : vec3(0.86, 0.82, 0.74);
}

float strands(Thread t) {
    float twist = sin(38.0 * t.across + 9.0 * t.along);
    float crown = sqrt(max(1.0 - 3.6 * t.across * t.across, 0.0));
    float arch = cos(2.4 * t.along);
    return crown * (0.35 + 0.65 * arch) * (0.88 + 0.12 * twist);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 40.0;
    p += 0.12 * sin(0.35 * p.yx);
    ivec2 cell = ivec2(floor(p));
    vec2 f = fract(p) - 0.5;
    int row = DRAFT[cell.y & 7];
    bool warp_above = ((row >> (cell.x & 7)) & 1) == 1;
    Thread top;
    top.dye = stripe(warp_above ? cell.x : cell.y, warp_above);
    top.across = warp_above ? f.x : f.y;
    top.along = warp_above ? f.y : f.x;
    Thread below = Thread(stripe(warp_above ? cell.y : cell.x, !warp_above), top.along, top.across);
    float height = strands(top);
    vec3 c = top.dye * (0.25 + 0.85 * height);
    if (abs(top.across) > 0.44) {
        c = below.dye * 0.30;
    }
    vec2 sheen = gl_FragCoord.xy / resolution - vec2(0.35, 0.65);
    c *= 1.15 - 0.6 * dot(sheen, sheen);
    color = vec4(pow(c, vec3(0.8)), 1.0);
}
