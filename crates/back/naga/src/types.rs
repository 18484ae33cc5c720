//! Types: of values, and of memory that the host shares, whose layout the source fixes.
//!
//! A value has one naga type, in naga's own layout. Memory that the host shares has offsets and strides of its own, and
//! may hold no booleans; [`Mem`] describes the differences from the value, and `memory.rs` converts at loads and
//! stores.

use naga::{Handle, ScalarKind, TypeInner, VectorSize};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Type;
use planish_ir::layout::{LayoutError, Layouts, Rule};
use planish_ir::source::Span;
use planish_ir::types::{Dim, ImageFormat, ImageKind, ImageType, Scalar, StructType, TypeKind, Types};
use rustc_hash::FxHashMap;

use planish_interface::{Atomics, ELEMENT, describe};

use crate::Target;

/// A failure: one diagnostic.
pub(crate) type Res<T> = Result<T, Box<Diagnostic>>;

/// A failure with a code and a place.
pub(crate) fn fail<T>(code: Code, span: Span, message: impl Into<String>) -> Res<T> {
    Err(Box::new(Diagnostic::error(code, span, message)))
}

/// Id of a description of memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct MemId(u32);

/// A piece of memory.
#[derive(Clone, Debug)]
pub(crate) struct Mem {
    /// The type of the value in it.
    pub(crate) ir: Type,
    /// Its own type.
    pub(crate) naga: Handle<naga::Type>,
    /// Relation to the value in it.
    pub(crate) kind: MemKind,
}

/// Difference between memory and the value in it.
#[derive(Clone, Debug)]
pub(crate) enum MemKind {
    /// Not at all.
    Plain,
    /// Booleans as words, 0 for false.
    Bool,
    /// An atomic integer.
    Atomic,
    /// A scalar or vector in the first components of a `vec4` (of words, for booleans).
    Widened,
    /// The first member of a struct that fills up a stride.
    Boxed {
        /// The contents.
        part: MemId,
    },
    /// A matrix as an array of `part`s: its columns, or its rows.
    Matrix {
        /// Whether the parts are rows.
        row_major: bool,
        /// A column or row.
        part: MemId,
        /// Number of parts.
        count: u32,
    },
    /// An array of `element`s.
    Array {
        /// An element.
        element: MemId,
    },
    /// A struct; for each member of the value its number and kind in memory.
    Struct {
        /// By member of the value.
        members: Vec<(u32, MemId)>,
    },
}

/// All types of one lowering.
pub(crate) struct TypeMap {
    /// The IR's types; may grow.
    pub(crate) ir: Types,
    /// The target.
    pub(crate) target: Target,
    /// The module being made.
    pub(crate) naga: naga::Module,
    values: FxHashMap<Type, Handle<naga::Type>>,
    sizes: FxHashMap<Handle<naga::Type>, (u32, u32)>,
    layouts: [Layouts; 3],
    mems: Vec<Mem>,
    known: FxHashMap<(Type, Option<Rule>, bool), MemId>,
}

/// naga's scalar.
pub(crate) const fn scalar(s: Scalar) -> naga::Scalar {
    match s {
        Scalar::Bool => naga::Scalar::BOOL,
        // Integers of 8 and 16 bits are lowered before.
        Scalar::I8 | Scalar::I16 | Scalar::I32 => naga::Scalar::I32,
        Scalar::U8 | Scalar::U16 | Scalar::U32 => naga::Scalar::U32,
        Scalar::I64 => naga::Scalar::I64,
        Scalar::U64 => naga::Scalar::U64,
        Scalar::F16 => naga::Scalar::F16,
        Scalar::F32 => naga::Scalar::F32,
        Scalar::F64 => naga::Scalar::F64,
    }
}

/// naga's vector size; 4 for anything above 3.
pub(crate) const fn size_of(n: u8) -> VectorSize {
    match n {
        2 => VectorSize::Bi,
        3 => VectorSize::Tri,
        _ => VectorSize::Quad,
    }
}

const fn power_of_two_lanes(n: u32) -> u32 {
    if n == 3 { 4 } else { n }
}

impl TypeMap {
    pub(crate) fn new(types: &Types, target: Target) -> Self {
        TypeMap {
            ir: types.clone(),
            target,
            naga: naga::Module::default(),
            values: FxHashMap::default(),
            sizes: FxHashMap::default(),
            layouts: [Rule::Std140, Rule::Std430, Rule::Scalar].map(Layouts::new),
            mems: vec![],
            known: FxHashMap::default(),
        }
    }

    /// A piece of memory.
    pub(crate) fn mem(&self, id: MemId) -> &Mem {
        &self.mems[id.0 as usize]
    }

    fn add_mem(&mut self, mem: Mem) -> MemId {
        self.mems.push(mem);
        MemId(self.mems.len() as u32 - 1)
    }

    /// A naga type, new if it was not there.
    pub(crate) fn insert(&mut self, name: Option<String>, inner: TypeInner) -> Handle<naga::Type> {
        self.naga.types.insert(naga::Type { name, inner }, naga::Span::UNDEFINED)
    }

    /// A naga scalar or vector type; `n` 1 to 4.
    pub(crate) fn vector(&mut self, s: naga::Scalar, n: u8) -> Handle<naga::Type> {
        let inner = if n == 1 { TypeInner::Scalar(s) } else { TypeInner::Vector { size: size_of(n), scalar: s } };
        self.insert(None, inner)
    }

    /// Whether the target has a scalar.
    fn check_scalar(&self, s: Scalar, span: Span) -> Res<()> {
        let has = match s {
            Scalar::F64 => self.target == Target::Spirv,
            Scalar::I64 | Scalar::U64 => self.target != Target::Wgsl,
            _ => true,
        };
        if has {
            return Ok(());
        }
        let name = match s {
            Scalar::F64 => "double-precision numbers (`double`)",
            _ => "64-bit integers",
        };
        fail(Code::E0602, span, format!("{} has no {name}", self.target.name()))
    }

    /// The type of a value.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    pub(crate) fn value(&mut self, ty: Type, span: Span) -> Res<Handle<naga::Type>> {
        if let Some(&known) = self.values.get(&ty) {
            return Ok(known);
        }
        let kind = self.ir[ty].clone();
        let handle = match kind {
            TypeKind::Scalar(s) => {
                self.check_scalar(s, span)?;
                self.vector(scalar(s), 1)
            }
            TypeKind::Vector(s, n) => {
                self.check_scalar(s, span)?;
                self.vector(scalar(s), n)
            }
            TypeKind::Matrix { scalar: s, columns, rows } => {
                self.check_scalar(s, span)?;
                let inner = TypeInner::Matrix { columns: size_of(columns), rows: size_of(rows), scalar: scalar(s) };
                self.insert(None, inner)
            }
            TypeKind::Array { element, len } => {
                let base = self.value(element, span)?;
                self.array_of(base, Some(len), span)?
            }
            TypeKind::Struct(s) => self.value_struct(&s, span)?,
            TypeKind::Pointer { pointee, .. } => {
                let base = self.value(pointee, span)?;
                self.insert(None, TypeInner::Pointer { base, space: naga::AddressSpace::Function })
            }
            ref kind => return fail(Code::E0602, span, format!("{} has no {}", self.target.name(), describe(kind))),
        };
        self.values.insert(ty, handle);
        Ok(handle)
    }

    fn value_struct(&mut self, s: &StructType, span: Span) -> Res<Handle<naga::Type>> {
        let (mut offset, mut align) = (0u32, 1);
        let mut members = Vec::with_capacity(s.members.len());
        for member in &s.members {
            let ty = self.value(member.ty, span)?;
            let (size, a) = self.size_align(ty);
            offset = offset.next_multiple_of(a);
            members.push(naga::StructMember { name: Some(member.name.to_string()), ty, binding: None, offset });
            offset = offset.saturating_add(size);
            align = align.max(a);
        }
        if members.is_empty() {
            return fail(Code::E0602, span, format!("the struct `{}` has no members", s.name));
        }
        let inner = TypeInner::Struct { members, span: offset.next_multiple_of(align) };
        Ok(self.insert(Some(s.name.to_string()), inner))
    }

    /// An array of values in naga's own layout. `len`: number of elements; `None` if the buffer sizes it.
    pub(crate) fn array_of(
        &mut self,
        base: Handle<naga::Type>,
        len: Option<u32>,
        span: Span,
    ) -> Res<Handle<naga::Type>> {
        let (size, align) = self.size_align(base);
        let size = match len.map(std::num::NonZeroU32::new) {
            Some(Some(n)) if u64::from(n.get()) * u64::from(size) < i32::MAX as u64 => naga::ArraySize::Constant(n),
            None => naga::ArraySize::Dynamic,
            _ => return fail(Code::E0602, span, "the array is empty or larger than 2 GiB"),
        };
        let stride = self.size_align(base).0.next_multiple_of(align);
        Ok(self.insert(None, TypeInner::Array { base, size, stride }))
    }

    /// Size and alignment of a naga type, in bytes.
    /// Recursion: over the type; those of naga are at most twice as deep as those of the IR.
    pub(crate) fn size_align(&mut self, handle: Handle<naga::Type>) -> (u32, u32) {
        if let Some(&known) = self.sizes.get(&handle) {
            return known;
        }
        let width = |s: naga::Scalar| if s.kind == ScalarKind::Bool { 4 } else { u32::from(s.width) };
        let figures = match self.naga.types[handle].inner.clone() {
            TypeInner::Scalar(s) | TypeInner::Atomic(s) => (width(s), width(s)),
            TypeInner::Vector { size, scalar } => {
                (size as u32 * width(scalar), power_of_two_lanes(size as u32) * width(scalar))
            }
            TypeInner::Matrix { columns, rows, scalar } => {
                let column = power_of_two_lanes(rows as u32) * width(scalar);
                (columns as u32 * column, column)
            }
            TypeInner::Array { base, size, stride } => {
                let len = if let naga::ArraySize::Constant(n) = size { n.get() } else { 1 };
                (stride.saturating_mul(len), self.size_align(base).1)
            }
            TypeInner::Struct { ref members, span } => {
                (span, members.iter().map(|m| self.size_align(m.ty).1).max().unwrap_or(1))
            }
            _ => (4, 4),
        };
        self.sizes.insert(handle, figures);
        figures
    }

    /// Memory that no host shares: as the value, but for its atomics.
    pub(crate) fn private_mem(&mut self, ty: Type, atomics: Option<&Atomics>, span: Span) -> Res<MemId> {
        self.build(ty, None, false, atomics, span)
    }

    /// Memory laid out by a rule.
    pub(crate) fn host_mem(
        &mut self,
        ty: Type,
        rule: Rule,
        row_major: bool,
        atomics: Option<&Atomics>,
        span: Span,
    ) -> Res<MemId> {
        self.build(ty, Some(rule), row_major, atomics, span)
    }

    /// The layout of a type.
    pub(crate) fn layout(
        &mut self,
        ty: Type,
        rule: Rule,
        row_major: bool,
        span: Span,
    ) -> Res<std::sync::Arc<planish_ir::layout::Layout>> {
        let layouts = self.layouts.iter_mut().find(|l| l.rule() == rule).expect("one for each rule");
        layouts.get(&self.ir, ty, row_major).or_else(|e| match e {
            LayoutError::Opaque(t) => {
                let what = describe(&self.ir[t]);
                fail(Code::E0606, span, format!("{what} has no place in memory that the host shares"))
            }
            LayoutError::TooLarge(_) => fail(Code::E0606, span, e.to_string()),
        })
    }

    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn build(
        &mut self,
        ty: Type,
        rule: Option<Rule>,
        row_major: bool,
        atomics: Option<&Atomics>,
        span: Span,
    ) -> Res<MemId> {
        let key = (ty, rule, row_major);
        if atomics.is_none()
            && let Some(&known) = self.known.get(&key)
        {
            return Ok(known);
        }
        let mem = match (rule, atomics) {
            (None, None) => Mem { ir: ty, naga: self.value(ty, span)?, kind: MemKind::Plain },
            _ => self.work_out(ty, rule, row_major, atomics, span)?,
        };
        let id = self.add_mem(mem);
        if atomics.is_none() {
            self.known.insert(key, id);
        }
        Ok(id)
    }

    fn work_out(
        &mut self,
        ty: Type,
        rule: Option<Rule>,
        row_major: bool,
        atomics: Option<&Atomics>,
        span: Span,
    ) -> Res<Mem> {
        let kind = self.ir[ty].clone();
        if atomics.is_some_and(|a| a.here) {
            let TypeKind::Scalar(s) = kind else { return fail(Code::E0604, span, "atomics work on scalars") };
            return Ok(Mem { ir: ty, naga: self.insert(None, TypeInner::Atomic(scalar(s))), kind: MemKind::Atomic });
        }
        match kind {
            TypeKind::Scalar(Scalar::Bool) | TypeKind::Vector(Scalar::Bool, _) if rule.is_some() => {
                let n = self.ir.vector_size(ty).unwrap_or(1);
                Ok(Mem { ir: ty, naga: self.vector(naga::Scalar::U32, n), kind: MemKind::Bool })
            }
            TypeKind::Matrix { .. } if rule.is_some() => self.matrix_mem(ty, rule, row_major, span),
            TypeKind::Array { element, len } => self.array_mem(ty, element, Some(len), rule, row_major, atomics, span),
            TypeKind::RuntimeArray { element } => self.array_mem(ty, element, None, rule, row_major, atomics, span),
            TypeKind::Struct(s) => self.struct_mem(ty, &s, rule, row_major, atomics, span),
            _ => Ok(Mem { ir: ty, naga: self.value(ty, span)?, kind: MemKind::Plain }),
        }
    }

    fn matrix_mem(&mut self, ty: Type, rule: Option<Rule>, row_major: bool, span: Span) -> Res<Mem> {
        let TypeKind::Matrix { scalar: s, columns, rows } = self.ir[ty] else { unreachable!("a matrix") };
        let value = self.value(ty, span)?;
        let stride = match rule {
            Some(rule) => self.layout(ty, rule, row_major, span)?.stride,
            None => return Ok(Mem { ir: ty, naga: value, kind: MemKind::Plain }),
        };
        let (count, size) = if row_major { (rows, columns) } else { (columns, rows) };
        let vector = self.ir.vector(s, size);
        let natural = self.vector(scalar(s), size);
        let (_, align) = self.size_align(natural);
        if !row_major && stride == align {
            return Ok(Mem { ir: ty, naga: value, kind: MemKind::Plain });
        }
        let part = self.part_mem(vector, natural, stride, span)?;
        let base = self.mem(part).naga;
        let size = naga::ArraySize::Constant(std::num::NonZeroU32::new(count.into()).expect("2 to 4"));
        let naga = self.insert(None, TypeInner::Array { base, size, stride });
        Ok(Mem { ir: ty, naga, kind: MemKind::Matrix { row_major, part, count: count.into() } })
    }

    /// A scalar or vector, an element of an array of that stride in bytes.
    fn part_mem(&mut self, ty: Type, natural: Handle<naga::Type>, stride: u32, span: Span) -> Res<MemId> {
        let (size, align) = self.size_align(natural);
        let s = self.ir.scalar_of(ty).expect("a vector");
        let is_bool = s == Scalar::Bool;
        if stride == size.next_multiple_of(align) {
            let kind = if is_bool { MemKind::Bool } else { MemKind::Plain };
            return Ok(self.add_mem(Mem { ir: ty, naga: natural, kind }));
        }
        if stride != 16 || planish_ir::layout::scalar_size(s) != 4 {
            return fail(Code::E0606, span, format!("{} cannot place this every {stride} bytes", self.target.name()));
        }
        let word = if is_bool { naga::Scalar::U32 } else { scalar(s) };
        let naga = self.vector(word, 4);
        Ok(self.add_mem(Mem { ir: ty, naga, kind: MemKind::Widened }))
    }

    /// An atomic, an element of an array of that stride in bytes.
    fn boxed_mem(&mut self, ty: Type, part: MemId, stride: u32, span: Span) -> Res<MemId> {
        let mut shape = StructShape { members: vec![], end: 0, align: 1, pads: 0 };
        let inner = self.mem(part).naga;
        if shape.add(self, Some("value".into()), inner, None).is_none() {
            return fail(Code::E0606, span, "an atomic cannot be placed there");
        }
        shape.pad_to(self, stride, 4);
        let inner = TypeInner::Struct { members: shape.members, span: stride };
        let naga = self.insert(Some("Padded".into()), inner);
        Ok(self.add_mem(Mem { ir: ty, naga, kind: MemKind::Boxed { part } }))
    }

    fn array_mem(
        &mut self,
        ty: Type,
        element: Type,
        len: Option<u32>,
        rule: Option<Rule>,
        row_major: bool,
        atomics: Option<&Atomics>,
        span: Span,
    ) -> Res<Mem> {
        let atomics = atomics.and_then(|a| a.parts.get(&ELEMENT));
        let mut part = self.build(element, rule, row_major, atomics, span)?;
        if let Some(rule) = rule {
            let stride = self.layout(ty, rule, row_major, span)?.stride;
            let natural = self.mem(part).naga;
            let (size, align) = self.size_align(natural);
            if stride != size.next_multiple_of(align) {
                if self.ir.vector_size(element).is_none() {
                    let name = self.target.name();
                    return fail(Code::E0606, span, format!("{name} cannot place elements every {stride} bytes"));
                }
                part = match self.mem(part).kind {
                    MemKind::Atomic => self.boxed_mem(element, part, stride, span)?,
                    _ => self.part_mem(element, natural, stride, span)?,
                };
            }
        }
        let naga = self.array_of(self.mem(part).naga, len, span)?;
        let plain = matches!(self.mem(part).kind, MemKind::Plain) && len.is_some();
        let kind =
            if plain && naga == self.value(ty, span)? { MemKind::Plain } else { MemKind::Array { element: part } };
        Ok(Mem { ir: ty, naga, kind })
    }

    fn struct_mem(
        &mut self,
        ty: Type,
        s: &StructType,
        rule: Option<Rule>,
        row_major: bool,
        atomics: Option<&Atomics>,
        span: Span,
    ) -> Res<Mem> {
        let layout = match rule {
            Some(rule) => Some(self.layout(ty, rule, row_major, span)?),
            None => None,
        };
        let mut order: Vec<usize> = (0..s.members.len()).collect();
        if let Some(layout) = &layout {
            order.sort_by_key(|&i| layout.members[i].offset);
        }
        let mut shape = StructShape { members: vec![], end: 0, align: 1, pads: 0 };
        let mut members = vec![(0, MemId(0)); s.members.len()];
        let (mut plain, mut open) = (true, false);
        for i in order {
            let member = &s.members[i];
            let by_rows = layout.as_ref().is_some_and(|l| l.members[i].row_major);
            let part = self.build(member.ty, rule, by_rows, atomics.and_then(|a| a.parts.get(&(i as u32))), span)?;
            let naga = self.mem(part).naga;
            let offset = layout.as_ref().map(|l| l.members[i].offset);
            let number = shape.add(self, Some(member.name.to_string()), naga, offset).ok_or_else(|| {
                let message = format!("{} cannot place the member `{}` there", self.target.name(), member.name);
                Box::new(Diagnostic::error(Code::E0606, span, message))
            })?;
            members[i] = (number, part);
            plain &= matches!(self.mem(part).kind, MemKind::Plain);
            open |= matches!(self.ir[member.ty], TypeKind::RuntimeArray { .. });
        }
        if shape.members.is_empty() {
            return fail(Code::E0602, span, format!("the struct `{}` has no members", s.name));
        }
        if let Some(layout) = &layout
            && !open
            && rule != Some(Rule::Scalar)
        {
            shape.pad_to(self, layout.size, shape.align);
        }
        let size = shape.end.next_multiple_of(shape.align);
        let inner = TypeInner::Struct { members: shape.members, span: size };
        let naga = self.insert(Some(s.name.to_string()), inner);
        let same = plain && shape.pads == 0 && !open && naga == self.value(ty, span)?;
        Ok(Mem { ir: ty, naga, kind: if same { MemKind::Plain } else { MemKind::Struct { members } } })
    }

    /// The type of a texture.
    pub(crate) fn image(
        &mut self,
        image: ImageType,
        depth: bool,
        access: naga::StorageAccess,
        span: Span,
    ) -> Res<Handle<naga::Type>> {
        let dim = match image.dim {
            Dim::D1 => naga::ImageDimension::D1,
            Dim::D2 | Dim::Rect | Dim::External => naga::ImageDimension::D2,
            Dim::D3 => naga::ImageDimension::D3,
            Dim::Cube => naga::ImageDimension::Cube,
            Dim::Buffer | Dim::Subpass | Dim::ExternalYuv => {
                let what = describe(&TypeKind::Image(image));
                return fail(Code::E0602, span, format!("{} has no {what}", self.target.name()));
            }
        };
        let class = match image.kind {
            ImageKind::Storage(format) => {
                let format = self.storage_format(format, span)?;
                naga::ImageClass::Storage { format, access }
            }
            _ if depth => naga::ImageClass::Depth { multi: image.multisampled },
            _ => naga::ImageClass::Sampled { kind: scalar(image.sampled).kind, multi: image.multisampled },
        };
        let inner = if let (naga::ImageDimension::Cube, naga::ImageClass::Storage { .. }) = (dim, class) {
            // A storage cube is an array of faces.
            TypeInner::Image { dim: naga::ImageDimension::D2, arrayed: true, class }
        } else {
            TypeInner::Image { dim, arrayed: image.arrayed, class }
        };
        Ok(self.insert(None, inner))
    }

    fn storage_format(&self, format: ImageFormat, span: Span) -> Res<naga::StorageFormat> {
        use naga::StorageFormat as F;
        Ok(match format {
            ImageFormat::Unknown => {
                let name = self.target.name();
                return fail(Code::E0602, span, format!("{name} needs a format for a storage image, such as `rgba8`"));
            }
            ImageFormat::Rgba32f => F::Rgba32Float,
            ImageFormat::Rgba16f => F::Rgba16Float,
            ImageFormat::Rg32f => F::Rg32Float,
            ImageFormat::Rg16f => F::Rg16Float,
            ImageFormat::R11fG11fB10f => F::Rg11b10Ufloat,
            ImageFormat::R32f => F::R32Float,
            ImageFormat::R16f => F::R16Float,
            ImageFormat::Rgba16 => F::Rgba16Unorm,
            ImageFormat::Rgb10A2 => F::Rgb10a2Unorm,
            ImageFormat::Rgba8 => F::Rgba8Unorm,
            ImageFormat::Rg16 => F::Rg16Unorm,
            ImageFormat::Rg8 => F::Rg8Unorm,
            ImageFormat::R16 => F::R16Unorm,
            ImageFormat::R8 => F::R8Unorm,
            ImageFormat::Rgba16Snorm => F::Rgba16Snorm,
            ImageFormat::Rgba8Snorm => F::Rgba8Snorm,
            ImageFormat::Rg16Snorm => F::Rg16Snorm,
            ImageFormat::Rg8Snorm => F::Rg8Snorm,
            ImageFormat::R16Snorm => F::R16Snorm,
            ImageFormat::R8Snorm => F::R8Snorm,
            ImageFormat::Rgba32i => F::Rgba32Sint,
            ImageFormat::Rgba16i => F::Rgba16Sint,
            ImageFormat::Rgba8i => F::Rgba8Sint,
            ImageFormat::Rg32i => F::Rg32Sint,
            ImageFormat::Rg16i => F::Rg16Sint,
            ImageFormat::Rg8i => F::Rg8Sint,
            ImageFormat::R32i => F::R32Sint,
            ImageFormat::R16i => F::R16Sint,
            ImageFormat::R8i => F::R8Sint,
            ImageFormat::Rgba32ui => F::Rgba32Uint,
            ImageFormat::Rgba16ui => F::Rgba16Uint,
            ImageFormat::Rgb10A2ui => F::Rgb10a2Uint,
            ImageFormat::Rgba8ui => F::Rgba8Uint,
            ImageFormat::Rg32ui => F::Rg32Uint,
            ImageFormat::Rg16ui => F::Rg16Uint,
            ImageFormat::Rg8ui => F::Rg8Uint,
            ImageFormat::R32ui => F::R32Uint,
            ImageFormat::R16ui => F::R16Uint,
            ImageFormat::R8ui => F::R8Uint,
        })
    }
}

/// A struct that is being filled, with padding members where the natural offsets would be too small.
struct StructShape {
    members: Vec<naga::StructMember>,
    end: u32,
    align: u32,
    pads: u32,
}

impl StructShape {
    /// Adds a member, at `offset` if that is given; `None` if it cannot lie there.
    fn add(
        &mut self,
        types: &mut TypeMap,
        name: Option<String>,
        ty: Handle<naga::Type>,
        offset: Option<u32>,
    ) -> Option<u32> {
        let (size, align) = types.size_align(ty);
        if let Some(offset) = offset {
            if !offset.is_multiple_of(align) || offset < self.end {
                return None;
            }
            self.pad_to(types, offset, align);
        }
        let offset = self.end.next_multiple_of(align);
        self.members.push(naga::StructMember { name, ty, binding: None, offset });
        self.end = offset.saturating_add(size);
        self.align = self.align.max(align);
        Some(self.members.len() as u32 - 1)
    }

    /// Fills up until a member of alignment `align` would come to lie at `offset`.
    fn pad_to(&mut self, types: &mut TypeMap, offset: u32, align: u32) {
        while self.end.next_multiple_of(align) < offset {
            let word = types.vector(naga::Scalar::U32, 1);
            let quad = types.vector(naga::Scalar::U32, 4);
            self.end = self.end.next_multiple_of(4);
            let gap = offset - self.end;
            let (ty, size) = if self.align >= 16 && self.end.is_multiple_of(16) && gap >= 32 {
                let len = std::num::NonZeroU32::new(gap / 16).expect("not zero");
                let size = naga::ArraySize::Constant(len);
                (types.insert(None, TypeInner::Array { base: quad, size, stride: 16 }), gap / 16 * 16)
            } else {
                (word, 4)
            };
            let name = Some(format!("pad{}", self.pads));
            self.members.push(naga::StructMember { name, ty, binding: None, offset: self.end });
            self.align = self.align.max(types.size_align(ty).1);
            self.end += size;
            self.pads += 1;
        }
    }
}
