//! Textures and storage images.

use naga::{Expression, Handle, ImageQuery, SampleLevel};
use planish_ir::builder::Request;
use planish_ir::entity::{Type, Value};
use planish_ir::ops::{Op, TextureFlags as Flags};
use planish_ir::types::{AddressSpace, Dim, ImageKind, ImageType, Scalar};

use crate::function::Scope;
use crate::module::Lower;

impl Scope<'_, '_> {
    /// The image or sampler itself, given the expression of its address.
    fn handle(&mut self, expression: Handle<Expression>) -> Lower<Value> {
        let address = self.value(expression)?;
        self.at(self.span(expression));
        match self.pointee(address) {
            Some((_, AddressSpace::Handle)) => Ok(self.b.load(address)),
            _ => Err(self.maps.unsupported(self.span(expression), "an image or sampler from here")),
        }
    }

    fn image_type(&self, image: Value) -> Option<ImageType> {
        self.b.module.types.as_image(self.b.type_of(image))
    }

    fn image(&mut self, expression: Handle<Expression>) -> Lower<(Value, ImageType)> {
        let image = self.handle(expression)?;
        match self.image_type(image) {
            Some(ty) => Ok((image, ty)),
            None => Err(self.maps.unsupported(self.span(expression), "an image of this type")),
        }
    }

    /// Coordinate and layer as one vector of this scalar.
    fn coordinate(
        &mut self,
        coordinate: Handle<Expression>,
        layer: Option<Handle<Expression>>,
        scalar: Scalar,
    ) -> Lower<Value> {
        let coordinate = self.value(coordinate)?;
        let Some(layer) = layer else { return Ok(self.convert(coordinate, scalar)) };
        let layer = self.value(layer)?;
        let size = self.b.module.types.vector_size(self.b.type_of(coordinate)).unwrap_or(1);
        let ty = self.b.module.types.vector(scalar, size + 1);
        Ok(self.b.op_typed(Op::ConstructVectorFromMultiple, &[coordinate, layer], ty))
    }

    /// `textureSample…` and `textureGather…`.
    pub(crate) fn image_sample(&mut self, handle: Handle<Expression>) -> Lower<Value> {
        let Expression::ImageSample {
            image,
            sampler,
            gather,
            coordinate,
            array_index,
            offset,
            level,
            depth_ref,
            clamp_to_edge,
        } = self.expressions[handle]
        else {
            return Err(self.maps.unsupported(self.span(handle), "a sample of this kind"));
        };
        let (texture, ty) = self.image(image)?;
        let sampler = self.handle(sampler)?;
        self.at(self.span(handle));
        let mut place = self.coordinate(coordinate, array_index, Scalar::F32)?;
        if clamp_to_edge {
            place = self.clamp_to_edge(texture, ty, place);
        }
        let combined = self.b.op(Op::CombineSampler, &[texture, sampler]);
        let mut flags = Flags::NONE;
        let mut operands = vec![combined, place];
        if let Some(depth) = depth_ref {
            flags = flags.with(Flags::COMPARE);
            operands.push(self.value(depth)?);
        }
        let op = match gather {
            Some(component) => {
                flags = flags.with_component(component as u8);
                Op::TextureGather
            }
            None => self.sample_level(level, &mut flags, &mut operands)?,
        };
        if let Some(offset) = offset {
            flags = flags.with(Flags::OFFSET);
            operands.push(self.value(offset)?);
        }
        self.at(self.span(handle));
        let result = self.b.make(Request::new(op, &operands).imm(flags));
        // A depth texture sampled without comparison returns its depth in the first component.
        let scalar = ty.shadow && depth_ref.is_none() && gather.is_none();
        Ok(if scalar { self.b.swizzle(result, &[0]) } else { result })
    }

    fn sample_level(&mut self, level: SampleLevel, flags: &mut Flags, operands: &mut Vec<Value>) -> Lower<Op> {
        Ok(match level {
            SampleLevel::Auto => Op::TextureSample,
            SampleLevel::Zero => {
                *flags = flags.with(Flags::LOD);
                operands.push(self.b.f32(0.0));
                Op::TextureSampleLod
            }
            SampleLevel::Exact(level) => {
                *flags = flags.with(Flags::LOD);
                // The level of a depth texture is an integer.
                let level = self.value(level)?;
                operands.push(self.convert(level, Scalar::F32));
                Op::TextureSampleLod
            }
            SampleLevel::Bias(bias) => {
                *flags = flags.with(Flags::BIAS);
                operands.push(self.value(bias)?);
                Op::TextureSample
            }
            SampleLevel::Gradient { x, y } => {
                *flags = flags.with(Flags::GRAD);
                operands.push(self.value(x)?);
                operands.push(self.value(y)?);
                Op::TextureSampleGrad
            }
        })
    }

    /// Clamps to half a texel from the edge, as `textureSampleBaseClampToEdge` does with any sampler.
    fn clamp_to_edge(&mut self, texture: Value, ty: ImageType, place: Value) -> Value {
        let size = self.size(texture, ty, None);
        let size = self.convert(size, Scalar::F32);
        let like = |scope: &mut Self, x: f32| {
            let x = scope.b.f32(x);
            scope.splat_like(x, place)
        };
        let (half, one) = (like(self, 0.5), like(self, 1.0));
        let low = self.b.op(Op::Divide, &[half, size]);
        let high = self.b.op(Op::Subtract, &[one, low]);
        self.b.op(Op::Clamp, &[place, low, high])
    }

    /// `textureLoad`.
    pub(crate) fn image_load(
        &mut self,
        image: Handle<Expression>,
        coordinate: Handle<Expression>,
        array_index: Option<Handle<Expression>>,
        sample: Option<Handle<Expression>>,
        level: Option<Handle<Expression>>,
    ) -> Lower<Value> {
        let (texture, ty) = self.image(image)?;
        let mut operands = vec![texture, self.coordinate(coordinate, array_index, Scalar::I32)?];
        if matches!(ty.kind, ImageKind::Storage(_)) {
            return Ok(self.b.make(Request::new(Op::ImageLoad, &operands).imm(Flags::NONE)));
        }
        let mut flags = Flags::NONE;
        if let Some(level) = level {
            flags = flags.with(Flags::LOD);
            let level = self.value(level)?;
            operands.push(self.convert(level, Scalar::I32));
        }
        if let Some(sample) = sample {
            flags = flags.with(Flags::SAMPLE);
            let sample = self.value(sample)?;
            operands.push(self.convert(sample, Scalar::I32));
        }
        let texel = self.b.make(Request::new(Op::TextureFetch, &operands).imm(flags));
        Ok(if ty.shadow { self.b.swizzle(texel, &[0]) } else { texel })
    }

    /// `textureStore`.
    pub(crate) fn image_store(
        &mut self,
        image: Handle<Expression>,
        coordinate: Handle<Expression>,
        array_index: Option<Handle<Expression>>,
        value: Handle<Expression>,
    ) -> Lower<()> {
        let (texture, _) = self.image(image)?;
        let place = self.coordinate(coordinate, array_index, Scalar::I32)?;
        let value = self.value(value)?;
        self.b.make_all(Request::new(Op::ImageStore, &[texture, place, value]).imm(Flags::NONE));
        Ok(())
    }

    /// `textureAtomic…`.
    pub(crate) fn image_atomic(
        &mut self,
        image: Handle<Expression>,
        coordinate: Handle<Expression>,
        array_index: Option<Handle<Expression>>,
        function: naga::AtomicFunction,
        value: Handle<Expression>,
    ) -> Lower<()> {
        use naga::AtomicFunction as A;
        let (texture, _) = self.image(image)?;
        let place = self.coordinate(coordinate, array_index, Scalar::I32)?;
        let mut value = self.value(value)?;
        let mut operands = vec![texture, place];
        let op = match function {
            A::Add => Op::ImageAtomicAdd,
            A::Subtract => {
                value = self.negative(value);
                Op::ImageAtomicAdd
            }
            A::And => Op::ImageAtomicAnd,
            A::ExclusiveOr => Op::ImageAtomicXor,
            A::InclusiveOr => Op::ImageAtomicOr,
            A::Min => Op::ImageAtomicMin,
            A::Max => Op::ImageAtomicMax,
            A::Exchange { compare: None } => Op::ImageAtomicExchange,
            A::Exchange { compare: Some(compare) } => {
                operands.push(self.value(compare)?);
                Op::ImageAtomicCompareExchange
            }
        };
        operands.push(value);
        self.b.make_all(Request::new(op, &operands).imm(Flags::NONE));
        Ok(())
    }

    /// Size in texels (and layers), as `i32`.
    fn size(&mut self, texture: Value, ty: ImageType, level: Option<Value>) -> Value {
        if matches!(ty.kind, ImageKind::Storage(_)) {
            return self.b.op(Op::ImageSize, &[texture]);
        }
        if ty.multisampled {
            return self.b.op_imm(Op::TextureSize, Flags::NONE, &[texture]);
        }
        let level = level.unwrap_or_else(|| self.b.i32(0));
        self.b.op_imm(Op::TextureSize, Flags::LOD, &[texture, level])
    }

    /// `textureDimensions` and related queries; all return unsigned numbers.
    pub(crate) fn image_query(&mut self, image: Handle<Expression>, query: ImageQuery) -> Lower<Value> {
        let (texture, ty) = self.image(image)?;
        let number = match query {
            ImageQuery::Size { level } => {
                let level = match level {
                    Some(level) => {
                        let level = self.value(level)?;
                        Some(self.convert(level, Scalar::I32))
                    }
                    None => None,
                };
                let size = self.size(texture, ty, level);
                self.without_layers(size, ty)
            }
            ImageQuery::NumLevels => self.b.op(Op::TextureQueryLevels, &[texture]),
            ImageQuery::NumLayers => {
                let size = self.size(texture, ty, None);
                let last = self.b.module.types.vector_size(self.b.type_of(size)).unwrap_or(1) - 1;
                self.b.swizzle(size, &[last])
            }
            ImageQuery::NumSamples => self.b.op(Op::TextureQuerySamples, &[texture]),
        };
        Ok(self.convert(number, Scalar::U32))
    }

    fn without_layers(&mut self, size: Value, ty: ImageType) -> Value {
        match (ty.arrayed, ty.dim) {
            (false, _) => size,
            (true, Dim::D1) => self.b.swizzle(size, &[0]),
            (true, _) => self.b.swizzle(size, &[0, 1]),
        }
    }

    /// The number to add instead of subtracting.
    pub(crate) fn negative(&mut self, value: Value) -> Value {
        if self.b.type_of(value) == Type::F32 {
            return self.b.op(Op::Negate, &[value]);
        }
        let zero = self.b.type_of(value);
        let module = &mut *self.b.module;
        match module.consts.zero(&mut module.types, zero) {
            Some(zero) => self.b.op(Op::Subtract, &[zero.into(), value]),
            None => value,
        }
    }
}
