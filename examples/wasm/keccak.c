// Exclusive ors and rotations of 64-bit words: the permutation of SHA-3, `n` times.
// sizes: 1 5000
#include "workload.h"

static u64 lanes[25], rounds[24];
static u32 turns[25];

static u64 rotate(u64 x, u32 by) { return by ? x << by | x >> (64 - by) : x; }

// The constants by their definitions: a shift register's bits, and triangular numbers along a walk.
CALLED static void prepare(void) {
    u32 lfsr = 1;
    for (i32 round = 0; round < 24; round++) {
        rounds[round] = 0;
        for (i32 j = 0; j < 7; j++) {
            if (lfsr & 1) rounds[round] |= 1ull << ((1 << j) - 1);
            lfsr = lfsr << 1 ^ (lfsr >> 7 & 1) * 0x171;
        }
    }
    i32 x = 1, y = 0;
    turns[0] = 0;
    for (u32 t = 0; t < 24; t++) {
        turns[x + 5 * y] = (t + 1) * (t + 2) / 2 % 64;
        i32 old = y;
        y = (2 * x + 3 * y) % 5, x = old;
    }
}

CALLED static void permute(u64 *a) {
    u64 b[25], c[5];
    for (i32 round = 0; round < 24; round++) {
        for (i32 x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
        for (i32 x = 0; x < 5; x++) {
            u64 d = c[(x + 4) % 5] ^ rotate(c[(x + 1) % 5], 1);
            for (i32 y = 0; y < 25; y += 5) a[x + y] ^= d;
        }
        for (i32 x = 0; x < 5; x++)
            for (i32 y = 0; y < 5; y++) b[y + 5 * ((2 * x + 3 * y) % 5)] = rotate(a[x + 5 * y], turns[x + 5 * y]);
        for (i32 y = 0; y < 25; y += 5)
            for (i32 x = 0; x < 5; x++) a[y + x] = b[y + x] ^ (~b[y + (x + 1) % 5] & b[y + (x + 2) % 5]);
        a[0] ^= rounds[round];
    }
}

RUN {
    prepare();
    for (i32 i = 0; i < 25; i++) lanes[i] = 0;
    for (i32 i = 0; i < n; i++) permute(lanes);
    return (i64)lanes[0];
}
