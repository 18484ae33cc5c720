//! How many rounds the points of a grid stay, together: see `mandelbrot.vl`.

double run(double size) {
    double total = 0;
    for (unsigned j = 0; j < (unsigned)size; j++) {
        for (unsigned i = 0; i < (unsigned)size; i++) {
            double cx = 3 * i / size - 2, cy = 3 * j / size - 1.5, x = 0, y = 0;
            unsigned n = 0;
            while (n < 200 && !(x * x + y * y > 4)) {
                double next = x * x - y * y + cx;
                y = x * y + y * x + cy;
                x = next;
                n++;
            }
            total += n;
        }
    }
    return total;
}
