//! Functions that C lacks: each is written if the program needs it.

use rustc_hash::FxHashSet;

use crate::shaders;

/// A function or type of the prelude.
pub(crate) struct Helper {
    pub(crate) name: &'static str,
    /// Others that it needs.
    pub(crate) needs: &'static [&'static str],
    pub(crate) text: &'static str,
}

/// Every helper, before its uses.
pub(crate) fn all() -> impl Iterator<Item = &'static Helper> {
    HELPERS.iter().chain(crate::lanes::HELPERS.iter()).chain(SHADERS)
}

const SHADERS: &[Helper] =
    &[h("textures", shaders::TEXTURE_NEEDS, shaders::TEXTURES), h("array_length", &[], shaders::LENGTH)];

/// Adds what the helpers need themselves.
pub(crate) fn close(needs: &mut FxHashSet<&'static str>) {
    let mut stack: Vec<&'static str> = needs.iter().copied().collect();
    while let Some(name) = stack.pop() {
        let Some(helper) = all().find(|helper| helper.name == name) else { continue };
        stack.extend(helper.needs.iter().copied().filter(|name| needs.insert(name)));
    }
}

const fn h(name: &'static str, needs: &'static [&'static str], text: &'static str) -> Helper {
    Helper { name, needs, text }
}

/// Those on scalars, memories and tables.
const HELPERS: &[Helper] = &[
    // Bits.
    h("f32_bits", &[], "\
static inline uint32_t f32_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
"),
    h("f32_from_bits", &[], "\
static inline float f32_from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
"),
    h("f64_bits", &[], "\
static inline uint64_t f64_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
"),
    h("f64_from_bits", &[], "\
static inline double f64_from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
"),
    h("canonical_f32", &[], "\
/* A computed NaN has the bits of NAN. */
static inline float canonical_f32(float x) {
    return x == x ? x : NAN;
}
"),
    h("canonical_f64", &[], "\
/* A computed NaN has the bits of NAN. */
static inline double canonical_f64(double x) {
    return x == x ? x : (double)NAN;
}
"),
    h("ones_u32", &[], "\
/* Number of one bits. */
static inline uint32_t ones_u32(uint32_t x) {
    x = x - (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return x * 0x01010101u >> 24;
}
"),
    h("ones_u64", &["ones_u32"], "\
static inline uint32_t ones_u64(uint64_t x) {
    return ones_u32((uint32_t)x) + ones_u32((uint32_t)(x >> 32));
}
"),
    h("leading_zeros_u32", &["ones_u32"], "\
static inline uint32_t leading_zeros_u32(uint32_t x) {
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return 32u - ones_u32(x);
}
"),
    h("leading_zeros_u64", &["leading_zeros_u32"], "\
static inline uint32_t leading_zeros_u64(uint64_t x) {
    uint32_t high = (uint32_t)(x >> 32);
    return high != 0u ? leading_zeros_u32(high) : 32u + leading_zeros_u32((uint32_t)x);
}
"),
    h("trailing_zeros_u32", &["ones_u32"], "\
static inline uint32_t trailing_zeros_u32(uint32_t x) {
    return ones_u32((x & (0u - x)) - 1u);
}
"),
    h("trailing_zeros_u64", &["trailing_zeros_u32"], "\
static inline uint32_t trailing_zeros_u64(uint64_t x) {
    uint32_t low = (uint32_t)x;
    return low != 0u ? trailing_zeros_u32(low) : 32u + trailing_zeros_u32((uint32_t)(x >> 32));
}
"),
    h("rotate_left_u32", &[], "\
static inline uint32_t rotate_left_u32(uint32_t x, uint32_t n) {
    return x << (n & 31u) | x >> ((0u - n) & 31u);
}
"),
    h("rotate_left_u64", &[], "\
static inline uint64_t rotate_left_u64(uint64_t x, uint32_t n) {
    return x << (n & 63u) | x >> ((0u - n) & 63u);
}
"),
    // Division.
    h("divide_i32", &[], "\
/* x / 0 is x, and the least integer / -1 is itself. */
static inline int32_t divide_i32(int32_t x, int32_t y) {
    return y == 0 || (x == INT32_MIN && y == -1) ? x : x / y;
}
"),
    h("remainder_i32", &[], "\
/* x % 0 is 0. */
static inline int32_t remainder_i32(int32_t x, int32_t y) {
    return y == 0 || y == -1 ? 0 : x % y;
}
"),
    h("divide_u32", &[], "\
static inline uint32_t divide_u32(uint32_t x, uint32_t y) {
    return y == 0u ? x : x / y;
}
"),
    h("remainder_u32", &[], "\
static inline uint32_t remainder_u32(uint32_t x, uint32_t y) {
    return y == 0u ? 0u : x % y;
}
"),
    h("divide_i64", &[], "\
static inline int64_t divide_i64(int64_t x, int64_t y) {
    return y == 0 || (x == INT64_MIN && y == -1) ? x : x / y;
}
"),
    h("remainder_i64", &[], "\
static inline int64_t remainder_i64(int64_t x, int64_t y) {
    return y == 0 || y == -1 ? 0 : x % y;
}
"),
    h("divide_u64", &[], "\
static inline uint64_t divide_u64(uint64_t x, uint64_t y) {
    return y == 0u ? x : x / y;
}
"),
    h("remainder_u64", &[], "\
static inline uint64_t remainder_u64(uint64_t x, uint64_t y) {
    return y == 0u ? 0u : x % y;
}
"),
    h("checked_divide_i32", &[], "\
static inline int32_t checked_divide_i32(int32_t x, int32_t y, const char *function, uint32_t line, uint32_t column) {
    if (y == 0) planish_trap(PLANISH_TRAP_DIVISION_BY_ZERO, function, line, column);
    if (x == INT32_MIN && y == -1) planish_trap(PLANISH_TRAP_INTEGER_OVERFLOW, function, line, column);
    return x / y;
}
"),
    h("checked_remainder_i32", &[], "\
static inline int32_t checked_remainder_i32(int32_t x, int32_t y, const char *function, uint32_t line, uint32_t column) {
    if (y == 0) planish_trap(PLANISH_TRAP_DIVISION_BY_ZERO, function, line, column);
    return y == -1 ? 0 : x % y;
}
"),
    h("checked_divide_u32", &[], "\
static inline uint32_t checked_divide_u32(uint32_t x, uint32_t y, const char *function, uint32_t line, uint32_t column) {
    if (y == 0u) planish_trap(PLANISH_TRAP_DIVISION_BY_ZERO, function, line, column);
    return x / y;
}
"),
    h("checked_remainder_u32", &[], "\
static inline uint32_t checked_remainder_u32(uint32_t x, uint32_t y, const char *function, uint32_t line, uint32_t column) {
    if (y == 0u) planish_trap(PLANISH_TRAP_DIVISION_BY_ZERO, function, line, column);
    return x % y;
}
"),
    h("checked_divide_i64", &[], "\
static inline int64_t checked_divide_i64(int64_t x, int64_t y, const char *function, uint32_t line, uint32_t column) {
    if (y == 0) planish_trap(PLANISH_TRAP_DIVISION_BY_ZERO, function, line, column);
    if (x == INT64_MIN && y == -1) planish_trap(PLANISH_TRAP_INTEGER_OVERFLOW, function, line, column);
    return x / y;
}
"),
    h("checked_remainder_i64", &[], "\
static inline int64_t checked_remainder_i64(int64_t x, int64_t y, const char *function, uint32_t line, uint32_t column) {
    if (y == 0) planish_trap(PLANISH_TRAP_DIVISION_BY_ZERO, function, line, column);
    return y == -1 ? 0 : x % y;
}
"),
    h("checked_divide_u64", &[], "\
static inline uint64_t checked_divide_u64(uint64_t x, uint64_t y, const char *function, uint32_t line, uint32_t column) {
    if (y == 0u) planish_trap(PLANISH_TRAP_DIVISION_BY_ZERO, function, line, column);
    return x / y;
}
"),
    h("checked_remainder_u64", &[], "\
static inline uint64_t checked_remainder_u64(uint64_t x, uint64_t y, const char *function, uint32_t line, uint32_t column) {
    if (y == 0u) planish_trap(PLANISH_TRAP_DIVISION_BY_ZERO, function, line, column);
    return x % y;
}
"),
    // Floats.
    h("minimum_f32", &[], "\
/* NaN if either is; -0 is below +0. */
static inline float minimum_f32(float x, float y) {
    if (x != x || y != y) return NAN;
    return x < y || (x == y && signbit(x)) ? x : y;
}
"),
    h("maximum_f32", &[], "\
/* NaN if either is; -0 is below +0. */
static inline float maximum_f32(float x, float y) {
    if (x != x || y != y) return NAN;
    return x > y || (x == y && !signbit(x)) ? x : y;
}
"),
    h("minimum_f64", &[], "\
/* NaN if either is; -0 is below +0. */
static inline double minimum_f64(double x, double y) {
    if (x != x || y != y) return (double)NAN;
    return x < y || (x == y && signbit(x)) ? x : y;
}
"),
    h("maximum_f64", &[], "\
/* NaN if either is; -0 is below +0. */
static inline double maximum_f64(double x, double y) {
    if (x != x || y != y) return (double)NAN;
    return x > y || (x == y && !signbit(x)) ? x : y;
}
"),
    h("power", &[], "\
/* NaN for a negative x; -0 counts as +0. */
static inline double power(double x, double y) {
    if (x < 0.0) return (double)NAN;
    return pow(x == 0.0 ? 0.0 : x, y);
}
"),
    h("split_f32", &[], "\
/* Significand and exponent; of zeros, infinities and NaN themselves and 0. */
static inline float split_f32(float x, int32_t *exponent) {
    int n = 0;
    if (x - x == 0.0f) x = frexpf(x, &n);
    *exponent = n;
    return x;
}
"),
    h("split_f64", &[], "\
/* Significand and exponent; of zeros, infinities and NaN themselves and 0. */
static inline double split_f64(double x, int32_t *exponent) {
    int n = 0;
    if (x - x == 0.0) x = frexp(x, &n);
    *exponent = n;
    return x;
}
"),
    h("to_i32", &[], "\
/* Towards zero, the nearest integer if it does not fit; 0 for NaN. */
static inline int32_t to_i32(double x) {
    if (x != x) return 0;
    if (x <= -2147483648.0) return INT32_MIN;
    return x >= 2147483648.0 ? INT32_MAX : (int32_t)x;
}
"),
    h("to_u32", &[], "\
/* Towards zero, the nearest integer if it does not fit; 0 for NaN. */
static inline uint32_t to_u32(double x) {
    if (!(x > 0.0)) return 0u;
    return x >= 4294967296.0 ? UINT32_MAX : (uint32_t)x;
}
"),
    h("to_i64", &[], "\
/* Towards zero, the nearest integer if it does not fit; 0 for NaN. */
static inline int64_t to_i64(double x) {
    if (x != x) return 0;
    if (x <= -9223372036854775808.0) return INT64_MIN;
    return x >= 9223372036854775808.0 ? INT64_MAX : (int64_t)x;
}
"),
    h("to_u64", &[], "\
/* Towards zero, the nearest integer if it does not fit; 0 for NaN. */
static inline uint64_t to_u64(double x) {
    if (!(x > 0.0)) return 0u;
    return x >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)x;
}
"),
    h("checked_to_i32", &[], "\
static inline int32_t checked_to_i32(double x, const char *function, uint32_t line, uint32_t column) {
    if (x != x) planish_trap(PLANISH_TRAP_INVALID_CONVERSION, function, line, column);
    if (x <= -2147483649.0 || x >= 2147483648.0) planish_trap(PLANISH_TRAP_INTEGER_OVERFLOW, function, line, column);
    return (int32_t)x;
}
"),
    h("checked_to_u32", &[], "\
static inline uint32_t checked_to_u32(double x, const char *function, uint32_t line, uint32_t column) {
    if (x != x) planish_trap(PLANISH_TRAP_INVALID_CONVERSION, function, line, column);
    if (x <= -1.0 || x >= 4294967296.0) planish_trap(PLANISH_TRAP_INTEGER_OVERFLOW, function, line, column);
    return (uint32_t)x;
}
"),
    h("checked_to_i64", &[], "\
static inline int64_t checked_to_i64(double x, const char *function, uint32_t line, uint32_t column) {
    if (x != x) planish_trap(PLANISH_TRAP_INVALID_CONVERSION, function, line, column);
    if (x < -9223372036854775808.0 || x >= 9223372036854775808.0) {
        planish_trap(PLANISH_TRAP_INTEGER_OVERFLOW, function, line, column);
    }
    return (int64_t)x;
}
"),
    h("checked_to_u64", &[], "\
static inline uint64_t checked_to_u64(double x, const char *function, uint32_t line, uint32_t column) {
    if (x != x) planish_trap(PLANISH_TRAP_INVALID_CONVERSION, function, line, column);
    if (x <= -1.0 || x >= 18446744073709551616.0) planish_trap(PLANISH_TRAP_INTEGER_OVERFLOW, function, line, column);
    return (uint64_t)x;
}
"),
    // Memories.
    h("place_of", &[], "\
/* The place of an access of some bytes, which lies in the memory. */
static inline uint8_t *place_of(const planish_memory *memory, uint64_t address, uint64_t bytes, const char *function,
                                uint32_t line, uint32_t column) {
    if (address + bytes > memory->size) planish_trap(PLANISH_TRAP_OUT_OF_BOUNDS_MEMORY, function, line, column);
    return memory->data + address;
}
"),
    h("load_u8", &["place_of"], "\
static inline uint8_t load_u8(const planish_memory *memory, uint64_t address, const char *function, uint32_t line,
                              uint32_t column) {
    return *place_of(memory, address, 1u, function, line, column);
}
"),
    h("load_u16", &["place_of"], "\
static inline uint16_t load_u16(const planish_memory *memory, uint64_t address, const char *function, uint32_t line,
                                uint32_t column) {
    const uint8_t *p = place_of(memory, address, 2u, function, line, column);
    return (uint16_t)(p[0] | p[1] << 8);
}
"),
    h("load_u32", &["place_of"], "\
static inline uint32_t load_u32(const planish_memory *memory, uint64_t address, const char *function, uint32_t line,
                                uint32_t column) {
    const uint8_t *p = place_of(memory, address, 4u, function, line, column);
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
"),
    h("load_u64", &["place_of"], "\
static inline uint64_t load_u64(const planish_memory *memory, uint64_t address, const char *function, uint32_t line,
                                uint32_t column) {
    const uint8_t *p = place_of(memory, address, 8u, function, line, column);
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 |
           (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}
"),
    h("load_f32", &["load_u32", "f32_from_bits"], "\
static inline float load_f32(const planish_memory *memory, uint64_t address, const char *function, uint32_t line,
                             uint32_t column) {
    return f32_from_bits(load_u32(memory, address, function, line, column));
}
"),
    h("load_f64", &["load_u64", "f64_from_bits"], "\
static inline double load_f64(const planish_memory *memory, uint64_t address, const char *function, uint32_t line,
                              uint32_t column) {
    return f64_from_bits(load_u64(memory, address, function, line, column));
}
"),
    h("store_u8", &["place_of"], "\
static inline void store_u8(const planish_memory *memory, uint64_t address, uint32_t x, const char *function, uint32_t line,
                            uint32_t column) {
    *place_of(memory, address, 1u, function, line, column) = (uint8_t)x;
}
"),
    h("store_u16", &["place_of"], "\
static inline void store_u16(const planish_memory *memory, uint64_t address, uint32_t x, const char *function, uint32_t line,
                             uint32_t column) {
    uint8_t *p = place_of(memory, address, 2u, function, line, column);
    p[0] = (uint8_t)x;
    p[1] = (uint8_t)(x >> 8);
}
"),
    h("store_u32", &["place_of"], "\
static inline void store_u32(const planish_memory *memory, uint64_t address, uint32_t x, const char *function, uint32_t line,
                             uint32_t column) {
    uint8_t *p = place_of(memory, address, 4u, function, line, column);
    p[0] = (uint8_t)x;
    p[1] = (uint8_t)(x >> 8);
    p[2] = (uint8_t)(x >> 16);
    p[3] = (uint8_t)(x >> 24);
}
"),
    h("store_u64", &["place_of"], "\
static inline void store_u64(const planish_memory *memory, uint64_t address, uint64_t x, const char *function, uint32_t line,
                             uint32_t column) {
    uint8_t *p = place_of(memory, address, 8u, function, line, column);
    p[0] = (uint8_t)x;
    p[1] = (uint8_t)(x >> 8);
    p[2] = (uint8_t)(x >> 16);
    p[3] = (uint8_t)(x >> 24);
    p[4] = (uint8_t)(x >> 32);
    p[5] = (uint8_t)(x >> 40);
    p[6] = (uint8_t)(x >> 48);
    p[7] = (uint8_t)(x >> 56);
}
"),
    h("store_f32", &["store_u32", "f32_bits"], "\
static inline void store_f32(const planish_memory *memory, uint64_t address, float x, const char *function, uint32_t line,
                             uint32_t column) {
    store_u32(memory, address, f32_bits(x), function, line, column);
}
"),
    h("store_f64", &["store_u64", "f64_bits"], "\
static inline void store_f64(const planish_memory *memory, uint64_t address, double x, const char *function, uint32_t line,
                             uint32_t column) {
    store_u64(memory, address, f64_bits(x), function, line, column);
}
"),
    h("memory_pages", &[], "\
static inline int32_t memory_pages(const planish_memory *memory) {
    return (int32_t)(uint32_t)(memory->size >> 16);
}
"),
    h("memory_grow", &[], "\
/* Grows by pages of 64 KiB: the number of pages before, or -1. */
static inline int32_t memory_grow(planish_memory *memory, uint32_t pages) {
    uint64_t old = memory->size >> 16;
    uint64_t size = (old + pages) << 16;
    if (old + pages > memory->max_pages || size > SIZE_MAX) return -1;
    if (size > memory->capacity) {
        uint8_t *data = realloc(memory->data, (size_t)size);
        if (data == NULL) return -1;
        memset(data + memory->capacity, 0, (size_t)size - memory->capacity);
        memory->data = data;
        memory->capacity = (size_t)size;
    }
    memory->size = (size_t)size;
    return (int32_t)(uint32_t)old;
}
"),
    h("memory_fill", &["place_of"], "\
static inline void memory_fill(const planish_memory *memory, uint32_t at, uint32_t byte, uint32_t bytes,
                               const char *function, uint32_t line, uint32_t column) {
    uint8_t *to = place_of(memory, at, bytes, function, line, column);
    if (bytes != 0u) memset(to, (int)(byte & 255u), bytes);
}
"),
    h("memory_copy", &["place_of"], "\
static inline void memory_copy(const planish_memory *memory, const planish_memory *source, uint32_t at, uint32_t start,
                               uint32_t bytes, const char *function, uint32_t line, uint32_t column) {
    const uint8_t *from = place_of(source, start, bytes, function, line, column);
    uint8_t *to = place_of(memory, at, bytes, function, line, column);
    if (bytes != 0u) memmove(to, from, bytes);
}
"),
    h("memory_init", &["place_of"], "\
static inline void memory_init(const planish_memory *memory, const uint8_t *data, uint32_t size, uint32_t at, uint32_t start,
                               uint32_t bytes, const char *function, uint32_t line, uint32_t column) {
    if ((uint64_t)start + bytes > size) planish_trap(PLANISH_TRAP_OUT_OF_BOUNDS_MEMORY, function, line, column);
    uint8_t *to = place_of(memory, at, bytes, function, line, column);
    if (bytes != 0u) memcpy(to, data + start, bytes);
}
"),
    h("memory_new", &[], "\
static inline void memory_new(planish_memory *memory, uint32_t pages, uint64_t max_pages) {
    if ((uint64_t)pages << 16 > SIZE_MAX) planish_trap(PLANISH_TRAP_OUT_OF_MEMORY, NULL, 0u, 0u);
    memory->size = memory->capacity = (size_t)pages << 16;
    memory->max_pages = max_pages;
    memory->data = calloc(memory->size != 0u ? memory->size : 1u, 1u);
    if (memory->data == NULL) planish_trap(PLANISH_TRAP_OUT_OF_MEMORY, NULL, 0u, 0u);
}
"),
    // Tables and references.
    h("reference", &[], "\
/* The target of a reference to a function: its code, and the number of its type. */
typedef struct reference {
    void (*code)(void);
    uint32_t type;
} reference;
"),
    h("table_item", &[], "\
static inline const void **table_item(const planish_table *table, uint32_t index, const char *function, uint32_t line,
                                      uint32_t column) {
    if (index >= table->length) planish_trap(PLANISH_TRAP_OUT_OF_BOUNDS_TABLE, function, line, column);
    return table->items + index;
}
"),
    h("table_get", &["table_item"], "\
static inline const void *table_get(const planish_table *table, uint32_t index, const char *function, uint32_t line,
                                    uint32_t column) {
    return *table_item(table, index, function, line, column);
}
"),
    h("table_set", &["table_item"], "\
static inline void table_set(const planish_table *table, uint32_t index, const void *item, const char *function,
                             uint32_t line, uint32_t column) {
    *table_item(table, index, function, line, column) = item;
}
"),
    h("callee_of", &["table_item", "reference"], "\
/* The function of a type at an index of a table. */
static inline const reference *callee_of(const planish_table *table, uint32_t index, uint32_t type, const char *function,
                                         uint32_t line, uint32_t column) {
    const reference *callee = *table_item(table, index, function, line, column);
    if (callee == NULL) planish_trap(PLANISH_TRAP_UNINITIALIZED_ELEMENT, function, line, column);
    if (callee->type != type) planish_trap(PLANISH_TRAP_INDIRECT_CALL_TYPE, function, line, column);
    return callee;
}
"),
    h("table_range", &[], "\
static inline void table_range(const planish_table *table, uint32_t at, uint32_t count, const char *function, uint32_t line,
                               uint32_t column) {
    if ((uint64_t)at + count > table->length) planish_trap(PLANISH_TRAP_OUT_OF_BOUNDS_TABLE, function, line, column);
}
"),
    h("table_grow", &[], "\
/* Grows by copies of an item: the number of items before, or -1. */
static inline int32_t table_grow(planish_table *table, const void *item, uint32_t count) {
    uint32_t old = table->length;
    if ((uint64_t)old + count > table->max_items) return -1;
    if (count != 0u) {
        const void **items = realloc((void *)table->items, ((size_t)old + count) * sizeof *items);
        if (items == NULL) return -1;
        for (uint32_t i = 0u; i < count; i++) items[old + i] = item;
        table->items = items;
        table->length = old + count;
    }
    return (int32_t)old;
}
"),
    h("table_fill", &["table_range"], "\
static inline void table_fill(const planish_table *table, uint32_t at, const void *item, uint32_t count, const char *function,
                              uint32_t line, uint32_t column) {
    table_range(table, at, count, function, line, column);
    for (uint32_t i = 0u; i < count; i++) table->items[at + i] = item;
}
"),
    h("table_copy", &["table_range"], "\
static inline void table_copy(const planish_table *table, const planish_table *source, uint32_t at, uint32_t start,
                              uint32_t count, const char *function, uint32_t line, uint32_t column) {
    table_range(source, start, count, function, line, column);
    table_range(table, at, count, function, line, column);
    if (count != 0u) memmove((void *)(table->items + at), (const void *)(source->items + start), count * sizeof *table->items);
}
"),
    h("table_init", &["table_range"], "\
static inline void table_init(const planish_table *table, const void *const *items, uint32_t size, uint32_t at,
                              uint32_t start, uint32_t count, const char *function, uint32_t line, uint32_t column) {
    if ((uint64_t)start + count > size) planish_trap(PLANISH_TRAP_OUT_OF_BOUNDS_TABLE, function, line, column);
    table_range(table, at, count, function, line, column);
    for (uint32_t i = 0u; i < count; i++) table->items[at + i] = items[start + i];
}
"),
    h("table_new", &[], "\
static inline void table_new(planish_table *table, uint32_t length, uint32_t max_items) {
    table->length = length;
    table->max_items = max_items;
    table->items = calloc(length != 0u ? length : 1u, sizeof *table->items);
    if (table->items == NULL) planish_trap(PLANISH_TRAP_OUT_OF_MEMORY, NULL, 0u, 0u);
    for (uint32_t i = 0u; i < length; i++) table->items[i] = NULL;
}
"),
];
