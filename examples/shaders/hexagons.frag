#version 300 es
// A grid of hexagons, each rising and falling with a wave.
precision highp float;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const vec2 PITCH = vec2(1.0, 1.7320508);

struct Hex {
    vec2 center;
    float edge;   // distance to the nearest side
};

Hex hexagon(vec2 p) {
    vec2 a = mod(p, PITCH) - 0.5 * PITCH;
    vec2 b = mod(p - 0.5 * PITCH, PITCH) - 0.5 * PITCH;
    vec2 local = dot(a, a) < dot(b, b) ? a : b;
    vec2 q = abs(local);
    return Hex(p - local, 0.5 - max(dot(q, normalize(PITCH)), q.x));
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 9.0;
    Hex hex = hexagon(p);
    float wave = sin(0.9 * hex.center.x - 1.5 * time) + sin(0.7 * hex.center.y + 0.8 * time);
    float height = 0.5 + 0.25 * wave;
    vec3 low = vec3(0.09, 0.12, 0.23);
    vec3 high = vec3(0.33, 0.83, 0.76);
    vec3 face = mix(low, high, height * height);
    vec2 local = p - hex.center;
    face *= 0.9 + 0.25 * (local.y - local.x);
    face = mix(face, vec3(1.0, 0.9, 0.7), smoothstep(0.92, 1.0, height) * 0.6);
    float groove = smoothstep(0.02, 0.06, hex.edge);
    color = vec4(face * groove, 1.0);
}
