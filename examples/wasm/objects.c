// Calls through tables: shapes that know their own areas and how they grow, `n` rounds over all of them.
// sizes: 2 5000
#include "workload.h"

enum { SHAPES = 256 };
typedef struct Shape Shape;
typedef struct { i64 (*area)(const Shape *); void (*grow)(Shape *, i32); } Kind;
struct Shape { const Kind *kind; i32 a, b; };

static i64 square_area(const Shape *s) { return (i64)s->a * s->a; }
static i64 box_area(const Shape *s) { return (i64)s->a * s->b; }
static i64 triangle_area(const Shape *s) { return (i64)s->a * s->b / 2; }
static i64 ring_area(const Shape *s) { return 3 * ((i64)s->a * s->a - (i64)s->b * s->b); }

static void grow_one(Shape *s, i32 by) { s->a = (s->a + by) & 1023; }
static void grow_both(Shape *s, i32 by) { s->a = (s->a + by) & 1023, s->b = (s->b + by) & 511; }
static void grow_turned(Shape *s, i32 by) {
    i32 a = s->a;
    s->a = (s->b + by) & 1023, s->b = a;
}

static const Kind kinds[] = {
    { square_area, grow_one }, { box_area, grow_both }, { triangle_area, grow_turned }, { ring_area, grow_one }, { box_area, grow_turned },
};
static Shape shapes[SHAPES];

RUN {
    u32 random = 7654321u;
    i64 sum = 0;
    for (i32 i = 0; i < SHAPES; i++) {
        u32 r = next_random(&random);
        shapes[i] = (Shape){ &kinds[r % (sizeof kinds / sizeof *kinds)], (i32)(r >> 8 & 255), (i32)(r >> 16 & 255) };
    }
    for (i32 round = 0; round < n; round++) {
        for (i32 i = 0; i < SHAPES; i++) {
            shapes[i].kind->grow(&shapes[i], round & 7);
            sum += shapes[i].kind->area(&shapes[i]);
        }
    }
    return sum;
}
