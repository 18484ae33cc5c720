#version 450 core
// Moire: two fans of rings whose difference is a third pattern.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 fragColor;

uniform float time;

const int RINGS = 26;

float rings(vec2 p, vec2 at) {
    return 0.5 + 0.5 * cos(6.2831853 * RINGS * distance(p, at));
}

void main() {
    vec2 p = uv * 2.0 - 1.0;
    vec2 at = 0.16 * vec2(cos(time), sin(time));
    float a = rings(p, at), b = rings(p, -at);
    float both = a * b;
    vec3 paint = mix(vec3(0.08, 0.05, 0.16), vec3(0.98, 0.42, 0.36), a * 0.6);
    paint = mix(paint, vec3(0.22, 0.66, 0.86), b * 0.6);
    fragColor = vec4(paint + both * vec3(0.45, 0.40, 0.35), 1.0);
}
