#version 300 es
// Slot machine reels: a counter that calls change decides the symbols, so order and skipped calls show.
// Side effects in `?:`, right of `&&` and `||`, in indices.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

int pulls = 0;
int tally[4];

int pull(int by) {
    pulls += by;
    return pulls;
}

bool lucky(int x) {
    tally[x & 3]++;
    return (pull(1) * 5 + x * 3) % 7 < 3;
}

int spin(ivec2 cell) {
    int x = (cell.x * 7919 ^ cell.y * 10473) % 61 + int(time);
    int before = pulls + pull(x & 3);
    int symbol = lucky(x) ? pull(2) + pulls : pulls - 1;
    if (symbol > 4 && lucky(symbol)) {
        symbol += pull(1);
    } else if (symbol < 3 || lucky(x + 1)) {
        symbol -= before;
    }
    tally[pull(1) & 3] += symbol;
    tally[(symbol + before) & 3] -= pulls++;
    symbol = pulls++ + ++pulls * symbol;
    symbol ^= tally[0] + 2 * tally[1] ^ tally[2] * 3;
    return (symbol * 53 ^ symbol >> 3) & 7;
}

float shape(vec2 q, int symbol) {
    float r = length(q);
    float angle = atan(q.y, q.x);
    if (symbol == 0) return r - 0.6;
    if (symbol == 1) return abs(r - 0.48) - 0.14;
    if (symbol < 4) return r - 0.48 - 0.16 * cos(float(symbol + 2) * angle + 1.5708);
    if (symbol == 4) return max(abs(q.x), abs(q.y)) - 0.5;
    if (symbol == 5) return abs(q.x) + abs(q.y) - 0.66;
    if (symbol == 6) return min(max(abs(q.x) - 0.18, abs(q.y) - 0.6), max(abs(q.y) - 0.18, abs(q.x) - 0.6));
    return max(r - 0.62, 0.42 - length(q - vec2(0.28, 0.12)));
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 5.0;
    ivec2 cell = ivec2(floor(p));
    vec2 q = 2.0 * fract(p) - 1.0;
    for (int i = 0; i < 4; ++i) {
        tally[i] = i;
    }
    int symbol = spin(cell);
    float d = shape(q, symbol);
    vec3 paint = 0.52 + 0.42 * cos(0.8 * float(symbol) + vec3(0.0, 2.2, 4.1));
    vec3 c = vec3(0.97, 0.95, 0.90);
    c *= 1.0 - 0.25 * q.y * q.y;
    c = mix(c, paint * (1.0 + 0.25 * q.y), smoothstep(0.03, -0.03, d));
    c = mix(c, paint * 0.45, smoothstep(0.06, 0.02, abs(d)));
    if (abs(q.x) > 0.93) c = vec3(0.55, 0.12, 0.15);
    c *= 0.92 + 0.02 * float(pulls & 7);
    color = vec4(c, 1.0);
}
