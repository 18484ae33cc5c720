// Operators on scalars, vectors and matrices, with what they give.

// expect: 7
fn precedence() -> i32 { return 1 + 2 * 3; }

// expect: -3 2
fn divide_and_remainder_truncate() -> vec2<i32> {
    var a = -7; var b = 2;
    return vec2<i32>(a / b, 5 % 3);
}

// expect: -1
fn remainder_has_the_sign_of_the_left() -> i32 { var a = -7; return a % 3; }

// expect: 9
fn division_by_zero_gives_the_left() -> i32 { var zero = 0; return 9 / zero; }

// expect: 0
fn remainder_by_zero_is_zero() -> u32 { var zero = 0u; return 9u % zero; }

// expect: -1.5
fn float_remainder_truncates() -> f32 { var x = -5.5; return x % 2.0; }

// expect: 2.5 -0.5
fn vector_remainder() -> vec2<f32> { var x = vec2<f32>(5.5, -2.5); return x % vec2<f32>(3.0, 2.0); }

// expect: 2 4 6
fn scalar_times_vector() -> vec3<f32> { var s = 2.0; return s * vec3<f32>(1.0, 2.0, 3.0); }

// expect: 3 4 5
fn scalar_plus_vector() -> vec3<i32> { var s = 2; return s + vec3<i32>(1, 2, 3); }

// expect: 11 14 17
fn matrix_times_vector() -> vec3<f32> {
    let m = mat2x3<f32>(vec3<f32>(1.0, 2.0, 3.0), vec3<f32>(5.0, 6.0, 7.0));
    var v = vec2<f32>(1.0, 2.0);
    return m * v;
}

// expect: 14 38
fn vector_times_matrix() -> vec2<f32> {
    let m = mat2x3<f32>(vec3<f32>(1.0, 2.0, 3.0), vec3<f32>(5.0, 6.0, 7.0));
    var v = vec3<f32>(1.0, 2.0, 3.0);
    return v * m;
}

// expect: 19 43
fn matrix_times_matrix() -> vec2<f32> {
    var a = mat2x2<f32>(1.0, 3.0, 2.0, 4.0);
    var b = mat2x2<f32>(5.0, 7.0, 6.0, 8.0);
    return (a * b)[0];
}

// expect: 2 4
fn matrix_times_scalar_and_sum() -> vec2<f32> {
    var a = mat2x2<f32>(1.0, 2.0, 3.0, 4.0);
    return (a * 3.0 - a)[0];
}

// expect: 1 12 -1
fn shifts() -> vec3<i32> {
    var one = 1; var minus = -2;
    return vec3<i32>(one << 0u, 3 << 2u, minus >> 1u);
}

// expect: 4 7 3 -6
fn bits() -> vec4<i32> { var x = 5; return vec4<i32>(x & 6, x | 6, x ^ 6, ~x); }

// expect: 4294967295
fn unsigned_wraps() -> u32 { var x = 0u; return x - 1u; }

// expect: true false true
fn comparisons() -> vec3<bool> { var x = vec3<f32>(1.0, 2.0, 3.0); return x < vec3<f32>(2.0, 2.0, 4.0); }

// expect: true
fn logic() -> bool { var a = true; var b = false; return (a || b) && !(a && b) && (a != b); }

// expect: true true
fn boolean_bits() -> vec2<bool> { var a = true; var b = false; return vec2<bool>(a | b, !(a & b)); }

// expect: -3
fn negation() -> i32 { var x = 3; return -x; }

// expect: 2 1 4
fn selects() -> vec3<i32> {
    var yes = true;
    let v = select(vec2<i32>(1, 2), vec2<i32>(3, 4), vec2<bool>(false, true));
    return vec3<i32>(select(1, 2, yes), v);
}
