// A parser: `n` thousand bytes of JSON are written, read again by a machine with a stack of its own, and their numbers added.
// sizes: 2 1000
#include "workload.h"

enum { MOST = 1 << 20, DEEPEST = 64 };
static u8 text[MOST + 64];

static i32 put(i32 at, const char *piece) {
    while (*piece) text[at++] = (u8)*piece++;
    return at;
}

static i32 put_number(i32 at, u32 value) {
    u8 digits[10];
    i32 count = 0;
    do digits[count++] = (u8)('0' + value % 10);
    while (value /= 10);
    while (count) text[at++] = digits[--count];
    return at;
}

CALLED static i32 write_text(i32 size) {
    u32 random = 123456789u;
    i32 at = put(0, "[");
    while (at < size) {
        at = put(at, at > 1 ? ",\n {\"id\": " : "\n {\"id\": ");
        at = put_number(at, next_random(&random) % 100000);
        at = put(at, ", \"name\": \"a \\\"word\\\" \\u00e4");
        for (u32 i = next_random(&random) % 12; i; i--) text[at++] = (u8)('a' + next_random(&random) % 26);
        at = put(at, next_random(&random) % 2 ? "\", \"good\": true, \"sizes\": [" : "\", \"good\": false, \"sizes\": [");
        for (u32 i = next_random(&random) % 5; i; i--) {
            at = put_number(at, next_random(&random) % 1000);
            at = put(at, ".");
            at = put_number(at, next_random(&random) % 100);
            at = put(at, i > 1 ? "e-1, " : "e2");
        }
        at = put(at, "], \"none\": null}");
    }
    return put(at, "]");
}

typedef struct { u64 names, strings, numbers, words, depth; f64 sum; } Found;

static i32 is_digit(u8 c) { return (u32)(c - '0') < 10; }

static i32 skip_string(i32 at) {
    for (at++; text[at] != '"'; at++)
        if (text[at] == '\\') at++;
    return at + 1;
}

static f64 power_of_ten(i32 power) {
    f64 result = 1;
    for (i32 i = power < 0 ? -power : power; i; i--) result *= 10;
    return power < 0 ? 1 / result : result;
}

CALLED static i32 read_number(i32 at, f64 *value) {
    i32 negative = text[at] == '-', scale = 0, power = 0;
    f64 digits = 0;
    if (negative) at++;
    for (; is_digit(text[at]); at++) digits = digits * 10 + (text[at] - '0');
    if (text[at] == '.')
        for (at++; is_digit(text[at]); at++, scale--) digits = digits * 10 + (text[at] - '0');
    if (text[at] == 'e') {
        i32 below = text[++at] == '-';
        if (below || text[at] == '+') at++;
        for (; is_digit(text[at]); at++) power = power * 10 + (text[at] - '0');
        scale += below ? -power : power;
    }
    digits *= power_of_ten(scale);
    *value = negative ? -digits : digits;
    return at;
}

CALLED static i32 read_text(i32 size, Found *found) {
    u8 open[DEEPEST];
    u32 depth = 0;
    f64 value;
    for (i32 at = 0; at < size;) {
        u8 c = text[at];
        switch (c) {
        case ' ': case '\n': case ',': case ':': at++; break;
        case '[': case '{':
            if (depth == DEEPEST) return 0;
            open[depth++] = c;
            if (depth > found->depth) found->depth = depth;
            at++;
            break;
        case ']': case '}':
            // The codes of brackets stand two apart.
            if (!depth || open[--depth] != c - 2) return 0;
            at++;
            break;
        case '"':
            at = skip_string(at);
            if (text[at] == ':') found->names++;
            else found->strings++;
            break;
        case 't': case 'n': found->words++; at += 4; break;
        case 'f': found->words++; at += 5; break;
        default:
            if (c != '-' && !is_digit(c)) return 0;
            at = read_number(at, &value);
            found->sum += value;
            found->numbers++;
        }
    }
    return depth == 0;
}

RUN {
    i32 size = write_text(n * 1000 < MOST - 1000 ? n * 1000 : MOST - 1000);
    Found found = { 0 };
    if (!read_text(size, &found)) return -1;
    u64 hash = mix(mix(mix(found.names, found.strings), mix(found.numbers, found.words)), found.depth);
    return (i64)mix(hash, (u64)bits_of(found.sum));
}
