#version 310 es
layout(local_size_x = 16) in;
struct P { vec4 pos; vec2 vel[2]; };
layout(std430, binding = 0) buffer Ps { P ps[]; };
layout(std140, binding = 1) uniform U { float dt; ivec2 size; mat3 m; };
layout(rgba32f, binding = 0) readonly uniform highp image2D src;
shared vec4 cache[16];
void main() {
  uint i = gl_GlobalInvocationID.x;
  P p = ps[i];
  cache[gl_LocalInvocationID.x] = p.pos;
  barrier();
  p.pos.xy += p.vel[i & 1u] * dt;
  p.vel[0] = (m * vec3(p.vel[0], 1.0)).xy;
  ps[i] = p;
  ps[i].vel[1].x = imageLoad(src, size).x;
}
