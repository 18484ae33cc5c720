#version 450
// glslangValidator -V combined.frag -o combined.frag.spv
layout(set = 0, binding = 0) uniform sampler2D albedo;
layout(set = 0, binding = 1) uniform sampler2DShadow shadow;
layout(set = 1, binding = 0) uniform samplerCube sky;
layout(set = 1, binding = 3) uniform Params { mat3 turn; float weights[3]; vec2 size; } params;
layout(location = 0) in vec3 direction;
layout(location = 1) in vec2 uv;
layout(location = 0) out vec4 colour;

vec4 twice(sampler2D map, vec2 at) {
    return texture(map, at) + textureLod(map, at, 1.0);
}

void main() {
    vec4 sum = twice(albedo, uv) * params.weights[1];
    sum += texelFetch(albedo, ivec2(uv * vec2(textureSize(albedo, 0))), 0);
    sum += texture(shadow, vec3(uv, 0.5));
    for (int i = 0; i < 3; i++) {
        if (sum.x > params.size.x) break;
        sum += texture(sky, params.turn * direction);
    }
    colour = sum;
}
