//! Logistic regression: the loss is written, its gradient is not. The slope by the weights comes from reverse mode.

use planish::stage::{Fixed, In, Rep, function};

use crate::{Error, Shown, shown};

const INPUTS: usize = 4;

/// The gradient by hand.
fn plain(x: &[[f64; INPUTS]], y: &[f64], w: &[f64], slope: &mut [f64]) -> f64 {
    let mut loss = 0.0;
    for (x, &y) in x.iter().zip(y) {
        let score = (0..INPUTS).fold(0.0, |sum, i| sum + x[i] * w[i]);
        let other = (-score).exp();
        loss += (other + 1.0).ln() + score * (1.0 - y);
        let error = 1.0 - y - other / (other + 1.0);
        (0..INPUTS).for_each(|i| slope[i] += x[i] * error);
    }
    loss
}

/// Trains the weights, and compares a step with one by hand.
///
/// # Errors
/// None, but for a mistake.
pub fn example() -> Result<Shown, Error> {
    let loss = function("loss", |x: Fixed<In<[[f64; INPUTS]]>>, y: Fixed<In<[f64]>>, w: In<[f64]>| {
        x.iter()
            .zip(y.iter())
            .map(move |(x, y)| {
                let weights: [Rep<f64>; INPUTS] = std::array::from_fn(|i| w.at(i as u32));
                let score = (0..INPUTS).fold(Rep::new(0.0), |sum, i| sum + x[i] * weights[i]);
                ((-score).exp() + 1.0).ln() + score * (1.0 - y)
            })
            .sum()
    })?;
    let gradient = loss.gradient()?;
    let compiled = gradient.compile()?;
    let x: Vec<[f64; INPUTS]> = (0..10_000i32)
        .map(|i| {
            [1.0, f64::from(i * 31 % 101) / 50.0 - 1.0, f64::from(i * 17 % 97) / 48.0 - 1.0, f64::from(i % 7) / 3.0]
        })
        .collect();
    let y: Vec<f64> = x.iter().map(|x| f64::from(u8::from(0.5 + 2.0 * x[1] - 3.0 * x[2] > 0.3 * x[3]))).collect();
    let (mut w, mut losses) = ([0.0; INPUTS], Vec::new());
    for _ in 0..20 {
        let (mut slope, mut by_hand) = ([0.0; INPUTS], [0.0; INPUTS]);
        losses.push(compiled.call((&x, &y, &w), ((), (), &mut slope))?.0);
        plain(&x, &y, &w, &mut by_hand);
        if slope.iter().zip(by_hand).any(|(a, b)| (a - b).abs() > 1e-9 * b.abs().max(1.0)) {
            return Err("another gradient than plain Rust".into());
        }
        w.iter_mut().zip(slope).for_each(|(w, slope)| *w -= slope * 1e-3);
    }
    if losses[19] > losses[0] / 2.0 {
        return Err("the weights do not become better".into());
    }
    let staged = || compiled.call((&x, &y, &w), ((), (), &mut [0.0; INPUTS])).ok();
    Ok(shown(&gradient.optimized(), staged, || plain(&x, &y, &w, &mut [0.0; INPUTS])))
}
