#version 450
layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0) uniform sampler2D picture;
layout(set = 0, binding = 2, rgba8) writeonly uniform image2D result;
layout(std430, set = 1, binding = 0) readonly buffer Kernel {
    float scale;
    vec2 taps[];
};
layout(std430, set = 1, binding = 1) buffer Counts {
    uint counts[];
};

// The mean of some places around each pixel.
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec4 sum = vec4(0.0);
    for (int i = 0; i < taps.length(); i++) {
        sum += textureLod(picture, scale * (vec2(at) + taps[i]), 0.0);
    }
    atomicAdd(counts[0], 1u);
    imageStore(result, at, sum / float(taps.length()));
}
