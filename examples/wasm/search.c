// Bytes: words looked for in a text of `n` thousand bytes, with the tables of Knuth, Morris and Pratt and of Horspool.
// sizes: 2 400
#include "workload.h"

enum { MOST = 1 << 20, PATTERNS = 8, LONGEST = 24 };
static u8 text[MOST];

CALLED static i32 knuth_morris_pratt(const u8 *word, i32 length, i32 size) {
    i32 fail[LONGEST + 1], count = 0;
    fail[0] = -1;
    for (i32 i = 0, k = -1; i < length;) {
        while (k >= 0 && word[i] != word[k]) k = fail[k];
        fail[++i] = ++k;
    }
    for (i32 i = 0, k = 0; i < size; i++) {
        while (k >= 0 && word[k] != text[i]) k = fail[k];
        if (++k == length) {
            count++;
            k = fail[k];
        }
    }
    return count;
}

CALLED static i32 horspool(const u8 *word, i32 length, i32 size) {
    i32 skip[256], count = 0;
    for (i32 i = 0; i < 256; i++) skip[i] = length;
    for (i32 i = 0; i < length - 1; i++) skip[word[i]] = length - 1 - i;
    for (i32 at = 0; at + length <= size; at += skip[text[at + length - 1]]) {
        i32 i = length - 1;
        while (i >= 0 && text[at + i] == word[i]) i--;
        if (i < 0) count++;
    }
    return count;
}

RUN {
    i32 size = n * 1000 < MOST ? n * 1000 : MOST;
    u32 random = 521288629u;
    u64 hash = 0;
    // Few letters, and pieces that come again, so that there is something to find.
    for (i32 i = 0; i < size; i++) {
        u32 r = next_random(&random);
        text[i] = i > 64 && r % 16 ? text[i - 1 - r / 16 % 61] : (u8)('a' + r / 16 % 6);
    }
    for (i32 p = 0; p < PATTERNS; p++) {
        i32 length = 3 + p * 3 < LONGEST ? 3 + p * 3 : LONGEST;
        const u8 *word = &text[next_random(&random) % (u32)(size - length)];
        i32 one = knuth_morris_pratt(word, length, size), other = horspool(word, length, size);
        if (one != other) return -1;
        hash = mix(hash, (u64)one);
    }
    return (i64)hash;
}
