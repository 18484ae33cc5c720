// Doubles that stay in registers: how soon points of a picture of `n` by `n` leave Mandelbrot's set.
// sizes: 10 400
#include "workload.h"

enum { PATIENCE = 100 };

static i32 escape(f64 x, f64 y) {
    f64 u = 0, v = 0;
    i32 round = 0;
    for (; round < PATIENCE; round++) {
        f64 uu = u * u, vv = v * v;
        if (uu + vv > 4) break;
        v = 2 * u * v + y;
        u = uu - vv + x;
    }
    return round;
}

RUN {
    u64 hash = 0;
    for (i32 j = 0; j < n; j++) {
        for (i32 i = 0; i < n; i++) {
            hash = mix(hash, (u64)escape(3.0 * i / n - 2, 2.0 * j / n - 1));
        }
    }
    return (i64)hash;
}
