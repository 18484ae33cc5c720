// Plasma in the manner of old demos: four waves, cut into bands of a palette.
// ES 1.00: a loop with a constant bound, an `else if` chain on the band.
precision highp float;

uniform vec2 resolution;
uniform float time;

float wave(vec2 p, int kind) {
    if (kind == 0) return sin(3.0 * p.x + time);
    if (kind == 1) return sin(4.0 * (p.y * cos(0.3 * time + 1.0) + p.x * sin(0.5 * time + 0.4)) + 1.3);
    if (kind == 2) {
        vec2 c = p - 0.6 * vec2(sin(0.7 * time + 2.0), cos(0.4 * time));
        return sin(7.0 * length(c));
    }
    return sin(5.0 * p.x * p.y + 2.0 * p.x);
}

vec3 paint(float height) {
    float band = floor(height * 6.0);
    float within = height * 6.0 - band;
    vec3 c;
    if (band < 1.0) {
        c = mix(vec3(0.07, 0.04, 0.22), vec3(0.23, 0.08, 0.48), within);
    } else if (band < 2.0) {
        c = mix(vec3(0.23, 0.08, 0.48), vec3(0.75, 0.16, 0.55), within);
    } else if (band < 3.0) {
        c = mix(vec3(0.75, 0.16, 0.55), vec3(0.98, 0.42, 0.40), within);
    } else if (band < 4.0) {
        c = mix(vec3(0.98, 0.42, 0.40), vec3(1.00, 0.80, 0.42), within);
    } else {
        c = mix(vec3(1.00, 0.80, 0.42), vec3(1.0, 1.0, 0.88), min(0.5 * (height * 6.0 - 4.0), 1.0));
    }
    return c * (0.80 + 0.20 * smoothstep(0.0, 0.12, within) * smoothstep(1.0, 0.88, within));
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    float sum = 0.0;
    for (int i = 0; i < 4; ++i) {
        sum += wave(1.2 * p, i);
    }
    float height = clamp(0.5 + 0.16 * sum, 0.0, 0.999);
    gl_FragColor = vec4(paint(height), 1.0);
}
