#version 450
#extension GL_EXT_shader_image_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, r64ui) uniform u64image2D depths;
layout(set = 0, binding = 1) buffer Out { uint64_t last; };
void main() {
    uint64_t packed = (uint64_t(gl_GlobalInvocationID.x) << 32) | 7ul;
    last = imageAtomicMax(depths, ivec2(gl_GlobalInvocationID.xy), packed);
    memoryBarrierImage();
    if (imageLoad(depths, ivec2(0)).x > packed) imageStore(depths, ivec2(1), u64vec4(last));
}
