//! A filter whose weights are known: those of 0 are not read, and those of 1 not multiplied by.

use planish::stage::{In, Out, Rep, function};

use crate::{Error, Shown, shown};

const WEIGHTS: [f32; 7] = [0.25, 0.0, 1.0, -3.0, 1.0, 0.0, 0.25];

/// Each sample with its neighbours.
///
/// # Errors
/// None, but for a mistake.
pub fn example() -> Result<Shown, Error> {
    let make = || {
        function("filter", |x: In<[f32]>, y: Out<[f32]>| {
            let weighted = |(sample, weight): (Rep<f32>, f32)| if weight == 1.0 { sample } else { sample * weight };
            let sum = move |window: [Rep<f32>; 7]| {
                let terms = window.into_iter().zip(WEIGHTS).filter(|(_, weight)| *weight != 0.0).map(weighted);
                terms.reduce(|sum, term| sum + term).unwrap_or(Rep::new(0.0))
            };
            x.iter().windows::<7>().map(sum).write_to(y)
        })
    };
    let filter = make()?;
    let compiled = filter.compile()?;
    let x: Vec<f32> = (0..10_000).map(|i| ((i * i) % 1000) as f32 / 100.0).collect();
    let (mut y, mut expected) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    let weights = std::hint::black_box(WEIGHTS);
    let mut plain = || {
        for (window, y) in x.windows(7).zip(&mut expected) {
            *y = window.iter().zip(weights).fold(0.0, |sum, (sample, weight)| sum + sample * weight);
        }
    };
    let module = filter.optimized();
    let again = || make().ok().and_then(|filter| filter.compile().ok());
    let result = shown(&module, || compiled.call(&x, &mut y).ok(), &mut plain).made_in(&module, again);
    if y != expected {
        return Err("another result than plain Rust".into());
    }
    Ok(result)
}
