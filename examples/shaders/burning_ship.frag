#version 330
// The burning ship: the set of Mandelbrot with folded coordinates, its hull and masts.
uniform vec2 resolution;
out vec4 fragColor;

void main() {
    vec2 c = vec2(-1.755, -0.03) + 0.115 * (2 * gl_FragCoord.xy - resolution) / resolution.y * vec2(1, -1);
    vec2 z = vec2(0);
    float least = 1e3;
    int n = 0;
    for (; n < 80; ++n) {
        z = abs(z);
        z = vec2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
        least = min(least, length(z - vec2(-0.4, 0.1)));
        if (dot(z, z) > 64) break;
    }
    if (n == 80) {
        fragColor = vec4(vec3(0.25, 0.08, 0.03) * (0.3 + 2.0 * least), 1);
        return;
    }
    float level = n + 1 - log2(log2(dot(z, z)) / 6);
    float t = clamp(level / 36, 0, 1);
    vec3 fire = vec3(pow(t, 0.6), pow(t, 1.5), pow(t, 4.0));
    fragColor = vec4(fire * vec3(1.1, 0.95, 0.8) + vec3(0.03, 0.01, 0.05), 1);
}
