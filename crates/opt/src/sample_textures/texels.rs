//! Texels: wrapping, edges of cubes, linear filters.

use planish_ir::decoration::Precision;
use planish_ir::entity::{Type, Value};
use planish_ir::ops::Op;
use planish_ir::texture::{Filter, Wrap};
use planish_ir::types::Dim;
use smallvec::SmallVec;

use super::write::{Axes, Level, Place, Writer};

/// A coordinate in texels from here on is 0.
const LARGEST: f32 = 1e9;

impl Writer<'_, '_, '_> {
    /// Width, height, and depth or layers of a level, as `f32`.
    pub(super) fn size(&mut self, level: Level) -> [Value; 3] {
        match level {
            Level::Known(level) => self.texture.sizes[level].map(|size| self.b.f32(size as f32)),
            Level::Read(size, _) => size,
        }
    }

    /// An extent of a level, as `i32`.
    fn extent(&mut self, level: Level, axis: usize) -> Value {
        match level {
            Level::Known(level) => self.b.i32(self.texture.sizes[level][axis] as i32),
            Level::Read(size, _) => self.b.convert(size[axis], Type::I32),
        }
    }

    /// The number of the first texel of a level in the array.
    fn start(&mut self, level: Level) -> Value {
        let level = match level {
            Level::Known(level) => level,
            Level::Read(_, start) => return start,
        };
        let texels: u32 = self.texture.sizes[..level].iter().map(|size| size.iter().product::<u32>()).sum();
        self.b.i32((self.texture.sizes.len() as u32 + texels) as i32)
    }

    /// First texel, and weight of the second, along each axis.
    pub(super) fn spans(&mut self, place: &Place, level: Level, filter: Filter) -> SmallVec<[(Value, Value); 3]> {
        let size = self.size(level);
        let (zero, half, largest) = (self.b.f32(0.0), self.b.f32(0.5), self.b.f32(LARGEST));
        let mut spans = SmallVec::new();
        for (axis, &at) in place.at.iter().enumerate() {
            let x = self.two(Op::Multiply, at, size[axis]);
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
        spans
    }

    /// A filtered texel, or filtered comparisons.
    pub(super) fn filtered(&mut self, place: &Place, level: Level, filter: Filter) -> Value {
        let spans = self.spans(place, level, filter);
        let first: Axes = spans.iter().map(|span| span.0).collect();
        if filter == Filter::Nearest {
            let texel = self.texel(&first, place.layer, level);
            return self.value(texel);
        }
        let one = self.b.i32(1);
        let second: Axes = first.iter().map(|&index| self.b.op(Op::Add, &[index, one])).collect();
        let weights: Axes = spans.iter().map(|span| span.1).collect();
        if self.dim() != Dim::Cube {
            // Indices are wrapped once for all corners.
            let [first, second] = [first, second]
                .map(|indices| indices.iter().enumerate().map(|(axis, &i)| self.wrapped(axis, i, level)).collect());
            return self
                .corners([&first, &second], &weights, &mut |this, at| this.wrapped_texel(at, place.layer, level));
        }
        // Inside of a face no corner needs a direction.
        let (size, zero) = (self.extent(level, 0), self.b.i32(0));
        let mut inside = None;
        for (&low, &high) in first.iter().zip(&second) {
            let (above, below) = (self.two(Op::GreaterThanEqual, low, zero), self.two(Op::LessThan, high, size));
            let both = self.two(Op::LogicalAnd, above, below);
            inside = Some(inside.map_or(both, |inside| self.b.op(Op::LogicalAnd, &[inside, both])));
        }
        let blocks = self.b.if_(inside.expect("a face has two axes"));
        self.b.switch_to(blocks.then);
        let plain =
            self.corners([&first, &second], &weights, &mut |this, at: &[Value]| this.at(at, place.layer, level));
        self.b.merge(&[plain]);
        self.b.switch_to(blocks.otherwise);
        let across = self
            .corners([&first, &second], &weights, &mut |this, at: &[Value]| this.across_edges(at, place.layer, level));
        self.b.merge(&[across]);
        self.b.switch_to(blocks.merge);
        self.b.add_input(blocks.merge, self.result, Precision::None)
    }

    /// The corners of a square, cube or line between texels, mixed along each axis, the first one first.
    fn corners<T: Copy>(
        &mut self,
        ends: [&SmallVec<[T; 3]>; 2],
        weights: &[Value],
        texel: &mut dyn FnMut(&mut Self, &[T]) -> Value,
    ) -> Value {
        let axes = weights.len();
        let mut values: Vec<Value> = (0..1usize << axes)
            .map(|corner| {
                let at: SmallVec<[T; 3]> = (0..axes).map(|axis| ends[corner >> axis & 1][axis]).collect();
                let texel = texel(self, &at);
                self.value(texel)
            })
            .collect();
        for &weight in weights {
            values = values.chunks(2).map(|pair| self.mix(pair[0], pair[1], weight)).collect();
        }
        values[0]
    }

    /// The texel at indices that may lie outside.
    pub(super) fn texel(&mut self, indices: &[Value], layer: Option<Value>, level: Level) -> Value {
        if self.dim() == Dim::Cube {
            return self.across_edges(indices, layer, level);
        }
        let at: SmallVec<[Wrapped; 3]> =
            indices.iter().enumerate().map(|(axis, &index)| self.wrapped(axis, index, level)).collect();
        self.wrapped_texel(&at, layer, level)
    }

    fn wrapped_texel(&mut self, at: &[Wrapped], layer: Option<Value>, level: Level) -> Value {
        let indices: Axes = at.iter().map(|at| at.0).collect();
        let mut inside = None;
        for condition in at.iter().filter_map(|at| at.1) {
            inside = Some(inside.map_or(condition, |inside| self.b.op(Op::LogicalAnd, &[inside, condition])));
        }
        let texel = self.at(&indices, layer, level);
        self.or_zero(inside, texel)
    }

    /// The index of a texel along an axis, and a condition for there being one.
    fn wrapped(&mut self, axis: usize, index: Value, level: Level) -> Wrapped {
        let count = self.extent(level, axis);
        let (zero, one) = (self.b.i32(0), self.b.i32(1));
        let most = self.two(Op::Subtract, count, one);
        match self.sampler.wrap[axis] {
            Wrap::Clamp => (self.b.op(Op::Clamp, &[index, zero, most]), None),
            Wrap::Repeat => (self.remainder(axis, index, count), None),
            Wrap::Mirror => {
                let twice = self.two(Op::Add, count, count);
                let at = self.remainder(axis, index, twice);
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

    /// The least remainder that is not negative, by the size along an axis or twice that.
    fn remainder(&mut self, axis: usize, index: Value, count: Value) -> Value {
        if self.texture.sizes.iter().all(|size| size[axis].is_power_of_two()) {
            let one = self.b.i32(1);
            let mask = self.two(Op::Subtract, count, one);
            return self.two(Op::BitwiseAnd, index, mask);
        }
        // Quotients of integers of 32 bits are rounded down without an error in `f64`.
        let double = self.b.module.types.scalar(planish_ir::types::Scalar::F64);
        let [above, below] = [index, count].map(|x| self.b.convert(x, double));
        let quotient = self.two(Op::Divide, above, below);
        let whole = self.b.op(Op::Floor, &[quotient]);
        let whole = self.b.convert(whole, Type::I32);
        let product = self.two(Op::Multiply, whole, count);
        self.two(Op::Subtract, index, product)
    }

    /// The texel of a cube's face at indices that may lie outside. Across the edge is another face, determined by the direction of the
    /// texel's center.
    fn across_edges(&mut self, at: &[Value], layer: Option<Value>, level: Level) -> Value {
        let layer = layer.expect("a cube has faces");
        let (n, size) = (self.extent(level, 0), self.size(level)[0]);
        let (zero, one, six) = (self.b.i32(0), self.b.i32(1), self.b.i32(6));
        let most = self.two(Op::Subtract, n, one);
        let (half, two, whole) = (self.b.f32(0.5), self.b.f32(2.0), self.b.f32(1.0));
        let centers: Axes = at
            .iter()
            .map(|&index| {
                let x = self.b.convert(index, Type::F32);
                let x = self.b.op(Op::Add, &[x, half]);
                let x = self.b.op(Op::Divide, &[x, size]);
                let x = self.b.op(Op::Multiply, &[x, two]);
                self.b.op(Op::Subtract, &[x, whole])
            })
            .collect();
        let number = self.two(Op::Remainder, layer, six);
        let direction = self.direction(number, centers[0], centers[1]);
        let face = self.face(direction);
        let mut inside = None;
        for &index in at {
            let (above, below) = (self.two(Op::GreaterThanEqual, index, zero), self.two(Op::LessThan, index, n));
            let both = self.two(Op::LogicalAnd, above, below);
            inside = Some(inside.map_or(both, |inside| self.b.op(Op::LogicalAnd, &[inside, both])));
        }
        let inside = inside.expect("a face has two axes");
        let indices: Axes = [face.s, face.t]
            .into_iter()
            .zip(at)
            .map(|(x, &own)| {
                let x = self.on_face(x, face.m);
                let x = self.b.op(Op::Multiply, &[x, size]);
                let x = self.b.op(Op::Floor, &[x]);
                let x = self.b.convert(x, Type::I32);
                let x = self.b.op(Op::Clamp, &[x, zero, most]);
                self.b.op(Op::Select, &[inside, own, x])
            })
            .collect();
        let first = self.two(Op::Subtract, layer, number);
        let next = self.two(Op::Add, first, face.number);
        let layer = self.select(inside, layer, next);
        self.at(&indices, Some(layer), level)
    }

    /// The texel at indices that exist.
    pub(super) fn at(&mut self, at: &[Value], layer: Option<Value>, level: Level) -> Value {
        let mut index = layer.or_else(|| at.get(2).copied());
        for axis in (0..at.len().min(2)).rev() {
            index = Some(match index {
                Some(above) => {
                    let extent = self.extent(level, axis);
                    let above = self.two(Op::Multiply, above, extent);
                    self.two(Op::Add, above, at[axis])
                }
                None => at[axis],
            });
        }
        let start = self.start(level);
        let index = self.two(Op::Add, index.expect("a texture has an axis"), start);
        self.element(index)
    }

    pub(super) fn or_zero(&mut self, inside: Option<Value>, texel: Value) -> Value {
        let Some(inside) = inside else { return texel };
        let ty = self.b.type_of(texel);
        let zero = self.b.module.consts.splat(&mut self.b.module.types, ty, 0).expect("a vector");
        self.select(inside, texel, zero.into())
    }
}

/// An index, and a condition for there being a texel.
type Wrapped = (Value, Option<Value>);
