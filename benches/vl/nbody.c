//! Five bodies that pull each other, with forces by hand: see `nbody.vl`.
#include <math.h>

static const double MASSES[5] = {1, 0.01, 0.02, 0.005, 0.003};

double run(double steps) {
    double places[5][3] = {{0, 0, 0}, {1, 0, 0.01}, {0, 1.5, -0.02}, {-2.2, 0.1, 0}, {0.3, -3, 0.05}};
    double velocities[5][3] = {{0, 0, 0}, {0, 1, 0}, {-0.8, 0, 0.01}, {0, -0.65, 0}, {0.55, 0.05, 0}};
    double h = 0.01;
    for (unsigned step = 0; step < (unsigned)steps; step++) {
        for (int i = 0; i < 5; i++) {
            for (int j = i + 1; j < 5; j++) {
                double d[3];
                for (int k = 0; k < 3; k++) d[k] = places[i][k] - places[j][k];
                double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                double pull = h / (square * sqrt(square));
                for (int k = 0; k < 3; k++) {
                    velocities[i][k] -= d[k] * pull * MASSES[j];
                    velocities[j][k] += d[k] * pull * MASSES[i];
                }
            }
        }
        for (int i = 0; i < 5; i++) {
            for (int k = 0; k < 3; k++) places[i][k] += h * velocities[i][k];
        }
    }
    double potential = 0;
    for (int i = 0; i < 5; i++) {
        for (int j = i + 1; j < 5; j++) {
            double square = 0;
            for (int k = 0; k < 3; k++) square += (places[i][k] - places[j][k]) * (places[i][k] - places[j][k]);
            potential -= MASSES[i] * MASSES[j] / sqrt(square);
        }
    }
    return potential;
}
