#version 300 es
// Planks of wood: rings of a trunk that each board cuts at another place.
precision highp float;
precision highp int;

uniform vec2 resolution;
out vec4 color;

float random(uint n) {
    n = (n ^ 61u) ^ (n >> 16u);
    n *= 9u;
    n ^= n >> 4u;
    n *= 0x27d4eb2du;
    n ^= n >> 15u;
    return float(n) / 4294967296.0;
}

float noise(vec2 p) {
    vec2 i = floor(p);
    vec2 f = p - i;
    f = f * f * (3.0 - 2.0 * f);
    uint base = uint(int(i.x) + 4096) + uint(int(i.y) + 4096) * 8192u;
    return mix(mix(random(base), random(base + 1u), f.x), mix(random(base + 8192u), random(base + 8193u), f.x), f.y);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y;
    float board = floor(p.x * 5.0);
    float across = fract(p.x * 5.0);
    float shift = random(uint(board) + 11u);
    float y = p.y + shift * 2.0;
    float plank = floor(y / 1.1);
    float seed = random(uint(board) * 31u + uint(plank) + 5u);
    vec2 q = vec2((across - 0.5) * 0.8 + seed * 0.9 - 0.3, y * 0.35 + seed * 7.0);
    float rings = length(vec2(q.x + 0.12 * noise(q * 5.0), 0.25 * noise(vec2(q.y * 3.0, seed)))) * 26.0;
    rings += 0.8 * noise(q * vec2(9.0, 4.0));
    float grain = fract(rings);
    grain = smoothstep(0.0, 0.75, grain) * smoothstep(1.0, 0.85, grain);
    float fibre = noise(vec2(across * 90.0, y * 5.0) + seed * 31.0);
    vec3 wood = mix(vec3(0.72, 0.50, 0.30), vec3(0.48, 0.28, 0.15), 0.65 * grain);
    wood *= 0.86 + 0.22 * fibre;
    wood *= 0.85 + 0.3 * seed;
    float gap = min(min(across, 1.0 - across) / 5.0, min(fract(y / 1.1), 1.0 - fract(y / 1.1)) * 1.1);
    color = vec4(wood * smoothstep(0.0, 0.007, gap), 1.0);
}
