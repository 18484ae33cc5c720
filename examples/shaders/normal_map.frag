#version 450 core
// Normal mapping: a field of studs whose normals come from a formula in tangent space, under a lamp that circles.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 fragColor;

uniform float time;

struct Surface {
    vec3 normal;
    float height;
};

Surface studs(vec2 p) {
    vec2 cell = floor(p);
    vec2 f = fract(p) - 0.5;
    float r = length(f);
    bool square_one = mod(cell.x + cell.y, 2.0) == 1.0;
    Surface s = Surface(vec3(0, 0, 1), 0.0);
    if (square_one) {
        vec2 d = abs(f);
        float m = max(d.x, d.y);
        if (m < 0.38 && m > 0.22) s.normal = normalize(vec3(d.x > d.y ? vec2(sign(f.x), 0) : vec2(0, sign(f.y)), 1.2));
        s.height = 1.0 - smoothstep(0.22, 0.38, m);
    } else if (r < 0.4) {
        s.normal = normalize(vec3(f / 0.4, sqrt(max(1.0 - r * r / 0.16, 0.02))));
        s.height = sqrt(max(1.0 - r * r / 0.16, 0.0));
    }
    return s;
}

void main() {
    // Shifted a little, so that no pixel lies exactly on a mitre, where rounding would choose the side.
    vec2 p = uv * 6.0 + vec2(0.011, 0.007);
    Surface s = studs(p);
    mat3 frame = mat3(vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1));
    vec3 n = frame * s.normal;
    vec3 lamp = vec3(3.0 + 2.2 * cos(time), 3.0 + 2.2 * sin(time), 1.6);
    vec3 to = lamp - vec3(p, 0.3 * s.height);
    vec3 l = normalize(to);
    float fall = 7.0 / (3.0 + dot(to, to));
    vec3 v = normalize(vec3(3.0, 3.0, 8.0) - vec3(p, 0.0));
    vec3 h = normalize(l + v);
    vec3 base = mix(vec3(0.16, 0.18, 0.22), vec3(0.70, 0.55, 0.30), smoothstep(0.05, 0.2, s.height));
    vec3 lit = base * (0.06 + fall * max(dot(n, l), 0.0));
    lit += fall * 0.7 * pow(max(dot(n, h), 0.0), 48.0) * vec3(1.0, 0.95, 0.85);
    fragColor = vec4(pow(clamp(lit, 0.0, 1.0), vec3(0.4545)), 1.0);
}
