#version 450
// glslangValidator -V blur.comp -o blur.comp.spv
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8) uniform readonly image2D source;
layout(set = 0, binding = 1, rgba8) uniform writeonly image2D target;
layout(set = 0, binding = 2, std430) buffer Sums { uint count; vec4 rows[]; } sums;
shared vec4 tile[64];
layout(constant_id = 3) const int radius = 2;

struct Acc { vec4 sum; int n; };

void gather(inout Acc acc, ivec2 at) {
    acc.sum += imageLoad(source, at);
    acc.n++;
}

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    int r = radius;
    Acc acc = Acc(vec4(0.0), 0);
    for (int y = -r; y <= r; y++) {
        for (int x = -r; x <= r; x++) {
            if (x * x + y * y > r * r) continue;
            gather(acc, at + ivec2(x, y));
        }
    }
    tile[gl_LocalInvocationIndex] = acc.sum / float(acc.n);
    barrier();
    imageStore(target, at, tile[gl_LocalInvocationIndex]);
    switch (at.x) {
        case 0: sums.rows[at.y] = acc.sum;
        case 1: atomicAdd(sums.count, 1u); break;
        default: break;
    }
}
