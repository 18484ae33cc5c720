#version 100
// The HSV wheel: hue around, saturation outward, a triangle of values in the middle.
precision highp float;

uniform vec2 resolution;
uniform float time;

vec3 from_hsv(vec3 c) {
    vec3 ramp = abs(mod(c.x * 6.0 + vec3(0.0, 4.0, 2.0), 6.0) - 3.0) - 1.0;
    return c.z * mix(vec3(1.0), clamp(ramp, 0.0, 1.0), c.y);
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / min(resolution.x, resolution.y);
    float pixel = 2.0 / min(resolution.x, resolution.y);
    float r = length(p);
    float hue = atan(p.y, p.x + 1e-6) / 6.2831853 + 0.5;
    vec3 paint = vec3(0.14);
    vec3 ring = from_hsv(vec3(hue, 1.0, 1.0));
    paint = mix(paint, ring, smoothstep(0.12 + pixel, 0.12, abs(r - 0.82)));
    float chosen = 0.1 * time;
    vec3 weights = vec3(0.0);
    for (int i = 0; i < 3; ++i) {
        float a = 6.2831853 * (chosen - 0.5 + float(i) / 3.0);
        vec2 corner = 0.66 * vec2(cos(a), sin(a));
        float w = (dot(p, corner) / 0.4356 + 0.5) / 1.5;
        if (i == 0) weights.x = w; else if (i == 1) weights.y = w; else weights.z = w;
    }
    float inside = min(weights.x, min(weights.y, weights.z));
    vec3 pure = from_hsv(vec3(fract(chosen), 1.0, 1.0));
    paint = mix(paint, weights.x * pure + weights.y * vec3(1.0), smoothstep(0.0, 2.0 * pixel, inside));
    gl_FragColor = vec4(paint, 1.0);
}
