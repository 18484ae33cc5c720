//! Texture ops: operands to queries, by invocation.

use super::sample::{Lod, Query, Sampling, fetch, gather, query_lod, sample};
use crate::ops::{Op, TextureFlags};
use crate::types::{Dim, ImageType};

/// The operands of a texture op over several invocations, in the order of the op; operand 0 is the texture.
pub trait Operands {
    /// Number of components of an operand.
    fn components(&self, operand: usize) -> usize;
    /// A component of an operand in a lane: the bits of an `f32` or integer.
    fn word(&self, operand: usize, component: usize, lane: usize) -> u32;
    /// The lanes whose difference, second minus first, is the change of the coordinates along x (0) or y (1) of the picture; `None`:
    /// there is no change.
    fn neighbours(&self, lane: usize, axis: usize) -> Option<(usize, usize)>;
    /// Whether samples have implicit levels of detail, as fragments do.
    fn has_implicit_levels(&self) -> bool;
}

/// An op with its operands.
struct Reader<'a> {
    image: ImageType,
    flags: TextureFlags,
    operands: &'a dyn Operands,
}

/// The result of a texture op, other than those of storage images, in one lane: as many words as it has components. `None` for other ops.
pub fn evaluate(
    (op, flags): (Op, TextureFlags),
    image: ImageType,
    sampling: Sampling<'_>,
    operands: &dyn Operands,
    lane: usize,
) -> Option<[u32; 4]> {
    let flags = if op == Op::TextureQueryLod { TextureFlags::NONE } else { flags };
    let reader = Reader { image, flags, operands };
    Some(match op {
        Op::TextureSample | Op::TextureSampleLod | Op::TextureSampleGrad => sample(sampling, &reader.sampled(lane)),
        Op::TextureQueryLod => {
            let [clamped, computed] = query_lod(sampling, &reader.sampled(lane));
            [clamped.to_bits(), computed.to_bits(), 0, 0]
        }
        Op::TextureGather => {
            let offsets = flags.operand(TextureFlags::OFFSETS).map(|i| {
                let all: [i32; 8] = reader.integers(i, lane);
                std::array::from_fn(|i| [all[2 * i], all[2 * i + 1]])
            });
            gather(sampling, &reader.query(lane), flags.component().into(), offsets)
        }
        Op::TextureFetch => {
            let level = flags.operand(TextureFlags::LOD).map_or(0, |i| reader.integer(i, lane));
            let offset = flags.operand(TextureFlags::OFFSET).map_or([0; 3], |i| reader.integers(i, lane));
            fetch(sampling.texture, image, reader.integers(1, lane), level, offset)
        }
        Op::TextureSize => {
            // (A size without a level has no second operand.)
            let level = if operands.components(1) > 0 { operands.word(1, 0, lane) } else { 0 };
            size(image, sampling.texture.size(level))
        }
        Op::TextureQueryLevels => [sampling.texture.levels(), 0, 0, 0],
        Op::TextureQuerySamples => [1, 0, 0, 0],
        _ => return None,
    })
}

/// The size of an image as shaders see it: its axes, then the number of layers or cubes.
pub fn size(image: ImageType, size: [u32; 3]) -> [u32; 4] {
    let axes = match image.dim {
        Dim::D1 | Dim::Buffer => 1,
        Dim::D3 => 3,
        _ => 2,
    };
    let mut all = [size[0], size[1], size[2], 0];
    if image.arrayed {
        all[axes] = if image.dim == Dim::Cube { size[2] / 6 } else { size[2] };
    }
    all
}

impl Reader<'_> {
    fn float(&self, operand: usize, component: usize, lane: usize) -> f32 {
        f32::from_bits(self.operands.word(operand, component, lane))
    }

    fn floats<const N: usize>(&self, operand: usize, lane: usize) -> [f32; N] {
        let size = self.operands.components(operand);
        std::array::from_fn(|c| if c < size { self.float(operand, c, lane) } else { 0.0 })
    }

    fn integer(&self, operand: usize, lane: usize) -> i32 {
        self.operands.word(operand, 0, lane) as i32
    }

    fn integers<const N: usize>(&self, operand: usize, lane: usize) -> [i32; N] {
        let size = self.operands.components(operand);
        std::array::from_fn(|c| if c < size { self.operands.word(operand, c, lane) as i32 } else { 0 })
    }

    fn optional(&self, flag: TextureFlags, lane: usize) -> Option<f32> {
        self.flags.operand(flag).map(|i| self.float(i, 0, lane))
    }

    /// The coordinates, and what they were divided by.
    fn coordinate(&self, lane: usize) -> ([f32; 4], Option<f32>) {
        let coordinate: [f32; 4] = self.floats(1, lane);
        if !self.flags.has(TextureFlags::PROJ) {
            return (coordinate, None);
        }
        let divisor = coordinate[self.operands.components(1) - 1];
        (coordinate.map(|c| c / divisor), Some(divisor))
    }

    /// The query of a lane, without its level of detail.
    fn query(&self, lane: usize) -> Query {
        let (coordinate, divisor) = self.coordinate(lane);
        let compare = self.optional(TextureFlags::COMPARE, lane);
        Query {
            image: self.image,
            coordinate,
            compare: compare.map(|c| divisor.map_or(c, |divisor| c / divisor)),
            lod: Lod::Level(0.0),
            min_lod: self.optional(TextureFlags::MIN_LOD, lane).unwrap_or(f32::NEG_INFINITY),
            offset: self.flags.operand(TextureFlags::OFFSET).map_or([0; 3], |i| self.integers(i, lane)),
        }
    }

    /// The query of a lane with its level of detail.
    fn sampled(&self, lane: usize) -> Query {
        let bias = self.optional(TextureFlags::BIAS, lane).unwrap_or(0.0);
        let lod = if let Some(level) = self.optional(TextureFlags::LOD, lane) {
            Lod::Level(level)
        } else if let Some(first) = self.flags.operand(TextureFlags::GRAD) {
            Lod::Change { dx: self.floats(first, lane), dy: self.floats(first + 1, lane), bias: 0.0 }
        } else if !self.operands.has_implicit_levels() {
            Lod::Level(bias)
        } else {
            Lod::Change { dx: self.change(lane, 0), dy: self.change(lane, 1), bias }
        };
        Query { lod, ..self.query(lane) }
    }

    /// Change of the coordinates from a fragment to the next one along an axis.
    fn change(&self, lane: usize, axis: usize) -> [f32; 3] {
        let Some((low, high)) = self.operands.neighbours(lane, axis) else { return [0.0; 3] };
        let (low, high) = (self.coordinate(low).0, self.coordinate(high).0);
        std::array::from_fn(|i| high[i] - low[i])
    }
}
