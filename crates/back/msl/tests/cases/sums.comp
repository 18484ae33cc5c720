#version 450
layout(local_size_x = 64) in;
layout(constant_id = 3) const float factor = 2.0;
layout(binding = 0) readonly buffer In { float count; vec3 first; float data[]; } values;
layout(binding = 1) buffer Out { uint total; int least; float sums[]; } sums;
layout(binding = 2, rgba8) uniform writeonly image2D picture;
shared float part[64];
void main() {
    uint at = gl_GlobalInvocationID.x;
    int i = int(gl_LocalInvocationIndex);
    part[i] = values.data[at] * factor;
    barrier();
    float sum = 0.0;
    for (int k = 0; k < 64; k++) sum += part[k];
    sums.sums[gl_WorkGroupID.x] = sum / float(sums.sums.length());
    atomicAdd(sums.total, 1u);
    int before = atomicCompSwap(sums.least, 0, i % (i - 3));
    imageStore(picture, ivec2(i, before), vec4(sum, values.first));
}
