#version 450
layout(local_size_x_id = 1) in;
layout(constant_id = 2) const uint N = 3;
layout(constant_id = 3) const bool WIDE = true;
shared float tile[gl_WorkGroupSize.x * (WIDE ? N + 1u : 1u)];
layout(std430, binding = 0) buffer Out { float o[]; };
void main() {
    tile[gl_LocalInvocationIndex] = 1.0;
    barrier();
    o[gl_LocalInvocationIndex] = tile[0];
}
