// Conversions saturate; bitcasts keep bits.

// expect: 3 -3 2147483647 0
fn float_to_int() -> vec4<i32> {
    var big = 1e20; var a = 3.9;
    return vec4<i32>(i32(a), i32(-a), i32(big), i32(a * 0.0));
}

// expect: 0 4294967295
fn float_to_uint() -> vec2<u32> { var x = vec2<f32>(-5.0, 1e20); return vec2<u32>(x); }

// expect: 1 0 2
fn int_to_float() -> vec3<f32> { var x = vec3<i32>(1, 0, 2); return vec3<f32>(x); }

// expect: true false true
fn to_bool() -> vec3<bool> { var x = vec3<f32>(0.5, 0.0, -1.0); return vec3<bool>(x); }

// expect: 1 0
fn from_bool() -> vec2<i32> { var x = vec2<bool>(true, false); return vec2<i32>(x); }

// expect: 0x3F800000 0xFFFFFFFF
fn bits() -> vec2<u32> { var one = 1.0; var minus = -1; return vec2<u32>(bitcast<u32>(one), bitcast<u32>(minus)); }

// expect: 1 1 1
fn splat() -> vec3<f32> { var x = 1.0; return vec3<f32>(x); }

// expect: 3 2 1 2
fn swizzles() -> vec4<f32> { var v = vec3<f32>(1.0, 2.0, 3.0); return vec4<f32>(v.zyx, v.g); }

// expect: 1 2 3 4
fn mixed_constructor() -> vec4<f32> { var a = vec2<f32>(2.0, 3.0); return vec4<f32>(1.0, a, 4.0); }
