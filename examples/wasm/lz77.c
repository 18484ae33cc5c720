// Hash chains and copies of bytes: a text of `n` thousand bytes is packed, unpacked and compared.
// sizes: 2 250
#include "workload.h"

enum { MOST = 1 << 18, HASHES = 1 << 12, LONGEST = 130, SHORTEST = 4, PATIENCE = 16 };
static u8 text[MOST], packed[MOST * 2], again[MOST];
static i32 heads[HASHES], chain[MOST];

static u32 hash_at(i32 at) {
    u32 word = text[at] | (u32)text[at + 1] << 8 | (u32)text[at + 2] << 16 | (u32)text[at + 3] << 24;
    return word * 2654435761u >> 20;
}

// Each token: a byte below 128 and so many letters and one more; or 128 and a length, and two bytes of distance.
CALLED static i32 pack(i32 size) {
    i32 out = 0, letters = 0;
    for (i32 i = 0; i < HASHES; i++) heads[i] = -1;
    for (i32 at = 0; at < size;) {
        i32 best = 0, from = 0;
        if (at + SHORTEST <= size) {
            i32 candidate = heads[hash_at(at)];
            for (i32 tries = 0; candidate >= 0 && at - candidate < 65536 && tries < PATIENCE; tries++) {
                i32 length = 0;
                while (length < LONGEST && at + length < size && text[candidate + length] == text[at + length]) length++;
                if (length > best) best = length, from = candidate;
                candidate = chain[candidate];
            }
        }
        i32 step = best >= SHORTEST ? best : 1;
        for (i32 i = at; i < at + step && i + SHORTEST <= size; i++) {
            u32 hash = hash_at(i);
            chain[i] = heads[hash];
            heads[hash] = i;
        }
        if (step > 1) {
            packed[out++] = (u8)(128 + best - SHORTEST);
            packed[out++] = (u8)(at - from);
            packed[out++] = (u8)((at - from) >> 8);
            letters = 0;
        } else {
            if (!letters) packed[out++] = 0;
            else packed[out - letters - 1]++;
            packed[out++] = text[at];
            letters = letters == 127 ? 0 : letters + 1;
        }
        at += step;
    }
    return out;
}

CALLED static i32 unpack(i32 size) {
    i32 out = 0;
    for (i32 at = 0; at < size;) {
        u8 token = packed[at++];
        if (token < 128) {
            for (i32 i = 0; i <= token; i++) again[out++] = packed[at++];
        } else {
            i32 distance = packed[at] | packed[at + 1] << 8;
            at += 2;
            for (i32 i = 0; i < token - 128 + SHORTEST; i++, out++) again[out] = again[out - distance];
        }
    }
    return out;
}

RUN {
    i32 size = n * 1000 < MOST ? n * 1000 : MOST;
    u32 random = 314159265u;
    for (i32 i = 0; i < size; i++) {
        u32 r = next_random(&random);
        text[i] = i > 256 && r % 8 ? text[i - 1 - r / 8 % 4 * 61] : (u8)('a' + r / 8 % 20);
    }
    i32 length = pack(size);
    if (unpack(length) != size) return -1;
    u64 hash = (u64)length;
    for (i32 i = 0; i < size; i++) {
        if (again[i] != text[i]) return -2;
        hash = mix(hash, again[i]);
    }
    return (i64)hash;
}
