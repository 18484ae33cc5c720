// Branches that cannot be foretold, and recursion: `n` thousand numbers sorted.
// sizes: 2 200
#include "workload.h"

enum { MOST = 1 << 18 };
static i32 numbers[MOST];

CALLED static void sort(i32 *a, i32 low, i32 high) {
    while (high - low > 12) {
        i32 middle = low + (high - low) / 2;
        i32 x = a[low], y = a[middle], z = a[high];
        i32 pivot = x < y ? (y < z ? y : x < z ? z : x) : (x < z ? x : y < z ? z : y);
        i32 i = low, j = high;
        while (i <= j) {
            while (a[i] < pivot) i++;
            while (a[j] > pivot) j--;
            if (i <= j) {
                i32 swap = a[i];
                a[i++] = a[j];
                a[j--] = swap;
            }
        }
        // The smaller side by a call, so that calls are never deeper than the logarithm.
        if (j - low < high - i) {
            sort(a, low, j);
            low = i;
        } else {
            sort(a, i, high);
            high = j;
        }
    }
    for (i32 i = low + 1; i <= high; i++) {
        i32 value = a[i], j = i;
        for (; j > low && a[j - 1] > value; j--) a[j] = a[j - 1];
        a[j] = value;
    }
}

RUN {
    i32 count = n * 1000 < MOST ? n * 1000 : MOST;
    u32 random = 88172645u;
    u64 hash = 0;
    for (i32 i = 0; i < count; i++) numbers[i] = (i32)next_random(&random);
    sort(numbers, 0, count - 1);
    for (i32 i = 0; i < count; i++) {
        if (i && numbers[i - 1] > numbers[i]) return -1;
        hash = mix(hash, (u32)numbers[i]);
    }
    return (i64)hash;
}
