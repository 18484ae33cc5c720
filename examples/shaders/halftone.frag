#version 300 es
// Halftone: a picture in four inks, each a screen of dots at its own angle.
precision highp float;

uniform vec2 resolution;
uniform float time;
out vec4 color;

vec3 picture(vec2 p) {
    float d = length(p - vec2(0.15 * sin(time), 0.0));
    vec3 sky = mix(vec3(1.0, 0.85, 0.55), vec3(0.35, 0.65, 0.9), smoothstep(-0.8, 0.8, p.y));
    vec3 ball = mix(vec3(0.95, 0.35, 0.30), vec3(0.30, 0.05, 0.25), smoothstep(0.0, 0.9, length(p + vec2(0.2, -0.25))));
    return mix(ball, sky, smoothstep(0.59, 0.61, d));
}

float dots(vec2 at, float angle, float ink) {
    float c = cos(angle), s = sin(angle);
    vec2 q = mat2(c, s, -s, c) * at / 8.0;
    float d = length(fract(q) - 0.5);
    float radius = 0.72 * sqrt(ink);
    return smoothstep(radius + 0.08, radius - 0.08, d) * step(0.004, ink);
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec3 cmy = 1.0 - picture(p);
    float black = min(cmy.x, min(cmy.y, cmy.z)) * 0.8;
    cmy -= black;
    vec3 paper = vec3(0.98, 0.97, 0.94);
    paper *= 1.0 - dots(gl_FragCoord.xy, 0.26, cmy.x) * vec3(1.0, 0.32, 0.08);
    paper *= 1.0 - dots(gl_FragCoord.xy, 1.31, cmy.y) * vec3(0.12, 1.0, 0.45);
    paper *= 1.0 - dots(gl_FragCoord.xy, 0.0, cmy.z) * vec3(0.0, 0.06, 0.9);
    paper *= 1.0 - dots(gl_FragCoord.xy, 0.785, black) * 0.9;
    color = vec4(paper, 1.0);
}
