//! A matrix that is known, most of which is zero: its product with a vector has no zeros, no indices and no loop.

use planish::stage::{In, Out, Rep, function};

use crate::{Error, Shown, shown};

const SIZE: usize = 24;

/// A matrix as rows of columns and values.
fn matrix() -> Vec<Vec<(usize, f64)>> {
    let value = |row: usize, column: usize| match (row * 7 + column * 13) % 11 {
        0 => Some(1.0),
        1 => Some(-1.0),
        2 => Some((row + column) as f64 * 0.5),
        _ => None,
    };
    (0..SIZE).map(|row| (0..SIZE).filter_map(|column| Some((column, value(row, column)?))).collect()).collect()
}

/// Its product with a vector.
///
/// # Errors
/// None, but for a mistake.
pub fn example() -> Result<Shown, Error> {
    let matrix = matrix();
    let product = function("product", |x: In<[f64]>, y: Out<[f64]>| {
        let x: Vec<Rep<f64>> = (0..SIZE as u32).map(|i| x.at(i)).collect();
        for (i, row) in (0..).zip(&matrix) {
            y.set(i, row.iter().fold(Rep::new(0.0), |sum, &(column, value)| sum + x[column] * value));
        }
    })?;
    let compiled = product.compile()?;
    let x: Vec<f64> = (0..SIZE).map(|i| (i as f64).cos()).collect();
    let (mut y, mut expected) = (vec![0.0; SIZE], vec![0.0; SIZE]);
    let rows = std::hint::black_box(&matrix);
    let mut plain = || {
        let of = |row: &Vec<(usize, f64)>| row.iter().fold(0.0, |sum, &(column, value)| sum + x[column] * value);
        rows.iter().zip(&mut expected).for_each(|(row, y)| *y = of(row));
    };
    let result = shown(&product.optimized(), || compiled.call(&x, &mut y), &mut plain);
    if y != expected {
        return Err("another result than plain Rust".into());
    }
    Ok(result)
}
