// A tunnel of neon arches: walls by the larger coordinate, depth fades.
// ES 1.00: a loop with `break` and `continue`, nested `if`s, swizzle stores.
precision highp float;

uniform vec2 resolution;
uniform float time;

vec3 gas(float n) {
    return 0.55 + 0.45 * cos(1.9 * n + vec3(0.0, 2.1, 4.2));
}

float floor_lines(vec2 at) {
    vec2 f = abs(fract(at) - 0.5);
    return smoothstep(0.44, 0.5, max(f.x, f.y));
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    p.xy += 0.12 * vec2(sin(0.6 * time + 1.0), cos(0.5 * time));
    vec2 a = abs(p);
    float wall = max(a.x, a.y);
    float depth = 1.0 / max(wall, 0.02);
    float along = depth + 1.5 * time;
    vec3 c = vec3(0.0);
    if (a.y >= a.x) {
        vec2 at = vec2(2.0 * p.x * depth, along);
        if (p.y < 0.0) {
            c = vec3(0.10, 0.20, 0.35) * floor_lines(at) + vec3(0.02, 0.02, 0.05);
        } else {
            c = vec3(0.05, 0.02, 0.08);
            c.rb += 0.25 * step(0.86, fract(along)) * step(abs(at.x), 0.5);
        }
    } else {
        vec2 at = vec2(2.0 * p.y * depth, along);
        c = vec3(0.04, 0.03, 0.09) * (0.7 + 0.6 * step(0.5, fract(2.0 * at.y)));
        if (abs(at.x) < 0.7) {
            float sign_at = fract(0.5 * at.y);
            if (sign_at > 0.3 && sign_at < 0.7) c += 0.28 * gas(floor(0.5 * at.y) + 2.0) * step(abs(fract(4.0 * at.x) - 0.5), 0.28);
        }
    }
    c /= 1.0 + 0.12 * depth * depth;
    for (int i = 0; i < 9; ++i) {
        float far = float(i) + 1.0 - fract(1.5 * time);
        float size = 1.0 / far;
        if (size > 2.0) continue;
        float d = abs(wall - size);
        float glow = 0.0045 / (d + 0.004 * size) * size;
        if (far > 8.5) break;
        c += gas(floor(far + 1.5 * time)) * min(glow, 1.2) / (1.0 + 0.06 * far);
    }
    gl_FragColor = vec4(1.0 - exp(-1.9 * c), 1.0);
}
