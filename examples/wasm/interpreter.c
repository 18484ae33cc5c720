// A switch in a loop: a machine with a stack, whose program counts the steps that all numbers below `n` take to one (Collatz).
// sizes: 10 3000
#include "workload.h"

enum Operation { PUSH, LOAD, STORE, ADD, MULTIPLY, DIVIDE, AND, LESS, EQUAL, JUMP, JUMP_IF, JUMP_UNLESS, HALT };
enum Variable { NUMBER, LIMIT, VALUE, STEPS, VARIABLES };
enum Label { NEXT = 2, STEP = 8, ODD = 25, COUNTED = 32, DONE = 37 };

static const struct { u8 operation, operand; } program[] = {
    { PUSH, 1 }, { STORE, NUMBER },
    [NEXT] = { LOAD, NUMBER }, { LOAD, LIMIT }, { LESS }, { JUMP_UNLESS, DONE },
    { LOAD, NUMBER }, { STORE, VALUE },
    [STEP] = { LOAD, VALUE }, { PUSH, 1 }, { EQUAL }, { JUMP_IF, COUNTED },
    { LOAD, STEPS }, { PUSH, 1 }, { ADD }, { STORE, STEPS },
    { LOAD, VALUE }, { PUSH, 1 }, { AND }, { JUMP_IF, ODD },
    { LOAD, VALUE }, { PUSH, 2 }, { DIVIDE }, { STORE, VALUE }, { JUMP, STEP },
    [ODD] = { LOAD, VALUE }, { PUSH, 3 }, { MULTIPLY }, { PUSH, 1 }, { ADD }, { STORE, VALUE }, { JUMP, STEP },
    [COUNTED] = { LOAD, NUMBER }, { PUSH, 1 }, { ADD }, { STORE, NUMBER }, { JUMP, NEXT },
    [DONE] = { LOAD, STEPS }, { HALT },
};

static u64 stack[16], variables[VARIABLES];

CALLED static u64 interpret(void) {
    u32 at = 0;
    u64 *top = stack;
    for (;;) {
        u32 operand = program[at].operand;
        switch (program[at++].operation) {
        case PUSH: *++top = operand; break;
        case LOAD: *++top = variables[operand]; break;
        case STORE: variables[operand] = *top--; break;
        case ADD: top--; *top += top[1]; break;
        case MULTIPLY: top--; *top *= top[1]; break;
        case DIVIDE: top--; *top /= top[1]; break;
        case AND: top--; *top &= top[1]; break;
        case LESS: top--; *top = *top < top[1]; break;
        case EQUAL: top--; *top = *top == top[1]; break;
        case JUMP: at = operand; break;
        case JUMP_IF: if (*top--) at = operand; break;
        case JUMP_UNLESS: if (!*top--) at = operand; break;
        default: return *top;
        }
    }
}

RUN {
    for (i32 i = 0; i < VARIABLES; i++) variables[i] = 0;
    variables[LIMIT] = (u64)n;
    return (i64)interpret();
}
