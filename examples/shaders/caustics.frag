#version 300 es
// The floor of a pool: light bent by waves, from three sheets that fold over each other.
precision highp float;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float sheet(vec2 p, float t) {
    vec2 q = p;
    float bright = 0.0;
    for (int i = 0; i < 4; ++i) {
        float k = t * (1.0 - 0.22 * float(i));
        q = p + vec2(cos(k - q.x) + sin(k + q.y), sin(k - q.y) + cos(k + q.x));
        vec2 d = vec2(sin(q.x + k), cos(q.y + k));
        bright += 0.25 / (0.12 + length(p * 0.02 + d * 0.6));
    }
    return bright;
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 9.0;
    float light = sheet(p, 0.6 * time + 2.0);
    light = pow(clamp(light * 0.36, 0.0, 2.0), 2.2);
    vec2 tile = abs(fract(p * 0.5) - 0.5);
    float grout = smoothstep(0.47, 0.485, max(tile.x, tile.y));
    vec3 floor_color = mix(vec3(0.10, 0.48, 0.62), vec3(0.07, 0.36, 0.50), grout);
    color = vec4(floor_color * (0.55 + 0.5 * light) + vec3(0.10, 0.16, 0.14) * light, 1.0);
}
