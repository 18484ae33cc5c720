// Divisions of doubles in calls: the greatest stretch of a matrix that goes on for ever, of which `n` rows and columns are taken.
// sizes: 100 400
#include "workload.h"

enum { MOST = 1024 };
static f64 u[MOST], v[MOST], between[MOST];

static f64 cell(i32 i, i32 j) { return 1.0 / ((i + j) * (i + j + 1) / 2 + i + 1); }

CALLED static void multiply(i32 n, const f64 *in, f64 *out) {
    for (i32 i = 0; i < n; i++) {
        f64 sum = 0;
        for (i32 j = 0; j < n; j++) sum += cell(i, j) * in[j];
        out[i] = sum;
    }
}

CALLED static void multiply_turned(i32 n, const f64 *in, f64 *out) {
    for (i32 i = 0; i < n; i++) {
        f64 sum = 0;
        for (i32 j = 0; j < n; j++) sum += cell(j, i) * in[j];
        out[i] = sum;
    }
}

RUN {
    if (n > MOST) n = MOST;
    for (i32 i = 0; i < n; i++) u[i] = 1;
    for (i32 round = 0; round < 10; round++) {
        multiply(n, u, between);
        multiply_turned(n, between, v);
        multiply(n, v, between);
        multiply_turned(n, between, u);
    }
    f64 both = 0, square = 0;
    for (i32 i = 0; i < n; i++) both += u[i] * v[i], square += v[i] * v[i];
    return bits_of(__builtin_sqrt(both / square));
}
