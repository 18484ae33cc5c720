// Small arrays turned over: how often the first card of `n` must be turned under, at most, over all orders of the cards.
// sizes: 7 9
#include "workload.h"

enum { MOST = 12 };

CALLED static i32 flips(const u8 *order, i32 n) {
    u8 cards[MOST];
    for (i32 i = 0; i < n; i++) cards[i] = order[i];
    i32 count = 0;
    for (; cards[0]; count++) {
        for (i32 low = 0, high = cards[0]; low < high; low++, high--) {
            u8 card = cards[low];
            cards[low] = cards[high];
            cards[high] = card;
        }
    }
    return count;
}

RUN {
    u8 order[MOST];
    i32 used[MOST + 1], most = 0, sum = 0, odd = 0;
    if (n > MOST) n = MOST;
    for (i32 i = 0; i < n; i++) order[i] = (u8)i, used[i] = 0;
    for (;;) {
        i32 count = flips(order, n);
        if (count > most) most = count;
        sum += odd ? -count : count;
        odd = !odd;
        // The next order, one swap away (Heap).
        i32 i = 1;
        while (i < n && used[i] >= i) used[i++] = 0;
        if (i >= n) return (i64)sum << 32 | (u32)most;
        i32 with = i & 1 ? used[i] : 0;
        u8 card = order[with];
        order[with] = order[i];
        order[i] = card;
        used[i]++;
    }
}
