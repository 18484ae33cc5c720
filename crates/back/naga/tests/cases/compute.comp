#version 310 es
layout(local_size_x = 8, local_size_y = 4) in;
struct Item { vec3 place; float mass; bool fixed_; mat3 turn; };
layout(std430, binding = 0) buffer Items { uint count; Item items[]; };
layout(std430, binding = 1) readonly buffer Numbers { float numbers[4]; ivec2 pairs[]; };
layout(std140, binding = 2) buffer Slow { float values[8]; uint total; int lows[4]; } slow;
layout(rgba8, binding = 3) readonly uniform highp image2D source;
layout(r32f, binding = 4) writeonly uniform highp image2D target;
shared uint sums[8];
shared float cache[32];
shared bool done;

void main() {
    uint i = gl_LocalInvocationIndex;
    uvec3 g = gl_GlobalInvocationID;
    cache[i] = numbers[i & 3u] + float(pairs[g.x].y);
    if (i == 0u) { done = false; }
    memoryBarrierShared();
    barrier();
    atomicAdd(sums[i & 7u], 1u);
    uint old = atomicMax(slow.total, g.x);
    uint was = atomicCompSwap(count, 3u, old);
    atomicMin(slow.lows[i & 3u], -int(i));
    barrier();
    if (int(g.x) < items.length()) {
        Item item = items[g.x];
        item.place += cache[31u - i];
        item.fixed_ = !item.fixed_ || done;
        item.turn[1].xz = vec2(was);
        items[g.x] = item;
        items[g.y].place.y = item.mass;
        items[g.x].fixed_ = slow.values[2] > float(sums[1]);
    }
    slow.values[i & 7u] += 1.0;
    vec4 texel = imageLoad(source, ivec2(g.xy));
    imageStore(target, ivec2(g.xy), texel * float(gl_NumWorkGroups.x + gl_WorkGroupSize.y));
    ivec2 size = imageSize(source);
    if (size.x == 1) slow.values[0] = 2.0;
}
