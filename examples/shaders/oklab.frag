#version 300 es
// Gradients between the same two colours: mixed in sRGB, in linear light, in HSV and in Oklab, from above.
precision highp float;

uniform vec2 resolution;
out vec4 color;

vec3 to_linear(vec3 c) {
    return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c));
}

vec3 to_srgb(vec3 c) {
    c = clamp(c, 0.0, 1.0);
    return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}

vec3 cube_root(vec3 v) {
    return sign(v) * pow(abs(v) + 1e-9, vec3(1.0 / 3.0));
}

vec3 to_oklab(vec3 rgb) {
    const mat3 cones = mat3(0.4122, 0.2119, 0.0883, 0.5363, 0.6807, 0.2817, 0.0514, 0.1074, 0.6300);
    const mat3 lab = mat3(0.2105, 1.9780, 0.0259, 0.7936, -2.4286, 0.7828, -0.0041, 0.4506, -0.8087);
    return lab * cube_root(cones * rgb);
}

vec3 from_oklab(vec3 c) {
    const mat3 back = mat3(1.0, 1.0, 1.0, 0.3963, -0.1056, -0.0895, 0.2158, -0.0639, -1.2915);
    const mat3 rgb = mat3(4.0767, -1.2684, -0.0042, -3.3077, 2.6098, -0.7034, 0.2310, -0.3413, 1.7076);
    vec3 roots = back * c;
    return rgb * (roots * roots * roots);
}

vec3 hsv(vec3 c) {
    return c.z * mix(vec3(1.0), clamp(abs(mod(c.x * 6.0 + vec3(0.0, 4.0, 2.0), 6.0) - 3.0) - 1.0, 0.0, 1.0), c.y);
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution;
    int row = int(uv.y * 4.0);
    float t = clamp((uv.x - 0.06) / 0.88, 0.0, 1.0);
    vec3 from = vec3(0.10, 0.25, 0.90);
    vec3 to = vec3(1.0, 0.80, 0.10);
    vec3 paint;
    switch (row) {
        case 3: paint = mix(from, to, t); break;
        case 2: paint = to_srgb(mix(to_linear(from), to_linear(to), t)); break;
        case 1: paint = hsv(mix(vec3(0.635, 0.89, 0.90), vec3(0.13, 0.90, 1.0), t)); break;
        default: paint = to_srgb(from_oklab(mix(to_oklab(to_linear(from)), to_oklab(to_linear(to)), t)));
    }
    float gap = smoothstep(0.06, 0.08, abs(fract(uv.y * 4.0) - 0.5) - 0.36);
    color = vec4(mix(paint, vec3(0.97), gap), 1.0);
}
