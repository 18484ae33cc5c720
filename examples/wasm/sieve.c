// Stores with a stride: the primes below 65,536 minus 0, 1, … `n` − 1.
// sizes: 1 60
#include "workload.h"

enum { LIMIT = 65536 };
static u8 composite[LIMIT];

CALLED static i32 sieve(i32 limit) {
    i32 count = 0;
    for (i32 i = 0; i < limit; i++) composite[i] = 0;
    for (i32 i = 2; i < limit; i++) {
        if (composite[i]) continue;
        count++;
        for (i32 j = i + i; j < limit; j += i) composite[j] = 1;
    }
    return count;
}

RUN {
    u64 hash = 0;
    for (i32 round = 0; round < n; round++) hash = hash * 31 + (u64)sieve(LIMIT - round);
    return (i64)hash;
}
