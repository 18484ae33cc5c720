//! Outputs of a shader as pixels: machine code writes two rows of them, as floats and as bytes.

use planish_eval::shade::{Channel, Fragments};
use planish_ir::builder::{Builder, Request};
use planish_ir::constant::{ConstData, ConstValue};
use planish_ir::entity::{Memory, Type, Value};
use planish_ir::ops::{Imm, LaneShape, MemArg, Op, Width};
use planish_ir::types::{Scalar, TypeKind};

/// Bytes of a pixel of floats.
const PIXEL: u32 = 16;
/// 2^23: a whole number added to it is in the low bits.
const MAGIC: f32 = 8_388_608.0;

/// Two rows of pixels in memory, the lower one first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pixels {
    /// Address of the floats.
    pub(super) floats: u32,
    /// Address of the bytes.
    bytes: u32,
    /// Number of pixels in a row: as many as the batches have.
    width: u32,
}

/// The results of the shader that a pixel is made of: for each component the number of its first result, or its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Results {
    pub(super) channels: [Result; 4],
    /// Number of the first result of the mask of helper invocations, if there is one.
    pub(super) helpers: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Result {
    First(usize),
    Constant(f32),
}

impl Results {
    /// The results that are pixels, given the type and offset of the fields of the output's components; `None` unless all are `f32`.
    pub(super) fn new(
        fragments: &Fragments<'_>,
        field: impl Fn(usize) -> Option<(Scalar, u32)>,
        helpers: Option<u32>,
    ) -> Option<Self> {
        let mut channels = [Result::Constant(0.0); 4];
        for (channel, of) in channels.iter_mut().zip(fragments.channels()?) {
            *channel = match of {
                Channel::Constant(value) => Result::Constant(value),
                Channel::Component(c) => match field(c)? {
                    (Scalar::F32, offset) => Result::First(offset as usize / 16),
                    _ => return None,
                },
            };
        }
        Some(Results { channels, helpers: helpers.map(|offset| offset as usize / 16) })
    }
}

impl Pixels {
    /// Takes the memory for rows of so many pixels from `next` on.
    pub(super) fn new(width: u32, next: &mut u64) -> Self {
        let mut take = |bytes: u64| {
            let address = *next as u32;
            *next += bytes;
            address
        };
        let floats = take(2 * u64::from(width * PIXEL));
        Pixels { floats, bytes: take(2 * u64::from(width) * 4), width }
    }

    /// Bytes of floats from one batch of lanes to the next.
    pub(super) fn step(lanes: u8) -> u32 {
        u32::from(lanes / 2) * PIXEL
    }

    /// Copies the rows to the pixels and bytes of a picture: `rows` are the lower one and the upper one.
    pub(super) fn read(&self, memory: &[u8], rows: [(&mut [[f32; 4]], &mut [u8]); 2]) {
        for (y, (pixels, bytes)) in rows.into_iter().enumerate() {
            let start = self.floats as usize + y * (self.width * PIXEL) as usize;
            let words = memory[start..].chunks_exact(4);
            for (float, word) in pixels.as_flattened_mut().iter_mut().zip(words) {
                *float = f32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            }
            let start = self.bytes as usize + y * (self.width * 4) as usize;
            bytes.copy_from_slice(&memory[start..start + bytes.len()]);
        }
    }

    /// Writes the pixels of a batch of lanes; `out` is the address of its floats.
    pub(super) fn write(
        &self,
        b: &mut Builder<'_, '_>,
        memory: Memory,
        (values, results): (&[Value], &Results),
        (out, lanes): (Value, u8),
    ) {
        let two = b.i32(2);
        let unsigned = b.op_typed(Op::Bitcast, &[out], Type::U32);
        let quarter = b.op(Op::ShiftRight, &[unsigned, two]);
        let quarter = b.op_typed(Op::Bitcast, &[quarter], Type::I32);
        let mut writer = Writer { b, memory };
        for quad in 0..u32::from(lanes / 4) {
            let mut channels = results.channels.map(|channel| match channel {
                Result::First(first) => values[first + quad as usize],
                Result::Constant(value) => writer.float(value),
            });
            if let Some(first) = results.helpers {
                let helpers = values[first + quad as usize];
                channels = channels.map(|channel| writer.b.op(Op::SimdAndNot, &[channel, helpers]));
            }
            for (lane, pixel) in (0..).zip(writer.transposed(channels)) {
                let (x, y) = (2 * quad + lane % 2, lane / 2);
                writer.store(out, pixel, (y * self.width + x) * PIXEL, Width::B128);
            }
            let bytes = writer.packed(channels);
            for y in 0..2 {
                let pair = writer.b.op_imm(Op::SimdExtract, Imm::lane(LaneShape::I64x2, y as u8), &[bytes]);
                let offset = self.bytes - self.floats / 4 + (y * self.width + 2 * quad) * 4;
                writer.store(quarter, pair, offset, Width::B64);
            }
        }
    }
}

/// Writes operations on 128-bit values.
struct Writer<'w, 'm, 'r> {
    b: &'w mut Builder<'m, 'r>,
    memory: Memory,
}

impl Writer<'_, '_, '_> {
    fn wide(&mut self, bits: u128) -> Value {
        let ty = self.b.module.types.intern(TypeKind::V128);
        self.b.module.consts.intern(ConstData { ty, value: ConstValue::Wide(bits) }).into()
    }

    fn word(&mut self, bits: u32) -> Value {
        self.wide((0..4).fold(0, |all, lane| all | u128::from(bits) << (32 * lane)))
    }

    fn float(&mut self, value: f32) -> Value {
        self.word(value.to_bits())
    }

    fn floats(&mut self, op: Op, x: Value, y: Value) -> Value {
        self.b.op_imm(op, LaneShape::F32x4, &[x, y])
    }

    fn store(&mut self, address: Value, value: Value, offset: u32, width: Width) {
        let arg = MemArg { memory: self.memory, offset, width, signed: false, in_bounds: false };
        self.b.make_all(Request::new(Op::MemoryStore, &[address, value]).imm(arg));
    }

    /// Lanes of 32 bits of two values: each by its number, from 4 on those of the second.
    fn shuffled(&mut self, x: Value, y: Value, lanes: [u8; 4]) -> Value {
        let bytes: [u8; 16] = std::array::from_fn(|i| 4 * lanes[i / 4] + i as u8 % 4);
        let pattern = self.wide(u128::from_le_bytes(bytes));
        self.b.op(Op::SimdShuffle, &[x, y, pattern])
    }

    /// The components of each of four lanes.
    fn transposed(&mut self, [x, y, z, w]: [Value; 4]) -> [Value; 4] {
        let mut pixels = Vec::new();
        for lanes in [[0, 4, 1, 5], [2, 6, 3, 7]] {
            let (front, back) = (self.shuffled(x, y, lanes), self.shuffled(z, w, lanes));
            pixels.extend([[0, 1, 4, 5], [2, 3, 6, 7]].map(|lanes| self.shuffled(front, back, lanes)));
        }
        [pixels[0], pixels[1], pixels[2], pixels[3]]
    }

    /// The bytes of four pixels, as `planish_eval::shade::to_bytes` has them.
    fn packed(&mut self, channels: [Value; 4]) -> Value {
        let mut all = None;
        for (i, channel) in (0..).zip(channels) {
            let byte = self.byte(channel);
            let part = if i == 0 {
                byte
            } else {
                let amount = self.b.i32(8 * i);
                self.b.op_imm(Op::SimdShiftLeft, LaneShape::I32x4, &[byte, amount])
            };
            all = Some(all.map_or(part, |all| self.b.op(Op::SimdOr, &[all, part])));
        }
        all.expect("there are four")
    }

    /// A component as an integer of a byte. Halves are rounded up: the integer is half of the next one after its double.
    fn byte(&mut self, x: Value) -> Value {
        let (zero, one) = (self.float(0.0), self.float(1.0));
        let (most, magic) = (self.float(510.0), self.float(MAGIC));
        let x = self.floats(Op::SimdPseudoMax, zero, x);
        let x = self.floats(Op::SimdPseudoMin, x, one);
        let x = self.floats(Op::SimdMultiply, x, most);
        let whole = self.b.op_imm(Op::SimdFloor, LaneShape::F32x4, &[x]);
        let bits = self.floats(Op::SimdAdd, whole, magic);
        let next = self.word(1u32.wrapping_sub(MAGIC.to_bits()));
        let next = self.b.op_imm(Op::SimdAdd, LaneShape::I32x4, &[bits, next]);
        let by = self.b.i32(1);
        self.b.op_imm(Op::SimdShiftRight, LaneShape::U32x4, &[next, by])
    }
}
