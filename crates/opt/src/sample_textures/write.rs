//! The bodies of the functions.

use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::Precision;
use planish_ir::entity::{Func, Type, Value};
use planish_ir::module::Module;
use planish_ir::ops::{Op, TextureFlags};
use planish_ir::texture::{Filter, SamplerState, Wrap};
use planish_ir::types::Scalar;

use super::{Options, Sample, Texels, component};

/// A coordinate in texels from here on is 0.
const LARGEST: f32 = 1e9;
/// The level of detail without a change of the coordinates.
const LEAST_LEVEL: f32 = -1000.0;

/// Writes the body of the function of a sample.
pub(super) fn function(module: &mut Module, func: Func, options: &Options, sample: &Sample) {
    let mut builder = Builder::new(module, func, Policy::PLAIN);
    let args: Vec<Value> = (0..sample.types.len()).map(|i| builder.param(i)).collect();
    let texture = &options.textures[sample.texture];
    let sampler = sample.sampler.map_or(texture.sampler, |i| options.samplers[i].1);
    let mut writer = Writer {
        b: &mut builder,
        texture,
        sampler,
        flags: sample.flags,
        args,
        single: options.single,
        offset: [None; 2],
    };
    let result = if sample.op == Op::TextureFetch { writer.fetch() } else { writer.sample(sample.op) };
    builder.ret(&[result]);
    builder.finish();
}

/// Size and first texel of a level.
#[derive(Clone, Copy)]
enum Level {
    /// A known level.
    Known(usize),
    /// Width, height and first texel, as `f32`, `f32` and `i32`.
    Read([Value; 3]),
}

struct Writer<'w, 'm, 'r> {
    b: &'w mut Builder<'m, 'r>,
    texture: &'w Texels,
    sampler: SamplerState,
    flags: TextureFlags,
    /// The operands after the texture.
    args: Vec<Value>,
    single: bool,
    /// Offset in texels along each axis.
    offset: [Option<Value>; 2],
}

impl Writer<'_, '_, '_> {
    fn two(&mut self, op: Op, x: Value, y: Value) -> Value {
        self.b.op(op, &[x, y])
    }

    fn select(&mut self, condition: Value, then: Value, otherwise: Value) -> Value {
        self.b.op(Op::Select, &[condition, then, otherwise])
    }

    /// An operand that a flag stands for.
    fn operand(&self, flag: TextureFlags) -> Option<Value> {
        self.flags.operand(flag).map(|i| self.args[i - 1])
    }

    fn last(&self) -> usize {
        self.texture.sizes.len() - 1
    }

    /// The number of the first texel of a level in the array.
    fn start(&self, level: usize) -> u32 {
        let texels: u32 = self.texture.sizes[..level].iter().map(|[width, height]| width * height).sum();
        self.texture.sizes.len() as u32 + texels
    }

    fn set_offset(&mut self) {
        if let Some(offset) = self.operand(TextureFlags::OFFSET) {
            self.offset = [0, 1].map(|c| {
                let part = component(self.b, offset, c);
                Some(self.b.convert(part, Type::I32))
            });
        }
    }

    fn sample(&mut self, op: Op) -> Value {
        let coordinate = self.args[0];
        let mut at = [0, 1].map(|c| component(self.b, coordinate, c));
        if self.flags.has(TextureFlags::PROJ) {
            let size = self.b.module.types.vector_size(self.b.type_of(coordinate)).unwrap_or(1);
            let divisor = component(self.b, coordinate, u32::from(size) - 1);
            at = at.map(|c| self.b.op(Op::Divide, &[c, divisor]));
        }
        self.set_offset();
        let (last, SamplerState { magnify, minify, mipmap, .. }) = (self.last(), self.sampler);
        let has_levels = mipmap.is_some() && last > 0;
        if !has_levels && magnify == minify {
            return self.filtered(at, Level::Known(0), magnify);
        }
        let lod = self.level_of_detail(op, at);
        let zero = self.b.f32(0.0);
        let is_minified = self.two(Op::GreaterThan, lod, zero);
        let blocks = self.b.if_(is_minified);
        self.b.switch_to(blocks.then);
        let small = match mipmap.filter(|_| has_levels) {
            None => self.filtered(at, Level::Known(0), minify),
            Some(between) => {
                let most = self.b.f32(last as f32);
                let lod = self.two(Op::Min, lod, most);
                match between {
                    Filter::Linear => self.between_levels(at, lod),
                    Filter::Nearest => self.nearest_level(at, lod),
                }
            }
        };
        self.b.merge(&[small]);
        self.b.switch_to(blocks.otherwise);
        let large = self.filtered(at, Level::Known(0), magnify);
        self.b.merge(&[large]);
        self.b.switch_to(blocks.merge);
        self.b.add_input(blocks.merge, Type::VEC4, Precision::None)
    }

    /// Below the first level of detail and at most the last.
    fn nearest_level(&mut self, at: [Value; 2], lod: Value) -> Value {
        let (half, one, zero) = (self.b.f32(0.5), self.b.f32(1.0), self.b.f32(0.0));
        let up = self.two(Op::Add, lod, half);
        let up = self.b.op(Op::Ceil, &[up]);
        let level = self.two(Op::Subtract, up, one);
        let level = self.two(Op::Max, level, zero);
        let level = self.level(level);
        self.filtered(at, level, self.sampler.minify)
    }

    fn between_levels(&mut self, at: [Value; 2], lod: Value) -> Value {
        let low = self.b.op(Op::Floor, &[lod]);
        let weight = self.two(Op::Subtract, lod, low);
        let (one, zero, most) = (self.b.f32(1.0), self.b.f32(0.0), self.b.f32(self.last() as f32));
        let next = self.two(Op::Add, low, one);
        let next = self.two(Op::Min, next, most);
        let (low, next) = (self.level(low), self.level(next));
        let first = self.filtered(at, low, self.sampler.minify);
        let second = self.filtered(at, next, self.sampler.minify);
        let mixed = self.mix(first, second, weight);
        let is_first = self.two(Op::Equal, weight, zero);
        self.select(is_first, first, mixed)
    }

    fn mix(&mut self, x: Value, y: Value, weight: Value) -> Value {
        let weight = self.b.op_typed(Op::ConstructVectorFromScalar, &[weight], Type::VEC4);
        self.b.op(Op::Mix, &[x, y, weight])
    }

    /// The level of a whole number, of `f32`.
    fn level(&mut self, number: Value) -> Level {
        let index = self.b.convert(number, Type::I32);
        let data = self.element(index);
        let [width, height, start] = [0, 1, 2].map(|c| component(self.b, data, c));
        Level::Read([width, height, self.b.convert(start, Type::I32)])
    }

    fn element(&mut self, index: Value) -> Value {
        let pointer = self.b.op(Op::AccessArrayElement, &[self.texture.texels.into(), index]);
        self.b.load(pointer)
    }

    fn level_of_detail(&mut self, op: Op, at: [Value; 2]) -> Value {
        let least = match self.operand(TextureFlags::MIN_LOD) {
            Some(least) => least,
            None => self.b.f32(f32::NEG_INFINITY),
        };
        let lod = match (self.operand(TextureFlags::LOD), self.flags.operand(TextureFlags::GRAD)) {
            (Some(level), _) => level,
            (None, Some(first)) => {
                let slopes = [first - 1, first].map(|i| [0, 1].map(|c| component(self.b, self.args[i], c)));
                self.level_of_slopes(slopes)
            }
            (None, None) => {
                debug_assert!(op == Op::TextureSample, "others have a level or slopes");
                let slopes = [Op::DfdxFine, Op::DfdyFine].map(|op| at.map(|c| self.b.op(op, &[c])));
                let lod = self.level_of_slopes(slopes);
                match self.operand(TextureFlags::BIAS) {
                    Some(bias) => self.two(Op::Add, lod, bias),
                    None => lod,
                }
            }
        };
        // (A NaN is less than any bound.)
        self.two(Op::Max, least, lod)
    }

    fn level_of_slopes(&mut self, slopes: [[Value; 2]; 2]) -> Value {
        let size = self.texture.sizes[0].map(|size| self.b.f32(size as f32));
        let squares = slopes.map(|slope| {
            let [x, y] = [0, 1].map(|c| {
                let texels = self.b.op(Op::Multiply, &[slope[c], size[c]]);
                self.b.op(Op::Multiply, &[texels, texels])
            });
            self.b.op(Op::Add, &[x, y])
        });
        let (zero, least) = (self.b.f32(0.0), self.b.f32(LEAST_LEVEL));
        if self.single {
            let square = self.greatest(squares, zero);
            let log = self.b.op(Op::Log2, &[square]);
            let half = self.b.f32(0.5);
            let lod = self.two(Op::Multiply, log, half);
            return self.two(Op::Max, least, lod);
        }
        let lengths = squares.map(|square| self.b.op(Op::Sqrt, &[square]));
        let rho = self.greatest(lengths, zero);
        let double = self.b.module.types.scalar(Scalar::F64);
        let wide = self.b.convert(rho, double);
        let log = self.b.op(Op::Log2, &[wide]);
        let lod = self.b.convert(log, Type::F32);
        let is_change = self.two(Op::GreaterThan, rho, zero);
        self.select(is_change, lod, least)
    }

    /// The greatest of two numbers and 0; a NaN counts as 0.
    fn greatest(&mut self, [x, y]: [Value; 2], zero: Value) -> Value {
        let first = self.two(Op::Max, zero, x);
        self.two(Op::Max, first, y)
    }

    /// Width and height of a level.
    fn size(&mut self, level: Level) -> [Value; 2] {
        match level {
            Level::Known(level) => self.texture.sizes[level].map(|size| self.b.f32(size as f32)),
            Level::Read([width, height, _]) => [width, height],
        }
    }

    fn filtered(&mut self, at: [Value; 2], level: Level, filter: Filter) -> Value {
        let size = self.size(level);
        let (zero, half, largest) = (self.b.f32(0.0), self.b.f32(0.5), self.b.f32(LARGEST));
        let mut spans = Vec::new();
        for axis in 0..2 {
            let x = self.two(Op::Multiply, at[axis], size[axis]);
            let length = self.b.op(Op::Abs, &[x]);
            let is_near = self.two(Op::LessThan, length, largest);
            let mut x = self.select(is_near, x, zero);
            if filter == Filter::Linear {
                x = self.two(Op::Subtract, x, half);
            }
            let low = self.b.op(Op::Floor, &[x]);
            let weight = self.two(Op::Subtract, x, low);
            let mut index = self.b.convert(low, Type::I32);
            if let Some(offset) = self.offset[axis] {
                index = self.two(Op::Add, index, offset);
            }
            spans.push((index, weight));
        }
        let [(x, wx), (y, wy)] = [spans[0], spans[1]];
        let first = [self.wrapped(0, x, level), self.wrapped(1, y, level)];
        if filter == Filter::Nearest {
            return self.texel(first[0], first[1], level);
        }
        let one = self.b.i32(1);
        let (x, y) = (self.two(Op::Add, x, one), self.two(Op::Add, y, one));
        let second = [self.wrapped(0, x, level), self.wrapped(1, y, level)];
        let rows = [first[1], second[1]].map(|y| {
            let (left, right) = (self.texel(first[0], y, level), self.texel(second[0], y, level));
            self.mix(left, right, wx)
        });
        self.mix(rows[0], rows[1], wy)
    }

    /// The index of a texel along an axis, and a condition for there being one.
    fn wrapped(&mut self, axis: usize, index: Value, level: Level) -> (Value, Option<Value>) {
        let count = match level {
            Level::Known(level) => self.b.i32(self.texture.sizes[level][axis] as i32),
            Level::Read(data) => self.b.convert(data[axis], Type::I32),
        };
        let (zero, one) = (self.b.i32(0), self.b.i32(1));
        let most = self.two(Op::Subtract, count, one);
        match self.sampler.wrap[axis] {
            Wrap::Clamp => (self.b.op(Op::Clamp, &[index, zero, most]), None),
            Wrap::Repeat => (self.remainder(axis, index, count, 1), None),
            Wrap::Mirror => {
                let twice = self.two(Op::Add, count, count);
                let at = self.remainder(axis, index, twice, 2);
                let end = self.two(Op::Subtract, twice, one);
                let back = self.two(Op::Subtract, end, at);
                (self.two(Op::Min, at, back), None)
            }
            Wrap::Border => {
                let (above, below) =
                    (self.two(Op::GreaterThanEqual, index, zero), self.two(Op::LessThan, index, count));
                let inside = self.two(Op::LogicalAnd, above, below);
                (self.b.op(Op::Clamp, &[index, zero, most]), Some(inside))
            }
        }
    }

    /// The least remainder that is not negative, by `factor` times the size along an axis.
    fn remainder(&mut self, axis: usize, index: Value, count: Value, factor: i32) -> Value {
        if self.texture.sizes.iter().all(|size| size[axis].is_power_of_two()) {
            let one = self.b.i32(1);
            let mask = self.two(Op::Subtract, count, one);
            return self.two(Op::BitwiseAnd, index, mask);
        }
        debug_assert!(factor > 0);
        // Quotients of integers of 32 bits are rounded down without an error in `f64`.
        let double = self.b.module.types.scalar(Scalar::F64);
        let [above, below] = [index, count].map(|x| self.b.convert(x, double));
        let quotient = self.two(Op::Divide, above, below);
        let whole = self.b.op(Op::Floor, &[quotient]);
        let whole = self.b.convert(whole, Type::I32);
        let product = self.two(Op::Multiply, whole, count);
        self.two(Op::Subtract, index, product)
    }

    fn texel(&mut self, x: (Value, Option<Value>), y: (Value, Option<Value>), level: Level) -> Value {
        let (width, start) = match level {
            Level::Known(level) => {
                (self.b.i32(self.texture.sizes[level][0] as i32), self.b.i32(self.start(level) as i32))
            }
            Level::Read([width, _, start]) => (self.b.convert(width, Type::I32), start),
        };
        let row = self.two(Op::Multiply, y.0, width);
        let row = self.two(Op::Add, row, start);
        let index = self.two(Op::Add, row, x.0);
        let texel = self.element(index);
        let inside = match (x.1, y.1) {
            (Some(x), Some(y)) => Some(self.two(Op::LogicalAnd, x, y)),
            (x, y) => x.or(y),
        };
        self.or_zero(inside, texel)
    }

    fn or_zero(&mut self, inside: Option<Value>, texel: Value) -> Value {
        let Some(inside) = inside else { return texel };
        let zero = self.b.f32(0.0);
        let zero = self.b.op_typed(Op::ConstructVectorFromScalar, &[zero], Type::VEC4);
        self.select(inside, texel, zero)
    }

    /// The texel at an integer coordinate; zero outside.
    fn fetch(&mut self) -> Value {
        self.set_offset();
        let coordinate = self.args[0];
        let zero = self.b.i32(0);
        let levels = self.texture.sizes.len();
        let number = self.operand(TextureFlags::LOD).unwrap_or(zero);
        let number = self.b.convert(number, Type::I32);
        let known = number.as_const().and_then(|c| self.b.module.consts.as_bits(c));
        let (level, mut inside) = match known {
            Some(bits) if (bits as u32 as usize) < levels => (Level::Known(bits as u32 as usize), None),
            _ => {
                let (most, count) = (self.b.i32(levels as i32 - 1), self.b.i32(levels as i32));
                let (above, below) =
                    (self.two(Op::GreaterThanEqual, number, zero), self.two(Op::LessThan, number, count));
                let exists = self.two(Op::LogicalAnd, above, below);
                let number = self.b.op(Op::Clamp, &[number, zero, most]);
                let number = self.b.convert(number, Type::F32);
                (self.level(number), Some(exists))
            }
        };
        let mut at = Vec::new();
        for (axis, size) in self.size(level).into_iter().enumerate() {
            let index = component(self.b, coordinate, axis as u32);
            let mut index = self.b.convert(index, Type::I32);
            if let Some(offset) = self.offset[axis] {
                index = self.two(Op::Add, index, offset);
            }
            let size = self.b.convert(size, Type::I32);
            let (above, below) = (self.two(Op::GreaterThanEqual, index, zero), self.two(Op::LessThan, index, size));
            let both = self.two(Op::LogicalAnd, above, below);
            inside = Some(match inside {
                Some(inside) => self.two(Op::LogicalAnd, inside, both),
                None => both,
            });
            let one = self.b.i32(1);
            let most = self.two(Op::Subtract, size, one);
            at.push(self.b.op(Op::Clamp, &[index, zero, most]));
        }
        let texel = self.texel((at[0], None), (at[1], None), level);
        self.or_zero(inside, texel)
    }
}
