#version 450
layout(local_size_x = 8) in;
struct Light { vec3 where; bool on; mat2 turn; float weights[3]; };
layout(std430, binding = 0) buffer Lights { uint count; bool any; Light first; Light all[]; } lights;
layout(std430, binding = 1) readonly buffer Words { uint words[]; } inputs[2];
layout(std140, binding = 4) uniform Settings { layout(row_major) mat3x2 m; bvec3 flags; vec2 list[4]; Light light; } settings[2];
layout(push_constant) uniform Push { layout(offset = 16) vec4 tint; int which; } push;
layout(constant_id = 3) const int ROUNDS = 4;
layout(constant_id = 4) const bool FAST = true;
shared Light copy;
void main() {
    uint i = gl_GlobalInvocationID.x;
    Light l = lights.all[i];
    l.on = l.on || settings[1].flags[i % 3u];
    for (int k = 0; k < ROUNDS; k++) { l.weights[k % 3] += float(inputs[1].words[k]) + float(inputs[push.which].words.length()); }
    l.where.zx += (settings[push.which & 1].m * l.where) + settings[0].list[i & 3u];
    if (FAST && l.on) { lights.all[i].turn[1].yx = l.turn * push.tint.xy; }
    lights.all[i].where.zy = l.where.xy;
    copy = settings[0].light;
    barrier();
    lights.first = copy;
    lights.all[lights.all.length() - 1] = l;
    lights.any = any(settings[0].flags);
    uint was = atomicMax(lights.count, i) + atomicCompSwap(lights.count, 3u, 4u);
    lights.all[0].weights[was % 3u] = l == copy ? 1.0 : 0.0;
}
