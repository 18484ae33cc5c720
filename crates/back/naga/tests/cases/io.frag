#version 300 es
// no picture: it has inputs.
precision highp float;
precision highp int;
precision highp sampler2DShadow;
precision highp usampler2D;
precision highp sampler2DArray;
precision highp sampler2DArrayShadow;
precision highp samplerCubeShadow;
precision highp sampler3D;
uniform sampler2DShadow shadow;
uniform sampler2DArrayShadow shadows;
uniform samplerCubeShadow shadow_cube;
uniform usampler2D ids;
uniform sampler2DArray layers;
uniform sampler3D volume;
in vec2 v_uv;
in mat3 v_frame;
flat in ivec2 v_ids;
centroid in float v_list[2];
struct Pack { vec3 a; float b; };
in Pack v_pack;
layout(location = 0) out vec4 colour;
layout(location = 1) out ivec2 id;
void main() {
    colour = vec4(v_uv, v_frame[1].x, v_list[1] + v_pack.b) * (gl_FrontFacing ? 1.0 : 0.5);
    colour.x += texture(shadow, vec3(v_uv, 0.5)) + textureLod(shadow, vec3(v_uv, 0.5), 0.0) + textureProj(shadow, vec4(v_uv, 0.5, 2.0));
    colour.y += texture(shadows, vec4(v_uv, 1.0, 0.5)) + texture(shadow_cube, vec4(v_frame[0], 0.5));
    colour += texture(layers, vec3(v_uv, 2.0)) + texelFetch(layers, ivec3(1, 2, 3), 0) + texture(volume, v_frame[2]);
    colour.zw += gl_PointCoord + vec2(textureSize(layers, 0).z, textureSize(volume, 1).z);
    id = v_ids + ivec2(texture(ids, v_uv).xy) + ivec2(texelFetch(ids, ivec2(3), 0).zw);
    gl_FragDepth = v_pack.a.z;
}
