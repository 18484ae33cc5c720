#version 330 core
// Sharpening: the difference from a blurred copy is added again; the left half is untouched.
uniform sampler2D image;
in vec2 uv;
out vec4 fragColor;

void main() {
    vec2 texel = 1.5 / vec2(textureSize(image, 0));
    vec3 here = texture(image, uv * 0.5).rgb;
    vec3 blurred = vec3(0);
    const float row[3] = float[](0.25, 0.5, 0.25);
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++)
            blurred += row[x] * row[y] * texture(image, uv * 0.5 + vec2(x - 1, y - 1) * texel).rgb;
    vec3 sharp = here + 1.6 * (here - blurred);
    float divider = smoothstep(0.004, 0.002, abs(uv.x - 0.5));
    fragColor = vec4(mix(uv.x < 0.5 ? blurred : sharp, vec3(1), divider), 1);
}
