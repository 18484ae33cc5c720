#version 100
// Blinds before a sunny window: the shader discards what the slats hide.
precision highp float;

uniform vec2 resolution;
uniform float time;
varying vec2 vUv;

void main() {
    float slat = fract(vUv.y * 14.0);
    float open = 0.45 + 0.15 * sin(time + 2.0 * floor(vUv.y * 14.0) / 14.0);
    if (slat > open) discard;
    vec2 pane = abs(fract(vUv * vec2(2.0, 2.0)) - 0.5);
    vec3 paint = mix(vec3(0.98, 0.85, 0.55), vec3(0.45, 0.70, 0.92), vUv.y);
    float hill = 0.28 + 0.08 * sin(7.0 * vUv.x) + 0.03 * sin(19.0 * vUv.x);
    paint = mix(paint, vec3(0.32, 0.52, 0.26), smoothstep(0.004, -0.004, vUv.y - hill));
    paint += 0.5 * exp(-8.0 * length(vUv - vec2(0.7, 0.72)));
    if (max(pane.x, pane.y) > 0.47) paint = vec3(0.86, 0.84, 0.80);
    paint *= 0.8 + 0.2 * smoothstep(0.0, 0.15, slat) * smoothstep(open, open - 0.1, slat);
    gl_FragColor = vec4(paint, 1.0);
}
