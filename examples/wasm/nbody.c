// Square roots and divisions of doubles: four planets around a sun for `n` steps; gives the bits of the energy that they then have.
// sizes: 1000 60000
#include "workload.h"

enum { BODIES = 5 };
typedef struct { f64 place[3], speed[3], mass; } Body;

static const f64 year = 365.24, sun = 39.47841760435743;

// Jupiter, Saturn, Uranus and Neptune: astronomical units, units per day, masses of the sun.
static const Body planets[BODIES] = {
    { { 0, 0, 0 }, { 0, 0, 0 }, 1 },
    { { 4.84143144246472090, -1.16032004402742839, -0.103622044471123109 },
      { 0.00166007664274403694, 0.00769901118419740425, -0.0000690460016972063023 }, 0.000954791938424326609 },
    { { 8.34336671824457987, 4.12479856412430479, -0.403523417114321381 },
      { -0.00276742510726411160, 0.00499852801234917238, 0.0000230417297573763929 }, 0.000285885980666130812 },
    { { 12.8943695621391310, -15.1111514016986312, -0.223307578892655734 },
      { 0.00296460137564761618, 0.00237847173959480950, -0.0000296589568540237556 }, 0.0000436624404335156298 },
    { { 15.3796971148509165, -25.9193146099879641, 0.179258772950371181 },
      { 0.00268067772490389322, 0.00162824170038242295, -0.0000951592254519715870 }, 0.0000515138902046611451 },
};
static Body bodies[BODIES];

CALLED static void start(void) {
    for (i32 i = 0; i < BODIES; i++) {
        bodies[i] = planets[i];
        bodies[i].mass *= sun;
        for (i32 d = 0; d < 3; d++) bodies[i].speed[d] *= year;
    }
    // The whole stands still.
    for (i32 d = 0; d < 3; d++) {
        f64 momentum = 0;
        for (i32 i = 0; i < BODIES; i++) momentum += bodies[i].speed[d] * bodies[i].mass;
        bodies[0].speed[d] = -momentum / sun;
    }
}

CALLED static void advance(f64 time) {
    for (i32 i = 0; i < BODIES; i++) {
        Body *one = &bodies[i];
        for (i32 j = i + 1; j < BODIES; j++) {
            Body *other = &bodies[j];
            f64 apart[3], square = 0;
            for (i32 d = 0; d < 3; d++) {
                apart[d] = one->place[d] - other->place[d];
                square += apart[d] * apart[d];
            }
            f64 pull = time / (square * __builtin_sqrt(square));
            for (i32 d = 0; d < 3; d++) {
                one->speed[d] -= apart[d] * other->mass * pull;
                other->speed[d] += apart[d] * one->mass * pull;
            }
        }
    }
    for (i32 i = 0; i < BODIES; i++)
        for (i32 d = 0; d < 3; d++) bodies[i].place[d] += time * bodies[i].speed[d];
}

CALLED static f64 energy(void) {
    f64 sum = 0;
    for (i32 i = 0; i < BODIES; i++) {
        f64 square = 0;
        for (i32 d = 0; d < 3; d++) square += bodies[i].speed[d] * bodies[i].speed[d];
        sum += bodies[i].mass * square / 2;
        for (i32 j = i + 1; j < BODIES; j++) {
            f64 far = 0;
            for (i32 d = 0; d < 3; d++) {
                f64 apart = bodies[i].place[d] - bodies[j].place[d];
                far += apart * apart;
            }
            sum -= bodies[i].mass * bodies[j].mass / __builtin_sqrt(far);
        }
    }
    return sum;
}

RUN {
    start();
    for (i32 step = 0; step < n; step++) advance(0.01);
    return bits_of(energy());
}
