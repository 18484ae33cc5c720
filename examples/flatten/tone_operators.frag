#version 300 es
// Six ways from bright light to a screen, side by side over the same ramp.
// `switch` with fall-through and default, helpers of helpers.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float exposure;
out vec4 color;

float luminance(vec3 c) {
    return dot(c, vec3(0.2126, 0.7152, 0.0722));
}

vec3 reinhard(vec3 c, float white) {
    float l = luminance(c);
    float mapped = l * (1.0 + l / (white * white)) / (1.0 + l);
    return c * mapped / max(l, 1e-4);
}

vec3 filmic_part(vec3 x) {
    return (x * (0.22 * x + 0.03) + 0.002) / (x * (0.22 * x + 0.3) + 0.06) - 0.0333;
}

vec3 filmic(vec3 c) {
    return filmic_part(2.0 * c) / filmic_part(vec3(11.2));
}

vec3 fitted(vec3 c) {
    return clamp(c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0);
}

vec3 map(vec3 c, int operator) {
    float white = 1.5;
    switch (operator) {
        case 1:
            white = 2.5;
        case 2:
            white += 1.5;
        case 3:
            c = reinhard(c, white);
            break;
        case 4:
            return filmic(c);
        case 5: {
            vec3 c2 = fitted(0.8 * c);
            return c2;
        }
        default:
            c = min(c, 1.0);
    }
    return c;
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution;
    int strip = int(uv.x * 6.0);
    float across = fract(uv.x * 6.0);
    vec3 hue = 0.6 + 0.4 * cos(6.2832 * (across * 0.85 + vec3(0.0, 0.33, 0.67)));
    vec3 light = exposure * hue * exp2(6.0 * uv.y - 3.5);
    vec3 c = sqrt(clamp(map(light, strip), 0.0, 1.0));
    float gap = min(across, 1.0 - across);
    color = vec4(c * smoothstep(0.01, 0.03, gap), 1.0);
}
