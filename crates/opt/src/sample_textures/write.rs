//! The bodies of the functions: levels of detail, filters between levels, fetches, gathers.

use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::Precision;
use planish_ir::entity::{Func, Type, Value};
use planish_ir::module::Module;
use planish_ir::ops::{Op, TextureFlags};
use planish_ir::texture::{Comparison, Filter, SamplerState};
use planish_ir::types::{Dim, Scalar};
use smallvec::SmallVec;

use super::{Options, Sample, Texels, component, result_type};

/// The level of detail without a change of the coordinates.
const LEAST_LEVEL: f32 = -1000.0;

/// Writes the body of the function of a sample.
pub(super) fn function(module: &mut Module, func: Func, options: &Options, sample: &Sample) {
    let mut builder = Builder::new(module, func, Policy::PLAIN);
    let args: Vec<Value> = (0..sample.types.len()).map(|i| builder.param(i)).collect();
    let texture = &options.textures[sample.texture];
    let sampler = sample.sampler.map_or(texture.sampler, |i| options.samplers[i].1);
    let mut writer = Writer {
        result: result_type(texture, sample),
        b: &mut builder,
        texture,
        sampler,
        flags: sample.flags,
        args,
        options,
        offset: [None; 3],
        depth: None,
    };
    let result = match sample.op {
        Op::TextureFetch => writer.fetch(),
        Op::TextureSize => writer.size_of_level(),
        Op::TextureGather => writer.gather(),
        _ => writer.sample(),
    };
    builder.ret(&[result]);
    builder.finish();
}

/// Size and first texel of a level.
#[derive(Clone, Copy)]
pub(super) enum Level {
    /// A known level.
    Known(usize),
    /// Width, height, depth or layers as `f32`, and first texel, as `i32`.
    Read([Value; 3], Value),
}

/// Values along the axes of a texture.
pub(super) type Axes = SmallVec<[Value; 3]>;

/// Position on a texture.
#[derive(Clone)]
pub(super) struct Place {
    /// Coordinates from 0 to 1.
    pub(super) at: Axes,
    /// Layer or face.
    pub(super) layer: Option<Value>,
}

pub(super) struct Writer<'w, 'm, 'r> {
    pub(super) b: &'w mut Builder<'m, 'r>,
    pub(super) texture: &'w Texels,
    pub(super) sampler: SamplerState,
    flags: TextureFlags,
    /// The operands after the texture.
    args: Vec<Value>,
    options: &'w Options,
    /// Offset in texels along each axis.
    pub(super) offset: [Option<Value>; 3],
    /// The depth that texels are compared with, from 0 to 1.
    depth: Option<Value>,
    /// Type of the result.
    pub(super) result: Type,
}

impl Writer<'_, '_, '_> {
    pub(super) fn two(&mut self, op: Op, x: Value, y: Value) -> Value {
        self.b.op(op, &[x, y])
    }

    pub(super) fn select(&mut self, condition: Value, then: Value, otherwise: Value) -> Value {
        self.b.op(Op::Select, &[condition, then, otherwise])
    }

    /// An operand that a flag stands for.
    fn operand(&self, flag: TextureFlags) -> Option<Value> {
        self.flags.operand(flag).map(|i| self.args[i - 1])
    }

    fn last(&self) -> usize {
        self.texture.sizes.len() - 1
    }

    pub(super) fn dim(&self) -> Dim {
        self.texture.image.dim
    }

    /// Number of axes along which texels are filtered.
    pub(super) fn axes(&self) -> usize {
        match self.dim() {
            Dim::D1 => 1,
            Dim::D3 => 3,
            _ => 2,
        }
    }

    fn set_offset(&mut self) {
        let Some(offset) = self.operand(TextureFlags::OFFSET) else { return };
        for c in 0..self.axes() {
            let part = component(self.b, offset, c as u32);
            self.offset[c] = Some(self.b.convert(part, Type::I32));
        }
    }

    /// The coordinates, divided; sets the offset and the depth.
    fn begin(&mut self) -> Vec<Value> {
        let coordinate = self.args[0];
        let count = self.b.module.types.vector_size(self.b.type_of(coordinate)).unwrap_or(1);
        let mut c: Vec<Value> = (0..u32::from(count)).map(|i| component(self.b, coordinate, i)).collect();
        let mut depth = self.operand(TextureFlags::COMPARE);
        if self.flags.has(TextureFlags::PROJ) {
            let divisor = c[c.len() - 1];
            c.iter_mut().chain(&mut depth).for_each(|c| *c = self.b.op(Op::Divide, &[*c, divisor]));
        }
        let (zero, one) = (self.b.f32(0.0), self.b.f32(1.0));
        self.depth = depth.map(|depth| self.b.op(Op::Clamp, &[depth, zero, one]));
        self.set_offset();
        c
    }

    fn sample(&mut self) -> Value {
        let c = self.begin();
        let (last, SamplerState { magnify, minify, mipmap, .. }) = (self.last(), self.sampler);
        let has_levels = mipmap.is_some() && last > 0;
        let place = self.place(&c);
        if self.texture.image.sampled != Scalar::F32 {
            // Integers are never filtered.
            let level = if has_levels {
                let lod = self.level_of_detail(&c);
                self.nearest_level(lod)
            } else {
                Level::Known(0)
            };
            return self.filtered(&place, level, Filter::Nearest);
        }
        if !has_levels && magnify == minify {
            return self.filtered(&place, Level::Known(0), magnify);
        }
        let lod = self.level_of_detail(&c);
        let zero = self.b.f32(0.0);
        let is_minified = self.two(Op::GreaterThan, lod, zero);
        let blocks = self.b.if_(is_minified);
        self.b.switch_to(blocks.then);
        let small = match mipmap.filter(|_| has_levels) {
            None => self.filtered(&place, Level::Known(0), minify),
            Some(Filter::Linear) => self.between_levels(&place, lod),
            Some(Filter::Nearest) => {
                let level = self.nearest_level(lod);
                self.filtered(&place, level, minify)
            }
        };
        self.b.merge(&[small]);
        self.b.switch_to(blocks.otherwise);
        let large = self.filtered(&place, Level::Known(0), magnify);
        self.b.merge(&[large]);
        self.b.switch_to(blocks.merge);
        self.b.add_input(blocks.merge, self.result, Precision::None)
    }

    /// The level nearest to a level of detail; a NaN is the first.
    fn nearest_level(&mut self, lod: Value) -> Level {
        let (half, one, zero, most) =
            (self.b.f32(0.5), self.b.f32(1.0), self.b.f32(0.0), self.b.f32(self.last() as f32));
        let lod = self.two(Op::Max, zero, lod);
        let lod = self.two(Op::Min, lod, most);
        let up = self.two(Op::Add, lod, half);
        let up = self.b.op(Op::Ceil, &[up]);
        let level = self.two(Op::Subtract, up, one);
        let level = self.two(Op::Max, level, zero);
        self.level(level)
    }

    fn between_levels(&mut self, place: &Place, lod: Value) -> Value {
        let (one, zero, most) = (self.b.f32(1.0), self.b.f32(0.0), self.b.f32(self.last() as f32));
        let lod = self.two(Op::Min, lod, most);
        let low = self.b.op(Op::Floor, &[lod]);
        let weight = self.two(Op::Subtract, lod, low);
        let next = self.two(Op::Add, low, one);
        let next = self.two(Op::Min, next, most);
        let (low, next) = (self.level(low), self.level(next));
        let first = self.filtered(place, low, self.sampler.minify);
        let second = self.filtered(place, next, self.sampler.minify);
        let mixed = self.mix(first, second, weight);
        let is_first = self.two(Op::Equal, weight, zero);
        self.select(is_first, first, mixed)
    }

    pub(super) fn mix(&mut self, x: Value, y: Value, weight: Value) -> Value {
        let weight = match self.b.type_of(x) {
            Type::F32 => weight,
            ty => self.b.op_typed(Op::ConstructVectorFromScalar, &[weight], ty),
        };
        self.b.op(Op::Mix, &[x, y, weight])
    }

    /// A texel as a colour, or the result of the comparison.
    pub(super) fn value(&mut self, texel: Value) -> Value {
        let Some(depth) = self.depth else { return texel };
        let texel = component(self.b, texel, 0);
        let op = match self.sampler.compare {
            Comparison::Never => return self.b.f32(0.0),
            Comparison::Always => return self.b.f32(1.0),
            Comparison::Less => Op::LessThan,
            Comparison::LessEqual => Op::LessThanEqual,
            Comparison::Greater => Op::GreaterThan,
            Comparison::GreaterEqual => Op::GreaterThanEqual,
            Comparison::Equal => Op::Equal,
            Comparison::NotEqual => Op::NotEqual,
        };
        let passes = self.two(op, depth, texel);
        let (zero, one) = (self.b.f32(0.0), self.b.f32(1.0));
        self.select(passes, one, zero)
    }

    /// The level of a whole number, of `f32`.
    fn level(&mut self, number: Value) -> Level {
        let index = self.b.convert(number, Type::I32);
        let data = self.element(index);
        let size = [0, 1, 2].map(|c| {
            let extent = component(self.b, data, c);
            self.b.convert(extent, Type::F32)
        });
        let start = component(self.b, data, 3);
        Level::Read(size, self.b.convert(start, Type::I32))
    }

    pub(super) fn element(&mut self, index: Value) -> Value {
        let pointer = self.b.op(Op::AccessArrayElement, &[self.texture.texels.into(), index]);
        self.b.load(pointer)
    }

    fn level_of_detail(&mut self, c: &[Value]) -> Value {
        let least = match self.operand(TextureFlags::MIN_LOD) {
            Some(least) => least,
            None => self.b.f32(f32::NEG_INFINITY),
        };
        let bias = self.operand(TextureFlags::BIAS);
        let count = usize::from(self.dim().coordinates());
        let lod = match (self.operand(TextureFlags::LOD), self.flags.operand(TextureFlags::GRAD)) {
            (Some(level), _) => level,
            (None, Some(first)) => {
                let slopes = [first - 1, first]
                    .map(|i| (0..count).map(|c| component(self.b, self.args[i], c as u32)).collect::<Axes>());
                self.level_of_slopes(c, slopes)
            }
            (None, None) if !self.options.has_implicit_levels => bias.unwrap_or_else(|| self.b.f32(0.0)),
            (None, None) => {
                let slopes = [Op::DfdxFine, Op::DfdyFine]
                    .map(|op| c[..count].iter().map(|&c| self.b.op(op, &[c])).collect::<Axes>());
                let lod = self.level_of_slopes(c, slopes);
                match bias {
                    Some(bias) => self.two(Op::Add, lod, bias),
                    None => lod,
                }
            }
        };
        // (A NaN is less than any bound.)
        self.two(Op::Max, least, lod)
    }

    fn level_of_slopes(&mut self, c: &[Value], slopes: [Axes; 2]) -> Value {
        let slopes = match self.dim() {
            Dim::Cube => slopes.map(|slope| self.face_change(c, &slope)),
            _ => slopes,
        };
        let size = self.texture.sizes[0].map(|size| self.b.f32(size as f32));
        let squares = slopes.map(|slope| {
            let mut sum = None;
            for (slope, size) in slope.into_iter().zip(size) {
                let texels = self.b.op(Op::Multiply, &[slope, size]);
                let square = self.b.op(Op::Multiply, &[texels, texels]);
                sum = Some(sum.map_or(square, |sum| self.b.op(Op::Add, &[sum, square])));
            }
            sum.expect("a texture has an axis")
        });
        let (zero, least) = (self.b.f32(0.0), self.b.f32(LEAST_LEVEL));
        if self.options.single {
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

    /// One component of the four texels of a bilinear sample of the first level: `(0,1) (1,1) (1,0) (0,0)`. With individual offsets,
    /// each uses its own `(0,0)` texel.
    fn gather(&mut self) -> Value {
        let c = self.begin();
        let place = self.place(&c);
        let level = Level::Known(0);
        let offsets = self.operand(TextureFlags::OFFSETS);
        let mut parts = Vec::new();
        for (i, corner) in (0..).zip([[0, 1], [1, 1], [1, 0], [0, 0]]) {
            let corner = match offsets {
                Some(all) => {
                    let index = self.b.i32(i);
                    let offset = self.b.op(Op::ExtractArrayElement, &[all, index]);
                    self.offset = [0, 1, 2].map(|c| (c < 2).then(|| component(self.b, offset, c)));
                    [0; 2]
                }
                None => corner,
            };
            let indices: Axes = self.spans(&place, level, Filter::Linear).into_iter().map(|(index, _)| index).collect();
            let at: Axes = indices
                .into_iter()
                .zip(corner)
                .map(|(index, step)| {
                    let step = self.b.i32(step);
                    self.b.op(Op::Add, &[index, step])
                })
                .collect();
            let texel = self.texel(&at, place.layer, level);
            parts.push(match self.depth {
                Some(_) => self.value(texel),
                None => component(self.b, texel, self.flags.component().into()),
            });
        }
        self.b.op_typed(Op::ConstructVectorFromMultiple, &parts, self.result)
    }

    /// The number of a level, and whether it exists if that is not known.
    fn numbered_level(&mut self, number: Value) -> (Level, Option<Value>) {
        let levels = self.texture.sizes.len();
        let number = self.b.convert(number, Type::I32);
        let known = number.as_const().and_then(|c| self.b.module.consts.as_bits(c));
        if let Some(bits) = known.filter(|&bits| (bits as u32 as usize) < levels) {
            return (Level::Known(bits as u32 as usize), None);
        }
        let (zero, most, count) = (self.b.i32(0), self.b.i32(levels as i32 - 1), self.b.i32(levels as i32));
        let (above, below) = (self.two(Op::GreaterThanEqual, number, zero), self.two(Op::LessThan, number, count));
        let exists = self.two(Op::LogicalAnd, above, below);
        let number = self.b.op(Op::Clamp, &[number, zero, most]);
        let number = self.b.convert(number, Type::F32);
        (self.level(number), Some(exists))
    }

    /// The texel at an integer coordinate; zero outside.
    fn fetch(&mut self) -> Value {
        self.set_offset();
        let coordinate = self.args[0];
        let zero = self.b.i32(0);
        let number = self.operand(TextureFlags::LOD).unwrap_or(zero);
        let (level, mut inside) = self.numbered_level(number);
        let (axes, size) = (self.axes(), self.size(level));
        let mut at = Axes::new();
        let is_arrayed = self.texture.image.arrayed;
        for axis in 0..axes + usize::from(is_arrayed) {
            let index = component(self.b, coordinate, axis as u32);
            let mut index = self.b.convert(index, Type::I32);
            if let Some(offset) = self.offset[axis.min(2)].filter(|_| axis < axes) {
                index = self.two(Op::Add, index, offset);
            }
            let size = self.b.convert(if axis < axes { size[axis] } else { size[2] }, Type::I32);
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
        let layer = if is_arrayed { at.pop() } else { None };
        let texel = self.at(&at, layer, level);
        self.or_zero(inside, texel)
    }

    /// The size of a level, with the number of layers; zero for one that there is not.
    fn size_of_level(&mut self) -> Value {
        let zero = self.b.i32(0);
        let number = self.args.first().copied().unwrap_or(zero);
        let (level, exists) = self.numbered_level(number);
        let size = self.size(level).map(|size| self.b.convert(size, Type::I32));
        let mut parts: Vec<Value> = size[..self.axes()].to_vec();
        if self.texture.image.arrayed {
            let six = self.b.i32(6);
            parts.push(if self.dim() == Dim::Cube { self.two(Op::Divide, size[2], six) } else { size[2] });
        }
        let scalars: Vec<Value> =
            parts.into_iter().map(|part| exists.map_or(part, |exists| self.select(exists, part, zero))).collect();
        match scalars[..] {
            [size] => size,
            _ => self.b.op_typed(Op::ConstructVectorFromMultiple, &scalars, self.result),
        }
    }
}
