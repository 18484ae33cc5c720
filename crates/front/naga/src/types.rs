//! naga's types as types of the IR, and their memory layouts.
//!
//! A naga struct has one IR type for values and, for each variable in a buffer, one more: the interface block. Both
//! have the same members. Offsets are explicit (as `layout(offset = …)`) only if they differ from those of `std430`.

use std::sync::Arc;

use naga::{AddressSpace as Space, Handle, ImageClass, ImageDimension, ScalarKind, StorageFormat, TypeInner};
use planish_ir::decoration::{BlockLayout, Decoration, Decorations, Precision};
use planish_ir::entity::Type;
use planish_ir::layout::{Layouts, Rule};
use planish_ir::types::{Dim, ImageFormat, ImageKind, ImageType, Member, Scalar, StructType, TypeKind, Types};
use rustc_hash::{FxHashMap, FxHashSet};

/// Name of the member that fills a struct up to the size that the program gave it.
const PADDING: &str = "_planish_padding";

/// The IR types of a naga module, by the index of the naga type; for unsupported ones, their description.
#[derive(Debug, Default)]
pub(crate) struct TypeMap {
    types: Vec<Result<Type, String>>,
    names: FxHashSet<String>,
}

/// Lengths of arrays that are overrides.
pub(crate) type Lengths = FxHashMap<Handle<naga::Override>, u32>;

impl TypeMap {
    /// The IR type of values of a naga type, or the description of an unsupported one.
    pub(crate) fn get(&self, ty: Handle<naga::Type>) -> Result<Type, &str> {
        self.types[ty.index()].as_ref().map(|t| *t).map_err(String::as_str)
    }

    /// Translates all types of a module, but for those with arrays whose length is an override.
    pub(crate) fn new(naga: &naga::Module, types: &mut Types) -> TypeMap {
        let mut map = TypeMap { types: vec![Err(String::new()); naga.types.len()], names: FxHashSet::default() };
        map.complete(naga, types, &Lengths::default());
        map
    }

    /// Translates the types that are not translated yet.
    pub(crate) fn complete(&mut self, naga: &naga::Module, types: &mut Types, lengths: &Lengths) {
        let buffers = BufferTypes::find(naga);
        let mut layouts = Layouts::new(Rule::Std430);
        for (handle, ty) in naga.types.iter() {
            if self.types[handle.index()].is_err() {
                self.types[handle.index()] = self.translate(lengths, &buffers, types, &mut layouts, handle, ty);
            }
        }
    }

    fn translate(
        &mut self,
        lengths: &Lengths,
        buffers: &BufferTypes,
        types: &mut Types,
        layouts: &mut Layouts,
        handle: Handle<naga::Type>,
        ty: &naga::Type,
    ) -> Result<Type, String> {
        let get = |map: &TypeMap, ty: Handle<naga::Type>| map.types[ty.index()].clone();
        Ok(match ty.inner {
            TypeInner::Scalar(s) | TypeInner::Atomic(s) => types.scalar(scalar(s)?),
            TypeInner::Vector { size, scalar: s } => types.vector(scalar(s)?, size as u8),
            TypeInner::Matrix { columns, rows, scalar: s } => types.matrix(scalar(s)?, columns as u8, rows as u8),
            TypeInner::Array { base, size, .. } => {
                let element = get(self, base)?;
                match array_length(lengths, size)? {
                    Some(len) => types.array(element, len),
                    None => types.intern(TypeKind::RuntimeArray { element }),
                }
            }
            TypeInner::BindingArray { base, size } => {
                let element = get(self, base)?;
                let len = array_length(lengths, size)?.ok_or("an array of bindings without a length")?;
                types.array(element, len)
            }
            TypeInner::Struct { ref members, span } => {
                let parts = members.iter().map(|m| get(self, m.ty)).collect::<Result<Vec<_>, _>>()?;
                let mut list = plain_members(members, &parts);
                if buffers.all.contains(&handle) {
                    let nested = buffers.nested.contains(&handle);
                    place_members(types, layouts, members, &mut list, nested.then_some(span))?;
                }
                let name = self.unique_name(ty.name.as_deref().unwrap_or(""), handle.index());
                types.intern(TypeKind::Struct(Arc::new(StructType { name, members: list, is_block: false })))
            }
            TypeInner::Image { dim, arrayed, class } => types.intern(TypeKind::Image(image(dim, arrayed, class)?)),
            TypeInner::Sampler { comparison } => types.intern(TypeKind::Sampler { comparison }),
            TypeInner::Pointer { base, space } => {
                let pointee = get(self, base)?;
                types.pointer(pointee, address_space(space)?)
            }
            TypeInner::ValuePointer { size, scalar: s, space } => {
                let pointee = types.vector(scalar(s)?, size.map_or(1, |n| n as u8));
                types.pointer(pointee, address_space(space)?)
            }
            TypeInner::CooperativeMatrix { .. } => return Err("a cooperative matrix".into()),
            TypeInner::AccelerationStructure { .. } => return Err("an acceleration structure".into()),
            TypeInner::RayQuery { .. } => return Err("a ray query".into()),
        })
    }

    /// A free name for a struct, derived from the source's.
    fn unique_name(&mut self, name: &str, index: usize) -> Arc<str> {
        // naga's own structs, such as the result of `modf`, have names that are invalid in any language.
        let base = match name.trim_start_matches('_') {
            "" => format!("Struct{index}"),
            _ if name.starts_with("__") => name.trim_start_matches('_').to_owned(),
            _ => name.to_owned(),
        };
        let mut candidate = base.clone();
        let mut number = 1;
        while !self.names.insert(candidate.clone()) {
            candidate = format!("{base}_{number}");
            number += 1;
        }
        candidate.into()
    }

    /// The interface block of a variable in a buffer: the struct itself, or (if the flag is true) a struct with a
    /// member of another type.
    pub(crate) fn block(
        &mut self,
        types: &mut Types,
        ty: Type,
        variable: &str,
        names: &mut BlockNames,
    ) -> Result<(Type, bool), String> {
        let (base, members, wrapped) = match types.as_struct(ty).cloned() {
            Some(s) => (s.name.to_string(), s.members.clone(), false),
            None => {
                let member = Member {
                    name: if variable.is_empty() { "value".into() } else { variable.into() },
                    ty,
                    precision: Precision::None,
                    decorations: Decorations::new(),
                };
                (format!("{}_block", if variable.is_empty() { "buffer" } else { variable }), vec![member], true)
            }
        };
        let free = !wrapped && !names.values.contains(&ty) && names.used.insert(base.clone());
        let name = if free { base.into() } else { self.unique_block_name(&base, variable, wrapped) };
        names.used.insert(name.to_string());
        let block = types.intern(TypeKind::Struct(Arc::new(StructType { name, members, is_block: true })));
        Ok((block, wrapped))
    }

    fn unique_block_name(&mut self, base: &str, variable: &str, wrapped: bool) -> Arc<str> {
        let name = if wrapped || variable.is_empty() { base.to_owned() } else { format!("{base}_{variable}") };
        self.unique_name(&name, 0)
    }
}

/// Names of a module's interface blocks, and structs that are also value types, whose names blocks cannot have.
#[derive(Debug, Default)]
pub(crate) struct BlockNames {
    pub(crate) used: FxHashSet<String>,
    pub(crate) values: FxHashSet<Type>,
}

/// Types of which values lie in buffers.
#[derive(Debug, Default)]
struct BufferTypes {
    all: FxHashSet<Handle<naga::Type>>,
    /// Those that are part of another.
    nested: FxHashSet<Handle<naga::Type>>,
}

impl BufferTypes {
    fn find(naga: &naga::Module) -> Self {
        let mut found = BufferTypes::default();
        let mut stack: Vec<Handle<naga::Type>> =
            naga.global_variables.iter().filter(|(_, v)| is_buffer(v.space)).map(|(_, v)| v.ty).collect();
        while let Some(ty) = stack.pop() {
            let fresh = found.all.insert(ty);
            match &naga.types[ty].inner {
                _ if !fresh => {}
                TypeInner::Array { base, .. } => {
                    found.nested.insert(*base);
                    stack.push(*base);
                }
                TypeInner::BindingArray { base, .. } => stack.push(*base),
                TypeInner::Struct { members, .. } => {
                    found.nested.extend(members.iter().map(|m| m.ty));
                    stack.extend(members.iter().map(|m| m.ty));
                }
                _ => {}
            }
        }
        found
    }
}

/// Whether variables of the space are interface blocks.
pub(crate) fn is_buffer(space: Space) -> bool {
    matches!(space, Space::Uniform | Space::Storage { .. } | Space::Immediate)
}

/// The address space of the IR, or the description of an unsupported one.
pub(crate) fn address_space(space: Space) -> Result<planish_ir::types::AddressSpace, String> {
    use planish_ir::types::AddressSpace as Ours;
    Ok(match space {
        Space::Function => Ours::Function,
        Space::Private => Ours::Private,
        Space::WorkGroup => Ours::Workgroup,
        Space::Uniform => Ours::Uniform,
        Space::Storage { .. } => Ours::Storage,
        Space::Handle => Ours::Handle,
        Space::Immediate => Ours::PushConstant,
        Space::TaskPayload => return Err("a task payload".into()),
        Space::RayPayload | Space::IncomingRayPayload => return Err("a ray payload".into()),
    })
}

/// The length of an array; `None` if it is determined by the bound buffer.
fn array_length(lengths: &Lengths, size: naga::ArraySize) -> Result<Option<u32>, String> {
    match size {
        naga::ArraySize::Constant(len) => Ok(Some(len.get())),
        naga::ArraySize::Dynamic => Ok(None),
        naga::ArraySize::Pending(handle) => match lengths.get(&handle) {
            Some(len) => Ok(Some(*len)),
            None => {
                Err("an array whose length is computed from overrides, and has no positive value by their defaults"
                    .into())
            }
        },
    }
}

/// The IR's scalar, or the description of an unsupported one.
pub(crate) fn scalar(scalar: naga::Scalar) -> Result<Scalar, String> {
    Ok(match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) => Scalar::Bool,
        (ScalarKind::Sint, 4) => Scalar::I32,
        (ScalarKind::Uint, 4) => Scalar::U32,
        (ScalarKind::Sint, 8) => Scalar::I64,
        (ScalarKind::Uint, 8) => Scalar::U64,
        (ScalarKind::Float, 2) => Scalar::F16,
        (ScalarKind::Float, 4) => Scalar::F32,
        (ScalarKind::Float, 8) => Scalar::F64,
        (ScalarKind::Float, width) => return Err(format!("a float of {width} bytes")),
        // Of halves, the exponents of `frexp`.
        (ScalarKind::Sint, 2) => Scalar::I16,
        (ScalarKind::Sint | ScalarKind::Uint, _) => return Err("a 16-bit integer".into()),
        (ScalarKind::AbstractInt | ScalarKind::AbstractFloat, _) => return Err("an abstract number".into()),
    })
}

fn image(dim: ImageDimension, arrayed: bool, class: ImageClass) -> Result<ImageType, String> {
    let dim = match dim {
        ImageDimension::D1 => Dim::D1,
        ImageDimension::D2 => Dim::D2,
        ImageDimension::D3 => Dim::D3,
        ImageDimension::Cube => Dim::Cube,
    };
    let (kind, multisampled, shadow, sampled) = match class {
        ImageClass::Sampled { kind, multi } => {
            (ImageKind::Texture, multi, false, scalar(naga::Scalar { kind, width: 4 })?)
        }
        ImageClass::Depth { multi } => (ImageKind::Texture, multi, true, Scalar::F32),
        ImageClass::Storage { format, .. } => {
            let format = image_format(format)?;
            (ImageKind::Storage(format), false, false, format.scalar())
        }
        ImageClass::External => return Err("an external texture".into()),
    };
    Ok(ImageType { kind, dim, arrayed, multisampled, shadow, sampled })
}

fn image_format(format: StorageFormat) -> Result<ImageFormat, String> {
    use ImageFormat as F;
    use StorageFormat as S;
    Ok(match format {
        S::R8Unorm => F::R8,
        S::R8Snorm => F::R8Snorm,
        S::R8Uint => F::R8ui,
        S::R8Sint => F::R8i,
        S::R16Uint => F::R16ui,
        S::R16Sint => F::R16i,
        S::R16Float => F::R16f,
        S::Rg8Unorm => F::Rg8,
        S::Rg8Snorm => F::Rg8Snorm,
        S::Rg8Uint => F::Rg8ui,
        S::Rg8Sint => F::Rg8i,
        S::R32Uint => F::R32ui,
        S::R32Sint => F::R32i,
        S::R32Float => F::R32f,
        S::Rg16Uint => F::Rg16ui,
        S::Rg16Sint => F::Rg16i,
        S::Rg16Float => F::Rg16f,
        S::Rgba8Unorm => F::Rgba8,
        S::Rgba8Snorm => F::Rgba8Snorm,
        S::Rgba8Uint => F::Rgba8ui,
        S::Rgba8Sint => F::Rgba8i,
        S::Rgb10a2Uint => F::Rgb10A2ui,
        S::Rgb10a2Unorm => F::Rgb10A2,
        S::Rg11b10Ufloat => F::R11fG11fB10f,
        S::Rg32Uint => F::Rg32ui,
        S::Rg32Sint => F::Rg32i,
        S::Rg32Float => F::Rg32f,
        S::Rgba16Uint => F::Rgba16ui,
        S::Rgba16Sint => F::Rgba16i,
        S::Rgba16Float => F::Rgba16f,
        S::Rgba32Uint => F::Rgba32ui,
        S::Rgba32Sint => F::Rgba32i,
        S::Rgba32Float => F::Rgba32f,
        S::R16Unorm => F::R16,
        S::R16Snorm => F::R16Snorm,
        S::Rg16Unorm => F::Rg16,
        S::Rg16Snorm => F::Rg16Snorm,
        S::Rgba16Unorm => F::Rgba16,
        S::Rgba16Snorm => F::Rgba16Snorm,
        S::Bgra8Unorm => return Err("the texel format `bgra8unorm`".into()),
        S::R64Uint => return Err("the texel format `r64uint`".into()),
    })
}

fn plain_members(members: &[naga::StructMember], types: &[Type]) -> Vec<Member> {
    let name = |i: usize, m: &naga::StructMember| match m.name.as_deref() {
        None | Some("") => format!("member_{i}").into(),
        Some(name) => name.into(),
    };
    let member =
        |(i, (m, &ty))| Member { name: name(i, m), ty, precision: Precision::None, decorations: Decorations::new() };
    members.iter().zip(types).enumerate().map(member).collect()
}

/// Adds the offsets that differ from the default, and pads the struct to `size` bytes.
fn place_members(
    types: &mut Types,
    layouts: &mut Layouts,
    members: &[naga::StructMember],
    list: &mut Vec<Member>,
    size: Option<u32>,
) -> Result<(), String> {
    let mut end = 0u32;
    let mut align = 1;
    let mut open = false;
    for (member, placed) in members.iter().zip(list.iter_mut()) {
        // A type without a layout is reported when a variable of it is laid out.
        let Ok(part) = layouts.get(types, placed.ty, false) else { return Ok(()) };
        if end.next_multiple_of(part.align) != member.offset {
            placed.decorations.add(Decoration::Offset(member.offset));
        }
        end = member.offset.checked_add(part.size).ok_or("a struct larger than 4 GiB")?;
        align = align.max(part.align);
        open = matches!(types[placed.ty], TypeKind::RuntimeArray { .. });
    }
    if let Some(size) = size
        && !open
        && size > end.next_multiple_of(align)
        && size >= 4
    {
        list.push(Member {
            name: PADDING.into(),
            ty: Type::U32,
            precision: Precision::None,
            decorations: Decorations::from_iter([Decoration::Offset(size - 4)]),
        });
    }
    Ok(())
}

/// The block layout under which the IR's type has naga's offsets, trying the usual ones of the space first.
pub(crate) fn block_layout(
    naga: &naga::Module,
    types: &Types,
    ty: Handle<naga::Type>,
    block: Type,
    uniform: bool,
) -> Option<BlockLayout> {
    let order = if uniform {
        [BlockLayout::Std140, BlockLayout::Std430, BlockLayout::Scalar]
    } else {
        [BlockLayout::Std430, BlockLayout::Std140, BlockLayout::Scalar]
    };
    order.into_iter().find(|&layout| {
        let mut check = Check { naga, types, layouts: Layouts::new(layout.into()), known: FxHashMap::default() };
        check.agrees(ty, block)
    })
}

struct Check<'a> {
    naga: &'a naga::Module,
    types: &'a Types,
    layouts: Layouts,
    known: FxHashMap<(Handle<naga::Type>, Type), bool>,
}

impl Check<'_> {
    /// Recurses as deep as types are nested.
    fn agrees(&mut self, theirs: Handle<naga::Type>, ours: Type) -> bool {
        if let Some(&known) = self.known.get(&(theirs, ours)) {
            return known;
        }
        let agrees = self.compare(theirs, ours);
        self.known.insert((theirs, ours), agrees);
        agrees
    }

    fn compare(&mut self, theirs: Handle<naga::Type>, ours: Type) -> bool {
        let Ok(layout) = self.layouts.get(self.types, ours, false) else { return false };
        match (&self.naga.types[theirs].inner, &self.types[ours]) {
            (TypeInner::Struct { members, .. }, TypeKind::Struct(s)) => members
                .iter()
                .zip(&s.members)
                .zip(&layout.members)
                .all(|((theirs, ours), placed)| theirs.offset == placed.offset && self.agrees(theirs.ty, ours.ty)),
            // A variable that is no struct is the only member of its block.
            (_, TypeKind::Struct(s)) => {
                layout.members.first().is_some_and(|m| m.offset == 0) && self.agrees(theirs, s.members[0].ty)
            }
            (
                &TypeInner::Array { base, stride, .. },
                &TypeKind::Array { element, .. } | &TypeKind::RuntimeArray { element },
            ) => layout.stride == stride && self.agrees(base, element),
            (&TypeInner::BindingArray { base, .. }, &TypeKind::Array { element, .. }) => self.agrees(base, element),
            (&TypeInner::Matrix { rows, scalar, .. }, TypeKind::Matrix { .. }) => {
                let lanes = if rows == naga::VectorSize::Bi { 2 } else { 4 };
                layout.stride == lanes * u32::from(scalar.width)
            }
            (TypeInner::Scalar(_) | TypeInner::Atomic(_) | TypeInner::Vector { .. }, _) => true,
            _ => false,
        }
    }
}
