//! How near two pictures are.

/// Largest difference of a channel that counts as none: a step of an 8-bit display.
pub(crate) const STEP: f32 = 1.0 / 255.0;

/// The share of pixels that must be within [`STEP`].
pub(crate) const SHARE: f64 = 0.999;

/// What a comparison came to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Difference {
    /// Share of the pixels whose four channels are all within [`STEP`].
    pub(crate) within: f64,
    /// The largest difference of any channel.
    pub(crate) largest: f32,
}

impl Difference {
    /// Whether that is enough.
    pub(crate) fn agrees(&self) -> bool {
        self.within >= SHARE
    }
}

/// Compares as a display would show them: clamped to 0…1, and what is no number as 0.
pub(crate) fn compare(ours: &[[f32; 4]], theirs: &[[f32; 4]]) -> Difference {
    let (mut within, mut largest) = (0usize, 0.0f32);
    for (ours, theirs) in ours.iter().zip(theirs) {
        let channels = ours.iter().zip(theirs).map(|(a, b)| (shown(*a) - shown(*b)).abs());
        let worst = channels.fold(0.0, f32::max);
        largest = largest.max(worst);
        // 1/255 itself, and its rounding, are within.
        within += usize::from(worst <= STEP + 1e-6);
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
        let difference = compare(&ours, &theirs);
        assert_eq!(difference.within, 0.5);
        assert!((difference.largest - 2.0 / 255.0).abs() < 1e-6 && !difference.agrees());
    }

    #[test]
    fn a_display_sees_no_difference_out_of_its_range() {
        let difference = compare(&[[2.0, -1.0, f32::NAN, 1.0]], &[[9.0, 0.0, 0.0, 1.0]]);
        assert_eq!(difference, Difference { within: 1.0, largest: 0.0 });
    }
}
