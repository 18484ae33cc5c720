#version 300 es
// Bubble sort watched: every row of the picture is one more pass over eight numbers.
// Nested loops, the inner one's bound is the outer one's variable.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const int COUNT = 8;

void fill(out int numbers[COUNT], int seed) {
    int state = seed * 77 + 13;
    for (int i = 0; i < COUNT; ++i) {
        state = (state * 205 + 29) & 1023;
        numbers[i] = state >> 4 & 63;
    }
}

int sort(inout int numbers[COUNT], int passes) {
    int swaps = 0;
    for (int last = COUNT - 1; last > 0; --last) {
        if (COUNT - 1 - last >= passes) break;
        bool moved = false;
        for (int i = 0; i < last; ++i) {
            if (numbers[i] <= numbers[i + 1]) continue;
            int kept = numbers[i];
            numbers[i] = numbers[i + 1];
            numbers[i + 1] = kept;
            moved = true;
            swaps++;
        }
        if (!moved) return swaps;
    }
    return swaps;
}

vec3 ribbon(int number) {
    float h = float(number) / 63.0;
    vec3 c = 0.52 + 0.48 * cos(6.2832 * (0.75 * h + vec3(0.02, 0.36, 0.62)));
    return mix(c, vec3(c.r), 0.1);
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution;
    vec2 p = uv * vec2(8.0, 8.0);
    int passes = int(8.0 - p.y);
    int column = int(p.x);
    int numbers[COUNT];
    fill(numbers, int(time) + 3);
    int swaps = sort(numbers, passes);
    int here = numbers[column];
    vec2 f = fract(p);
    float size = 0.18 + 0.30 * float(here) / 63.0;
    vec2 d = abs(f - 0.5) - vec2(0.44, size - 0.08);
    float box = length(max(d, 0.0)) - 0.05;
    vec3 back = vec3(0.09, 0.10, 0.13) + 0.0020 * float(swaps);
    vec3 c = mix(back, ribbon(here) * (0.75 + 0.5 * f.y), smoothstep(0.01, -0.02, box));
    if (passes >= COUNT - 1 - column && box < -0.03) {
        c += 0.10;
    }
    color = vec4(c, 1.0);
}
