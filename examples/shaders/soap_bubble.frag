#version 300 es
// A soap bubble: light that interferes with itself in a film that runs thick at the bottom, and Fresnel's mirror.
precision highp float;

uniform vec2 resolution;
uniform float time;
out vec4 color;

vec3 interference(float thickness, float cosine) {
    // Path difference in a film of refractive index 1.33, in nanometres.
    float inner = sqrt(1.0 - (1.0 - cosine * cosine) / (1.33 * 1.33));
    vec3 phase = 6.2831853 * 2.0 * 1.33 * thickness * inner / vec3(650.0, 532.0, 450.0);
    return 0.5 - 0.5 * cos(phase);
}

vec3 room(vec3 dir) {
    vec3 sky = mix(vec3(0.30, 0.28, 0.30), vec3(0.75, 0.85, 1.0), smoothstep(-0.6, 0.8, dir.y));
    vec2 pane = dir.xy / max(dir.z + 1.2, 0.2) * 2.0 - vec2(-0.6, 0.7);
    float frame = smoothstep(0.42, 0.40, max(abs(pane.x), abs(pane.y))) * smoothstep(0.02, 0.04, min(abs(pane.x), abs(pane.y)));
    return sky * 0.5 + 2.0 * frame;
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec3 back = mix(vec3(0.10, 0.13, 0.22), vec3(0.20, 0.27, 0.40), 0.5 + 0.5 * p.y);
    back += 0.1 * smoothstep(0.3, 0.0, abs(length(p - vec2(0.3, -0.2)) - 1.1));
    vec2 q = p / 0.85;
    float rest = 1.0 - dot(q, q);
    vec3 paint = back;
    if (rest > 0.0) {
        vec3 n = vec3(q, sqrt(rest));
        float swirl = sin(3.0 * q.x + 2.0 * sin(2.5 * q.y + time)) * sin(2.0 * q.y - 0.5 * time);
        float thickness = 330.0 - 210.0 * q.y + 70.0 * swirl;
        vec3 film = interference(thickness, n.z);
        float fresnel = 0.04 + 0.96 * pow(1.0 - n.z, 3.5);
        vec3 mirrored = room(reflect(vec3(0.0, 0.0, -1.0), n));
        vec3 behind = room(reflect(vec3(0.0, 0.0, -1.0), vec3(-n.xy, n.z))) * 0.35;
        paint = back * (1.0 - 0.5 * fresnel) + film * (mirrored + behind) * (0.25 + fresnel);
    }
    color = vec4(clamp(paint, 0.0, 1.0), 1.0);
}
