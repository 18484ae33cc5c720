//! A step of k-means: the number of groups and of dimensions are known, so the centers are values and not an array.

use planish::stage::{In, Rep, function, select};

use crate::{Error, Shown, shown};

const GROUPS: usize = 4;
type Point<T> = [T; 2];

/// The sum of the points of each group, and their number.
type Groups<T> = [(Point<T>, T); GROUPS];

fn nearest(point: Point<f64>, centers: &[Point<f64>; GROUPS]) -> usize {
    let distance =
        |center: &Point<f64>| (0..2).fold(0.0, |sum, d| sum + (point[d] - center[d]) * (point[d] - center[d]));
    (1..GROUPS).fold(0, |best, g| if distance(&centers[g]) < distance(&centers[best]) { g } else { best })
}

fn plain(points: &[Point<f64>], centers: &[Point<f64>; GROUPS]) -> Groups<f64> {
    let mut groups = Groups::default();
    for &point in points {
        let (sum, count) = &mut groups[nearest(point, centers)];
        *sum = [sum[0] + point[0], sum[1] + point[1]];
        *count += 1.0;
    }
    groups
}

/// The sums of a step.
///
/// # Errors
/// None, but for a mistake.
pub fn example() -> Result<Shown, Error> {
    let step = function("step", |points: In<[[f64; 2]]>, centers: [[Rep<f64>; 2]; GROUPS]| {
        let none: Groups<Rep<f64>> = std::array::from_fn(|_| ([Rep::new(0.0); 2], Rep::new(0.0)));
        points.iter().fold(none, |groups: Groups<Rep<f64>>, point: [Rep<f64>; 2]| {
            let distance = |center: [Rep<f64>; 2]| {
                (0..2).fold(Rep::new(0.0), |sum, d| sum + (point[d] - center[d]) * (point[d] - center[d]))
            };
            let first = (Rep::new(0u32), distance(centers[0]));
            let (group, _) = (1..GROUPS).fold(first, |(best, least), g| {
                let (d, closer) = (distance(centers[g]), distance(centers[g]).lt(least));
                (select(closer, g as u32, best), select(closer, d, least))
            });
            std::array::from_fn(|g| {
                let ((sum, count), here) = (groups[g], group.eq(g as u32));
                let add = |sum: Rep<f64>, more: Rep<f64>| select(here, sum + more, sum);
                ([add(sum[0], point[0]), add(sum[1], point[1])], add(count, Rep::new(1.0)))
            })
        })
    })?;
    let compiled = step.compile()?;
    let points: Vec<[f64; 2]> = (0..10_000).map(|i| [f64::from(i * 31 % 101), f64::from(i * 17 % 97)]).collect();
    let centers = [[10.0, 10.0], [90.0, 20.0], [50.0, 50.0], [20.0, 80.0]];
    if compiled.call(&points, centers)? != plain(&points, &centers) {
        return Err("another result than plain Rust".into());
    }
    Ok(shown(&step.optimized(), || compiled.call(&points, centers).ok(), || plain(&points, &centers)))
}
