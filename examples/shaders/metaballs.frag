#version 100
// Metaballs: seven charges, and the surface where their field is one.
precision highp float;

uniform vec2 resolution;
uniform float time;

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    float field = 0.0;
    vec2 slope = vec2(0.0);
    vec3 mixed = vec3(0.0);
    for (int i = 0; i < 7; ++i) {
        float k = float(i);
        vec2 at = 0.65 * vec2(sin(time * 0.7 + 1.9 * k), cos(time * 0.53 + 2.7 * k));
        vec2 d = p - at;
        float r2 = dot(d, d) + 0.01;
        float strength = 0.055 / r2;
        field += strength;
        slope -= 2.0 * strength * d / r2;
        mixed += strength * (0.5 + 0.5 * cos(k + vec3(0.0, 2.1, 4.2)));
    }
    mixed /= field;
    vec3 normal = normalize(vec3(-slope * 0.25, 1.0));
    float light = max(dot(normal, normalize(vec3(0.5, 0.7, 0.8))), 0.0);
    float gloss = pow(light, 24.0);
    vec3 body = mixed * (0.35 + 0.75 * light) + 0.5 * gloss;
    vec3 ground = vec3(0.07, 0.08, 0.12) + 0.06 * field;
    gl_FragColor = vec4(mix(ground, body, smoothstep(0.97, 1.03, field)), 1.0);
}
