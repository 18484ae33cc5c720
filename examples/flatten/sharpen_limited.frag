#version 300 es
// Sharpening that does not overshoot: the left half plain, the right half sharp.
// Array written at dynamic index by a helper, minimum and maximum in one loop.
precision highp float;

uniform sampler2D image;
uniform vec2 resolution;
out vec4 color;

const ivec2 AROUND[8] = ivec2[8](ivec2(-1, -1), ivec2(0, -1), ivec2(1, -1), ivec2(-1, 0),
                                 ivec2(1, 0), ivec2(-1, 1), ivec2(0, 1), ivec2(1, 1));

vec3 soft_image(vec2 uv) {
    vec3 c = texture(image, uv).rgb;
    c += texture(image, uv + vec2(0.012, 0.004)).rgb;
    c += texture(image, uv - vec2(0.012, 0.004)).rgb;
    return c / 3.0;
}

void range(vec3 values[8], out vec3 low, out vec3 high, out vec3 mean) {
    low = values[0];
    high = values[0];
    mean = values[0];
    for (int i = 1; i < 8; i++) {
        low = min(low, values[i]);
        high = max(high, values[i]);
        mean += values[i];
    }
    mean /= 8.0;
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution;
    vec3 around[8];
    for (int i = 0; i < 8; i++) {
        around[i] = soft_image(uv + 2.5 * vec2(AROUND[i]) / resolution);
    }
    vec3 c = soft_image(uv);
    float side = uv.x - 0.5 - 0.04 * sin(uv.y * 9.0);
    if (side > 0.0) {
        vec3 low, high, mean;
        range(around, low, high, mean);
        vec3 sharp = c + 2.2 * (c - mean);
        vec3 slack = 0.15 * (high - low);
        c = clamp(sharp, low - slack, high + slack);
    }
    c = mix(vec3(1.0, 0.95, 0.85), c, smoothstep(0.003, 0.006, abs(side)));
    color = vec4(c, 1.0);
}
