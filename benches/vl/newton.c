//! The sum of cube roots by Newton's method: see `newton.vl`.

double run(double count) {
    double total = 0;
    for (unsigned i = 1; i <= (unsigned)count; i++) {
        double a = i, x = 1;
        for (int round = 0; round < 20; round++) x -= (x * x * x - a) / (3 * x * x);
        total += x;
    }
    return total;
}
