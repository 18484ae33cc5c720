#version 300 es
// Edges of a texture by Sobel's two kernels, over single texels, as ink on paper.
precision highp float;
precision highp int;

uniform sampler2D image;
in vec2 uv;
out vec4 color;

float luminance(ivec2 at, ivec2 size) {
    vec3 c = texelFetch(image, clamp(at, ivec2(0), size - 1), 0).rgb;
    return dot(c, vec3(0.2126, 0.7152, 0.0722));
}

void main() {
    ivec2 size = textureSize(image, 0);
    // A little inside of the texel: rounding must not choose it where a pixel lies exactly between two.
    ivec2 at = ivec2(uv * vec2(size) + 0.02);
    mat3 window;
    for (int column = 0; column < 3; ++column) {
        for (int row = 0; row < 3; ++row) window[column][row] = luminance(at + ivec2(column - 1, row - 1), size);
    }
    const mat3 kernel = mat3(-1.0, -2.0, -1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 1.0);
    mat3 across = matrixCompMult(window, kernel);
    mat3 along = matrixCompMult(window, transpose(kernel));
    vec2 slope = vec2(0.0);
    for (int i = 0; i < 3; ++i) slope += vec2(dot(across[i], vec3(1.0)), dot(along[i], vec3(1.0)));
    float edge = smoothstep(0.05, 0.9, length(slope));
    vec3 paper = mix(vec3(0.97, 0.95, 0.90), vec3(0.85, 0.82, 0.75), window[1][1] < 0.5 ? 0.6 : 0.0);
    color = vec4(mix(paper, vec3(0.10, 0.12, 0.22), edge), 1.0);
}
