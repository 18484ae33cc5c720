//! Textures, samplers and storage images.

use naga::{
    AtomicFunction, BinaryOperator as Bin, Expression, ImageQuery, MathFunction as Math, SampleLevel, Statement,
};
use planish_interface::Implicit;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Node, Type, Value};
use planish_ir::ops::{Op, TextureFlags};
use planish_ir::types::{Dim, ImageKind, ImageType, Scalar};

use crate::Target;
use crate::function::{Ex, FunctionLowering, Val};
use crate::globals::{Bound, Tree};
use crate::memory::{Opaque, Place};
use crate::types::{Res, fail};

/// A texture with, or a sampler without, its other half.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    texture: Option<Bound>,
    sampler: Option<Bound>,
}

/// Operands of a sample, besides texture and sampler.
struct Sample {
    image: ImageType,
    coordinate: Ex,
    array_index: Option<Ex>,
    offset: Option<Ex>,
    level: SampleLevel,
    depth_ref: Option<Ex>,
    gather: Option<naga::SwizzleComponent>,
}

/// naga's atomic operation on a texel; `None` for an exchange, which it lacks.
pub(crate) fn image_atomic(op: Op) -> Option<AtomicFunction> {
    Some(match op {
        Op::ImageAtomicAdd => AtomicFunction::Add,
        Op::ImageAtomicMin => AtomicFunction::Min,
        Op::ImageAtomicMax => AtomicFunction::Max,
        Op::ImageAtomicAnd => AtomicFunction::And,
        Op::ImageAtomicOr => AtomicFunction::InclusiveOr,
        Op::ImageAtomicXor => AtomicFunction::ExclusiveOr,
        _ => return None,
    })
}

impl FunctionLowering<'_, '_> {
    /// Lowers a texture op; `None` if it has no result.
    pub(crate) fn texture(&mut self, node: Node, args: &[Value], ty: Type) -> Res<Option<Val>> {
        let op = self.body.node(node).op;
        let flags = self.body.node(node).imm.as_texture();
        let image = self.cx.types.ir.as_image(self.type_of(args[0]));
        if op == Op::CombineSampler {
            let (texture, sampler) = (self.opaque(args[0])?, self.opaque(args[1])?);
            return Ok(Some(Val::Combined(texture, sampler)));
        }
        let Some(image) = image else { return fail(Code::E0699, self.span, "an image was expected") };
        let e = match op {
            Op::TextureSample | Op::TextureSampleLod | Op::TextureSampleGrad => {
                self.sample(op, image, flags, args, ty)?
            }
            Op::TextureGather => self.gather(image, flags, args, ty)?,
            Op::TextureFetch => self.fetch(image, flags, args)?,
            Op::TextureSize => {
                let level = match flags.has(TextureFlags::LOD) && !image.multisampled {
                    true => Some(self.expr(args[1])?),
                    false => None,
                };
                self.size(args[0], image, level, ty)?
            }
            Op::ImageSize => self.size(args[0], image, None, ty)?,
            Op::TextureQueryLevels => self.count(args[0], ImageQuery::NumLevels)?,
            Op::TextureQuerySamples | Op::ImageSamples => self.count(args[0], ImageQuery::NumSamples)?,
            Op::ImageLoad => {
                let (coordinate, array_index) = self.texel(image, args[1])?;
                self.each(args[0], |s, leaf| {
                    let image = s.texture_of(leaf)?;
                    let (sample, level) = (None, None);
                    Ok(s.add(Expression::ImageLoad { image, coordinate, array_index, sample, level }))
                })?
            }
            Op::ImageStore => {
                let (coordinate, array_index) = self.texel(image, args[1])?;
                let value = self.expr(args[args.len() - 1])?;
                let leaves = self.candidates(args[0])?;
                let ([leaf], None) = (&leaves.0[..], leaves.1) else {
                    return fail(Code::E0605, self.span, "an image to store to cannot be chosen by a computed index");
                };
                let image = self.texture_of(*leaf)?;
                self.push(Statement::ImageStore { image, coordinate, array_index, value });
                return Ok(None);
            }
            _ => match image_atomic(op) {
                Some(fun) => return self.image_atomic(node, fun, image, args),
                None => return self.no_such_op(op),
            },
        };
        Ok(Some(Val::Expr(e)))
    }

    /// An atomic operation on a texel. naga's gives no old value, and WGSL has none but as an extension of its own.
    fn image_atomic(&mut self, node: Node, fun: AtomicFunction, image: ImageType, args: &[Value]) -> Res<Option<Val>> {
        let op = self.body.node(node).op;
        if self.cx.options.target != Target::Spirv || image.multisampled {
            return self.no_such_op(op);
        }
        if self.body.results(node).any(|old| !self.parts.is_unused(old)) {
            let message = format!("{} is written without the old value of `{}`", self.cx.target(), op.text());
            return fail(Code::E0604, self.span, message);
        }
        let (coordinate, array_index) = self.texel(image, args[1])?;
        let value = self.expr(args[args.len() - 1])?;
        let leaves = self.candidates(args[0])?;
        let ([leaf], None) = (&leaves.0[..], leaves.1) else {
            return fail(Code::E0605, self.span, "an image to store to cannot be chosen by a computed index");
        };
        let image = self.texture_of(*leaf)?;
        self.push(Statement::ImageAtomic { image, coordinate, array_index, fun, value });
        Ok(None)
    }

    fn opaque(&mut self, value: Value) -> Res<Opaque> {
        match self.val(value)? {
            Val::Opaque(o) | Val::Place(Place::Opaque(o)) => Ok(o),
            _ => fail(Code::E0605, self.span, "a texture or sampler was expected"),
        }
    }

    /// The images that a value may be, and the index of the one that it is (`None` if there is one only).
    fn candidates(&mut self, value: Value) -> Res<(Vec<Leaf>, Option<Ex>)> {
        let leaves = |o: &Opaque| -> Vec<Leaf> {
            o.candidates
                .iter()
                .filter_map(|t| match **t {
                    Tree::Leaf { texture, sampler } => Some(Leaf { texture, sampler }),
                    _ => None,
                })
                .collect()
        };
        match self.val(value)? {
            Val::Opaque(o) | Val::Place(Place::Opaque(o)) => Ok((leaves(&o), o.index)),
            Val::Combined(t, s) => {
                let (textures, samplers) = (leaves(&t), leaves(&s));
                let index = match (t.index, s.index) {
                    (Some(_), Some(_)) => {
                        let message = "texture and sampler cannot both be chosen by a computed index";
                        return fail(Code::E0605, self.span, message);
                    }
                    (a, b) => a.or(b),
                };
                let pair = |t: &Leaf, s: &Leaf| Leaf { texture: t.texture, sampler: s.sampler };
                let mut pairs = vec![];
                for t in &textures {
                    pairs.extend(samplers.iter().map(|s| pair(t, s)));
                }
                Ok((pairs, index))
            }
            _ => fail(Code::E0605, self.span, "a texture was expected"),
        }
    }

    /// The result of `f` for the texture that is meant. Where a computed index chooses, `f` runs for all, in uniform
    /// control flow, and the results are selected.
    fn each(&mut self, value: Value, mut f: impl FnMut(&mut Self, Leaf) -> Res<Ex>) -> Res<Ex> {
        let (leaves, index) = self.candidates(value)?;
        let mut results = vec![];
        for leaf in leaves {
            results.push(f(self, leaf)?);
        }
        let Some(mut chosen) = results.pop() else { return fail(Code::E0699, self.span, "no texture") };
        let Some(index) = index else { return Ok(chosen) };
        for (i, result) in results.into_iter().enumerate().rev() {
            let this = self.u32(i as u32);
            let is_this = self.binary(Bin::Equal, index, this);
            chosen = self.select(is_this, result, chosen);
        }
        Ok(chosen)
    }

    fn texture_of(&mut self, leaf: Leaf) -> Res<Ex> {
        match leaf.texture {
            Some(bound) => Ok(self.bound(bound)),
            None => fail(Code::E0605, self.span, "a texture was expected"),
        }
    }

    fn sampler_of(&mut self, leaf: Leaf) -> Res<Ex> {
        match leaf.sampler {
            Some(bound) => Ok(self.bound(bound)),
            None => fail(Code::E0605, self.span, "a sampler was expected"),
        }
    }

    /// Whether naga's type of the texture is a depth texture, whose samples are scalars.
    fn is_depth(&self, leaf: Leaf) -> bool {
        let ty = match leaf.texture {
            Some(Bound::Global(g)) => self.cx.types.naga.global_variables[g].ty,
            Some(Bound::Argument(i)) => self.fun.arguments[i as usize].ty,
            None => return false,
        };
        let inner = &self.cx.types.naga.types[ty].inner;
        matches!(inner, naga::TypeInner::Image { class: naga::ImageClass::Depth { .. }, .. })
    }

    fn warn(&mut self, code: Code, message: impl Into<String>) {
        let warning = Diagnostic::warning(code, self.span, message);
        if !self.cx.warnings.contains(&warning) {
            self.cx.warnings.push(warning);
        }
    }

    /// The float coordinate without divisor and layer, the layer, and the divisor.
    fn coordinate(&mut self, image: ImageType, flags: TextureFlags, value: Value) -> Res<(Ex, Option<Ex>, Option<Ex>)> {
        let (_, size) = self.shape(self.type_of(value));
        let whole = self.expr(value)?;
        let n = image.dim.coordinates();
        let lanes: Vec<u8> = (0..n).collect();
        let mut coordinate = if size == n { whole } else { self.swizzle(whole, &lanes) };
        let mut divisor = None;
        if flags.has(TextureFlags::PROJ) {
            let q = self.access_index(whole, u32::from(size) - 1);
            let by = self.splat(q, n);
            coordinate = self.binary(Bin::Divide, coordinate, by);
            divisor = Some(q);
        }
        let layer = if image.arrayed {
            let layer = self.access_index(whole, n.into());
            let layer = self.math1(Math::Round, layer);
            Some(self.convert(layer, Scalar::I32))
        } else {
            None
        };
        Ok((coordinate, layer, divisor))
    }

    fn level(&mut self, op: Op, image: ImageType, flags: TextureFlags, args: &[Value]) -> Res<SampleLevel> {
        if flags.has(TextureFlags::MIN_LOD) {
            return fail(Code::E0605, self.span, format!("{} has no lower bound of the level", self.cx.target()));
        }
        let at = |flag| flags.operand(flag).map(|i| args[i]);
        if let Some(i) = flags.operand(TextureFlags::GRAD) {
            if image.shadow {
                return fail(Code::E0605, self.span, "a shadow sampler with given derivatives is not supported");
            }
            let (x, y) = (self.expr(args[i])?, self.expr(args[i + 1])?);
            return Ok(SampleLevel::Gradient { x, y });
        }
        if let Some(lod) = at(TextureFlags::LOD) {
            let zero = lod.as_const().and_then(|c| self.cx.module.consts.as_bits(c)) == Some(0);
            if image.shadow {
                if !zero {
                    let message = "the level of a shadow sampler can only be 0";
                    return fail(Code::E0605, self.span, format!("{message} in {}", self.cx.target()));
                }
                return Ok(SampleLevel::Zero);
            }
            return Ok(SampleLevel::Exact(self.expr(lod)?));
        }
        match self.implicit {
            Implicit::Exist => {}
            Implicit::Missing => {
                let bias = at(TextureFlags::BIAS).filter(|_| !image.shadow).map(|bias| self.expr(bias)).transpose()?;
                return Ok(bias.map_or(SampleLevel::Zero, SampleLevel::Exact));
            }
            Implicit::Mixed => {
                let text = "a function that fragment shaders and other stages call cannot sample at an implicit level of detail";
                return fail(Code::E0605, self.span, text);
            }
        }
        if let Some(bias) = at(TextureFlags::BIAS) {
            if image.shadow || image.dim == Dim::D1 {
                let message = format!("{} has no level bias for this kind of sampler", self.cx.target());
                return fail(Code::E0605, self.span, message);
            }
            return Ok(SampleLevel::Bias(self.expr(bias)?));
        }
        let _ = op;
        Ok(SampleLevel::Auto)
    }

    fn sample(&mut self, op: Op, image: ImageType, flags: TextureFlags, args: &[Value], ty: Type) -> Res<Ex> {
        let (coordinate, array_index, divisor) = self.coordinate(image, flags, args[1])?;
        if image.sampled != Scalar::F32 {
            return self.sample_integers(image, flags, args, coordinate, array_index);
        }
        let depth_ref = match flags.operand(TextureFlags::COMPARE) {
            Some(i) => {
                let depth = self.expr(args[i])?;
                Some(match divisor {
                    Some(q) => self.binary(Bin::Divide, depth, q),
                    None => depth,
                })
            }
            None => None,
        };
        let offset = self.constant_offset(flags, args)?;
        let level = self.level(op, image, flags, args)?;
        let sample = Sample { image, coordinate, array_index, offset, level, depth_ref, gather: None };
        self.each(args[0], |s, leaf| s.sample_one(leaf, &sample, ty))
    }

    fn constant_offset(&mut self, flags: TextureFlags, args: &[Value]) -> Res<Option<Ex>> {
        let Some(i) = flags.operand(TextureFlags::OFFSET) else { return Ok(None) };
        if args[i].as_const().is_none() {
            let message = format!("{} needs a constant offset", self.cx.target());
            return fail(Code::E0605, self.span, message);
        }
        Ok(Some(self.expr(args[i])?))
    }

    fn sample_one(&mut self, leaf: Leaf, sample: &Sample, ty: Type) -> Res<Ex> {
        let (texture, sampler) = (self.texture_of(leaf)?, self.sampler_of(leaf)?);
        let mut coordinate = sample.coordinate;
        if sample.image.dim == Dim::Rect {
            let size = self.add(Expression::ImageQuery { image: texture, query: ImageQuery::Size { level: None } });
            let size = self.convert(size, Scalar::F32);
            coordinate = self.binary(Bin::Divide, coordinate, size);
        }
        let mut level = sample.level;
        let depth = self.is_depth(leaf);
        if let (true, SampleLevel::Exact(lod)) = (depth, level) {
            level = SampleLevel::Exact(self.convert(lod, Scalar::I32));
        }
        let result = self.add(Expression::ImageSample {
            image: texture,
            sampler,
            gather: sample.gather,
            coordinate,
            array_index: sample.array_index,
            offset: sample.offset,
            level,
            depth_ref: sample.depth_ref,
            clamp_to_edge: false,
        });
        if depth && self.shape(ty).1 == 4 && sample.gather.is_none() {
            let (zero, one) = (self.f32(0.0), self.f32(1.0));
            return self.compose(ty, vec![result, zero, zero, one]);
        }
        Ok(result)
    }

    /// Samples of integer textures, which are never filtered: a load of the nearest texel. The wrapping of the sampler
    /// is not to be known, so coordinates are clamped to the edge.
    fn sample_integers(
        &mut self,
        image: ImageType,
        flags: TextureFlags,
        args: &[Value],
        coordinate: Ex,
        array_index: Option<Ex>,
    ) -> Res<Ex> {
        if image.dim == Dim::Cube || flags.has(TextureFlags::GRAD) {
            let message = format!("{} cannot sample this integer texture", self.cx.target());
            return Err(Box::new(Diagnostic::error(Code::E0605, self.span, message).help("use `texelFetch`")));
        }
        self.warn(
            Code::W0152,
            format!("{} cannot sample integer textures: the nearest texel is loaded instead", self.cx.target()),
        );
        let lod = match flags.operand(TextureFlags::LOD) {
            Some(i) => {
                let lod = self.expr(args[i])?;
                let lod = self.math1(Math::Round, lod);
                self.convert(lod, Scalar::I32)
            }
            None => self.i32(0),
        };
        let offset = self.constant_offset(flags, args)?;
        let n = image.dim.coordinates();
        self.each(args[0], |s, leaf| {
            let texture = s.texture_of(leaf)?;
            let query = ImageQuery::Size { level: (!image.multisampled).then_some(lod) };
            let size = s.add(Expression::ImageQuery { image: texture, query });
            let size = s.convert(size, Scalar::I32);
            let extent = s.convert(size, Scalar::F32);
            let position =
                if image.dim == Dim::Rect { coordinate } else { s.binary(Bin::Multiply, coordinate, extent) };
            let position = s.math1(Math::Floor, position);
            let mut texel = s.convert(position, Scalar::I32);
            if let Some(offset) = offset {
                texel = s.binary(Bin::Add, texel, offset);
            }
            let (zero, one) = (s.i32(0), s.i32(1));
            let (zero, one) = (s.splat(zero, n), s.splat(one, n));
            let last = s.binary(Bin::Subtract, size, one);
            let texel = s.math(Math::Clamp, &[texel, zero, last]);
            let level = Some(lod);
            Ok(s.add(Expression::ImageLoad { image: texture, coordinate: texel, array_index, sample: None, level }))
        })
    }

    fn gather(&mut self, image: ImageType, flags: TextureFlags, args: &[Value], ty: Type) -> Res<Ex> {
        use naga::SwizzleComponent as C;
        let (coordinate, array_index, _) = self.coordinate(image, flags, args[1])?;
        let depth_ref = match flags.operand(TextureFlags::COMPARE) {
            Some(i) => Some(self.expr(args[i])?),
            None => None,
        };
        let component = if image.shadow { 0 } else { flags.component() };
        let gather = Some([C::X, C::Y, C::Z, C::W][component as usize]);
        let level = SampleLevel::Zero;
        let offset = self.constant_offset(flags, args)?;
        let mut sample = Sample { image, coordinate, array_index, offset, level, depth_ref, gather };
        let Some(i) = flags.operand(TextureFlags::OFFSETS) else {
            return self.each(args[0], |s, leaf| s.sample_one(leaf, &sample, ty));
        };
        // Four offsets: of each footprint the texel (i0, j0), which a gather gives last.
        let parts = args[i].as_const().and_then(|c| self.cx.module.consts.as_parts(c));
        let Some(parts) = parts.map(<[_]>::to_vec) else {
            return fail(Code::E0605, self.span, format!("{} needs constant offsets", self.cx.target()));
        };
        let mut components = vec![];
        for part in parts {
            sample.offset = Some(self.constant(part)?);
            let four = self.each(args[0], |s, leaf| s.sample_one(leaf, &sample, ty))?;
            components.push(self.access_index(four, 3));
        }
        self.compose(ty, components)
    }

    /// The integer coordinate without layer, and the layer. A cube as a storage image is an array of faces.
    fn texel(&mut self, image: ImageType, value: Value) -> Res<(Ex, Option<Ex>)> {
        let whole = self.expr(value)?;
        let cube = image.dim == Dim::Cube && matches!(image.kind, ImageKind::Storage(_));
        let n = if cube { 2 } else { image.dim.coordinates() };
        if !image.arrayed && !cube {
            return Ok((whole, None));
        }
        let lanes: Vec<u8> = (0..n).collect();
        let coordinate = self.swizzle(whole, &lanes);
        Ok((coordinate, Some(self.access_index(whole, n.into()))))
    }

    fn fetch(&mut self, image: ImageType, flags: TextureFlags, args: &[Value]) -> Res<Ex> {
        let (mut coordinate, array_index) = self.texel(image, args[1])?;
        if let Some(i) = flags.operand(TextureFlags::OFFSET) {
            let offset = self.expr(args[i])?;
            coordinate = self.binary(Bin::Add, coordinate, offset);
        }
        let sample = match flags.operand(TextureFlags::SAMPLE) {
            Some(i) => Some(self.expr(args[i])?),
            None if image.multisampled => Some(self.i32(0)),
            None => None,
        };
        let level = match flags.operand(TextureFlags::LOD) {
            _ if image.multisampled => None,
            Some(i) => Some(self.expr(args[i])?),
            None => Some(self.i32(0)),
        };
        let four = self.cx.types.ir.vector(image.sampled, 4);
        self.each(args[0], |s, leaf| {
            let texture = s.texture_of(leaf)?;
            let texel = s.add(Expression::ImageLoad { image: texture, coordinate, array_index, sample, level });
            if s.is_depth(leaf) {
                let (zero, one) = (s.f32(0.0), s.f32(1.0));
                return s.compose(four, vec![texel, zero, zero, one]);
            }
            Ok(texel)
        })
    }

    fn size(&mut self, value: Value, image: ImageType, level: Option<Ex>, ty: Type) -> Res<Ex> {
        self.each(value, |s, leaf| {
            let texture = s.texture_of(leaf)?;
            let size = s.add(Expression::ImageQuery { image: texture, query: ImageQuery::Size { level } });
            let size = s.convert(size, Scalar::I32);
            if !image.arrayed {
                return Ok(size);
            }
            let layers = s.add(Expression::ImageQuery { image: texture, query: ImageQuery::NumLayers });
            let layers = s.convert(layers, Scalar::I32);
            s.compose(ty, vec![size, layers])
        })
    }

    fn count(&mut self, value: Value, query: ImageQuery) -> Res<Ex> {
        self.each(value, |s, leaf| {
            let texture = s.texture_of(leaf)?;
            let count = s.add(Expression::ImageQuery { image: texture, query });
            Ok(s.convert(count, Scalar::I32))
        })
    }
}
