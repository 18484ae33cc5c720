// What every workload has: names for types, and the one function that hosts call.
#pragma once
typedef signed char i8;
typedef unsigned char u8;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef double f64;

// The workload at size `n`; gives a number that tells whether all went well.
#define RUN __attribute__((export_name("run"))) i64 run(i32 n)

// What keeps a function a function: a compiler that inlines everything would leave no calls to measure.
#define CALLED __attribute__((noinline))

static inline u64 mix(u64 hash, u64 value) { return (hash ^ value) * 1099511628211ull; }

// Numbers that look random, the same everywhere.
static inline u32 next_random(u32 *state) {
    u32 x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

static inline i64 bits_of(f64 value) {
    union { f64 value; i64 bits; } both = { .value = value };
    return both.bits;
}
