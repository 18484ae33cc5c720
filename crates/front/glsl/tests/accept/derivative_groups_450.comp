#version 450
#extension GL_NV_compute_shader_derivatives : require
layout(local_size_x = 4, local_size_y = 4) in;
layout(derivative_group_quadsNV) in;
layout(binding = 0) uniform sampler2D s;
layout(binding = 1) buffer B { vec4 o[]; };
void main() { vec2 p = vec2(gl_LocalInvocationID.xy); o[gl_LocalInvocationIndex] = texture(s, p * p) + dFdx(p.x) + fwidth(p.y) + textureLod(s, p, 0.0) + texture(s, p, 1.0) + vec4(textureQueryLod(s, p), 0, 0); }
