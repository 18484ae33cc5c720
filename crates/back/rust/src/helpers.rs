//! Functions that `core` lacks: each is written if the program needs it.

use rustc_hash::FxHashSet;

/// A function of the prelude.
pub(crate) struct Helper {
    pub(crate) name: &'static str,
    /// Others that it needs.
    pub(crate) needs: &'static [&'static str],
    /// Kinds of traps that it may give, by their variant.
    pub(crate) traps: &'static [&'static str],
    pub(crate) text: &'static str,
}

/// Adds what the helpers need themselves.
pub(crate) fn close(needs: &mut FxHashSet<&'static str>) {
    let mut stack: Vec<&'static str> = needs.iter().copied().collect();
    while let Some(name) = stack.pop() {
        let Some(helper) = HELPERS.iter().find(|helper| helper.name == name) else { continue };
        stack.extend(helper.needs.iter().copied().filter(|name| needs.insert(name)));
    }
}

macro_rules! helpers {
    ($($name:ident [$($need:literal),*] [$($trap:literal),*] $text:literal)*) => {
        &[$(Helper {
            name: stringify!($name),
            needs: &[$($need),*],
            traps: &[$($trap),*],
            text: $text,
        }),*]
    };
}

/// The helpers of each integer type: `T` stands for it.
macro_rules! integers {
    ($($ty:literal $divide:literal $remainder:literal $checked_divide:literal $checked_remainder:literal)*) => {
        &[$(
            Helper { name: $divide, needs: &[], traps: &[], text: concat!(
                "/// `x / y`; `x` if `y` is 0.\n#[inline]\nfn ", $divide, "(x: ", $ty, ", y: ", $ty, ") -> ", $ty,
                " {\n    if y == 0 { x } else { x.wrapping_div(y) }\n}\n") },
            Helper { name: $remainder, needs: &[], traps: &[], text: concat!(
                "/// `x % y`; 0 if `y` is 0.\n#[inline]\nfn ", $remainder, "(x: ", $ty, ", y: ", $ty, ") -> ", $ty,
                " {\n    if y == 0 { 0 } else { x.wrapping_rem(y) }\n}\n") },
            Helper { name: $checked_divide, needs: &[], traps: &["DivisionByZero", "IntegerOverflow"], text: concat!(
                "#[inline]\nfn ", $checked_divide, "(x: ", $ty, ", y: ", $ty, ") -> Result<", $ty, ", Trap> {\n    \
                 if y == 0 {\n        return Err(Trap::DivisionByZero);\n    }\n    \
                 x.checked_div(y).ok_or(Trap::IntegerOverflow)\n}\n") },
            Helper { name: $checked_remainder, needs: &[], traps: &["DivisionByZero"], text: concat!(
                "#[inline]\nfn ", $checked_remainder, "(x: ", $ty, ", y: ", $ty, ") -> Result<", $ty, ", Trap> {\n    \
                 if y == 0 { Err(Trap::DivisionByZero) } else { Ok(x.wrapping_rem(y)) }\n}\n") },
        )*]
    };
}

/// Division of integers.
const DIVISIONS: &[Helper] = integers! {
    "i32" "divide_i32" "remainder_i32" "checked_divide_i32" "checked_remainder_i32"
    "u32" "divide_u32" "remainder_u32" "checked_divide_u32" "checked_remainder_u32"
    "i64" "divide_i64" "remainder_i64" "checked_divide_i64" "checked_remainder_i64"
    "u64" "divide_u64" "remainder_u64" "checked_divide_u64" "checked_remainder_u64"
};

/// The helpers of each float type.
const FLOATS: &[Helper] = helpers! {
    minimum_f32 [] [] "\
/// NaN if either is; -0 is below +0.
#[inline]
fn minimum_f32(x: f32, y: f32) -> f32 {
    if x.is_nan() || y.is_nan() {
        return f32::NAN;
    }
    if x < y || (x == y && x.is_sign_negative()) { x } else { y }
}
"
    maximum_f32 [] [] "\
/// NaN if either is; -0 is below +0.
#[inline]
fn maximum_f32(x: f32, y: f32) -> f32 {
    if x.is_nan() || y.is_nan() {
        return f32::NAN;
    }
    if x > y || (x == y && x.is_sign_positive()) { x } else { y }
}
"
    minimum_f64 [] [] "\
/// NaN if either is; -0 is below +0.
#[inline]
fn minimum_f64(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x < y || (x == y && x.is_sign_negative()) { x } else { y }
}
"
    maximum_f64 [] [] "\
/// NaN if either is; -0 is below +0.
#[inline]
fn maximum_f64(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x > y || (x == y && x.is_sign_positive()) { x } else { y }
}
"
    trunc_f32 [] [] "\
/// Towards zero. Numbers from 2^23 on are integers.
#[inline]
fn trunc_f32(x: f32) -> f32 {
    if x.abs() < 8388608.0 { (x as i32 as f32).copysign(x) } else { x }
}
"
    trunc_f64 [] [] "\
/// Towards zero. Numbers from 2^52 on are integers.
#[inline]
fn trunc_f64(x: f64) -> f64 {
    if x.abs() < 4503599627370496.0 { (x as i64 as f64).copysign(x) } else { x }
}
"
    floor_f32 ["trunc_f32"] [] "\
/// The greatest integer that is not above `x`.
#[inline]
fn floor_f32(x: f32) -> f32 {
    let whole = trunc_f32(x);
    if whole > x { whole - 1.0 } else { whole }
}
"
    floor_f64 ["trunc_f64"] [] "\
/// The greatest integer that is not above `x`.
#[inline]
fn floor_f64(x: f64) -> f64 {
    let whole = trunc_f64(x);
    if whole > x { whole - 1.0 } else { whole }
}
"
    ceil_f32 ["trunc_f32"] [] "\
/// The least integer that is not below `x`.
#[inline]
fn ceil_f32(x: f32) -> f32 {
    let whole = trunc_f32(x);
    if whole < x { whole + 1.0 } else { whole }
}
"
    ceil_f64 ["trunc_f64"] [] "\
/// The least integer that is not below `x`.
#[inline]
fn ceil_f64(x: f64) -> f64 {
    let whole = trunc_f64(x);
    if whole < x { whole + 1.0 } else { whole }
}
"
    round_f32 [] [] "\
/// The nearest integer, the even one of two.
#[inline]
fn round_f32(x: f32) -> f32 {
    if x.abs() < 8388608.0 { ((x.abs() + 8388608.0) - 8388608.0).copysign(x) } else { x }
}
"
    round_f64 [] [] "\
/// The nearest integer, the even one of two.
#[inline]
fn round_f64(x: f64) -> f64 {
    if x.abs() < 4503599627370496.0 { ((x.abs() + 4503599627370496.0) - 4503599627370496.0).copysign(x) } else { x }
}
"
    length [] ["OutOfBoundsMemory"] "\
/// The number of elements of a slice of less than 4 GiB.
#[inline]
fn length<T>(slice: &[T]) -> Result<u32, Trap> {
    match (u32::try_from(slice.len()), u32::try_from(core::mem::size_of_val(slice))) {
        (Ok(length), Ok(_)) => Ok(length),
        _ => Err(Trap::OutOfBoundsMemory),
    }
}
"
    element [] [] "\
/// An element, which is there.
#[inline]
fn element<T: Copy + Default>(slice: &[T], at: u32) -> T {
    slice.get(at as usize).copied().unwrap_or_default()
}
"
    checked_element [] ["OutOfBoundsMemory"] "\
#[inline]
fn checked_element<T: Copy>(slice: &[T], at: u32) -> Result<T, Trap> {
    slice.get(at as usize).copied().ok_or(Trap::OutOfBoundsMemory)
}
"
    set_element [] [] "\
/// Writes an element, which is there.
#[inline]
fn set_element<T>(slice: &mut [T], at: u32, value: T) {
    if let Some(element) = slice.get_mut(at as usize) {
        *element = value;
    }
}
"
    checked_set_element [] ["OutOfBoundsMemory"] "\
#[inline]
fn checked_set_element<T>(slice: &mut [T], at: u32, value: T) -> Result<(), Trap> {
    *slice.get_mut(at as usize).ok_or(Trap::OutOfBoundsMemory)? = value;
    Ok(())
}
"
    low_i8 [] [] "\
#[inline]
fn low_i8(x: u32) -> i8 {
    x as i8
}
"
    low_u8 [] [] "\
#[inline]
fn low_u8(x: u32) -> u8 {
    x as u8
}
"
    low_i16 [] [] "\
#[inline]
fn low_i16(x: u32) -> i16 {
    x as i16
}
"
    low_u16 [] [] "\
#[inline]
fn low_u16(x: u32) -> u16 {
    x as u16
}
"
    canonical_f32 [] [] "\
/// A computed NaN has the bits of `f32::NAN`.
#[inline]
fn canonical_f32(x: f32) -> f32 {
    if x.is_nan() { f32::NAN } else { x }
}
"
    canonical_f64 [] [] "\
/// A computed NaN has the bits of `f64::NAN`.
#[inline]
fn canonical_f64(x: f64) -> f64 {
    if x.is_nan() { f64::NAN } else { x }
}
"
    power_of_positive [] [] "\
/// NaN for a negative `x`; -0 counts as +0.
#[inline]
fn power_of_positive(x: f64, y: f64) -> f64 {
    if x < 0.0 { f64::NAN } else { libm::pow(x.abs(), y) }
}
"
    split_f32 [] [] "\
/// Significand and exponent; of zeros, infinities and NaN themselves and 0.
#[inline]
fn split_f32(x: f32) -> (f32, i32) {
    if x == 0.0 || !x.is_finite() { (x, 0) } else { libm::frexpf(x) }
}
"
    split_f64 [] [] "\
/// Significand and exponent; of zeros, infinities and NaN themselves and 0.
#[inline]
fn split_f64(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() { (x, 0) } else { libm::frexp(x) }
}
"
    checked_to_i32 [] ["InvalidConversion", "IntegerOverflow"] "\
#[inline]
fn checked_to_i32(x: f64) -> Result<i32, Trap> {
    if x.is_nan() {
        return Err(Trap::InvalidConversion);
    }
    if x > -2147483649.0 && x < 2147483648.0 { Ok(x as i32) } else { Err(Trap::IntegerOverflow) }
}
"
    checked_to_u32 [] ["InvalidConversion", "IntegerOverflow"] "\
#[inline]
fn checked_to_u32(x: f64) -> Result<u32, Trap> {
    if x.is_nan() {
        return Err(Trap::InvalidConversion);
    }
    if x > -1.0 && x < 4294967296.0 { Ok(x as u32) } else { Err(Trap::IntegerOverflow) }
}
"
    checked_to_i64 [] ["InvalidConversion", "IntegerOverflow"] "\
#[inline]
fn checked_to_i64(x: f64) -> Result<i64, Trap> {
    if x.is_nan() {
        return Err(Trap::InvalidConversion);
    }
    if (-9223372036854775808.0..9223372036854775808.0).contains(&x) {
        Ok(x as i64)
    } else {
        Err(Trap::IntegerOverflow)
    }
}
"
    checked_to_u64 [] ["InvalidConversion", "IntegerOverflow"] "\
#[inline]
fn checked_to_u64(x: f64) -> Result<u64, Trap> {
    if x.is_nan() {
        return Err(Trap::InvalidConversion);
    }
    if x > -1.0 && x < 18446744073709551616.0 { Ok(x as u64) } else { Err(Trap::IntegerOverflow) }
}
"
};

/// Every helper: the text of one may mention those that stand elsewhere, as Rust has no order.
pub(crate) static HELPERS: std::sync::LazyLock<Vec<&'static Helper>> =
    std::sync::LazyLock::new(|| DIVISIONS.iter().chain(FLOATS).collect());
