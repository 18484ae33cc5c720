//! A Fourier transform of a known size: recursion, indices and trivial factors are gone from the program.

use std::f64::consts::TAU;
use std::ops::{Add, Mul, Sub};

use planish::stage::{In, Out, Rep, function};

use crate::{Error, Shown, shown};

/// Complex numbers, of the program or of the host.
type Complex<T> = [T; 2];

fn transform<T>(x: &[Complex<T>], turn: &dyn Fn(Complex<T>, f64) -> Complex<T>) -> Vec<Complex<T>>
where
    T: Copy + Add<Output = T> + Sub<Output = T>,
{
    if x.len() == 1 {
        return x.to_vec();
    }
    let half = |first: usize| -> Vec<Complex<T>> { x.iter().skip(first).step_by(2).copied().collect() };
    let (even, odd) = (transform(&half(0), turn), transform(&half(1), turn));
    let odd: Vec<_> = odd.into_iter().enumerate().map(|(k, z)| turn(z, -TAU * k as f64 / x.len() as f64)).collect();
    let sums = even.iter().zip(&odd).map(|(a, b)| [a[0] + b[0], a[1] + b[1]]);
    sums.chain(even.iter().zip(&odd).map(|(a, b)| [a[0] - b[0], a[1] - b[1]])).collect()
}

/// A complex number turned by an angle that is known.
fn turned<T: Copy + Mul<f64, Output = T> + Sub<Output = T> + Add<Output = T>>(z: Complex<T>, angle: f64) -> Complex<T> {
    let (sin, cos) = angle.sin_cos();
    if angle == 0.0 { z } else { [z[0] * cos - z[1] * sin, z[0] * sin + z[1] * cos] }
}

/// As it is written by hand: in place, with a table of factors.
fn plain(x: &[Complex<f64>], factors: &[Complex<f64>], y: &mut [Complex<f64>]) {
    let n = x.len();
    let reversed = |i: usize| i.reverse_bits() >> (usize::BITS - n.trailing_zeros());
    x.iter().enumerate().for_each(|(i, z)| y[reversed(i)] = *z);
    let mut half = 1;
    while half < n {
        for block in y.chunks_exact_mut(2 * half) {
            let (even, odd) = block.split_at_mut(half);
            for ((a, b), [cos, sin]) in even.iter_mut().zip(odd).zip(factors.iter().step_by(n / (2 * half))) {
                let turned = [b[0] * cos - b[1] * sin, b[0] * sin + b[1] * cos];
                (*a, *b) = ([a[0] + turned[0], a[1] + turned[1]], [a[0] - turned[0], a[1] - turned[1]]);
            }
        }
        half *= 2;
    }
}

/// A transform of 16 complex numbers.
///
/// # Errors
/// None, but for a mistake.
pub fn example() -> Result<Shown, Error> {
    let fft = function("fft16", |x: In<[[f64; 2]]>, y: Out<[[f64; 2]]>| {
        let x: Vec<[Rep<f64>; 2]> = (0..16).map(|i| x.at(i)).collect();
        for (i, z) in (0..).zip(transform(&x, &turned)) {
            y.set(i, z);
        }
    })?;
    let compiled = fft.compile()?;
    let x: Vec<[f64; 2]> = (0..16).map(|i| [f64::from(i).sin(), f64::from(i * i).cos()]).collect();
    let factor = |k: i32| (-TAU * f64::from(k) / 16.0).sin_cos();
    let factors: Vec<[f64; 2]> = (0..8).map(factor).map(|(sin, cos)| [cos, sin]).collect();
    let (mut y, mut expected) = (vec![[0.0; 2]; 16], vec![[0.0; 2]; 16]);
    let mut plain = || plain(std::hint::black_box(&x), &factors, &mut expected);
    let result = shown(&fft.optimized(), || compiled.call(&x, &mut y).map(drop), &mut plain);
    if y != expected || y != transform(&x, &turned) {
        return Err("another result than plain Rust".into());
    }
    Ok(result)
}
