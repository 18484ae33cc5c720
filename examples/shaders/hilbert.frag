#version 330 core
// Hilbert's curve: the way from a place to its number, drawn as a path and as a colour.
uniform vec2 resolution;
uniform float time;
out vec4 fragColor;

const int ORDER = 5;

int index_of(ivec2 p) {
    int d = 0;
    for (int s = 1 << (ORDER - 1); s > 0; s >>= 1) {
        ivec2 r = ivec2((p.x & s) != 0 ? 1 : 0, (p.y & s) != 0 ? 1 : 0);
        d += s * s * ((3 * r.x) ^ r.y);
        p &= s - 1;
        if (r.y == 0) {
            if (r.x == 1) p = s - 1 - p;
            p = p.yx;
        }
    }
    return d;
}

void main() {
    int side = 1 << ORDER;
    vec2 p = gl_FragCoord.xy / resolution * float(side);
    ivec2 cell = ivec2(p);
    vec2 f = fract(p) - 0.5;
    int here = index_of(cell);
    float path = length(f);
    const ivec2 ways[4] = ivec2[4](ivec2(1, 0), ivec2(0, 1), ivec2(-1, 0), ivec2(0, -1));
    for (int i = 0; i < 4; ++i) {
        ivec2 other = cell + ways[i];
        if (any(lessThan(other, ivec2(0))) || any(greaterThanEqual(other, ivec2(side)))) continue;
        if (abs(index_of(other) - here) == 1) {
            vec2 way = vec2(ways[i]);
            path = min(path, length(f - way * clamp(dot(f, way), 0.0, 0.5)));
        }
    }
    float t = float(here) / float(side * side);
    vec3 ground = 0.55 + 0.35 * cos(6.2831853 * (t + vec3(0.0, 0.35, 0.6)) + 0.5 * time);
    fragColor = vec4(mix(vec3(1.0, 0.99, 0.95), ground, smoothstep(0.14, 0.22, path)), 1.0);
}
