#version 300 es
// Northern lights over a lake: curtains of light, folded by sines, and their reflection.
precision highp float;

uniform vec2 resolution;
uniform float time;
out vec4 color;

vec3 curtains(vec2 p) {
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 5; ++i) {
        float k = float(i);
        float fold = 0.18 * sin(2.3 * p.x + k * 1.7 + 0.4 * time) + 0.08 * sin(5.9 * p.x - k + 0.7 * time);
        float above = p.y - 0.22 - 0.05 * k - fold;
        float veil = smoothstep(0.0, 0.04, above) * exp(-5.0 * max(above, 0.0));
        float rays = 0.6 + 0.4 * sin(38.0 * p.x + 11.0 * sin(3.0 * p.x + k) + time);
        vec3 tint = mix(vec3(0.15, 0.95, 0.50), vec3(0.55, 0.25, 0.85), clamp(above * 3.0, 0.0, 1.0));
        sum += tint * veil * rays * 0.42;
    }
    return sum;
}

void main() {
    vec2 p = (gl_FragCoord.xy - vec2(0.5 * resolution.x, 0.32 * resolution.y)) / resolution.y;
    float shore = 0.035 + 0.03 * sin(4.0 * p.x + 1.0) + 0.012 * sin(17.0 * p.x) + 0.006 * sin(43.0 * p.x);
    bool water = p.y < 0.0;
    if (water) {
        p.x += 0.012 * sin(60.0 * p.y + 3.0 * time) * (0.3 - p.y);
        p.y = -p.y;
    }
    vec3 sky = mix(vec3(0.04, 0.09, 0.14), vec3(0.01, 0.02, 0.07), smoothstep(0.0, 0.6, p.y));
    sky += curtains(p);
    sky = mix(vec3(0.01, 0.02, 0.03), sky, smoothstep(shore - 0.003, shore + 0.003, p.y));
    if (water) sky = sky * 0.55 + vec3(0.0, 0.01, 0.02);
    color = vec4(pow(clamp(sky, 0.0, 1.0), vec3(0.75)), 1.0);
}
