// Built-in functions with what they give.

// expect: 3 -1 4
fn min_max_abs() -> vec3<i32> { var x = 3; return vec3<i32>(min(x, 5), max(-1, -x), abs(-4)); }

// expect: 0 1 0.5
fn clamps() -> vec3<f32> { var x = vec3<f32>(-1.0, 2.0, 0.5); return saturate(x); }

// expect: 2 -4 2 2
fn roundings() -> vec4<f32> { var x = vec4<f32>(2.5, -3.5, 1.5, 2.4); return round(x); }

// expect: 0.25 0.75
fn fractions() -> vec2<f32> { var x = vec2<f32>(1.25, -1.25); return fract(x); }

// expect: 0.5 3
fn modf_parts() -> vec2<f32> { var x = 3.5; let m = modf(x); return vec2<f32>(m.fract, m.whole); }

// expect: 0.75 3
fn frexp_parts() -> vec2<f32> { var x = 6.0; let m = frexp(x); return vec2<f32>(m.fract, f32(m.exp)); }

// expect: 0.5 -0.75
fn modf_of_a_vector() -> vec2<f32> { var x = vec2<f32>(1.5, -2.75); return modf(x).fract; }

// expect: 24
fn ldexp_scales() -> f32 { var x = 3.0; return ldexp(x, 3); }

// expect: 32
fn float_dot() -> f32 { var a = vec3<f32>(1.0, 2.0, 3.0); return dot(a, vec3<f32>(4.0, 5.0, 6.0)); }

// expect: 32
fn integer_dot() -> i32 { var a = vec3<i32>(1, 2, 3); return dot(a, vec3<i32>(4, 5, 6)); }

// expect: 2
fn packed_signed_dot() -> i32 { var a = 0x01FF0203u; return dot4I8Packed(a, 0xFE030201u); }

// expect: 1281
fn packed_unsigned_dot() -> u32 { var a = 0x01FF0203u; return dot4U8Packed(a, 0xFE040201u); }

// expect: -3 6 -3
fn cross_product() -> vec3<f32> { var a = vec3<f32>(1.0, 2.0, 3.0); return cross(a, vec3<f32>(4.0, 5.0, 6.0)); }

// expect: 5 5
fn lengths() -> vec2<f32> { var v = vec2<f32>(3.0, 4.0); return vec2<f32>(length(v), distance(v, vec2<f32>(0.0))); }

// expect: 1 0
fn face_forward() -> vec2<f32> {
    var n = vec2<f32>(-1.0, 0.0);
    return faceForward(n, vec2<f32>(-1.0, 0.0), vec2<f32>(-1.0, 0.0));
}

// expect: 1 1
fn reflection() -> vec2<f32> { var i = vec2<f32>(1.0, -1.0); return reflect(i, vec2<f32>(0.0, 1.0)); }

// expect: 2.5 3.5
fn mix_with_a_scalar() -> vec2<f32> { var a = vec2<f32>(1.0, 2.0); return mix(a, vec2<f32>(4.0, 5.0), 0.5); }

// expect: 0.5 1 0
fn steps() -> vec3<f32> { var x = 0.5; return vec3<f32>(smoothstep(0.0, 1.0, x), step(0.25, x), step(0.75, x)); }

// expect: 7
fn fused() -> f32 { var x = 2.0; return fma(x, 3.0, 1.0); }

// expect: -1 0 1
fn signs() -> vec3<i32> { var x = vec3<i32>(-5, 0, 9); return sign(x); }

// expect: 3
fn count_ones() -> u32 { var x = 0x10101u; return countOneBits(x); }

// expect: 4 28
fn count_zeros() -> vec2<u32> { var x = 16u; return vec2<u32>(countTrailingZeros(x), countLeadingZeros(x + 0xFu) + 1u); }

// expect: 4 4 4294967295
fn bit_positions() -> vec3<u32> { var x = 16u; var zero = 0u; return vec3<u32>(firstTrailingBit(x), firstLeadingBit(x), firstLeadingBit(zero)); }

// expect: 0x80000000
fn reversed() -> u32 { var x = 1u; return reverseBits(x); }

// expect: 0xBC 0xFFFFFFBC
fn extracted() -> vec2<u32> {
    var x = 0xABCDu;
    var y = bitcast<i32>(x);
    return vec2<u32>(extractBits(x, 4u, 8u), bitcast<u32>(extractBits(y, 4u, 8u)));
}

// expect: 0 0
fn extract_beyond_the_word() -> vec2<u32> {
    var x = 0xFFFFFFFFu; var far = 40u;
    return vec2<u32>(extractBits(x, far, 4u), extractBits(x, 4u, 0u));
}

// expect: 0xA12D
fn inserted() -> u32 { var x = 0xABCDu; return insertBits(x, 0x12u, 4u, 8u); }

// expect: 0x04030201
fn packed_bytes() -> u32 { var x = vec4<u32>(1u, 2u, 3u, 4u); return pack4xU8(x); }

// expect: 0x7F80FF01
fn packed_clamped() -> u32 { var x = vec4<i32>(1, -1, -200, 200); return pack4xI8Clamp(x); }

// expect: 0xFF00FF01
fn packed_clamped_unsigned() -> u32 { var x = vec4<u32>(1u, 300u, 0u, 1000u); return pack4xU8Clamp(x); }

// expect: 1 -1 2 -128
fn unpacked() -> vec4<i32> { var x = 0x8002FF01u; return unpack4xI8(x); }

// expect: 1 255 2 128
fn unpacked_unsigned() -> vec4<u32> { var x = 0x8002FF01u; return unpack4xU8(x); }

// expect: 0x3C00C000
fn halves() -> u32 { var x = vec2<f32>(-2.0, 1.0); return pack2x16float(x); }

// expect: 0.333251953125
fn quantized() -> f32 { var x = 0.33333334; return quantizeToF16(x); }

// expect: 1 3 2 4
fn transposed() -> vec4<f32> { var m = mat2x2<f32>(1.0, 2.0, 3.0, 4.0); let t = transpose(m); return vec4<f32>(t[0], t[1]); }

// expect: -2
fn determinants() -> f32 { var m = mat2x2<f32>(1.0, 2.0, 3.0, 4.0); return determinant(m); }

// expect: true false
fn reductions() -> vec2<bool> { var v = vec2<bool>(true, false); return vec2<bool>(any(v), all(v)); }

// expect: 0 1 2 0.5
fn exponentials() -> vec4<f32> { var x = 1.0; return vec4<f32>(log(x), exp2(x - 1.0), sqrt(x * 4.0), inverseSqrt(4.0 * x)); }
