#version 300 es
// A photograph as an ink drawing: Sobel's kernels as matrices, hatching where it is dark.
// Columns of matrices read and written, nested loops.
precision highp float;

uniform sampler2D image;
uniform vec2 resolution;
out vec4 color;

const mat3 ACROSS = mat3(-1.0, 0.0, 1.0, -2.0, 0.0, 2.0, -1.0, 0.0, 1.0);

float grey_at(vec2 uv) {
    return dot(texture(image, uv).rgb, vec3(0.30, 0.59, 0.11));
}

mat3 neighbourhood(vec2 uv, vec2 pixel) {
    mat3 window = mat3(0.0);
    for (int y = 0; y < 3; ++y) {
        for (int x = 0; x < 3; ++x) {
            window[y][x] = grey_at(uv + pixel * vec2(x - 1, y - 1));
        }
    }
    return window;
}

float convolve(mat3 window, mat3 kernel) {
    mat3 products = matrixCompMult(window, kernel);
    vec3 columns = products[0] + products[1];
    columns += products[2];
    return columns.x + columns.y + columns.z;
}

float hatch(vec2 p, float dark) {
    float ink = 0.0;
    for (int layer = 0; layer < 3; ++layer) {
        if (dark < 0.35 + 0.18 * float(layer)) break;
        float angle = 0.7 + 1.1 * float(layer);
        float stripe = abs(fract(dot(p, vec2(cos(angle), sin(angle))) / 7.0) - 0.5);
        ink = max(ink, 1.0 - smoothstep(0.06, 0.16, stripe));
    }
    return ink;
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution;
    mat3 window = neighbourhood(uv, 1.6 / resolution);
    vec2 slope = vec2(convolve(window, ACROSS), convolve(window, transpose(ACROSS)));
    float edge = smoothstep(0.15, 0.6, length(slope));
    float dark = 1.0 - window[1].y;
    float ink = max(edge, 0.75 * hatch(gl_FragCoord.xy, dark));
    vec3 paper = vec3(0.96, 0.93, 0.86) - 0.05 * dark;
    color = vec4(mix(paper, vec3(0.10, 0.12, 0.25), ink), 1.0);
}
