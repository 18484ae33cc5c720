#version 100
// Fire: noise that rises and thins out, through a ramp from black to white heat.
precision highp float;

uniform vec2 resolution;
uniform float time;

// A hash without integers: small numbers, so that every processor agrees.
float hash(vec2 p) {
    vec2 q = fract(p * vec2(0.1031, 0.1130));
    q += dot(q, q.yx + 3.33);
    return fract((q.x + q.y) * q.x);
}

float noise(vec2 p) {
    vec2 i = mod(floor(p), 64.0);
    vec2 j = mod(i + 1.0, 64.0);
    vec2 f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(hash(i), hash(vec2(j.x, i.y)), f.x), mix(hash(vec2(i.x, j.y)), hash(j), f.x), f.y);
}

void main() {
    vec2 p = vec2((gl_FragCoord.x - 0.5 * resolution.x) / resolution.y, gl_FragCoord.y / resolution.y);
    vec2 q = vec2(p.x * 4.0 + 20.0, p.y * 3.0 - 1.6 * time + 40.0);
    float wind = noise(q * 0.7) - 0.5;
    float flame = 0.0;
    float weight = 0.55;
    for (int i = 0; i < 4; ++i) {
        flame += weight * noise(q + wind);
        q = q * 2.03 + 1.7;
        weight *= 0.5;
    }
    float width = 0.42 - 0.30 * p.y;
    float shape = 1.0 - smoothstep(0.0, 1.0, abs(p.x + 0.1 * wind * p.y) / max(width, 0.05));
    float heat = clamp(flame * 1.5 + shape * 1.2 - 0.55 - 1.15 * p.y, 0.0, 1.0) * smoothstep(0.0, 0.15, shape + 0.1);
    vec3 paint = vec3(1.5, 0.9, 0.4) * vec3(heat, heat * heat, heat * heat * heat * heat) * 1.2;
    gl_FragColor = vec4(clamp(paint + vec3(0.03, 0.01, 0.03), 0.0, 1.0), 1.0);
}
