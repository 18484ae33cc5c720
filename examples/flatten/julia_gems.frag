#version 300 es
// Six Julia sets in cabochons, each with its own constant from a table, lit by the slope of the count.
// `do` / `while`, an early return, `else if`.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const vec2 CONSTANTS[6] = vec2[6](vec2(-0.40, 0.60), vec2(0.285, 0.01), vec2(-0.835, -0.2321),
                                  vec2(-0.7269, 0.1889), vec2(0.355, 0.355), vec2(-0.54, 0.54));

float escape(vec2 z, vec2 c) {
    int i = 0;
    do {
        z = vec2((z.x - z.y) * (z.x + z.y), 2.0 * z.x * z.y) + c;
        float r2 = dot(z, z);
        if (r2 > 16.0) {
            return float(i) + 2.0 - log2(log2(r2));
        }
        ++i;
    } while (i < 48);
    return 48.0;
}

vec3 gem(float t, int which) {
    vec3 phase = vec3(0.0, 0.6, 1.2) + 1.1 * float(which);
    if (t >= 47.5) return 0.10 + 0.10 * cos(phase + 2.0);
    return 0.5 + 0.5 * cos(3.0 + phase + 0.9 * sqrt(t + 1.0) * 1.6);
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution * vec2(3.0, 2.0);
    int which = int(uv.x) + 3 * int(uv.y);
    vec2 p = 2.0 * fract(uv) - 1.0;
    p.y *= 1.5 * resolution.y / resolution.x;
    float r = length(p);
    vec3 c = vec3(0.16, 0.13, 0.11) + 0.03 * sin(80.0 * uv.x) * sin(80.0 * uv.y);
    if (r < 0.88) {
        vec2 wobble = 0.02 * vec2(cos(time), sin(time));
        vec2 z = 1.35 * p * (1.0 - 0.15 * r * r);
        vec2 constant = CONSTANTS[which] + wobble;
        float t = escape(z, constant);
        float slope = escape(z + vec2(-0.004, 0.004), constant) - t;
        c = gem(t, which) * clamp(1.0 + 0.25 * slope, 0.5, 1.5);
        float dome = sqrt(1.0 - r * r / 0.80);
        c *= 0.45 + 0.6 * dome;
        c += 0.45 * smoothstep(0.16, 0.0, length(p - vec2(-0.35, 0.40)));
    } else if (r < 0.97) {
        float across = (r - 0.925) / 0.045;
        float lit = 0.55 - 0.45 * across * dot(normalize(p), normalize(vec2(1.0, -1.0)));
        c = vec3(0.85, 0.68, 0.32) * (0.35 + lit) * (1.0 - 0.5 * across * across);
    }
    color = vec4(c, 1.0);
}
