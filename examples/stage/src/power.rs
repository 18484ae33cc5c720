//! A power whose exponent is known: the same generic Rust computes it now, and writes a program that does.

use std::ops::Mul;

use planish::stage::{In, Out, Rep, function};

use crate::{Error, Shown, shown};

fn power<T: Copy + Mul<Output = T>>(x: T, n: u32, one: T) -> T {
    match n {
        0 => one,
        n if n.is_multiple_of(2) => power(x * x, n / 2, one),
        n => x * power(x, n - 1, one),
    }
}

/// `x` to the 13th of every number.
///
/// # Errors
/// None, but for a mistake.
pub fn example() -> Result<Shown, Error> {
    let powers = |x: In<[f64]>, y: Out<[f64]>| x.iter().map(|x| power(x, 13, Rep::new(1.0))).write_to(y);
    let one = function("thirteenth", |x: Rep<f64>| power(x, 13, Rep::new(1.0)))?;
    let all = function("thirteenths", powers)?.compile()?;
    let x: Vec<f64> = (0..10_000).map(|i| 1.0 + f64::from(i) / 1e4).collect();
    let (mut y, mut expected) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    let exponent = std::hint::black_box(13);
    let mut plain = || x.iter().zip(&mut expected).for_each(|(x, y)| *y = power(*x, exponent, 1.0));
    let result = shown(&one.optimized(), || all.call(&x, &mut y).map(drop), &mut plain);
    if y != expected {
        return Err("another result than plain Rust".into());
    }
    Ok(result)
}
