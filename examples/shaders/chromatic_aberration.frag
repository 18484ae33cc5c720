#version 100
// A cheap lens: each colour is magnified a little differently, sampled along the way.
precision highp float;

uniform sampler2D image;
varying vec2 vUv;

vec3 spectrum(float t) {
    vec3 c = vec3(1.0 - abs(2.0 * t), 1.0 - abs(2.0 * t - 1.0), 1.0 - abs(2.0 * t - 2.0));
    return clamp(c, 0.0, 1.0);
}

void main() {
    vec2 d = vUv - 0.5;
    float r2 = dot(d, d);
    vec3 sum = vec3(0.0);
    vec3 total = vec3(0.0);
    for (int i = 0; i < 8; ++i) {
        float t = float(i) / 7.0;
        vec3 band = spectrum(t);
        vec2 at = 0.5 + d * (1.0 - 0.25 * (t - 0.5) * r2 * 2.0 + 0.15 * r2);
        sum += band * texture2D(image, at).rgb;
        total += band;
    }
    gl_FragColor = vec4(sum / total, 1.0);
}
