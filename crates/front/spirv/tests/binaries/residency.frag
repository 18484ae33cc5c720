#version 450
#extension GL_ARB_sparse_texture2 : require
#extension GL_ARB_sparse_texture_clamp : require
layout(set = 0, binding = 0) uniform sampler2D pages;
layout(set = 0, binding = 1) uniform sampler2DArrayShadow shadows;
layout(set = 0, binding = 2, rgba8) uniform readonly image2D tiles;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
void main() {
    vec4 texel = vec4(0), tile = vec4(0), four = vec4(0);
    float lit = 0.0;
    int code = sparseTextureARB(pages, at, texel, 0.5);
    for (float lod = 1.0; lod < 5.0 && !sparseTexelsResidentARB(code); lod += 1.0)
        code = sparseTextureLodARB(pages, at, lod, texel);
    bool ok = sparseTexelsResidentARB(sparseTexelFetchARB(pages, ivec2(at), 0, four))
        && sparseTexelsResidentARB(sparseImageLoadARB(tiles, ivec2(at), tile))
        && sparseTexelsResidentARB(sparseTextureGatherARB(pages, at, four, 2));
    if (!ok) discard;
    sparseTextureClampARB(pages, at, 1.5, tile);
    colour = texel + tile * four;
}
