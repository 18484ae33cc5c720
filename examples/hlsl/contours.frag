#version 300 es
// contours.frag.hlsl, by hand.
precision highp float;
precision highp int;

layout(std140) uniform Contours {
    vec4 line_color;
    vec2 texel;
    float spacing;
    int octaves;
};
uniform sampler2D heights;

in vec2 uv;
layout(location = 0) out vec4 color;

float height_at(vec2 uv) {
    float sum = 0.0;
    float weight = 0.5;
    for (int i = 0; i < octaves; i++) {
        sum += weight * texture(heights, uv).r;
        uv = uv * 2.0 + 0.37;
        weight *= 0.5;
    }
    return sum;
}

void main() {
    float height = height_at(uv);
    vec2 gradient = vec2(height_at(uv + vec2(texel.x, 0.0)), height_at(uv + vec2(0.0, texel.y))) - height;
    vec3 normal = normalize(vec3(-gradient * 40.0, 1.0));
    float light = clamp(dot(normal, normalize(vec3(0.4, 0.6, 0.7))), 0.0, 1.0);
    float distance = abs(fract(height / spacing) - 0.5);
    color = mix(vec4(vec3(light), 1.0), line_color, step(0.45, distance));
}
