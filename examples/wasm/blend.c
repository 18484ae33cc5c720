// Vectors of 128 bits: `n` pictures laid over another one, sixteen channels of eight bits at a time, and their mean taken.
// flags: -msimd128
// sizes: 3 400
#include "workload.h"

enum { BYTES = 16384 };
typedef u8 Bytes __attribute__((vector_size(16)));
typedef u16 Halves __attribute__((vector_size(16)));
typedef u16 WideHalves __attribute__((vector_size(32)));
typedef float Floats __attribute__((vector_size(16)));

static Bytes under[BYTES / 16], over[BYTES / 16];
static Floats mean[BYTES / 16];

CALLED static void blend(u16 opacity) {
    WideHalves share = { 0 }, rest = { 0 };
    for (i32 i = 0; i < 16; i++) share[i] = opacity, rest[i] = (u16)(256 - opacity);
    for (i32 i = 0; i < BYTES / 16; i++) {
        WideHalves a = __builtin_convertvector(under[i], WideHalves), b = __builtin_convertvector(over[i], WideHalves);
        WideHalves sum = (a * rest + b * share) >> 8;
        under[i] = __builtin_convertvector(sum, Bytes);
    }
}

CALLED static void add_to_mean(float weight) {
    for (i32 i = 0; i < BYTES / 16; i++) {
        Floats pixel = { under[i][0], under[i][5], under[i][10], under[i][15] };
        mean[i] += (pixel - mean[i]) * weight;
    }
}

RUN {
    u32 random = 99991u;
    u64 hash = 0;
    for (i32 i = 0; i < BYTES; i++) {
        under[i / 16][i % 16] = (u8)next_random(&random);
        over[i / 16][i % 16] = (u8)next_random(&random);
        mean[i / 16][i % 4] = 0;
    }
    for (i32 round = 0; round < n; round++) {
        blend((u16)(round % 97));
        add_to_mean(1.0f / (float)(round + 1));
        under[round % (BYTES / 16)] ^= over[(round * 7) % (BYTES / 16)];
    }
    for (i32 i = 0; i < BYTES / 16; i++) {
        for (i32 j = 0; j < 16; j++) hash = mix(hash, under[i][j]);
        for (i32 j = 0; j < 4; j++) hash = mix(hash, (u64)(i64)(mean[i][j] * 1000));
    }
    return (i64)hash;
}
