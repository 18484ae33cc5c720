//! Textures that a C program gives to a shader.

use planish_ir::texture::{Comparison, Filter, SamplerState, Wrap};

/// State of a sampler: zeros are the default.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Sampler {
    /// Filter for magnification: 0 linear, 1 nearest.
    pub magnify: u32,
    /// Filter for minification: 0 linear, 1 nearest.
    pub minify: u32,
    /// Filter between levels: 0 linear, 1 nearest, 2 the first level only.
    pub mipmap: u32,
    /// Wrapping along each axis: 0 repeated, 1 clamped to the edge, 2 mirrored, 3 zero outside.
    pub wrap: [u32; 3],
    /// Comparison of shadow samplers: 0 less or equal, 1 less, 2 greater, 3 greater or equal, 4 equal, 5 not equal, 6 always, 7 never.
    pub compare: u32,
}

/// Comparisons by number.
const COMPARISONS: [Comparison; 8] = [
    Comparison::LessEqual,
    Comparison::Less,
    Comparison::Greater,
    Comparison::GreaterEqual,
    Comparison::Equal,
    Comparison::NotEqual,
    Comparison::Always,
    Comparison::Never,
];

impl Sampler {
    /// The state; numbers without a meaning are as 0.
    pub(crate) fn state(self) -> SamplerState {
        let filter = |number| if number == 1 { Filter::Nearest } else { Filter::Linear };
        let wrap = |number| match number {
            1 => Wrap::Clamp,
            2 => Wrap::Mirror,
            3 => Wrap::Border,
            _ => Wrap::Repeat,
        };
        SamplerState {
            magnify: filter(self.magnify),
            minify: filter(self.minify),
            mipmap: (self.mipmap != 2).then(|| filter(self.mipmap)),
            wrap: self.wrap.map(wrap),
            compare: COMPARISONS.get(self.compare as usize).copied().unwrap_or(Comparison::LessEqual),
        }
    }
}

/// The size of a level of a texture whose first level has a size; `is_volume`: the third size is halved, too. Zero beyond the last level.
pub(crate) fn level_size(first: [u32; 3], levels: u32, level: u32, is_volume: bool) -> [u32; 3] {
    if level >= levels.max(1) {
        return [0; 3];
    }
    let halved = |size: u32| size.max(1).checked_shr(level).unwrap_or(0).max(1);
    [halved(first[0]), halved(first[1]), if is_volume { halved(first[2]) } else { first[2].max(1) }]
}

/// The number of a texel among those of all levels.
pub(crate) fn texel_number(first: [u32; 3], levels: u32, level: u32, at: [u32; 3], is_volume: bool) -> usize {
    let size = |level| level_size(first, levels, level, is_volume).map(|size| size as usize);
    let before: usize = (0..level).map(|level| size(level).into_iter().product::<usize>()).sum();
    let [width, height, _] = size(level);
    let [x, y, z] = at.map(|x| x as usize);
    before + (z * height + y) * width + x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_the_default_sampler() {
        assert_eq!(Sampler::default().state(), SamplerState::default());
        let first = Sampler { mipmap: 2, wrap: [1, 2, 3], compare: 7, ..Sampler::default() };
        let state = first.state();
        assert_eq!(
            (state.mipmap, state.wrap, state.compare),
            (None, [Wrap::Clamp, Wrap::Mirror, Wrap::Border], Comparison::Never)
        );
    }

    #[test]
    fn levels_follow_each_other() {
        let (size, levels) = ([5, 4, 2], 3);
        assert_eq!(
            (0..4).map(|level| level_size(size, levels, level, true)).collect::<Vec<_>>(),
            [[5, 4, 2], [2, 2, 1], [1, 1, 1], [0; 3]]
        );
        assert_eq!(level_size(size, levels, 1, false), [2, 2, 2]);
        assert_eq!(texel_number(size, levels, 0, [4, 3, 1], true), 39);
        assert_eq!(texel_number(size, levels, 1, [1, 1, 0], true), 43);
        assert_eq!(texel_number(size, levels, 2, [0, 0, 0], true), 44);
    }
}
