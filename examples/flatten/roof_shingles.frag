#version 300 es
// Overlapping round shingles, green with moss: the topmost row that covers the pixel wins.
// `while` with a bound and a `break`, `++` in an index.
precision highp float;
precision highp int;

uniform vec2 resolution;
out vec4 color;

const vec3 GLAZES[5] = vec3[5](vec3(0.10, 0.33, 0.36), vec3(0.13, 0.42, 0.40), vec3(0.09, 0.26, 0.34),
                               vec3(0.22, 0.48, 0.38), vec3(0.62, 0.40, 0.20));

int pick(ivec2 cell) {
    int n = cell.x * 73856093 ^ cell.y * 19349663;
    n = (n ^ (n >> 11)) * 83492791;
    return (n >> 7) & 15;
}

float outline(vec2 q) {
    if (q.y > 0.0) return abs(q.x) - 0.5;
    return length(q) - 0.5;
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 8.0;
    int row = int(floor(p.y * 2.0));
    int tries = 0;
    vec3 c = vec3(0.05, 0.07, 0.08);
    while (tries < 3) {
        float shift = (row & 1) == 0 ? 0.0 : 0.5;
        ivec2 cell = ivec2(int(floor(p.x + shift)), row);
        vec2 q = vec2(fract(p.x + shift) - 0.5, p.y - 0.5 * float(row) - 0.5);
        float d = outline(q);
        if (d < 0.0) {
            int which = pick(cell);
            vec3 glaze = GLAZES[which < 5 ? which++ : (which++ & 3)];
            float rise = -0.45 * q.y + 0.5;
            c = glaze * (0.45 + 0.75 * rise) * (0.85 + 0.02 * float(which));
            c += 0.20 * smoothstep(0.10, 0.0, length(q - vec2(-0.16, -0.18)));
            c *= 0.35 + 0.65 * smoothstep(0.0, -0.06, d);
            float moss = sin(9.0 * p.x + float(which)) * sin(7.0 * p.y) + q.y;
            c = mix(c, vec3(0.23, 0.30, 0.08), 0.7 * smoothstep(0.75, 1.15, moss));
            break;
        }
        row--;
        tries++;
    }
    color = vec4(sqrt(c), 1.0);
}
