#version 100
// Blinn's and Phong's light on a sphere, with two lamps of different colours.
precision mediump float;

varying highp vec2 vUv;
uniform highp float time;

struct Lamp {
    vec3 direction;
    vec3 tint;
};

vec3 shine(Lamp lamp, vec3 n, vec3 view, vec3 base) {
    vec3 l = normalize(lamp.direction);
    vec3 h = normalize(l + view);
    float diffuse = max(dot(n, l), 0.0);
    float gloss = diffuse > 0.0 ? pow(max(dot(n, h), 0.0), 64.0) : 0.0;
    return lamp.tint * (base * diffuse + gloss);
}

void main() {
    highp vec2 p = (vUv * 2.0 - 1.0) * 1.25;
    highp float rest = 1.0 - dot(p, p);
    float edge = smoothstep(0.0, 0.02, rest);
    vec3 n = vec3(p, sqrt(max(rest, 0.0)));
    vec3 view = vec3(0.0, 0.0, 1.0);
    vec3 base = vec3(0.20, 0.42, 0.70);
    Lamp warm = Lamp(vec3(cos(time), 0.8, 0.9), vec3(1.0, 0.85, 0.65));
    Lamp cool = Lamp(vec3(-0.9, -0.4, 0.2), vec3(0.35, 0.30, 0.60));
    vec3 lit = base * 0.08 + shine(warm, n, view, base) + shine(cool, n, view, base);
    vec3 ground = vec3(0.88, 0.86, 0.82) - 0.25 * length(vUv - vec2(0.5, 0.6));
    float shadow = smoothstep(1.0, 0.2, length((p - vec2(-0.1, -0.98)) * vec2(1.0, 4.0)));
    ground *= 1.0 - 0.5 * shadow;
    gl_FragColor = vec4(mix(ground, sqrt(lit), edge), 1.0);
}
