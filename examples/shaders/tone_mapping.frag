#version 300 es
// The same bright scene through four curves: clipped, Reinhard, filmic, and one by luminance.
precision highp float;

uniform vec2 resolution;
uniform float time;
out vec4 color;

vec3 scene(vec2 p) {
    vec3 light = vec3(0.02, 0.03, 0.06);
    for (int i = 0; i < 3; ++i) {
        float k = float(i);
        vec2 at = vec2(0.0, -0.6 + 0.6 * k);
        float d = length(p - at);
        vec3 tint = vec3(k == 0.0, k == 1.0, k == 2.0) * 0.9 + 0.1;
        light += tint * 0.06 / (d * d + 0.008);
    }
    light += 0.6 * vec3(1.0, 0.7, 0.4) * smoothstep(0.02, 0.0, abs(fract(p.y * 4.0) - 0.5) - 0.02);
    return light * (1.0 + 0.3 * sin(time));
}

vec3 curve(vec3 c, int kind) {
    switch (kind) {
        case 0: return min(c, 1.0);
        case 1: return c / (1.0 + c);
        case 2: {
            vec3 x = max(vec3(0.0), c - 0.004);
            return pow((x * (6.2 * x + 0.5)) / (x * (6.2 * x + 1.7) + 0.06), vec3(2.2));
        }
    }
    float y = dot(c, vec3(0.2126, 0.7152, 0.0722));
    return c * (1.0 + y / 16.0) / (1.0 + y);
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution;
    float strip = uv.x * 4.0;
    vec2 p = vec2((fract(strip) - 0.5) * 1.2, uv.y * 2.0 - 1.0);
    vec3 mapped = curve(scene(p), int(strip));
    float seam = smoothstep(0.485, 0.49, abs(fract(strip) - 0.5));
    color = vec4(mix(pow(clamp(mapped, 0.0, 1.0), vec3(1.0 / 2.2)), vec3(0.9), seam), 1.0);
}
