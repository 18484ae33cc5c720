#version 100
// A Gaussian blur of a texture, stronger towards the edges, as a lens would have it.
precision highp float;

uniform sampler2D image;
uniform vec2 resolution;
varying vec2 vUv;

void main() {
    vec2 from_center = vUv - 0.5;
    float strength = 6.0 * dot(from_center, from_center);
    vec3 sum = vec3(0.0);
    float total = 0.0;
    for (int y = -3; y <= 3; ++y) {
        for (int x = -3; x <= 3; ++x) {
            vec2 offset = vec2(float(x), float(y));
            float weight = exp(-0.18 * dot(offset, offset));
            sum += weight * texture2D(image, vUv + offset * strength * 2.5 / resolution).rgb;
            total += weight;
        }
    }
    gl_FragColor = vec4(sum / total, 1.0);
}
