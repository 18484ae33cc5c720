#version 100
// Interference: rings from three drops, as a height that the light falls on.
precision highp float;

uniform vec2 resolution;
uniform float time;

float height(vec2 p) {
    float sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        float k = float(i) * 2.0944;
        float d = length(p - 0.55 * vec2(cos(k + 0.4), sin(k + 0.4)));
        sum += cos(36.0 * d - 4.0 * time) / (1.0 + 4.0 * d);
    }
    return sum;
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    float e = 0.01;
    float h = height(p);
    vec2 slope = vec2(height(p + vec2(e, 0.0)) - h, height(p + vec2(0.0, e)) - h) / e;
    vec3 n = normalize(vec3(-slope * 0.06, 1.0));
    float light = max(dot(n, normalize(vec3(0.4, 0.6, 0.7))), 0.0);
    vec3 water = mix(vec3(0.02, 0.13, 0.22), vec3(0.35, 0.70, 0.78), light);
    water += pow(light, 50.0) * 0.8;
    gl_FragColor = vec4(water * (1.0 - 0.2 * dot(p, p) * 0.5), 1.0);
}
