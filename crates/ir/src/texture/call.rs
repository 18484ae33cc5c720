//! A texture op of compiled code, as words: written beside the code of an object file, read by its runtime.

use super::ops::{Operands, evaluate};
use super::{SamplerState, Sampling, Texture};
use crate::ops::{Op, TextureFlags};
use crate::types::{Dim, ImageKind, ImageType, Scalar};

/// Objects among the resources of a shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handle {
    /// Bytes from the beginning of the resources to the (first) pointer to the object.
    pub offset: u32,
    /// Number of objects; one of several is selected by an operand.
    pub count: u32,
    /// Whether an operand selects the object.
    pub is_indexed: bool,
}

/// A texture op over several invocations. Its operands are columns of words, with a word for each lane: the mask of the lanes that are
/// active, the index of the texture and that of the sampler if there are any, the components of the operands after the texture. Its
/// results are columns, too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The op.
    pub op: Op,
    /// Its flags.
    pub flags: TextureFlags,
    /// The type of the texture.
    pub image: ImageType,
    /// Number of lanes.
    pub lanes: u32,
    /// Whether samples have implicit levels of detail.
    pub has_implicit_levels: bool,
    /// The texture.
    pub texture: Handle,
    /// The sampler; `None`: the one of the texture.
    pub sampler: Option<Handle>,
    /// Number of components of each operand after the texture.
    pub operands: Vec<u32>,
    /// Number of components of the result.
    pub results: u32,
}

const DIMS: [Dim; 7] = [Dim::D1, Dim::D2, Dim::D3, Dim::Cube, Dim::Rect, Dim::Buffer, Dim::Subpass];
const SCALARS: [Scalar; 3] = [Scalar::F32, Scalar::I32, Scalar::U32];

impl Call {
    /// The call as words, the first of which is their number.
    pub fn words(&self) -> Vec<u32> {
        let number = |flag: bool| u32::from(flag);
        let handle = |handle: Handle| [handle.offset, handle.count, number(handle.is_indexed)];
        let dim = DIMS.iter().position(|&dim| dim == self.image.dim).expect("all are listed") as u32;
        let sampled = SCALARS.iter().position(|&scalar| scalar == self.image.sampled).unwrap_or(0) as u32;
        let op = Op::all().position(|op| op == self.op).expect("it is in the table") as u32;
        let mut words = vec![0, op, self.flags.0, self.lanes, number(self.has_implicit_levels), self.results];
        words.extend([dim, sampled, number(self.image.arrayed), number(self.image.shadow)]);
        words.extend(handle(self.texture));
        words.push(number(self.sampler.is_some()));
        words.extend(self.sampler.map_or([0; 3], handle));
        words.extend(&self.operands);
        words[0] = words.len() as u32;
        words
    }

    /// The reverse of [`Call::words`]; `None` for other words.
    pub fn read(words: &[u32]) -> Option<Call> {
        let &[len, op, flags, lanes, implicit, results, dim, sampled, arrayed, shadow, ref rest @ ..] = words else {
            return None;
        };
        let (&[offset, count, indexed, has_sampler, ref sampler @ ..], true) = (rest, len as usize == words.len())
        else {
            return None;
        };
        let handle = |offset, count, indexed| Handle { offset, count, is_indexed: indexed != 0 };
        let &[of, sampler_count, sampler_indexed, ref operands @ ..] = sampler else { return None };
        let image = ImageType {
            kind: ImageKind::Combined,
            dim: *DIMS.get(dim as usize)?,
            arrayed: arrayed != 0,
            multisampled: false,
            shadow: shadow != 0,
            sampled: *SCALARS.get(sampled as usize)?,
        };
        Some(Call {
            op: Op::all().nth(op as usize)?,
            flags: TextureFlags(flags),
            image,
            lanes,
            has_implicit_levels: implicit != 0,
            texture: handle(offset, count, indexed),
            sampler: (has_sampler != 0).then(|| handle(of, sampler_count, sampler_indexed)),
            operands: operands.to_vec(),
            results,
        })
    }

    /// Number of columns of operands, with the mask.
    pub fn columns(&self) -> usize {
        self.first_operand() + self.operands.iter().sum::<u32>() as usize
    }

    fn first_operand(&self) -> usize {
        1 + usize::from(self.texture.is_indexed) + usize::from(self.sampler.is_some_and(|sampler| sampler.is_indexed))
    }

    /// Replaces the columns of operands by those of the results, in the active lanes. `objects` are the texture and its sampler, by
    /// their numbers.
    pub fn run(&self, words: &mut [u32], mut objects: impl FnMut(u32, u32) -> (Box<dyn Texture>, SamplerState)) {
        let lanes = self.lanes as usize;
        let mut results = vec![0; self.results as usize * lanes];
        let columns = Columns { call: self, words };
        for lane in (0..lanes).filter(|&lane| columns.is_active(lane)) {
            let index = |handle: Handle, column: usize| match handle.is_indexed {
                true => columns.word_at(column, lane).min(handle.count.saturating_sub(1)),
                false => 0,
            };
            let second = 1 + usize::from(self.texture.is_indexed);
            let number = (index(self.texture, 1), self.sampler.map_or(0, |sampler| index(sampler, second)));
            let (texture, state) = objects(number.0, number.1);
            let sampling = Sampling { texture: &*texture, state };
            let found = evaluate((self.op, self.flags), self.image, sampling, &columns, lane);
            for (c, &word) in found.iter().flatten().enumerate().take(self.results as usize) {
                results[c * lanes + lane] = word;
            }
        }
        words[..results.len()].copy_from_slice(&results);
    }
}

struct Columns<'a> {
    call: &'a Call,
    words: &'a [u32],
}

impl Columns<'_> {
    fn word_at(&self, column: usize, lane: usize) -> u32 {
        self.words[column * self.call.lanes as usize + lane]
    }

    fn is_active(&self, lane: usize) -> bool {
        self.word_at(0, lane) != 0
    }
}

impl Operands for Columns<'_> {
    fn components(&self, operand: usize) -> usize {
        let count = operand.checked_sub(1).and_then(|operand| self.call.operands.get(operand));
        count.map_or(0, |&count| count as usize)
    }

    fn word(&self, operand: usize, component: usize, lane: usize) -> u32 {
        let before: u32 = self.call.operands[..operand - 1].iter().sum();
        self.word_at(self.call.first_operand() + before as usize + component, lane)
    }

    fn neighbours(&self, lane: usize, axis: usize) -> Option<(usize, usize)> {
        let low = lane & !(1 << axis);
        let high = low | 1 << axis;
        (self.is_active(low) && self.is_active(high)).then_some((low, high))
    }

    fn has_implicit_levels(&self) -> bool {
        self.call.has_implicit_levels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_again() {
        let image = ImageType {
            kind: ImageKind::Combined,
            dim: Dim::Cube,
            arrayed: true,
            multisampled: false,
            shadow: true,
            sampled: Scalar::F32,
        };
        let handle = Handle { offset: 24, count: 3, is_indexed: true };
        let call = Call {
            op: Op::TextureSample,
            flags: TextureFlags::COMPARE.with(TextureFlags::BIAS),
            image,
            lanes: 8,
            has_implicit_levels: true,
            texture: handle,
            sampler: Some(Handle { offset: 48, count: 1, is_indexed: false }),
            operands: vec![4, 1, 1],
            results: 1,
        };
        assert_eq!(Call::read(&call.words()), Some(call.clone()));
        assert_eq!(call.columns(), 8);
        assert_eq!(Call::read(&call.words()[1..]), None);
        let plain = Call { sampler: None, ..call };
        assert_eq!(Call::read(&plain.words()), Some(plain));
    }
}
