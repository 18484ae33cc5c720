// Rotations and additions of 32-bit words: SHA-256 of `n` blocks of 64 bytes.
// sizes: 1 8000
#include "workload.h"

static u32 constants[64], first[8], state[8];

// The first 32 bits behind the point of the square (or cube) roots of the first primes, found by halving in integers.
static u32 root_fraction(u32 prime, i32 cube) {
    // The greatest x with x² ≤ p·2⁶⁴ (or x³ ≤ p·2⁹⁶), both sides compared in pieces of 32 bits.
    u64 low = 0, high = 1ull << 36;
    while (high - low > 1) {
        u64 x = low + (high - low) / 2;
        u32 limbs[5] = { 1 }, wide[5];
        for (i32 power = 0; power < 2 + cube; power++) {
            u64 carry = 0, parts[2] = { x & 0xffffffff, x >> 32 };
            for (i32 i = 0; i < 5; i++) wide[i] = 0;
            for (i32 p = 0; p < 2; p++) {
                carry = 0;
                for (i32 i = 0; i + p < 5; i++) {
                    u64 sum = limbs[i] * parts[p] + wide[i + p] + carry;
                    wide[i + p] = (u32)sum;
                    carry = sum >> 32;
                }
            }
            for (i32 i = 0; i < 5; i++) limbs[i] = wide[i];
        }
        i32 whole = 2 + cube;
        u64 above = limbs[whole] | (whole + 1 < 5 ? (u64)limbs[whole + 1] << 32 : 0);
        if (above >= prime) high = x;
        else low = x;
    }
    return (u32)low;
}

CALLED static void prepare(void) {
    i32 found = 0;
    for (u32 candidate = 2; found < 64; candidate++) {
        i32 prime = 1;
        for (u32 d = 2; d * d <= candidate; d++)
            if (candidate % d == 0) prime = 0;
        if (!prime) continue;
        if (found < 8) first[found] = root_fraction(candidate, 0);
        constants[found++] = root_fraction(candidate, 1);
    }
}

static u32 rotate(u32 x, u32 by) { return x >> by | x << (32 - by); }

CALLED static void compress(const u8 *block) {
    u32 w[64];
    for (i32 i = 0; i < 16; i++, block += 4)
        w[i] = (u32)block[0] << 24 | (u32)block[1] << 16 | (u32)block[2] << 8 | block[3];
    for (i32 i = 16; i < 64; i++) {
        u32 x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) + (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
    }
    u32 a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
    for (i32 i = 0; i < 64; i++) {
        u32 one = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + w[i];
        u32 two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

// Of a message of `n` blocks, of which the last holds the padding; `n = 1` is the empty message.
RUN {
    static u8 block[64];
    u32 random = 2463534242u;
    u64 length = (u64)(n - 1) * 512;
    prepare();
    for (i32 i = 0; i < 8; i++) state[i] = first[i];
    for (i32 round = 0; round < n - 1; round++) {
        for (i32 i = 0; i < 64; i++) block[i] = (u8)next_random(&random);
        compress(block);
    }
    for (i32 i = 0; i < 64; i++) block[i] = i == 0 ? 0x80 : i < 56 ? 0 : (u8)(length >> (63 - i) * 8);
    compress(block);
    return (i64)((u64)state[0] << 32 | state[1]);
}
