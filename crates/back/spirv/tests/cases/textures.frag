#version 460
layout(set = 1, binding = 0) uniform texture2D picture;
layout(set = 1, binding = 1) uniform sampler smooth_;
layout(set = 1, binding = 2) uniform samplerShadow compare;
layout(set = 1, binding = 3) uniform sampler2DShadow shadow;
layout(set = 1, binding = 4) uniform sampler2DArray stack;
layout(set = 1, binding = 5) uniform samplerCubeArray skies;
layout(set = 1, binding = 6) uniform isampler3D volume;
layout(set = 1, binding = 7) uniform sampler2DMS samples;
layout(set = 1, binding = 8) uniform sampler1D ramp;
layout(set = 1, binding = 9) uniform sampler2DRect rectangle;
layout(set = 1, binding = 10) uniform sampler2D many[4];
layout(set = 1, binding = 14) uniform texture2D pages[2];
layout(set = 1, binding = 16) uniform sampler2DArrayShadow cascades;
layout(input_attachment_index = 1, set = 1, binding = 17) uniform subpassInput below;
layout(location = 0) in vec4 p;
layout(location = 1) flat in int which;
layout(location = 2) centroid in vec3 soft;
layout(location = 3) noperspective sample in vec2 fine;
layout(location = 0, index = 0) out vec4 colour;
layout(location = 0, index = 1) out vec4 second;
vec4 both(texture2D t, sampler s, vec2 at) { return texture(sampler2D(t, s), at) + textureGather(sampler2D(t, s), at, 2); }
vec4 pick(sampler2D list[4], int i) { return texture(list[i], p.xy); }
void main() {
    vec4 c = both(picture, smooth_, p.xy) + both(pages[which], smooth_, p.zw);
    c += texture(sampler2DShadow(picture, compare), p.xyz) + textureProj(shadow, p) + textureGather(shadow, p.xy, 0.5);
    c += texture(stack, p.xyz, 0.5) + textureLodOffset(stack, p.xyz, 1.0, ivec2(1, -1)) + texture(skies, p);
    c += vec4(texture(volume, p.xyz)) + texelFetch(samples, ivec2(p.xy), which) + texture(ramp, p.x) + texture(rectangle, p.xy * 9.0);
    c += textureGrad(many[which], p.xy, p.xz, p.yw) + pick(many, which + 1) + textureProj(many[0], p);
    c += texelFetchOffset(many[1], ivec2(p.xy), 0, ivec2(1, 2)) + textureGatherOffset(many[2], p.xy, ivec2(which, 1));
    c += textureGatherOffsets(many[3], p.xy, ivec2[4](ivec2(0), ivec2(1), ivec2(2), ivec2(3)), 1);
    c.xy += textureQueryLod(many[0], p.xy) + vec2(textureSize(stack, 1).xy) + float(textureQueryLevels(volume) + textureSamples(samples));
    c += texture(cascades, p) + textureGradOffset(shadow, p.xyz, p.xy, p.yz, ivec2(1));
    c += subpassLoad(below);
    c.xyz += interpolateAtCentroid(soft) + interpolateAtOffset(soft, vec2(0.1));
    c.xy += interpolateAtSample(fine, gl_SampleID) + dFdxFine(fine) + fwidthCoarse(fine) + gl_SamplePosition;
    colour = c;
    second = vec4(gl_FragCoord.z, float(gl_FrontFacing), float(gl_SampleMaskIn[0]), float(gl_HelperInvocation));
    gl_SampleMask[0] = which;
    gl_FragDepth = c.w;
}
