// A lava lamp: the sum of moving blobs against a threshold, in glass.
// ES 1.00: an array filled and read in loops, `out` parameters, a chain of `if`s.
precision highp float;

uniform vec2 resolution;
uniform float time;

void place(out vec3 blobs[7]) {
    for (int i = 0; i < 7; ++i) {
        float k = float(i);
        float y = sin(0.35 * time * (1.0 + 0.13 * k) + 2.4 * k);
        blobs[i] = vec3(0.13 * sin(0.5 * time + 1.9 * k), 0.62 * y, 0.10 + 0.04 * sin(3.0 * k));
    }
}

float wax(vec3 blobs[7], vec2 p, out vec2 slope) {
    float sum = 0.0;
    slope = vec2(0.0);
    for (int i = 0; i < 7; ++i) {
        vec2 d = p - blobs[i].xy;
        float share = blobs[i].z * blobs[i].z / (dot(d, d) + 0.001);
        sum += share;
        slope -= share * share * d / (blobs[i].z * blobs[i].z);
    }
    sum += 0.08 / max(p.y + 0.98, 0.02);
    return sum;
}

float glass(float y) {
    return 0.36 - 0.12 * (y + 0.75) - 0.10 * smoothstep(-0.45, -0.85, y);
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec3 c = mix(vec3(0.30, 0.13, 0.22), vec3(0.10, 0.06, 0.14), length(p) * 0.8);
    c += 0.22 * vec3(1.0, 0.35, 0.15) * exp(-3.0 * length(p * vec2(1.4, 0.8)));
    float side = glass(p.y);
    float d = abs(p.x) - side;
    if (p.y < -0.8 && p.y > -1.0) side += 0.15 * (-0.8 - p.y) / 0.2;
    if (p.y > -0.82 && p.y < 0.80 && d < 0.0) {
        vec3 blobs[7];
        place(blobs);
        vec2 slope;
        float amount = wax(blobs, p, slope);
        float across = p.x / side;
        c = mix(vec3(0.98, 0.72, 0.22), vec3(0.90, 0.30, 0.25), 0.5 + 0.5 * p.y) * (1.05 - 0.45 * across * across);
        if (amount > 1.0) {
            vec3 n = normalize(vec3(slope * 0.12, 1.0));
            float lit = 0.6 + 0.4 * dot(n, normalize(vec3(-0.3, -0.8, 0.6)));
            c = mix(vec3(0.55, 0.05, 0.10), vec3(1.0, 0.30, 0.16), lit) * (1.1 - 0.3 * p.y);
            c += 0.15 * smoothstep(1.25, 1.0, amount);
        } else if (amount > 0.8) {
            c *= 1.0 - 0.6 * (amount - 0.8);
        }
        c += 0.30 * smoothstep(0.06, 0.0, abs(across + 0.62) * side) * smoothstep(0.9, 0.2, abs(p.y));
    } else if (abs(p.x) < side + 0.02 && abs(p.y) < 0.98) {
        float across = p.x / (side + 0.02);
        c = mix(vec3(0.36, 0.37, 0.42), vec3(0.85, 0.86, 0.90), exp(-9.0 * (across + 0.35) * (across + 0.35)));
        c *= abs(p.y) < 0.82 ? 0.5 : 1.0;
    }
    gl_FragColor = vec4(c, 1.0);
}
