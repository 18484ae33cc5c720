// Functions of scalars, as docs/numerics.md has them. Elementary ones are computed in double.
#define F1(f) inline float f(float x) { return float(std::f(double(x))); }
F1(sin) F1(cos) F1(tan) F1(asin) F1(acos) F1(atan) F1(sinh) F1(cosh) F1(tanh) F1(asinh) F1(acosh) F1(atanh)
F1(exp) F1(log) F1(exp2) F1(log2)
#undef F1
inline float sqrt(float x) { return std::sqrt(x); }
inline float rsqrt(float x) { return float(1.0 / std::sqrt(double(x))); }
inline float floor(float x) { return std::floor(x); }
inline float trunc(float x) { return std::trunc(x); }
inline float rint(float x) { return std::nearbyint(x); }
inline float ceil(float x) { return std::ceil(x); }
inline float fract(float x) { return x - std::floor(x); }
inline float fma(float a, float b, float c) { return std::fma(a, b, c); }
inline float atan2(float y, float x) { return float(std::atan2(double(y), double(x))); }
inline float pow(float x, float y) { return float(std::pow(double(x), double(y))); }
inline float ldexp(float x, int n) { return float(std::ldexp(double(x), n < -400 ? -400 : n > 400 ? 400 : n)); }
template <class T> T min(T a, T b) { return b < a ? b : a; }
template <class T> T max(T a, T b) { return a < b ? b : a; }
template <class T> T clamp(T x, T a, T b) { return min(max(x, a), b); }
inline float saturate(float x) { return clamp(x, 0.0f, 1.0f); }
inline float step(float e, float x) { return x < e ? 0.0f : 1.0f; }
inline float mix(float x, float y, float a) { return x * (1.0f - a) + y * a; }
inline float smoothstep(float a, float b, float x) {
    float t = clamp((x - a) / (b - a), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}
inline float abs(float x) { return std::fabs(x); }
using ::abs;
inline float sign(float x) { return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x; }
inline float dfdx(float) { return 0.0f; }
inline float dfdy(float) { return 0.0f; }
inline float fwidth(float) { return 0.0f; }
inline uint popcount(uint x) { return uint(__builtin_popcount(x)); }
inline int popcount(int x) { return __builtin_popcount(uint(x)); }
inline uint clz(uint x) { return x ? uint(__builtin_clz(x)) : 32u; }
inline int clz(int x) { return int(clz(uint(x))); }
inline uint ctz(uint x) { return x ? uint(__builtin_ctz(x)) : 32u; }
inline int ctz(int x) { return int(ctz(uint(x))); }
inline uint reverse_bits(uint x) {
    uint r = 0;
    for (int i = 0; i < 32; i++) r |= ((x >> i) & 1u) << (31 - i);
    return r;
}
inline int reverse_bits(int x) { return int(reverse_bits(uint(x))); }
inline uint extract_bits(uint x, uint o, uint n) { return n == 0 ? 0u : (x << (32 - o - n)) >> (32 - n); }
inline int extract_bits(int x, uint o, uint n) { return n == 0 ? 0 : int(uint(x) << (32 - o - n)) >> (32 - n); }
inline uint insert_bits(uint x, uint y, uint o, uint n) {
    uint mask = n == 0 ? 0u : (n == 32 ? ~0u : (1u << n) - 1u) << o;
    return (x & ~mask) | (o == 32 ? 0u : y << o & mask);
}
inline int insert_bits(int x, int y, uint o, uint n) { return int(insert_bits(uint(x), uint(y), o, n)); }

inline float float_of(uint16_t bits) {
    int exponent = bits >> 10 & 31;
    double fraction = bits & 1023;
    double x = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
    if (exponent == 31) x = fraction == 0 ? HUGE_VAL : double(NAN);
    return float(bits & 0x8000 ? -x : x);
}
/// Rounded to nearest even.
inline uint16_t half_of(float f) {
    uint16_t sign = std::signbit(f) ? 0x8000 : 0;
    if (std::isnan(f)) return sign | 0x7e00;
    double x = std::fabs(double(f));
    if (x >= 65520.0) return sign | 0x7c00;
    int exponent = 0;
    std::frexp(x, &exponent);
    int unit = exponent - 11 < -24 ? -24 : exponent - 11;
    double n = std::nearbyint(std::ldexp(x, -unit));
    // A fraction that is rounded up to 2048 is the next exponent's 1024.
    return sign | uint16_t(unit == -24 ? n : n - 1024 + (unit + 25) * 1024);
}

/// A half, by its bits: what is computed is a float, and rounded when it becomes a half.
struct half {
    uint16_t bits;
    half() = default;
    template <class A, class = std::enable_if_t<std::is_arithmetic_v<A>>> explicit half(A x) : bits(half_of(float(x))) {}
    operator float() const { return float_of(bits); }
    template <class A> half& operator=(A x) { bits = half(x).bits; return *this; }
};
#define INFIX(op) inline half operator op(half a, half b) { return half(float(a) op float(b)); }
INFIX(+) INFIX(-) INFIX(*) INFIX(/)
#undef INFIX
inline half operator""h(long double x) { return half(x); }
inline half operator-(half x) { return half(-float(x)); }
#define H1(f) inline half f(half x) { return half(f(float(x))); }
H1(sin) H1(cos) H1(tan) H1(asin) H1(acos) H1(atan) H1(sinh) H1(cosh) H1(tanh) H1(asinh) H1(acosh) H1(atanh)
H1(exp) H1(log) H1(exp2) H1(log2) H1(sqrt) H1(rsqrt) H1(floor) H1(trunc) H1(rint) H1(ceil) H1(fract) H1(saturate)
H1(abs) H1(sign) H1(dfdx) H1(dfdy) H1(fwidth)
#undef H1
#define H2(f) inline half f(half x, half y) { return half(f(float(x), float(y))); }
H2(atan2) H2(pow) H2(step)
#undef H2
#define H3(f) inline half f(half x, half y, half z) { return half(f(float(x), float(y), float(z))); }
H3(mix) H3(fma) H3(smoothstep)
#undef H3
inline half ldexp(half x, int n) { return half(ldexp(float(x), n)); }
