//! Time, number and rate of frames.

use std::time::{Duration, Instant};

/// Share of the last frame in the mean time between frames.
const WEIGHT: f64 = 0.1;

/// The clock of a window.
pub(super) struct Clock {
    /// Seconds at the beginning.
    start: f32,
    /// Time that has passed but for pauses, until `last`.
    passed: Duration,
    last: Instant,
    /// Number of the next frame.
    frame: u32,
    /// Mean time between frames, in seconds.
    between: Option<f64>,
}

impl Clock {
    pub(super) fn new(start: f32, now: Instant) -> Self {
        Clock { start, passed: Duration::ZERO, last: now, frame: 0, between: None }
    }

    /// Lets time pass until now; in a pause it does not.
    pub(super) fn pass(&mut self, now: Instant, paused: bool) {
        if !paused {
            self.passed += now.saturating_duration_since(self.last);
        }
        self.last = now;
    }

    /// Begins again, with the first frame.
    pub(super) fn restart(&mut self) {
        (self.passed, self.frame) = (Duration::ZERO, 0);
    }

    /// Seconds, for time uniforms.
    pub(super) fn time(&self) -> f32 {
        (f64::from(self.start) + self.passed.as_secs_f64()) as f32
    }

    /// Number of the next frame.
    pub(super) fn frame(&self) -> u32 {
        self.frame
    }

    /// Counts a frame that took this long, with the wait before it.
    pub(super) fn count(&mut self, took: Duration) {
        self.frame += 1;
        let took = took.as_secs_f64();
        self.between = Some(self.between.map_or(took, |mean| mean + (took - mean) * WEIGHT));
    }

    /// Frames in a second.
    pub(super) fn rate(&self) -> Option<f32> {
        self.between.filter(|between| *between > 0.0).map(|between| (1.0 / between) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_take_no_time_and_restarts_begin_again() {
        let begin = Instant::now();
        let at = |millis| begin + Duration::from_millis(millis);
        let mut clock = Clock::new(2.0, begin);
        clock.pass(at(500), false);
        clock.count(Duration::from_millis(500));
        clock.pass(at(1500), true);
        clock.pass(at(1750), false);
        assert_eq!((clock.time(), clock.frame()), (2.75, 1));
        clock.restart();
        assert_eq!((clock.time(), clock.frame()), (2.0, 0));
    }

    #[test]
    fn the_rate_is_a_mean() {
        let mut clock = Clock::new(0.0, Instant::now());
        assert_eq!(clock.rate(), None);
        clock.count(Duration::from_millis(20));
        assert_eq!(clock.rate(), Some(50.0));
        clock.count(Duration::from_millis(40));
        assert!(clock.rate().is_some_and(|rate| (45.0..46.0).contains(&rate)), "{:?}", clock.rate());
    }
}
