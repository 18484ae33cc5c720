//! Differences of two pictures.

/// Tolerance of a comparison.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Bar {
    /// Largest difference of a channel that is tolerated, in steps of an 8-bit display.
    pub(crate) steps: u8,
    /// The share of pixels that must be within.
    pub(crate) share: f64,
}

/// For what must compute the same.
pub(crate) const SAME: Bar = Bar { steps: 1, share: 0.999 };

/// For forms that may compute by the laws of real numbers.
pub(crate) const FAST: Bar = Bar { steps: 2, share: 0.97 };

/// The result of a comparison.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Difference {
    /// Share of the pixels whose four channels are all within the bar's steps.
    pub(crate) within: f64,
    /// The largest difference of any channel.
    pub(crate) largest: f32,
}

impl Difference {
    /// Whether the difference is within the tolerance.
    pub(crate) fn clears(&self, bar: Bar) -> bool {
        self.within >= bar.share
    }
}

/// Compares as displayed: clamped to 0…1, with NaN as 0.
pub(crate) fn compare(ours: &[[f32; 4]], theirs: &[[f32; 4]], bar: Bar) -> Difference {
    let (mut within, mut largest) = (0usize, 0.0f32);
    for (ours, theirs) in ours.iter().zip(theirs) {
        let channels = ours.iter().zip(theirs).map(|(a, b)| (shown(*a) - shown(*b)).abs());
        let worst = channels.fold(0.0, f32::max);
        largest = largest.max(worst);
        // The step itself, and its rounding, are within.
        within += usize::from(worst <= f32::from(bar.steps) / 255.0 + 1e-6);
    }
    Difference { within: within as f64 / ours.len().max(1) as f64, largest }
}

fn shown(channel: f32) -> f32 {
    if channel.is_nan() { 0.0 } else { channel.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_pixels_of_which_one_channel_differs() {
        let ours = [[0.0, 0.5, 1.0, 1.0], [0.2; 4]];
        let theirs = [[0.0, 0.5, 1.0, 1.0], [0.2, 0.2, 0.2 + 2.0 / 255.0, 0.2]];
        let difference = compare(&ours, &theirs, SAME);
        assert_eq!(difference.within, 0.5);
        assert!((difference.largest - 2.0 / 255.0).abs() < 1e-6 && !difference.clears(SAME));
        assert_eq!(compare(&ours, &theirs, FAST).within, 1.0);
    }

    #[test]
    fn a_display_sees_no_difference_out_of_its_range() {
        let difference = compare(&[[2.0, -1.0, f32::NAN, 1.0]], &[[9.0, 0.0, 0.0, 1.0]], SAME);
        assert_eq!(difference, Difference { within: 1.0, largest: 0.0 });
    }
}
