#version 310 es
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer B { uint n[4]; } b[2];
shared uint s;
void main() {
  // The place stays one, though an argument behind it writes.
  uint i = gl_LocalInvocationIndex;
  atomicCompSwap(b[0].n[i], atomicAdd(b[1].n[i], i++), atomicExchange(s, 3u));
}
