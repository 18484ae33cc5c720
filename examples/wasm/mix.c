// A little of everything that small computers do: a list that is sorted and turned, a product of small matrices, a machine of states that
// reads numbers, and a check sum over all that came of it; `n` rounds.
// sizes: 2 700
#include "workload.h"

enum { NODES = 64, SIDE = 9, TEXT = 200 };
typedef struct Node { struct Node *next; short key, index; } Node;

static Node nodes[NODES];
static short left[SIDE * SIDE], right[SIDE * SIDE];
static i32 product[SIDE * SIDE];
static u8 text[TEXT];

CALLED static u16 check(u32 value, u16 sum) {
    for (i32 bit = 0; bit < 32; bit++, value >>= 1) sum = (u16)(sum >> 1 ^ ((value ^ sum) & 1 ? 0xa001 : 0));
    return sum;
}

// Lists.

static i32 by_key(const Node *a, const Node *b) { return a->key - b->key; }
static i32 by_index(const Node *a, const Node *b) { return a->index - b->index; }

CALLED static Node *merge(Node *a, Node *b, i32 (*order)(const Node *, const Node *)) {
    Node first = { 0 }, *last = &first;
    while (a && b) {
        Node **smaller = order(a, b) <= 0 ? &a : &b;
        last->next = *smaller;
        last = *smaller;
        *smaller = last->next;
    }
    last->next = a ? a : b;
    return first.next;
}

CALLED static Node *sort(Node *list, i32 (*order)(const Node *, const Node *)) {
    // Runs of 1, 2, 4… nodes wait until another one of their length comes.
    Node *runs[8] = { 0 };
    while (list) {
        Node *run = list;
        list = list->next;
        run->next = 0;
        i32 i = 0;
        for (; i < 7 && runs[i]; i++) {
            run = merge(runs[i], run, order);
            runs[i] = 0;
        }
        runs[i] = run;
    }
    Node *all = 0;
    for (i32 i = 0; i < 8; i++) all = merge(runs[i], all, order);
    return all;
}

CALLED static Node *reverse(Node *list) {
    Node *turned = 0;
    while (list) {
        Node *next = list->next;
        list->next = turned;
        turned = list;
        list = next;
    }
    return turned;
}

CALLED static u16 lists(u32 *random, u16 sum) {
    for (i32 i = 0; i < NODES; i++) {
        nodes[i].next = i + 1 < NODES ? &nodes[i + 1] : 0;
        nodes[i].key = (short)(next_random(random) % 1000);
        nodes[i].index = (short)i;
    }
    Node *list = sort(nodes, by_key);
    for (i32 wanted = 0; wanted < 1000; wanted += 50) {
        Node *node = list;
        while (node && node->key < wanted) node = node->next;
        sum = check(node ? (u32)node->index : 0xffff, sum);
        list = reverse(reverse(list));
    }
    list = reverse(sort(list, by_index));
    for (; list; list = list->next) sum = (u16)(sum * 3 + list->key);
    return sum;
}

// Matrices.

CALLED static void multiply(void) {
    for (i32 i = 0; i < SIDE; i++) {
        for (i32 j = 0; j < SIDE; j++) {
            i32 cell = 0;
            for (i32 k = 0; k < SIDE; k++) cell += left[i * SIDE + k] * right[k * SIDE + j];
            product[i * SIDE + j] = cell;
        }
    }
}

CALLED static void multiply_bits(void) {
    for (i32 i = 0; i < SIDE * SIDE; i++) {
        i32 cell = left[i] * right[i];
        product[i] += (cell >> 2 & 15) * (cell >> 5 & 127);
    }
}

CALLED static u16 matrices(u32 *random, u16 sum) {
    for (i32 i = 0; i < SIDE * SIDE; i++) {
        left[i] = (short)(next_random(random) % 200 - 100);
        right[i] = (short)(next_random(random) % 200 - 100);
    }
    multiply();
    multiply_bits();
    i32 rises = 0, before = 0;
    for (i32 i = 0; i < SIDE * SIDE; i++) {
        rises += product[i] > before ? 10 : 1;
        before = product[i];
    }
    return check((u32)rises, check((u32)product[SIDE], sum));
}

// States.

enum State { START, SIGN, WHOLE, POINT, FRACTION, POWER, POWER_SIGN, SCIENTIFIC, WRONG, STATES };

static i32 is_digit(u8 c) { return c >= '0' && c <= '9'; }

CALLED static enum State step(enum State state, u8 c) {
    switch (state) {
    case START: return is_digit(c) ? WHOLE : c == '+' || c == '-' ? SIGN : c == '.' ? POINT : WRONG;
    case SIGN: return is_digit(c) ? WHOLE : c == '.' ? POINT : WRONG;
    case WHOLE: return is_digit(c) ? WHOLE : c == '.' ? FRACTION : c == 'e' ? POWER : WRONG;
    case POINT: return is_digit(c) ? FRACTION : WRONG;
    case FRACTION: return is_digit(c) ? FRACTION : c == 'e' ? POWER : WRONG;
    case POWER: return is_digit(c) ? SCIENTIFIC : c == '+' || c == '-' ? POWER_SIGN : WRONG;
    case POWER_SIGN: return is_digit(c) ? SCIENTIFIC : WRONG;
    case SCIENTIFIC: return is_digit(c) ? SCIENTIFIC : WRONG;
    default: return WRONG;
    }
}

CALLED static u16 states(u32 *random, u16 sum) {
    static const char letters[] = "0123456789012345678901234567+-..e,,x";
    u32 ends[STATES] = { 0 };
    for (i32 i = 0; i < TEXT; i++) text[i] = (u8)letters[next_random(random) % (sizeof letters - 1)];
    enum State state = START;
    for (i32 i = 0; i < TEXT; i++) {
        if (text[i] == ',') {
            ends[state]++;
            state = START;
        } else {
            state = step(state, text[i]);
        }
    }
    for (i32 i = 0; i < STATES; i++) sum = check(ends[i], sum);
    return sum;
}

RUN {
    u32 random = 362436069u;
    u16 sum = 0;
    for (i32 round = 0; round < n; round++) {
        sum = lists(&random, sum);
        sum = matrices(&random, sum);
        sum = states(&random, sum);
    }
    return sum;
}
