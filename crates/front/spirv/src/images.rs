//! Images and samplers. They are loaded where they are used.

use planish_ir::builder::Request;
use planish_ir::entity::{Const, Value};
use planish_ir::ops::{Op as Ir, TextureFlags as Flags};
use planish_ir::types::{Dim, ImageKind, ImageType, Scalar, TypeKind};
use spirv::Op;

use crate::function::{Scope, Val};
use crate::report::Res;
use crate::words::Inst;

/// Bits of image operands, in the order of their operands.
mod bit {
    pub(super) const BIAS: u32 = 0x1;
    pub(super) const LOD: u32 = 0x2;
    pub(super) const GRAD: u32 = 0x4;
    pub(super) const CONST_OFFSET: u32 = 0x8;
    pub(super) const OFFSET: u32 = 0x10;
    pub(super) const CONST_OFFSETS: u32 = 0x20;
    pub(super) const SAMPLE: u32 = 0x40;
    pub(super) const MIN_LOD: u32 = 0x80;
    /// Availability and visibility of texels have an operand each; the rest (privacy, extensions, temporality) none.
    pub(super) const SCOPED: [u32; 2] = [0x100, 0x200];
    pub(super) const OTHERS: u32 = 0x400 | 0x800 | 0x1000 | 0x2000 | 0x4000;
}

/// Optional operands of an image instruction.
#[derive(Clone, Copy, Default)]
struct Extra {
    bias: Option<u32>,
    lod: Option<u32>,
    grad: Option<(u32, u32)>,
    offset: Option<u32>,
    offsets: Option<u32>,
    sample: Option<u32>,
    min_lod: Option<u32>,
}

impl Extra {
    /// The operands from one on: a mask, and an operand or two for its bits.
    fn parse(inst: &Inst<'_>, from: usize) -> Res<Extra> {
        let mut extra = Extra::default();
        let Some((&mask, rest)) = inst.rest(from).split_first() else { return Ok(extra) };
        let mut rest = rest.iter().copied();
        let mut next = || match rest.next() {
            Some(id) => Ok(id),
            None => inst.invalid("operands are missing"),
        };
        if mask & bit::BIAS != 0 {
            extra.bias = Some(next()?);
        }
        if mask & bit::LOD != 0 {
            extra.lod = Some(next()?);
        }
        if mask & bit::GRAD != 0 {
            extra.grad = Some((next()?, next()?));
        }
        for bit in [bit::CONST_OFFSET, bit::OFFSET] {
            if mask & bit != 0 {
                extra.offset = Some(next()?);
            }
        }
        if mask & bit::CONST_OFFSETS != 0 {
            extra.offsets = Some(next()?);
        }
        if mask & bit::SAMPLE != 0 {
            extra.sample = Some(next()?);
        }
        if mask & bit::MIN_LOD != 0 {
            extra.min_lod = Some(next()?);
        }
        for bit in bit::SCOPED {
            if mask & bit != 0 {
                next()?;
            }
        }
        if mask >= 0x400 && mask & !(bit::OTHERS | 0x3ff) != 0 {
            return inst.unsupported("an image operand of an extension");
        }
        Ok(extra)
    }
}

impl<'w> Scope<'_, 'w, '_> {
    /// An instruction on images.
    pub(crate) fn image(&mut self, inst: &Inst<'w>) -> Res<Option<Val>> {
        let value = match inst.op {
            Op::SampledImage => {
                let (image, sampler) = (self.handle(inst, inst.word(0)?)?, self.handle(inst, inst.word(1)?)?);
                return Ok(Some(Val::Sampled(image, sampler)));
            }
            Op::Image => return Ok(Some(self.val(inst, inst.word(0)?)?)),
            Op::ImageTexelPointer if let Val::Pointer(image) = self.val(inst, inst.word(0)?)? => {
                let Some((_, texel)) = self.cx.defs.pointer(inst.ty) else {
                    return inst.invalid("its type is no pointer");
                };
                let Ok(ty) = self.cx.types.value(texel) else { return inst.unsupported("a texel of this type") };
                let place = [image, self.operand(inst, 1)?, self.operand(inst, 2)?];
                return Ok(Some(Val::SpirvTexel(place, ty)));
            }
            Op::ImageTexelPointer => {
                let (image, coordinate) = (self.handle(inst, inst.word(0)?)?, self.as_i32(inst, 1)?);
                let sample = self.as_i32(inst, 2)?;
                return Ok(Some(Val::Texel(image, coordinate, sample)));
            }
            Op::ImageSampleImplicitLod
            | Op::ImageSampleExplicitLod
            | Op::ImageSampleDrefImplicitLod
            | Op::ImageSampleDrefExplicitLod
            | Op::ImageSampleProjImplicitLod
            | Op::ImageSampleProjExplicitLod
            | Op::ImageSampleProjDrefImplicitLod
            | Op::ImageSampleProjDrefExplicitLod
            | Op::ImageGather
            | Op::ImageDrefGather => self.sample(inst)?,
            Op::ImageFetch => self.fetch(inst)?,
            Op::ImageRead => self.read(inst)?,
            Op::ImageWrite => {
                self.write(inst)?;
                return Ok(None);
            }
            Op::ImageQuerySizeLod | Op::ImageQuerySize => self.size(inst)?,
            Op::ImageQueryLod => {
                let image = self.load_image(inst, inst.word(0)?)?.0;
                let coordinate = self.operand(inst, 1)?;
                let ty = self.b.module.types.as_image(self.b.type_of(image));
                let size = ty.map_or(1, |t| t.dim.coordinates());
                let coordinate = self.cut(inst, coordinate, size)?;
                self.op(inst, Ir::TextureQueryLod, &[image, coordinate])?
            }
            Op::ImageQueryLevels => {
                let image = self.load_image(inst, inst.word(0)?)?.0;
                self.op(inst, Ir::TextureQueryLevels, &[image])?
            }
            Op::ImageQuerySamples => {
                let (image, ty) = self.load_image(inst, inst.word(0)?)?;
                let is_storage = matches!(ty.kind, ImageKind::Storage(_));
                self.op(inst, if is_storage { Ir::ImageSamples } else { Ir::TextureQuerySamples }, &[image])?
            }
            _ => return inst.unsupported("the instruction"),
        };
        let ty = self.result_type(inst)?;
        Ok(Some(Val::Value(self.in_shape(inst, value, ty)?)))
    }

    /// As many components as the result has, of its sign.
    fn in_shape(&mut self, inst: &Inst<'_>, value: Value, ty: planish_ir::entity::Type) -> Res<Value> {
        let size = |scope: &Self, ty| scope.b.module.types.vector_size(ty).unwrap_or(1);
        let (have, want) = (size(self, self.b.type_of(value)), size(self, ty));
        let value = if have > want {
            let lanes: Vec<u8> = (0..want).collect();
            self.swizzle(inst, value, &lanes)?
        } else {
            value
        };
        self.adapt(inst, value, ty)
    }

    /// The address of an image or sampler.
    fn handle(&mut self, inst: &Inst<'w>, id: u32) -> Res<Value> {
        match self.val(inst, id)? {
            Val::Handle(address) | Val::Sampled(address, _) => Ok(address),
            _ => inst.unsupported(&format!("%{id} as an image or sampler")),
        }
    }

    /// An image, combined with its sampler if it has one, and its type.
    pub(crate) fn load_image(&mut self, inst: &Inst<'w>, id: u32) -> Res<(Value, ImageType)> {
        let image = match self.val(inst, id)? {
            Val::Handle(address) => self.op(inst, Ir::Load, &[address])?,
            Val::Sampled(image, sampler) => {
                let (image, sampler) = (self.op(inst, Ir::Load, &[image])?, self.op(inst, Ir::Load, &[sampler])?);
                // An image that already has a sampler keeps it.
                match self.b.module.types.as_image(self.b.type_of(image)).map(|t| t.kind) {
                    Some(ImageKind::Combined) => return inst.unsupported("another sampler for a combined image"),
                    _ => self.op(inst, Ir::CombineSampler, &[image, sampler])?,
                }
            }
            _ => return inst.unsupported(&format!("%{id} as an image")),
        };
        match self.b.module.types.as_image(self.b.type_of(image)) {
            Some(ty) => Ok((image, ty)),
            None => inst.invalid(&format!("%{id} is no image")),
        }
    }

    /// An image without its sampler, for what does not sample.
    fn load_texture(&mut self, inst: &Inst<'w>, id: u32) -> Res<(Value, ImageType)> {
        match self.val(inst, id)? {
            Val::Sampled(image, _) => {
                let image = self.op(inst, Ir::Load, &[image])?;
                match self.b.module.types.as_image(self.b.type_of(image)) {
                    Some(ty) => Ok((image, ty)),
                    None => inst.invalid(&format!("%{id} is no image")),
                }
            }
            _ => self.load_image(inst, id),
        }
    }

    /// The first components of a coordinate.
    fn cut(&mut self, inst: &Inst<'_>, coordinate: Value, size: u8) -> Res<Value> {
        let have = self.b.module.types.vector_size(self.b.type_of(coordinate)).unwrap_or(1);
        if have <= size {
            return Ok(coordinate);
        }
        let lanes: Vec<u8> = (0..size).collect();
        self.swizzle(inst, coordinate, &lanes)
    }

    fn sample(&mut self, inst: &Inst<'w>) -> Res<Value> {
        use Op as O;
        let (image, ty) = self.load_image(inst, inst.word(0)?)?;
        if ty.kind != ImageKind::Combined {
            return inst.invalid("it samples an image without a sampler");
        }
        let is_proj = matches!(
            inst.op,
            O::ImageSampleProjImplicitLod
                | O::ImageSampleProjExplicitLod
                | O::ImageSampleProjDrefImplicitLod
                | O::ImageSampleProjDrefExplicitLod
        );
        let compares = matches!(
            inst.op,
            O::ImageSampleDrefImplicitLod
                | O::ImageSampleDrefExplicitLod
                | O::ImageSampleProjDrefImplicitLod
                | O::ImageSampleProjDrefExplicitLod
                | O::ImageDrefGather
        );
        let is_gather = matches!(inst.op, O::ImageGather | O::ImageDrefGather);
        if compares != ty.shadow {
            return inst.unsupported("an image that is both compared with a depth and sampled without");
        }
        let coordinate = self.operand(inst, 1)?;
        let coordinate = self.converted(inst, coordinate, Scalar::F32)?;
        let coordinate = self.cut(inst, coordinate, ty.coordinates() + u8::from(is_proj))?;
        let mut flags = if is_proj { Flags::PROJ } else { Flags::NONE };
        let mut args = vec![image, coordinate];
        let mut extra_from = 2;
        if compares {
            flags = flags.with(Flags::COMPARE);
            args.push(self.operand(inst, 2)?);
            extra_from = 3;
        } else if is_gather {
            let component = self.integer(inst, inst.word(2)?)?;
            if component > 3 {
                return inst.invalid("there is no such component");
            }
            flags = flags.with_component(component as u8);
            extra_from = 3;
        }
        let extra = Extra::parse(inst, extra_from)?;
        let op = match (is_gather, extra.lod, extra.grad) {
            (true, ..) => Ir::TextureGather,
            (_, Some(lod), _) => {
                flags = flags.with(Flags::LOD);
                let lod = self.value(inst, lod)?;
                args.push(self.converted(inst, lod, Scalar::F32)?);
                Ir::TextureSampleLod
            }
            (_, _, Some((x, y))) => {
                flags = flags.with(Flags::GRAD);
                for id in [x, y] {
                    let value = self.value(inst, id)?;
                    args.push(value);
                }
                Ir::TextureSampleGrad
            }
            _ => Ir::TextureSample,
        };
        if let Some(bias) = extra.bias {
            flags = flags.with(Flags::BIAS);
            args.push(self.value(inst, bias)?);
        }
        self.offsets(inst, extra, &mut flags, &mut args)?;
        if let Some(bound) = extra.min_lod {
            flags = flags.with(Flags::MIN_LOD);
            args.push(self.value(inst, bound)?);
        }
        self.op_imm(inst, op, flags, &args)
    }

    fn offsets(&mut self, inst: &Inst<'w>, extra: Extra, flags: &mut Flags, args: &mut Vec<Value>) -> Res<()> {
        if let Some(offset) = extra.offset {
            *flags = flags.with(Flags::OFFSET);
            let offset = self.value(inst, offset)?;
            args.push(self.converted(inst, offset, Scalar::I32)?);
        }
        if let Some(offsets) = extra.offsets {
            *flags = flags.with(Flags::OFFSETS);
            let offsets = self.value(inst, offsets)?;
            args.push(offsets);
        }
        Ok(())
    }

    fn fetch(&mut self, inst: &Inst<'w>) -> Res<Value> {
        let (image, ty) = self.load_texture(inst, inst.word(0)?)?;
        let coordinate = self.as_i32(inst, 1)?;
        let mut args = vec![image, self.cut(inst, coordinate, ty.coordinates())?];
        let extra = Extra::parse(inst, 2)?;
        let mut flags = Flags::NONE;
        let has_levels = !ty.multisampled && !matches!(ty.dim, Dim::Buffer | Dim::Rect);
        if has_levels {
            flags = flags.with(Flags::LOD);
            args.push(match extra.lod {
                Some(lod) => {
                    let lod = self.value(inst, lod)?;
                    self.converted(inst, lod, Scalar::I32)?
                }
                None => Const::I32_ZERO.into(),
            });
        }
        if let Some(sample) = extra.sample {
            flags = flags.with(Flags::SAMPLE);
            let sample = self.value(inst, sample)?;
            args.push(self.converted(inst, sample, Scalar::I32)?);
        }
        self.offsets(inst, extra, &mut flags, &mut args)?;
        self.op_imm(inst, Ir::TextureFetch, flags, &args)
    }

    /// The sample of a texel of a storage image or input attachment.
    fn texel_sample(&mut self, inst: &Inst<'w>, extra: Extra, args: &mut Vec<Value>) -> Res<Flags> {
        let Some(sample) = extra.sample else { return Ok(Flags::NONE) };
        let sample = self.value(inst, sample)?;
        args.push(self.converted(inst, sample, Scalar::I32)?);
        Ok(Flags::SAMPLE)
    }

    fn read(&mut self, inst: &Inst<'w>) -> Res<Value> {
        let (image, ty) = self.load_image(inst, inst.word(0)?)?;
        let extra = Extra::parse(inst, 2)?;
        if ty.dim == Dim::Subpass {
            let mut args = vec![image];
            let flags = self.texel_sample(inst, extra, &mut args)?;
            return self.op_imm(inst, Ir::SubpassLoad, flags, &args);
        }
        let mut args = vec![image, self.as_i32(inst, 1)?];
        let flags = self.texel_sample(inst, extra, &mut args)?;
        self.op_imm(inst, Ir::ImageLoad, flags, &args)
    }

    fn write(&mut self, inst: &Inst<'w>) -> Res<()> {
        let (image, ty) = self.load_image(inst, inst.word(0)?)?;
        let mut args = vec![image, self.as_i32(inst, 1)?];
        let extra = Extra::parse(inst, 3)?;
        let flags = self.texel_sample(inst, extra, &mut args)?;
        let mut texel = self.operand(inst, 2)?;
        let wanted = self.b.module.types.vector(ty.sampled, 4);
        let size = self.b.module.types.vector_size(self.b.type_of(texel)).unwrap_or(0);
        if size == 0 {
            return inst.invalid("its texel is no vector");
        }
        if size < 4 {
            // Components that the format lacks are not stored.
            let scalar = self.b.module.types.scalar_of(self.b.type_of(texel)).unwrap_or(ty.sampled);
            let zero = self.b.module.types.scalar(scalar);
            let zero: Value = match self.b.module.types[zero] {
                TypeKind::Scalar(_) => self.b.module.consts.bits(zero, 0).into(),
                _ => return inst.invalid("its texel is no vector"),
            };
            let full = self.b.module.types.vector(scalar, 4);
            let mut parts = vec![texel];
            parts.resize(1 + usize::from(4 - size), zero);
            texel = self.construct(inst, parts, full)?;
        }
        args.push(self.adapt(inst, texel, wanted)?);
        self.make_all(inst, Request::new(Ir::ImageStore, &args).imm(flags))?;
        Ok(())
    }

    fn size(&mut self, inst: &Inst<'w>) -> Res<Value> {
        let (image, ty) = self.load_texture(inst, inst.word(0)?)?;
        if matches!(ty.kind, ImageKind::Storage(_)) {
            return self.op(inst, Ir::ImageSize, &[image]);
        }
        match inst.op {
            Op::ImageQuerySizeLod => {
                let level = self.as_i32(inst, 1)?;
                self.op_imm(inst, Ir::TextureSize, Flags::LOD, &[image, level])
            }
            _ => self.op_imm(inst, Ir::TextureSize, Flags::NONE, &[image]),
        }
    }
}
