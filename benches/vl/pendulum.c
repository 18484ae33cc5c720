//! A pendulum by Runge and Kutta's method: see `pendulum.vl`.
#include <math.h>

double run(double steps) {
    double angle = 2, speed = 0, h = 0.001;
    for (unsigned step = 0; step < (unsigned)steps; step++) {
        double a1 = speed, s1 = -(9.81 * sin(angle));
        double a2 = speed + h / 2 * s1, s2 = -(9.81 * sin(angle + h / 2 * a1));
        double a3 = speed + h / 2 * s2, s3 = -(9.81 * sin(angle + h / 2 * a2));
        double a4 = speed + h * s3, s4 = -(9.81 * sin(angle + h * a3));
        angle += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        speed += h / 6 * (s1 + 2 * s2 + 2 * s3 + s4);
    }
    return angle;
}
