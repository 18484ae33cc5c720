#version 300 es
// Four moods of one landscape: lift, gamma and gain from an array of structs, chosen per quarter.
// Struct arrays, nested structs, compound assignment.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

struct Range {
    vec3 lift;
    vec3 gain;
};

struct Grade {
    Range range;
    float gamma;
    float saturation;
};

Grade grade(int which) {
    Grade grades[4];
    grades[0] = Grade(Range(vec3(0.0), vec3(1.0)), 1.0, 1.0);
    grades[1] = Grade(Range(vec3(0.00, 0.03, 0.08), vec3(0.75, 0.90, 1.05)), 1.1, 0.7);
    grades[2] = Grade(Range(vec3(0.06, 0.01, 0.03), vec3(1.25, 0.95, 0.70)), 0.85, 1.2);
    grades[3] = grades[1];
    grades[3].range.gain = vec3(0.95, 0.90, 0.80);
    grades[3].range.lift += 0.05;
    grades[3].saturation = 0.05;
    return grades[which];
}

vec3 landscape(vec2 p) {
    vec3 c = mix(vec3(0.80, 0.85, 0.80), vec3(0.25, 0.50, 0.85), p.y);
    c = mix(vec3(1.0, 0.93, 0.7), c, smoothstep(0.08, 0.10, length(p - vec2(0.7, 0.78))));
    for (int ridge = 0; ridge < 4; ++ridge) {
        float k = float(ridge);
        float x = p.x * (2.0 + k) + 2.3 * k + 0.1 * time;
        float height = 0.62 - 0.13 * k + 0.06 * sin(x * 2.1) + 0.035 * sin(x * 5.3 + k) + 0.015 * sin(x * 13.0);
        vec3 hill = mix(vec3(0.55, 0.66, 0.72), vec3(0.13, 0.30, 0.12), k / 3.0);
        c = mix(c, hill, smoothstep(0.004, -0.004, p.y - height));
    }
    return c;
}

void apply(inout vec3 c, Grade g) {
    c = c * g.range.gain + g.range.lift * (1.0 - c);
    float grey = dot(c, vec3(0.30, 0.59, 0.11));
    c -= grey;
    c *= g.saturation;
    c += grey;
    c = pow(clamp(c, 0.0, 1.0), vec3(g.gamma));
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution;
    int which = int(uv.x * 2.0) + 2 * int(uv.y * 2.0);
    vec3 c = landscape(fract(uv * 2.0));
    apply(c, grade(which));
    color = vec4(c, 1.0);
}
