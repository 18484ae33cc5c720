#version 300 es
// Neon writing: the picture and what is to be blurred go to two targets of an array, with colour kept out of one by `if`.
// Output array elements, `discard`.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
layout(location = 0) out vec4 layers[2];

float tube(vec2 p, vec2 a, vec2 b) {
    vec2 d = b - a;
    return length(p - a - d * clamp(dot(p - a, d) / dot(d, d), 0.0, 1.0));
}

vec2 outline(float t) {
    float s = sin(t);
    return vec2(0.62 * s * s * s, 0.52 * cos(t) - 0.20 * cos(2.0 * t) - 0.08 * cos(3.0 * t));
}

float heart(vec2 p) {
    p.x = abs(p.x);
    float d = 9.0;
    vec2 from = outline(0.0);
    for (int i = 1; i <= 14; ++i) {
        vec2 to = outline(0.2243995 * float(i));
        d = min(d, tube(p, from, to));
        from = to;
    }
    return d;
}

float arrow(vec2 p) {
    float d = tube(p, vec2(-0.85, -0.35), vec2(0.80, 0.40));
    for (int i = 0; i < 3; ++i) {
        vec2 at = vec2(-0.85, -0.35) + 0.09 * float(i) * vec2(0.91, 0.41);
        d = min(d, tube(p, at, at + vec2(-0.16, 0.05)));
        d = min(d, tube(p, at, at + vec2(-0.04, -0.15)));
    }
    d = min(d, tube(p, vec2(0.80, 0.40), vec2(0.64, 0.44)));
    return min(d, tube(p, vec2(0.80, 0.40), vec2(0.70, 0.27)));
}

void light(inout vec3 wall, inout vec3 glow, float d, vec3 gas, float power) {
    wall += power * gas * 0.045 / (d * d + 0.05);
    if (d < 0.028) {
        vec3 core = mix(vec3(1.0), gas, smoothstep(0.0, 0.028, d));
        wall = mix(wall, core, power);
        glow += power * gas;
    }
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec2 bricks = p * vec2(4.0, 9.0);
    bricks.x += 0.5 * mod(floor(bricks.y), 2.0);
    vec2 edge = min(fract(bricks), 1.0 - fract(bricks)) / vec2(4.0, 9.0);
    vec3 wall = vec3(0.16, 0.11, 0.12) * (0.6 + 0.4 * smoothstep(0.004, 0.012, min(edge.x, edge.y)));
    vec3 glow = vec3(0.0);
    float pulse = 0.85 + 0.15 * sin(9.0 * time);
    light(wall, glow, heart(p - vec2(0.0, 0.05)), vec3(1.0, 0.12, 0.35), pulse);
    light(wall, glow, arrow(p), vec3(0.15, 0.75, 1.0), 0.9);
    if (max(abs(p.x), abs(p.y)) > 0.985) discard;
    layers[0] = vec4(wall / (0.8 + 0.5 * wall), 1.0);
    layers[1] = vec4(glow, 1.0);
}
