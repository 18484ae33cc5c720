// Loads, multiplications and additions of doubles: the product of two matrices of `n` by `n`.
// sizes: 10 200
#include "workload.h"

enum { MOST = 256 };
static f64 a[MOST][MOST], b[MOST][MOST], c[MOST][MOST];

CALLED static void multiply(i32 n) {
    for (i32 i = 0; i < n; i++) {
        for (i32 j = 0; j < n; j++) {
            f64 sum = 0;
            for (i32 k = 0; k < n; k++) sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    }
}

RUN {
    if (n > MOST) n = MOST;
    u32 state = 12345;
    for (i32 i = 0; i < n; i++) {
        for (i32 j = 0; j < n; j++) {
            a[i][j] = (f64)(next_random(&state) % 1000) / 1000;
            b[i][j] = (f64)(next_random(&state) % 1000) / 1000;
        }
    }
    multiply(n);
    f64 trace = 0;
    for (i32 i = 0; i < n; i++) trace += c[i][i] + c[i][n - 1 - i];
    return bits_of(trace);
}
