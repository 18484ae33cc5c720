#version 100
// The wheel of a program that works: twelve spokes that fade one after another.
precision mediump float;

uniform highp vec2 resolution;
uniform highp float time;

void main() {
    highp vec2 p = (2.0 * gl_FragCoord.xy - resolution) / min(resolution.x, resolution.y);
    vec3 paint = mix(vec3(0.93, 0.94, 0.96), vec3(0.82, 0.85, 0.90), length(p) * 0.6);
    highp float card = max(abs(p.x), abs(p.y)) - 0.62;
    paint = mix(paint, vec3(1.0), smoothstep(0.01, -0.01, card));
    for (int i = 0; i < 12; ++i) {
        highp float turn = float(i) / 12.0;
        highp vec2 dir = vec2(sin(6.2831853 * turn), cos(6.2831853 * turn));
        highp float along = clamp(dot(p, dir), 0.22, 0.42);
        highp float d = length(p - dir * along) - 0.045;
        highp float age = fract(time - turn);
        vec3 spoke = mix(vec3(0.13, 0.35, 0.85), vec3(0.88, 0.90, 0.94), age);
        paint = mix(paint, spoke, smoothstep(0.008, -0.008, d));
    }
    gl_FragColor = vec4(paint, 1.0);
}
