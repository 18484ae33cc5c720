//! Times of engines in turn, so that other load on the machine affects all of them alike; CPU time of this thread
//! rather than wall-clock time, but for totals.

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

use crate::engines::Error;

/// Times of one engine, by run.
#[derive(Default)]
pub struct Times(pub Vec<f64>);

impl Times {
    /// The one in the middle, in seconds.
    pub fn median(&self) -> f64 {
        quantile(&self.0, 0.5)
    }

    /// Interquartile range relative to the median.
    pub fn spread(&self) -> f64 {
        (quantile(&self.0, 0.75) - quantile(&self.0, 0.25)) / self.median()
    }

    /// Ratio of the other's time to this one: the median over the runs, in each of which both were measured.
    pub fn faster_than(&self, other: &Times) -> f64 {
        let ratios: Vec<f64> = other.0.iter().zip(&self.0).map(|(theirs, ours)| theirs / ours).collect();
        quantile(&ratios, 0.5)
    }
}

fn quantile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(((sorted.len() - 1) as f64 * part).round() as usize).copied().unwrap_or(f64::NAN)
}

/// A thing to measure.
pub type Task<'t> = Box<dyn FnMut() -> Result<(), Error> + 't>;

/// Runs all tasks in turn, `runs` times, after one warm-up; each time begins with another task.
///
/// # Errors
/// The first error of a task.
pub fn in_turn(tasks: &mut [Task<'_>], runs: usize) -> Result<Vec<Times>, Error> {
    let clock = |task: &mut Task<'_>| {
        let start = ThreadTime::now();
        task()?;
        Ok(start.elapsed())
    };
    in_turn_by(tasks, runs, clock)
}

/// As [`in_turn`], in wall-clock time, for what several threads do.
///
/// # Errors
/// The first error of a task.
pub fn in_turn_by_the_wall(tasks: &mut [Task<'_>], runs: usize) -> Result<Vec<Times>, Error> {
    let clock = |task: &mut Task<'_>| {
        let start = Instant::now();
        task()?;
        Ok(start.elapsed())
    };
    in_turn_by(tasks, runs, clock)
}

fn in_turn_by(
    tasks: &mut [Task<'_>],
    runs: usize,
    clock: impl Fn(&mut Task<'_>) -> Result<Duration, Error>,
) -> Result<Vec<Times>, Error> {
    let mut times: Vec<Times> = tasks.iter().map(|_| Times::default()).collect();
    for run in 0..=runs {
        for step in 0..tasks.len() {
            let which = (run + step) % tasks.len();
            let time = clock(&mut tasks[which])?;
            if run > 0 {
                times[which].0.push(time.as_secs_f64());
            }
        }
    }
    Ok(times)
}

/// The geometric mean.
pub fn mean(values: &[f64]) -> f64 {
    (values.iter().map(|v| v.ln()).sum::<f64>() / values.len() as f64).exp()
}
