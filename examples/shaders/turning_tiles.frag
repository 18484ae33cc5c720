#version 100
// Tiles that turn, each with its own matrix and its own time.
precision highp float;

uniform vec2 resolution;
uniform float time;

mat2 turn(float a) {
    float c = cos(a);
    float s = sin(a);
    return mat2(c, s, -s, c);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 5.0;
    float pixel = 5.0 / resolution.y;
    vec2 cell = floor(p);
    vec2 local = fract(p) - 0.5;
    vec3 paint = vec3(0.12, 0.13, 0.18);
    for (int ring = 0; ring < 4; ++ring) {
        float k = float(ring);
        float phase = time * (mod(cell.x + cell.y, 2.0) * 2.0 - 1.0) + 0.35 * (cell.x + cell.y) + 0.45 * k;
        vec2 q = turn(phase) * local;
        float size = 0.34 - 0.08 * k;
        float d = max(abs(q.x), abs(q.y)) - size;
        vec3 tint = 0.55 + 0.45 * cos(0.9 * k + 0.4 * cell.x + vec3(0.0, 1.6, 3.4) + 0.3 * cell.y);
        paint = mix(paint, tint, clamp(0.5 - d / pixel, 0.0, 1.0));
    }
    gl_FragColor = vec4(paint, 1.0);
}
