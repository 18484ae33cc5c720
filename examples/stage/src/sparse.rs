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

/// A matrix in compressed rows, and its product as it is written by hand.
struct PlainRows {
    /// Index of the first number of each row, and one behind the last row.
    begins: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

fn plain(matrix: &PlainRows, x: &[f64], y: &mut [f64]) {
    for (bounds, y) in matrix.begins.windows(2).zip(y) {
        let row = bounds[0]..bounds[1];
        let terms = matrix.columns[row.clone()].iter().zip(&matrix.values[row]);
        *y = terms.fold(0.0, |sum, (&column, value)| sum + x[column as usize] * value);
    }
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
    let lengths = matrix.iter().scan(0, |end, row| Some(std::mem::replace(end, *end + row.len())));
    let entries = || matrix.iter().flatten();
    let rows = PlainRows {
        begins: lengths.chain([entries().count()]).collect(),
        columns: entries().map(|(column, _)| *column as u32).collect(),
        values: entries().map(|(_, value)| *value).collect(),
    };
    let mut plain = || plain(std::hint::black_box(&rows), &x, &mut expected);
    let result = shown(&product.optimized(), || compiled.call(&x, &mut y), &mut plain);
    if y != expected {
        return Err("another result than plain Rust".into());
    }
    Ok(result)
}
