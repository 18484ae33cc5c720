#version 300 es
// Snowy mountains seen from above: ridged noise, shadows cast by walking towards the sun.
// A march with `break`, octaves with a nested helper.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float corner(vec2 cell, vec2 d) {
    uvec2 u = uvec2(ivec2(cell)) * uvec2(1103515245u, 2654435769u);
    uint n = (u.x ^ u.y) * 1597334677u;
    float angle = float((n ^ (n >> 15)) & 0xffffu) * (6.2831853 / 65536.0);
    return dot(d, vec2(cos(angle), sin(angle)));
}

float bumps(vec2 p) {
    vec2 c = floor(p);
    vec2 d = p - c;
    vec2 f = d * d * d * (d * (6.0 * d - 15.0) + 10.0);
    float low = mix(corner(c, d), corner(c + vec2(1.0, 0.0), d - vec2(1.0, 0.0)), f.x);
    float high = mix(corner(c + vec2(0.0, 1.0), d - vec2(0.0, 1.0)), corner(c + 1.0, d - 1.0), f.x);
    return mix(low, high, f.y);
}

float ridges(vec2 p) {
    float sum = 0.0;
    float size = 0.5;
    float above = 1.0;
    for (int i = 0; i < 5; ++i) {
        float ridge = 1.0 - 1.6 * abs(bumps(p));
        ridge *= ridge * above;
        above = clamp(1.6 * ridge, 0.0, 1.0);
        sum += size * ridge;
        size *= 0.5;
        p = mat2(1.7, 1.1, -1.1, 1.7) * p;
    }
    return sum;
}

float shadow(vec2 p, float h, vec2 sun) {
    float open = 1.0;
    for (int i = 1; i <= 6; ++i) {
        float far = 0.06 * float(i);
        float line = h + 0.55 * far;
        float rise = ridges(p + sun * far) - line;
        open = min(open, 1.0 - 8.0 * rise);
        if (open < 0.0) break;
    }
    return clamp(open, 0.0, 1.0);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 2.6 + vec2(7.0, 3.0);
    vec2 sun = vec2(cos(2.4 + 0.2 * time), sin(2.4 + 0.2 * time));
    float h = ridges(p);
    float slope = (ridges(p + 0.02 * sun) - h) / 0.02;
    float lit = clamp(0.55 - 0.5 * slope, 0.0, 1.0) * (0.35 + 0.65 * shadow(p, h, sun));
    float steep = abs(slope);
    vec3 c = mix(vec3(0.22, 0.30, 0.16), vec3(0.36, 0.30, 0.25), smoothstep(0.30, 0.5, h));
    if (h > 0.52 && steep < 1.6) c = vec3(0.95, 0.97, 1.0);
    c = c * (vec3(0.22, 0.27, 0.40) + lit * vec3(1.15, 1.02, 0.85));
    color = vec4(sqrt(clamp(c, 0.0, 1.0)), 1.0);
}
