#version 300 es
// The bars of a music player, with peaks that hang above them and a reflection below.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const int BARS = 20;

float level(int bar) {
    float k = float(bar);
    float bass = exp(-0.12 * k);
    float v = 0.35 + 0.35 * bass;
    v += 0.22 * sin(0.9 * k + 3.0 * time) * sin(0.37 * k - 1.7 * time);
    v += 0.12 * sin(2.3 * k + 5.0 * time);
    return clamp(v, 0.05, 1.0);
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution;
    vec3 paint = mix(vec3(0.06, 0.06, 0.10), vec3(0.11, 0.09, 0.16), uv.y);
    float place = uv.x * float(BARS);
    int bar = clamp(int(place), 0, BARS - 1);
    bool mirrored = uv.y < 0.25;
    float y = mirrored ? (0.25 - uv.y) / 0.5 : (uv.y - 0.25) / 0.7;
    float cells = y * 16.0;
    float inside = step(abs(fract(place) - 0.5), 0.38) * step(abs(fract(cells) - 0.5), 0.36);
    float h = floor(level(bar) * 16.0);
    float peak = floor(max(level(bar), max(level(max(bar - 1, 0)), level(min(bar + 1, BARS - 1)))) * 16.0) + 1.0;
    vec3 tint = mix(vec3(0.15, 0.80, 0.65), vec3(0.95, 0.30, 0.45), clamp(floor(cells) / 13.0, 0.0, 1.0));
    float on = floor(cells) < h ? 1.0 : (floor(cells) == peak ? 0.75 : 0.07);
    if (mirrored) on *= 0.30 * (1.0 - 2.0 * y);
    color = vec4(mix(paint, tint, inside * max(on, 0.0)), 1.0);
}
