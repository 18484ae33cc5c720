// Calls and nothing else: the numbers of Fibonacci, by their definition.
// sizes: 20 32
#include "workload.h"

CALLED static i64 fib(i32 n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

RUN { return fib(n); }
