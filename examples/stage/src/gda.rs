//! Gaussian discriminant analysis: two classes of samples become a mean each and a covariance that they share. The number of features is known, so
//! vectors and outer products are values, and the sums of both classes are made in one loop.

use std::array::from_fn;

use planish::stage::{In, Rep, check, function, select};

use crate::{Error, Shown, shown};

const FEATURES: usize = 4;
type Sample<T> = [T; FEATURES];

/// The share of the second class, the means of both, and the covariance.
type Model<T> = (T, [Sample<T>; 2], [Sample<T>; FEATURES]);

fn fit(samples: In<[Sample<f64>]>, classes: In<[u8]>) -> Model<Rep<f64>> {
    check(samples.len().eq(classes.len()));
    let zero = || Rep::new(0.0);
    let both = || samples.iter().zip(classes.iter());
    let none = (zero(), [[zero(); FEATURES]; 2]);
    let (ones, sums) = both().fold(none, |(ones, sums), (x, class): (Sample<Rep<f64>>, Rep<u32>)| {
        let is = [class.ne(1), class.eq(1)];
        let sums: [Sample<Rep<f64>>; 2] = from_fn(|c| from_fn(|d| select(is[c], sums[c][d] + x[d], sums[c][d])));
        (select(is[1], ones + 1.0, ones), sums)
    });
    let all = samples.len().as_::<f64>();
    let means = [sums[0].map(|sum| sum / (all - ones)), sums[1].map(|sum| sum / ones)];
    let covariance = both().fold([[zero(); FEATURES]; FEATURES], |sums, (x, class)| {
        let off: Sample<Rep<f64>> = from_fn(|d| x[d] - select(class.eq(1), means[1][d], means[0][d]));
        from_fn(|i| from_fn(|j| sums[i][j] + off[i] * off[j]))
    });
    (ones / all, means, covariance.map(|row| row.map(|sum| sum / all)))
}

fn plain(samples: &[Sample<f64>], classes: &[u8]) -> Model<f64> {
    let (mut counts, mut means) = ([0.0; 2], [[0.0; FEATURES]; 2]);
    for (x, &class) in samples.iter().zip(classes) {
        let class = usize::from(class == 1);
        counts[class] += 1.0;
        means[class].iter_mut().zip(x).for_each(|(sum, x)| *sum += x);
    }
    means.iter_mut().zip(counts).for_each(|(mean, count)| mean.iter_mut().for_each(|sum| *sum /= count));
    let mut covariance = [[0.0; FEATURES]; FEATURES];
    for (x, &class) in samples.iter().zip(classes) {
        let off: Sample<f64> = from_fn(|d| x[d] - means[usize::from(class == 1)][d]);
        for (row, a) in covariance.iter_mut().zip(off) {
            row.iter_mut().zip(off).for_each(|(sum, b)| *sum += a * b);
        }
    }
    let all = samples.len() as f64;
    (counts[1] / all, means, covariance.map(|row| row.map(|sum| sum / all)))
}

/// A model of 20,000 samples.
///
/// # Errors
/// None, but for a mistake.
pub fn example() -> Result<Shown, Error> {
    let made = function("fit", fit)?;
    let compiled = made.compile()?;
    let feature = |i: u32, d: u32| f64::from(i * (31 + d) % 101) / 10.0 + f64::from(i % 3 % 2 * d);
    let samples: Vec<Sample<f64>> = (0..20_000).map(|i| from_fn(|d| feature(i, d as u32))).collect();
    let classes: Vec<u8> = (0..20_000).map(|i| i % 3 % 2).map(|class: u32| class as u8).collect();
    if compiled.call(&samples, &classes)? != plain(&samples, &classes) {
        return Err("another model than plain Rust".into());
    }
    Ok(shown(&made.optimized(), || compiled.call(&samples, &classes).ok(), || plain(&samples, &classes)))
}
