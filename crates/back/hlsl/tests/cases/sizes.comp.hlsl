#ifndef CONSTANT_WIDTH
#define CONSTANT_WIDTH 8u
#endif
static const uint WIDTH = CONSTANT_WIDTH;
#ifndef CONSTANT_SCALE
#define CONSTANT_SCALE 0.5
#endif
static const float SCALE = CONSTANT_SCALE;
RWByteAddressBuffer b : register(u0, space0);
#ifndef CONSTANT_local_size_z
#define CONSTANT_local_size_z 1u
#endif
static const uint local_size_z = CONSTANT_local_size_z;

[numthreads(CONSTANT_WIDTH, 2, CONSTANT_local_size_z)]
void main() {
    b.Store3(0u, uint3(WIDTH, 2u, local_size_z));
    b.Store(12u, WIDTH * uint3(WIDTH, 2u, local_size_z).x);
    b.Store(16u, asuint(SCALE));
}
