// Words of results, in hexadecimal, with one NaN.
#include <cstdio>
inline float as_float(uint bits) { return metal::as_type<float>(bits); }
inline void show(bool x) { std::printf("%x ", x ? 1u : 0u); }
inline void show(signed char x) { std::printf("%x ", uint(uchar(x))); }
inline void show(char x) { std::printf("%x ", uint(uchar(x))); }
inline void show(uchar x) { std::printf("%x ", uint(x)); }
inline void show(short x) { std::printf("%x ", uint(ushort(x))); }
inline void show(ushort x) { std::printf("%x ", uint(x)); }
inline void show(long x) { std::printf("%lx ", ulong(x)); }
inline void show(ulong x) { std::printf("%lx ", x); }
inline void show(int x) { std::printf("%x ", uint(x)); }
inline void show(uint x) { std::printf("%x ", x); }
inline void show(float x) { std::printf("%x ", x != x ? 0x7fc00000u : metal::as_type<uint>(x)); }
template <class T, int N> void show(metal::vec<T, N> x) { for (T y : x.v) show(y); }
template <int C, int R> void show(metal::matrix<C, R> x) { for (auto y : x.c) show(y); }
template <class T, size_t N> void show(metal::array<T, N> x) { for (T y : x.e) show(y); }
inline void end() { std::printf("\n"); std::fflush(stdout); }
