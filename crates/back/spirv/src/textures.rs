//! Textures, samplers and storage images.

use planish_interface::Implicit;
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Node, Type, Value};
use planish_ir::ops::{Op, TextureFlags};
use planish_ir::types::{Dim, ImageFormat, ImageKind, ImageType, Scalar, TypeKind};
use spirv::{Capability, Op as S, StorageClass};

use crate::assemble::Id;
use crate::function::{FunctionWriter, Val};
use crate::places::{Chain, Place};
use crate::types::{Res, fail};

/// Optional operands of an image instruction: bits, and operands in the order of the bits.
#[derive(Default)]
struct Extra {
    mask: u32,
    operands: Vec<Id>,
}

/// The bits, from the lowest on in the order in which their operands come.
const BIAS: u32 = 0x1;
const LOD: u32 = 0x2;
const GRAD: u32 = 0x4;
const CONST_OFFSET: u32 = 0x8;
const OFFSET: u32 = 0x10;
const CONST_OFFSETS: u32 = 0x20;
const SAMPLE: u32 = 0x40;
const MIN_LOD: u32 = 0x80;

impl Extra {
    fn add(&mut self, bit: u32, operands: &[Id]) {
        debug_assert!(self.mask < bit, "operands come in the order of their bits");
        self.mask |= bit;
        self.operands.extend_from_slice(operands);
    }

    fn append_to(&self, operands: &mut Vec<Id>) {
        if self.mask != 0 {
            operands.push(self.mask);
            operands.extend_from_slice(&self.operands);
        }
    }
}

impl FunctionWriter<'_, '_> {
    /// Writes a texture op; `None` if it has no result.
    pub(crate) fn texture(&mut self, node: Node, args: &[Value], ty: Type) -> Res<Option<Val>> {
        let op = self.body.node(node).op;
        let flags = self.body.node(node).imm.as_texture();
        if op == Op::CombineSampler {
            let (texture, sampler) = (self.handle(args[0])?, self.handle(args[1])?);
            return Ok(Some(Val::Combined(Place::Memory(texture), Place::Memory(sampler))));
        }
        let Some(image) = self.cx.types.as_image(self.type_of(args[0])) else {
            return fail(Code::E0699, self.span, "an image was expected");
        };
        let id = match op {
            Op::TextureSample | Op::TextureSampleLod | Op::TextureSampleGrad => self.sample(image, flags, args, ty)?,
            Op::TextureGather => self.gather(image, flags, args, ty)?,
            Op::TextureFetch => self.fetch(image, flags, args, ty)?,
            Op::TextureSize => {
                let level = flags.has(TextureFlags::LOD).then(|| args[1]);
                self.size(args[0], image, level, ty)?
            }
            Op::ImageSize => self.size(args[0], image, None, ty)?,
            Op::TextureQueryLod => self.query_lod(args, ty)?,
            Op::TextureQueryLevels => self.count(args[0], S::ImageQueryLevels, ty)?,
            Op::TextureQuerySamples | Op::ImageSamples => self.count(args[0], S::ImageQuerySamples, ty)?,
            Op::ImageLoad => self.image_load(image, flags, args, ty)?,
            Op::ImageStore => {
                self.image_store(image, flags, args)?;
                return Ok(None);
            }
            _ => self.image_atomic(node, flags, args, ty)?,
        };
        Ok(Some(Val::Id(id)))
    }

    // Images and samplers.

    /// The pointer to an image or sampler.
    fn handle(&mut self, value: Value) -> Res<Chain> {
        match self.val(value)? {
            Val::Handle(Place::Memory(chain)) | Val::Place(Place::Memory(chain)) => Ok(chain),
            _ => fail(Code::E0605, self.span, "a texture or sampler was expected"),
        }
    }

    fn load_handle(&mut self, chain: &Chain) -> Res<Id> {
        let ty = self.cx.value_type(chain.ty, self.span)?;
        let key = (S::Load, ty, chain.base, chain.indices.clone());
        if let Some(&id) = self.at_hand.get(&key) {
            return Ok(id);
        }
        let pointer = self.pointer(chain)?;
        let id = self.emit(S::Load, ty, &[pointer]);
        self.follows(id, &[pointer]);
        self.at_hand.insert(key, id);
        Ok(id)
    }

    /// The image with its sampler.
    pub(crate) fn sampled_image(&mut self, value: Value) -> Res<Id> {
        let Val::Combined(Place::Memory(texture), Place::Memory(sampler)) = self.val(value)? else {
            let chain = self.handle(value)?;
            return self.load_handle(&chain);
        };
        let (texture_id, sampler) = (self.load_handle(&texture)?, self.load_handle(&sampler)?);
        let inner = self.cx.value_type(texture.ty, self.span)?;
        let ty = self.cx.out.plain_type(S::TypeSampledImage, &[inner]);
        let sampled = self.emit(S::SampledImage, ty, &[texture_id, sampler]);
        self.follows(sampled, &[texture_id, sampler]);
        Ok(sampled)
    }

    /// The image without its sampler.
    pub(crate) fn image_only(&mut self, value: Value) -> Res<Id> {
        let chain = match self.val(value)? {
            Val::Combined(Place::Memory(texture), _) => texture,
            _ => self.handle(value)?,
        };
        let loaded = self.load_handle(&chain)?;
        let Some(image) = self.cx.types.as_image(chain.ty) else {
            return fail(Code::E0605, self.span, "a texture was expected");
        };
        if image.kind != ImageKind::Combined || image.dim == Dim::Buffer {
            return Ok(loaded);
        }
        let ty = self.cx.image_alone(image, self.span)?;
        Ok(self.emit(S::Image, ty, &[loaded]))
    }

    // Samples.

    /// The coordinate, divided by its last component if it is projected (and that divisor); rectangle textures are
    /// addressed in texels.
    fn coordinate(&mut self, image: ImageType, flags: TextureFlags, args: &[Value]) -> Res<(Id, Option<Id>)> {
        let ty = self.type_of(args[1]);
        let (mut coordinate, mut divisor) = (self.id(args[1])?, None);
        let n = image.dim.coordinates();
        let wanted = self.cx.types.vector(Scalar::F32, n);
        if flags.has(TextureFlags::PROJ) {
            let (_, size) = self.shape(ty);
            let q = self.part(coordinate, Type::F32, u32::from(size) - 1);
            let by = self.splat_value(wanted, q);
            let first = if n == 1 {
                self.part(coordinate, Type::F32, 0)
            } else {
                let mut operands = vec![coordinate, coordinate];
                operands.extend(0..u32::from(n));
                let id = self.cx.number(wanted);
                self.emit(S::VectorShuffle, id, &operands)
            };
            coordinate = self.op2(S::FDiv, wanted, first, by);
            divisor = Some(q);
        }
        if image.dim == Dim::Rect {
            let texture = self.image_only(args[0])?;
            let size = self.query_size(texture, true, None, Type::IVEC2)?;
            let size = self.op1(S::ConvertSToF, wanted, size);
            coordinate = self.op2(S::FDiv, wanted, coordinate, size);
        }
        Ok((coordinate, divisor))
    }

    /// Level, derivatives, offset and bound; and whether the level is explicit.
    fn sample_operands(&mut self, flags: TextureFlags, args: &[Value]) -> Res<(Extra, bool)> {
        let mut extra = Extra::default();
        let at = |flag| flags.operand(flag).map(|i| args[i]);
        let explicit = flags.has(TextureFlags::LOD) || flags.has(TextureFlags::GRAD);
        if !explicit && self.implicit == Implicit::Mixed {
            let text =
                "a function that fragment shaders and other stages call cannot sample at an implicit level of detail";
            return fail(Code::E0605, self.span, text);
        }
        let implicit = !explicit && self.implicit == Implicit::Exist;
        if let Some(bias) = at(TextureFlags::BIAS).filter(|_| implicit) {
            let bias = self.id(bias)?;
            extra.add(BIAS, &[bias]);
        }
        if let Some(i) = flags.operand(TextureFlags::GRAD) {
            let (x, y) = (self.id(args[i])?, self.id(args[i + 1])?);
            extra.add(GRAD, &[x, y]);
        } else if !implicit {
            // Without derivatives, the base level is sampled.
            let level = match at(TextureFlags::LOD).or(at(TextureFlags::BIAS)) {
                Some(level) => self.id(level)?,
                None => self.cx.scalar(Scalar::F32, 0),
            };
            extra.add(LOD, &[level]);
        }
        if let Some(offset) = at(TextureFlags::OFFSET) {
            if offset.as_const().is_none() {
                return fail(Code::E0605, self.span, "SPIR-V for Vulkan needs a constant offset");
            }
            let offset = self.id(offset)?;
            extra.add(CONST_OFFSET, &[offset]);
        }
        if let Some(bound) = at(TextureFlags::MIN_LOD) {
            let bound = self.id(bound)?;
            self.cx.out.need(Capability::MinLod);
            extra.add(MIN_LOD, &[bound]);
        }
        Ok((extra, !implicit))
    }

    fn sample(&mut self, image: ImageType, flags: TextureFlags, args: &[Value], ty: Type) -> Res<Id> {
        let (coordinate, divisor) = self.coordinate(image, flags, args)?;
        let compare = match flags.operand(TextureFlags::COMPARE) {
            Some(i) => {
                let depth = self.id(args[i])?;
                Some(match divisor {
                    Some(q) => self.op2(S::FDiv, Type::F32, depth, q),
                    None => depth,
                })
            }
            None => None,
        };
        let (extra, explicit) = self.sample_operands(flags, args)?;
        let instruction = match (compare.is_some(), explicit) {
            (false, false) => S::ImageSampleImplicitLod,
            (false, true) => S::ImageSampleExplicitLod,
            (true, false) => S::ImageSampleDrefImplicitLod,
            (true, true) => S::ImageSampleDrefExplicitLod,
        };
        let mut operands = vec![self.sampled_image(args[0])?, coordinate];
        operands.extend(compare);
        extra.append_to(&mut operands);
        let ty = self.cx.number(ty);
        Ok(self.emit(instruction, ty, &operands))
    }

    fn gather(&mut self, image: ImageType, flags: TextureFlags, args: &[Value], ty: Type) -> Res<Id> {
        let (coordinate, _) = self.coordinate(image, flags, args)?;
        let (instruction, what) = match flags.operand(TextureFlags::COMPARE) {
            Some(i) => (S::ImageDrefGather, self.id(args[i])?),
            None => (S::ImageGather, self.cx.scalar(Scalar::I32, flags.component().into())),
        };
        let mut extra = Extra::default();
        if let Some(i) = flags.operand(TextureFlags::OFFSET) {
            let offset = self.id(args[i])?;
            if args[i].as_const().is_none() {
                self.cx.out.need(Capability::ImageGatherExtended);
            }
            extra.add(if args[i].as_const().is_some() { CONST_OFFSET } else { OFFSET }, &[offset]);
        }
        if let Some(i) = flags.operand(TextureFlags::OFFSETS) {
            if args[i].as_const().is_none() {
                return fail(Code::E0605, self.span, "SPIR-V needs constant offsets");
            }
            self.cx.out.need(Capability::ImageGatherExtended);
            let offsets = self.id(args[i])?;
            extra.add(CONST_OFFSETS, &[offsets]);
        }
        let mut operands = vec![self.sampled_image(args[0])?, coordinate, what];
        extra.append_to(&mut operands);
        let ty = self.cx.number(ty);
        Ok(self.emit(instruction, ty, &operands))
    }

    fn query_lod(&mut self, args: &[Value], ty: Type) -> Res<Id> {
        if self.implicit != Implicit::Exist {
            return fail(Code::E0604, self.span, "only fragment shaders can ask for the level of detail");
        }
        self.cx.out.need(Capability::ImageQuery);
        let (image, coordinate) = (self.sampled_image(args[0])?, self.id(args[1])?);
        Ok(self.op2(S::ImageQueryLod, ty, image, coordinate))
    }

    // Texels.

    fn fetch(&mut self, image: ImageType, flags: TextureFlags, args: &[Value], ty: Type) -> Res<Id> {
        let at = |flag| flags.operand(flag).map(|i| args[i]);
        let mut coordinate = self.id(args[1])?;
        let mut extra = Extra::default();
        if !image.multisampled && image.dim != Dim::Buffer {
            let level = match at(TextureFlags::LOD) {
                Some(level) => self.id(level)?,
                None => self.cx.scalar(Scalar::I32, 0),
            };
            extra.add(LOD, &[level]);
        }
        match at(TextureFlags::OFFSET) {
            Some(offset) if offset.as_const().is_some() => {
                let offset = self.id(offset)?;
                extra.add(CONST_OFFSET, &[offset]);
            }
            Some(offset) => coordinate = self.add_offset(image, args[1], coordinate, offset)?,
            None => {}
        }
        if image.multisampled {
            let sample = match at(TextureFlags::SAMPLE) {
                Some(sample) => self.id(sample)?,
                None => self.cx.scalar(Scalar::I32, 0),
            };
            extra.add(SAMPLE, &[sample]);
        }
        let mut operands = vec![self.image_only(args[0])?, coordinate];
        extra.append_to(&mut operands);
        let ty = self.cx.number(ty);
        Ok(self.emit(S::ImageFetch, ty, &operands))
    }

    /// A computed offset, which image instructions do not take, added to the coordinate (but not to its layer).
    fn add_offset(&mut self, image: ImageType, value: Value, coordinate: Id, offset: Value) -> Res<Id> {
        let ty = self.type_of(value);
        let mut offset = self.id(offset)?;
        if image.arrayed {
            let zero = self.cx.scalar(Scalar::I32, 0);
            offset = self.compose(ty, &[offset, zero]);
        }
        Ok(self.op2(S::IAdd, ty, coordinate, offset))
    }

    fn size(&mut self, value: Value, image: ImageType, level: Option<Value>, ty: Type) -> Res<Id> {
        let texture = self.image_only(value)?;
        let level = match level {
            Some(level) => Some(self.id(level)?),
            None => None,
        };
        let storage = matches!(image.kind, ImageKind::Storage(_));
        let levels = !storage && !image.multisampled && image.dim != Dim::Buffer;
        self.query_size(texture, levels, level, ty)
    }

    fn query_size(&mut self, texture: Id, has_levels: bool, level: Option<Id>, ty: Type) -> Res<Id> {
        self.cx.out.need(Capability::ImageQuery);
        if !has_levels {
            return Ok(self.op1(S::ImageQuerySize, ty, texture));
        }
        let level = level.unwrap_or_else(|| self.cx.scalar(Scalar::I32, 0));
        Ok(self.op2(S::ImageQuerySizeLod, ty, texture, level))
    }

    fn count(&mut self, value: Value, instruction: S, ty: Type) -> Res<Id> {
        self.cx.out.need(Capability::ImageQuery);
        let texture = self.image_only(value)?;
        Ok(self.op1(instruction, ty, texture))
    }

    // Storage images.

    /// The operands of a load or store of a storage image: a sample, and those of its memory.
    fn texel_extra(&mut self, flags: TextureFlags, args: &[Value], is_store: bool) -> Res<Extra> {
        let mut extra = Extra::default();
        if flags.has(TextureFlags::SAMPLE) {
            let sample = self.id(args[2])?;
            extra.add(SAMPLE, &[sample]);
        }
        if self.cx.out.has_vulkan_memory_model {
            let base = self.handle(args[0])?.base;
            let (bits, scope) = self.texel_operands(base, is_store);
            extra.add(bits, scope.as_slice());
        }
        Ok(extra)
    }

    fn image_load(&mut self, image: ImageType, flags: TextureFlags, args: &[Value], ty: Type) -> Res<Id> {
        if image.kind == ImageKind::Storage(ImageFormat::Unknown) {
            self.cx.out.need(Capability::StorageImageReadWithoutFormat);
        }
        let extra = self.texel_extra(flags, args, false)?;
        let mut operands = vec![self.image_only(args[0])?, self.id(args[1])?];
        extra.append_to(&mut operands);
        let ty = self.cx.number(ty);
        Ok(self.emit(S::ImageRead, ty, &operands))
    }

    fn image_store(&mut self, image: ImageType, flags: TextureFlags, args: &[Value]) -> Res<()> {
        if image.kind == ImageKind::Storage(ImageFormat::Unknown) {
            self.cx.out.need(Capability::StorageImageWriteWithoutFormat);
        }
        let extra = self.texel_extra(flags, args, true)?;
        let mut operands = vec![self.image_only(args[0])?, self.id(args[1])?, self.id(args[args.len() - 1])?];
        extra.append_to(&mut operands);
        self.emit_void(S::ImageWrite, &operands);
        Ok(())
    }

    fn image_atomic(&mut self, node: Node, flags: TextureFlags, args: &[Value], ty: Type) -> Res<Id> {
        let chain = self.handle(args[0])?;
        let image = self.pointer(&chain)?;
        let coordinate = self.id(args[1])?;
        let mut rest = &args[2..];
        let mut sample = self.cx.scalar(Scalar::I32, 0);
        if flags.has(TextureFlags::SAMPLE) {
            sample = self.id(rest[0])?;
            rest = &rest[1..];
        }
        let texel = self.cx.pointer_type(StorageClass::Image, ty, None, self.span)?;
        let pointer = self.emit(S::ImageTexelPointer, texel, &[image, coordinate, sample]);
        self.follows(pointer, &[image]);
        let scope = self.far_scope();
        self.atomic_on(node, pointer, scope, rest, ty)
    }

    /// The fragment's own texel of an input attachment.
    pub(crate) fn subpass_load(&mut self, node: Node, args: &[Value], ty: Type) -> Res<Id> {
        let flags = self.body.node(node).imm.as_texture();
        let image = self.image_only(args[0])?;
        let origin = self.cx.splat(Type::IVEC2, 0);
        let mut extra = Extra::default();
        if flags.has(TextureFlags::SAMPLE) {
            let sample = self.id(args[1])?;
            extra.add(SAMPLE, &[sample]);
        }
        debug_assert!(matches!(self.cx.types[self.type_of(args[0])], TypeKind::Image(_)));
        let mut operands = vec![image, origin];
        extra.append_to(&mut operands);
        let ty = self.cx.number(ty);
        Ok(self.emit(S::ImageRead, ty, &operands))
    }
}
