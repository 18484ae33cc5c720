//! Types. A value has one type; memory that the host shares has another, with offsets and strides, and words for booleans.

use planish_interface::describe;
use planish_ir::decoration::Precision;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Type;
use planish_ir::layout::{Layout, LayoutError, Layouts, Rule};
use planish_ir::source::Span;
use planish_ir::types::{Dim, ImageFormat, ImageKind, ImageType, Scalar, StructType, TypeKind};
use spirv::{Capability, Decoration, Op, StorageClass};

use crate::Version;
use crate::assemble::{Id, Sections};
use crate::module::Context;

/// A failure: one diagnostic.
pub(crate) type Res<T> = Result<T, Box<Diagnostic>>;

/// A failure with a code and a place.
pub(crate) fn fail<T>(code: Code, span: Span, message: impl Into<String>) -> Res<T> {
    Err(Box::new(Diagnostic::error(code, span, message)))
}

/// Layout of memory that the host shares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Shared {
    pub(crate) rule: Rule,
    /// Whether matrices are stored by rows.
    pub(crate) row_major: bool,
    /// Whether it is a uniform block. There, Vulkan wants columns at multiples of 16 bytes; a matrix whose columns (or rows) are
    /// closer, as WGSL places those of two components, is a struct of them.
    pub(crate) uniform: bool,
}

/// Layout of memory; `None` if no host sees it.
pub(crate) type Lay = Option<Shared>;

/// Layouts under each rule.
pub(crate) struct AllLayouts([Layouts; 3]);

impl AllLayouts {
    pub(crate) fn new() -> Self {
        AllLayouts([Rule::Std140, Rule::Std430, Rule::Scalar].map(Layouts::new))
    }
}

impl Context<'_> {
    /// The type of a value.
    pub(crate) fn value_type(&mut self, ty: Type, span: Span) -> Res<Id> {
        self.type_id(ty, None, span)
    }

    /// The type of memory.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    pub(crate) fn type_id(&mut self, ty: Type, lay: Lay, span: Span) -> Res<Id> {
        if let Some(&known) = self.type_ids.get(&(ty, lay)) {
            return Ok(known);
        }
        let kind = self.types[ty].clone();
        let id = match &kind {
            TypeKind::Void => self.out.plain_type(Op::TypeVoid, &[]),
            TypeKind::Matrix { .. } if self.split_matrix(ty, lay).is_some() => self.columns_type(ty, lay, span)?,
            TypeKind::Scalar(_) | TypeKind::Vector(..) | TypeKind::Matrix { .. } => self.number_type(&kind, lay),
            TypeKind::Array { element, len } => self.array_type(ty, *element, Some(*len), lay, span)?,
            TypeKind::RuntimeArray { element } => self.array_type(ty, *element, None, lay, span)?,
            TypeKind::Struct(s) => self.struct_type(ty, s, lay, span)?,
            TypeKind::Image(image) => self.image_type(*image, span)?,
            TypeKind::Sampler { .. } => self.out.plain_type(Op::TypeSampler, &[]),
            TypeKind::Spirv(s) => self.spirv_type(s, span)?,
            kind => return fail(Code::E0602, span, format!("SPIR-V has no {}", describe(kind))),
        };
        self.type_ids.insert((ty, lay), id);
        Ok(id)
    }

    /// The type of a number, vector or matrix.
    fn number_type(&mut self, kind: &TypeKind, lay: Lay) -> Id {
        match *kind {
            TypeKind::Scalar(s) => self.scalar_type(if lay.is_some() { in_memory(s) } else { s }),
            TypeKind::Vector(s, n) => {
                let component = self.scalar_type(if lay.is_some() { in_memory(s) } else { s });
                self.out.plain_type(Op::TypeVector, &[component, n.into()])
            }
            TypeKind::Matrix { scalar, columns, rows } => {
                let component = self.scalar_type(scalar);
                let column = self.out.plain_type(Op::TypeVector, &[component, rows.into()]);
                self.out.plain_type(Op::TypeMatrix, &[column, columns.into()])
            }
            _ => unreachable!("a number"),
        }
    }

    /// The number and type of the columns (or rows) in memory of a matrix that is a struct there.
    pub(crate) fn split_matrix(&mut self, ty: Type, lay: Lay) -> Option<(u32, Type)> {
        let TypeKind::Matrix { scalar, columns, rows } = self.types[ty] else { return None };
        let lay = lay.filter(|lay| lay.uniform && lay.rule == Rule::Std430)?;
        let (count, size) = if lay.row_major { (rows, columns) } else { (columns, rows) };
        (size == 2 && scalar.bits() == 32).then(|| (count.into(), self.types.vector(scalar, size)))
    }

    /// The struct in memory of a matrix.
    fn columns_type(&mut self, ty: Type, lay: Lay, span: Span) -> Res<Id> {
        let (Some(shared), Some((count, part))) = (lay, self.split_matrix(ty, lay)) else {
            return fail(Code::E0699, span, "no matrix of two components");
        };
        let (stride, part) = (self.layout(ty, shared, span)?.stride, self.type_id(part, lay, span)?);
        let id = self.out.new_type(Op::TypeStruct, &vec![part; count as usize]);
        for i in 0..count {
            self.out.name_member(id, i, &format!("{}_{i}", if shared.row_major { "row" } else { "column" }));
            self.out.decorate_member(id, i, Decoration::Offset, &[i * stride]);
        }
        Ok(id)
    }

    /// The type of a scalar.
    pub(crate) fn scalar_type(&mut self, scalar: Scalar) -> Id {
        if scalar.widened() != scalar {
            self.small.insert(scalar);
        }
        match scalar {
            Scalar::Bool => self.out.plain_type(Op::TypeBool, &[]),
            // The use of a type decides which capability it needs: [`Context::compute_with`], [`Context::share`].
            Scalar::F16 => self.out.plain_type(Op::TypeFloat, &[16]),
            Scalar::F32 => self.out.plain_type(Op::TypeFloat, &[32]),
            Scalar::F64 => {
                self.out.need(Capability::Float64);
                self.out.plain_type(Op::TypeFloat, &[64])
            }
            Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 | Scalar::I32 | Scalar::U32 => {
                self.out.plain_type(Op::TypeInt, &[scalar.bits(), scalar.is_signed().into()])
            }
            Scalar::I64 | Scalar::U64 => {
                self.out.need(Capability::Int64);
                self.out.plain_type(Op::TypeInt, &[64, scalar.is_signed().into()])
            }
        }
    }

    /// Notes that values of a type are computed, or kept in memory of the program.
    pub(crate) fn compute_with(&mut self, ty: Type) {
        for scalar in self.small_in(ty) {
            self.need_small(scalar);
        }
    }

    /// The capability of computations with a scalar of 8 or 16 bits; none is needed for others.
    pub(crate) fn need_small(&mut self, scalar: Scalar) {
        self.out.need(match scalar {
            Scalar::F16 => Capability::Float16,
            Scalar::I16 | Scalar::U16 => Capability::Int16,
            Scalar::I8 | Scalar::U8 => Capability::Int8,
            _ => return,
        });
    }

    /// Notes the capabilities of scalars of 8 and 16 bits that are neither computed with nor in memory which others see, but between
    /// two conversions, say: a capability of such memory would do.
    pub(crate) fn need_small_types(&mut self) {
        use Capability as C;
        for scalar in self.small.clone() {
            let stored: &[Capability] = match scalar.bits() {
                8 => &[C::StorageBuffer8BitAccess, C::UniformAndStorageBuffer8BitAccess, C::StoragePushConstant8],
                _ => &[
                    C::StorageBuffer16BitAccess,
                    C::UniformAndStorageBuffer16BitAccess,
                    C::StoragePushConstant16,
                    C::StorageInputOutput16,
                ],
            };
            if !stored.iter().any(|&capability| self.out.needs(capability)) {
                self.need_small(scalar);
            }
        }
    }

    /// Notes that a type is that of memory which the host or other stages see.
    pub(crate) fn share(&mut self, ty: Type, class: StorageClass) {
        for scalar in self.small_in(ty) {
            let (capability, extension, since) = match (scalar.bits(), class) {
                (8, StorageClass::StorageBuffer) => {
                    (Capability::StorageBuffer8BitAccess, "SPV_KHR_8bit_storage", Version::V1_5)
                }
                (8, StorageClass::PushConstant) => {
                    (Capability::StoragePushConstant8, "SPV_KHR_8bit_storage", Version::V1_5)
                }
                // No extension has them there.
                (8, StorageClass::Input | StorageClass::Output) => {
                    self.need_small(scalar);
                    continue;
                }
                (8, _) => (Capability::UniformAndStorageBuffer8BitAccess, "SPV_KHR_8bit_storage", Version::V1_5),
                (_, StorageClass::StorageBuffer) => {
                    (Capability::StorageBuffer16BitAccess, "SPV_KHR_16bit_storage", Version::V1_3)
                }
                (_, StorageClass::PushConstant) => {
                    (Capability::StoragePushConstant16, "SPV_KHR_16bit_storage", Version::V1_3)
                }
                (_, StorageClass::Input | StorageClass::Output) => {
                    (Capability::StorageInputOutput16, "SPV_KHR_16bit_storage", Version::V1_3)
                }
                _ => (Capability::UniformAndStorageBuffer16BitAccess, "SPV_KHR_16bit_storage", Version::V1_3),
            };
            self.out.need(capability);
            if !self.since(since) {
                self.out.need_extension(extension);
            }
        }
    }

    /// The scalars of 8 and 16 bits that are parts of a type, or of what a pointer leads to.
    pub(crate) fn small_in(&self, ty: Type) -> Vec<Scalar> {
        let ty = self.types.pointee(ty).map_or(ty, |(pointee, _)| pointee);
        let mut found = Vec::new();
        self.types.contains(ty, &mut |kind| {
            if let TypeKind::Scalar(s) | TypeKind::Vector(s, _) | TypeKind::Matrix { scalar: s, .. } = *kind
                && s.widened() != s
                && !found.contains(&s)
            {
                found.push(s);
            }
            false
        });
        found
    }

    /// The type of a scalar, vector or matrix of the IR.
    pub(crate) fn number(&mut self, ty: Type) -> Id {
        if let Some(&known) = self.type_ids.get(&(ty, None)) {
            return known;
        }
        let kind = self.types[ty].clone();
        let id = self.number_type(&kind, None);
        self.type_ids.insert((ty, None), id);
        id
    }

    /// The layout of a type.
    pub(crate) fn layout(&mut self, ty: Type, lay: Shared, span: Span) -> Res<std::sync::Arc<Layout>> {
        let layouts = self.layouts.0.iter_mut().find(|l| l.rule() == lay.rule).expect("one for each rule");
        layouts.get(&self.types, ty, lay.row_major).or_else(|e| match e {
            LayoutError::Opaque(t) => {
                let what = describe(&self.types[t]);
                fail(Code::E0606, span, format!("{what} has no place in memory that the host shares"))
            }
            LayoutError::TooLarge(_) => fail(Code::E0606, span, e.to_string()),
        })
    }

    fn array_type(&mut self, ty: Type, element: Type, len: Option<u32>, lay: Lay, span: Span) -> Res<Id> {
        let part = self.type_id(element, lay, span)?;
        let mut operands = vec![part];
        if let Some(len) = len {
            operands.push(self.u32(len));
        }
        let op = if len.is_some() { Op::TypeArray } else { Op::TypeRuntimeArray };
        let Some(lay) = lay else { return Ok(self.out.plain_type(op, &operands)) };
        let stride = self.layout(ty, lay, span)?.stride;
        let id = self.out.new_type(op, &operands);
        self.out.decorate(id, Decoration::ArrayStride, &[stride]);
        Ok(id)
    }

    fn struct_type(&mut self, ty: Type, s: &StructType, lay: Lay, span: Span) -> Res<Id> {
        let layout = match lay {
            Some(lay) => Some(self.layout(ty, lay, span)?),
            None => None,
        };
        let mut members = Vec::with_capacity(s.members.len());
        for (i, member) in s.members.iter().enumerate() {
            let part = layout.as_ref().zip(lay).map(|(l, lay)| Shared { row_major: l.members[i].row_major, ..lay });
            members.push(self.type_id(member.ty, part, span)?);
        }
        if Sections::fits(members.len() + 1).is_err() {
            return fail(Code::E0602, span, format!("the struct `{}` has too many members", s.name));
        }
        let id = self.out.new_type(Op::TypeStruct, &members);
        self.out.name(id, &s.name);
        if s.is_block && lay.is_none() {
            self.out.decorate(id, Decoration::Block, &[]);
        }
        for (i, member) in s.members.iter().enumerate() {
            let number = i as u32;
            self.out.name_member(id, number, &member.name);
            self.spirv_decorations(id, Some(number), &member.decorations);
            if is_relaxed(member.precision) && self.is_relaxable(member.ty) {
                self.out.decorate_member(id, number, Decoration::RelaxedPrecision, &[]);
            }
            let Some(at) = layout.as_ref().map(|l| l.members[i]) else { continue };
            let part = lay.map(|lay| Shared { row_major: at.row_major, ..lay });
            let next = layout.as_ref().and_then(|l| l.members.get(i + 1)).map(|next| next.offset);
            let is_split = self.split_matrix(member.ty, part).is_some();
            if is_split && at.offset % 16 != 0 {
                let message = format!(
                    "Vulkan cannot place the matrix `{}` at byte {} of a uniform block",
                    member.name, at.offset
                );
                let help = "align the member to 16 bytes, or put the block into a storage buffer";
                return Err(Box::new(Diagnostic::error(Code::E0606, span, message).help(help)));
            }
            if is_split && next.is_some_and(|next| next < (at.offset + at.size).next_multiple_of(16)) {
                let what = &s.members[i + 1].name;
                let message = format!("Vulkan cannot place `{what}` in the 16 bytes that `{}` ends in", member.name);
                return Err(Box::new(
                    Diagnostic::error(Code::E0606, span, message)
                        .help("align the member to 16 bytes, or put the block into a storage buffer"),
                ));
            }
            self.out.decorate_member(id, number, Decoration::Offset, &[at.offset]);
            let lay = lay.map(|lay| Shared { row_major: at.row_major, ..lay });
            self.matrix_layout(id, number, member.ty, lay, span)?;
        }
        Ok(id)
    }

    /// Order and stride of the matrices of a member.
    fn matrix_layout(&mut self, id: Id, number: u32, ty: Type, lay: Lay, span: Span) -> Res<()> {
        let mut inner = ty;
        while let TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } = self.types[inner] {
            inner = element;
        }
        if let (TypeKind::Matrix { .. }, Some(lay)) = (&self.types[inner], lay)
            && self.split_matrix(inner, Some(lay)).is_none()
        {
            let stride = self.layout(inner, lay, span)?.stride;
            let order = if lay.row_major { Decoration::RowMajor } else { Decoration::ColMajor };
            self.out.decorate_member(id, number, order, &[]);
            self.out.decorate_member(id, number, Decoration::MatrixStride, &[stride]);
        }
        Ok(())
    }

    /// Whether a type holds nothing but numbers of 32 bits, so that a lower precision means something for it.
    pub(crate) fn is_relaxable(&self, ty: Type) -> bool {
        let mut inner = ty;
        while let TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } = self.types[inner] {
            inner = element;
        }
        match &self.types[inner] {
            TypeKind::Image(_) => true,
            _ => self.types.scalar_of(inner).is_some_and(|s| s.bits() == 32),
        }
    }

    /// The type of a pointer to a value of type `ty` with the layout `lay`.
    pub(crate) fn pointer_type(&mut self, class: StorageClass, ty: Type, lay: Lay, span: Span) -> Res<Id> {
        let pointee = self.type_id(ty, lay, span)?;
        Ok(self.out.pointer(class, pointee))
    }

    /// The type of an image, with its sampler if it is combined. Texel buffers have none.
    fn image_type(&mut self, image: ImageType, span: Span) -> Res<Id> {
        let inner = self.image_alone(image, span)?;
        Ok(match image.kind {
            ImageKind::Combined if image.dim != Dim::Buffer => self.out.plain_type(Op::TypeSampledImage, &[inner]),
            _ => inner,
        })
    }

    /// The type of an image without its sampler.
    pub(crate) fn image_alone(&mut self, image: ImageType, span: Span) -> Res<Id> {
        let storage = matches!(image.kind, ImageKind::Storage(_));
        let pick = |sampled, stored| Some(if storage { stored } else { sampled });
        let (dim, capability) = match image.dim {
            Dim::D1 => (spirv::Dim::Dim1D, pick(Capability::Sampled1D, Capability::Image1D)),
            // Vulkan has no rectangle textures: the coordinate is divided by the size.
            Dim::D2 | Dim::Rect | Dim::External => (spirv::Dim::Dim2D, None),
            Dim::D3 => (spirv::Dim::Dim3D, None),
            Dim::Cube => (spirv::Dim::DimCube, None),
            Dim::Buffer => (spirv::Dim::DimBuffer, pick(Capability::SampledBuffer, Capability::ImageBuffer)),
            Dim::Subpass => (spirv::Dim::DimSubpassData, Some(Capability::InputAttachment)),
            Dim::ExternalYuv => {
                return fail(Code::E0602, span, format!("SPIR-V has no {}", describe(&TypeKind::Image(image))));
            }
        };
        capability.into_iter().for_each(|c| self.out.need(c));
        match (image.dim, image.arrayed, image.multisampled, storage) {
            (Dim::Cube, true, _, false) => self.out.need(Capability::SampledCubeArray),
            (Dim::Cube, true, _, true) => self.out.need(Capability::ImageCubeArray),
            (_, arrayed, true, true) => {
                self.out.need(Capability::StorageImageMultisample);
                if arrayed {
                    self.out.need(Capability::ImageMSArray);
                }
            }
            _ => {}
        }
        let format = match image.kind {
            ImageKind::Storage(format) => self.image_format(format),
            _ => spirv::ImageFormat::Unknown,
        };
        let sampled = self.scalar_type(image.sampled);
        let how = if storage || image.dim == Dim::Subpass { 2 } else { 1 };
        let operands = [
            sampled,
            dim as u32,
            image.shadow.into(),
            image.arrayed.into(),
            image.multisampled.into(),
            how,
            format as u32,
        ];
        Ok(self.out.plain_type(Op::TypeImage, &operands))
    }

    fn image_format(&mut self, format: ImageFormat) -> spirv::ImageFormat {
        use spirv::ImageFormat as F;
        let (format, extended) = match format {
            ImageFormat::Unknown => (F::Unknown, false),
            ImageFormat::Rgba32f => (F::Rgba32f, false),
            ImageFormat::Rgba16f => (F::Rgba16f, false),
            ImageFormat::Rg32f => (F::Rg32f, true),
            ImageFormat::Rg16f => (F::Rg16f, true),
            ImageFormat::R11fG11fB10f => (F::R11fG11fB10f, true),
            ImageFormat::R32f => (F::R32f, false),
            ImageFormat::R16f => (F::R16f, true),
            ImageFormat::Rgba16 => (F::Rgba16, true),
            ImageFormat::Rgb10A2 => (F::Rgb10A2, true),
            ImageFormat::Rgba8 => (F::Rgba8, false),
            ImageFormat::Rg16 => (F::Rg16, true),
            ImageFormat::Rg8 => (F::Rg8, true),
            ImageFormat::R16 => (F::R16, true),
            ImageFormat::R8 => (F::R8, true),
            ImageFormat::Rgba16Snorm => (F::Rgba16Snorm, true),
            ImageFormat::Rgba8Snorm => (F::Rgba8Snorm, false),
            ImageFormat::Rg16Snorm => (F::Rg16Snorm, true),
            ImageFormat::Rg8Snorm => (F::Rg8Snorm, true),
            ImageFormat::R16Snorm => (F::R16Snorm, true),
            ImageFormat::R8Snorm => (F::R8Snorm, true),
            ImageFormat::Rgba32i => (F::Rgba32i, false),
            ImageFormat::Rgba16i => (F::Rgba16i, false),
            ImageFormat::Rgba8i => (F::Rgba8i, false),
            ImageFormat::Rg32i => (F::Rg32i, true),
            ImageFormat::Rg16i => (F::Rg16i, true),
            ImageFormat::Rg8i => (F::Rg8i, true),
            ImageFormat::R32i => (F::R32i, false),
            ImageFormat::R16i => (F::R16i, true),
            ImageFormat::R8i => (F::R8i, true),
            ImageFormat::Rgba32ui => (F::Rgba32ui, false),
            ImageFormat::Rgba16ui => (F::Rgba16ui, false),
            ImageFormat::Rgb10A2ui => (F::Rgb10a2ui, true),
            ImageFormat::Rgba8ui => (F::Rgba8ui, false),
            ImageFormat::Rg32ui => (F::Rg32ui, true),
            ImageFormat::Rg16ui => (F::Rg16ui, true),
            ImageFormat::Rg8ui => (F::Rg8ui, true),
            ImageFormat::R32ui => (F::R32ui, false),
            ImageFormat::R16ui => (F::R16ui, true),
            ImageFormat::R8ui => (F::R8ui, true),
        };
        if extended {
            self.out.need(Capability::StorageImageExtendedFormats);
        }
        format
    }
}

/// The scalar that memory which the host shares holds for one: it has no booleans.
pub(crate) const fn in_memory(scalar: Scalar) -> Scalar {
    if let Scalar::Bool = scalar { Scalar::U32 } else { scalar }
}

/// Whether a precision lets a device compute with fewer than 32 bits.
pub(crate) const fn is_relaxed(precision: Precision) -> bool {
    matches!(precision, Precision::Low | Precision::Medium)
}
