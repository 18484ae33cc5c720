//! Types of values. Interned, so that equal types have equal ids.

mod parts;

use std::sync::Arc;

use crate::arena::{Arena, Id};
use rustc_hash::FxHashMap;

use crate::decoration::{Decorations, Precision};
use crate::entity::Type;
use crate::spirv::SpirvType;

/// Component type of a value. Integers are two's complement; floats are IEEE 754.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Scalar {
    /// True or false.
    Bool,
    /// 8-bit signed integer.
    I8,
    /// 8-bit unsigned integer.
    U8,
    /// 16-bit signed integer.
    I16,
    /// 16-bit unsigned integer.
    U16,
    /// 32-bit signed integer; also WebAssembly's sign-less `i32`.
    I32,
    /// 32-bit unsigned integer.
    U32,
    /// 64-bit signed integer; also WebAssembly's sign-less `i64`.
    I64,
    /// 64-bit unsigned integer.
    U64,
    /// binary16.
    F16,
    /// binary32.
    F32,
    /// binary64.
    F64,
}

impl Scalar {
    /// Every scalar, in the order of the text form's documentation.
    pub const ALL: [Scalar; 12] = [
        Scalar::Bool,
        Scalar::I8,
        Scalar::U8,
        Scalar::I16,
        Scalar::U16,
        Scalar::I32,
        Scalar::U32,
        Scalar::I64,
        Scalar::U64,
        Scalar::F16,
        Scalar::F32,
        Scalar::F64,
    ];

    /// The scalars of 8 and 16 bits, which targets may lack.
    pub const SMALL: [Scalar; 5] = [Scalar::I8, Scalar::U8, Scalar::I16, Scalar::U16, Scalar::F16];

    /// Whether it is `f16`, `f32` or `f64`.
    pub const fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }

    /// Whether it is an integer of either sign.
    pub const fn is_integer(self) -> bool {
        self.is_small_integer() || matches!(self, Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64)
    }

    /// The scalar of its kind with 32 bits; of the other sizes itself.
    pub const fn widened(self) -> Scalar {
        match self {
            Scalar::I8 | Scalar::I16 => Scalar::I32,
            Scalar::U8 | Scalar::U16 => Scalar::U32,
            Scalar::F16 => Scalar::F32,
            other => other,
        }
    }

    /// The signed integer of its width, of which a `bool` has none but itself.
    pub const fn signed(self) -> Scalar {
        match self.bits() {
            8 => Scalar::I8,
            16 => Scalar::I16,
            32 => Scalar::I32,
            64 => Scalar::I64,
            _ => self,
        }
    }

    /// The unsigned integer of its width, of which a `bool` has none but itself.
    pub const fn unsigned(self) -> Scalar {
        match self.bits() {
            8 => Scalar::U8,
            16 => Scalar::U16,
            32 => Scalar::U32,
            64 => Scalar::U64,
            _ => self,
        }
    }

    /// Whether it is an integer of 8 or 16 bits.
    pub const fn is_small_integer(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16)
    }

    /// Whether it is a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// Width in bits; a `bool` counts 1.
    pub const fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::I8 | Scalar::U8 => 8,
            Scalar::I16 | Scalar::U16 | Scalar::F16 => 16,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 32,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 64,
        }
    }

    /// Its name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "i8",
            Scalar::U8 => "u8",
            Scalar::I16 => "i16",
            Scalar::U16 => "u16",
            Scalar::I32 => "i32",
            Scalar::U32 => "u32",
            Scalar::I64 => "i64",
            Scalar::U64 => "u64",
            Scalar::F16 => "f16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }
}

/// Address space of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum AddressSpace {
    /// Local variable of a function, one per activation.
    Function,
    /// A global variable of one invocation.
    Private,
    /// A stage input.
    Input,
    /// A stage output.
    Output,
    /// A uniform: in a block, or (GLSL) on its own. Read-only.
    Uniform,
    /// A storage buffer.
    Storage,
    /// Memory shared by a compute work group.
    Workgroup,
    /// Push constants. Read-only.
    PushConstant,
    /// Opaque objects: images, samplers, atomic counters.
    Handle,
    /// Memory that only SPIR-V has ([`crate::spirv`]).
    Spirv,
}

impl AddressSpace {
    /// Every address space.
    pub const ALL: [AddressSpace; 10] = [
        AddressSpace::Function,
        AddressSpace::Private,
        AddressSpace::Input,
        AddressSpace::Output,
        AddressSpace::Uniform,
        AddressSpace::Storage,
        AddressSpace::Workgroup,
        AddressSpace::PushConstant,
        AddressSpace::Handle,
        AddressSpace::Spirv,
    ];

    /// Its name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            AddressSpace::Function => "function",
            AddressSpace::Private => "private",
            AddressSpace::Input => "input",
            AddressSpace::Output => "output",
            AddressSpace::Uniform => "uniform",
            AddressSpace::Storage => "storage",
            AddressSpace::Workgroup => "workgroup",
            AddressSpace::PushConstant => "push_constant",
            AddressSpace::Handle => "handle",
            AddressSpace::Spirv => "spirv",
        }
    }

    /// Whether the program may not write to it.
    pub const fn is_read_only(self) -> bool {
        matches!(self, AddressSpace::Input | AddressSpace::Uniform | AddressSpace::PushConstant | AddressSpace::Handle)
    }
}

/// Dimension of an image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Dim {
    /// One.
    D1,
    /// Two.
    D2,
    /// Three.
    D3,
    /// Six square faces.
    Cube,
    /// Two, addressed in texels.
    Rect,
    /// A buffer of texels.
    Buffer,
    /// The fragment's own place in an input attachment.
    Subpass,
    /// An image of a format of the outside world (`samplerExternalOES`).
    External,
    /// As `External`, with raw YUV results (`__samplerExternal2DY2YEXT`).
    ExternalYuv,
}

impl Dim {
    /// Components of a coordinate, without the array layer.
    pub const fn coordinates(self) -> u8 {
        match self {
            Dim::D1 | Dim::Buffer => 1,
            Dim::D2 | Dim::Rect | Dim::Subpass | Dim::External | Dim::ExternalYuv => 2,
            Dim::D3 | Dim::Cube => 3,
        }
    }
}

/// Access to an image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum ImageKind {
    /// Image and sampler in one (`sampler2D`).
    Combined,
    /// A sampled image without a sampler (`texture2D`).
    Texture,
    /// An image for loads and stores (`image2D`).
    Storage(ImageFormat),
}

macro_rules! image_formats {
    ($($variant:ident $name:literal $scalar:ident $channels:literal)*) => {
        /// Texel format of a storage image.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum ImageFormat { #[doc = "Not given (write-only images)."] Unknown, $(#[doc = $name] $variant),* }
        impl ImageFormat {
            /// Every format with a name.
            pub const ALL: &'static [ImageFormat] = &[$(ImageFormat::$variant),*];
            /// Its GLSL layout name, which the text form uses too.
            pub const fn name(self) -> &'static str {
                match self { ImageFormat::Unknown => "unknown", $(ImageFormat::$variant => $name),* }
            }
            /// The type of a component when loaded.
            pub const fn scalar(self) -> Scalar {
                match self { ImageFormat::Unknown => Scalar::F32, $(ImageFormat::$variant => Scalar::$scalar),* }
            }
            /// Number of stored components.
            pub const fn channels(self) -> u8 {
                match self { ImageFormat::Unknown => 4, $(ImageFormat::$variant => $channels),* }
            }
        }
    };
}

image_formats! {
    Rgba32f "rgba32f" F32 4
    Rgba16f "rgba16f" F32 4
    Rg32f "rg32f" F32 2
    Rg16f "rg16f" F32 2
    R11fG11fB10f "r11f_g11f_b10f" F32 3
    R32f "r32f" F32 1
    R16f "r16f" F32 1
    Rgba16 "rgba16" F32 4
    Rgb10A2 "rgb10_a2" F32 4
    Rgba8 "rgba8" F32 4
    Rg16 "rg16" F32 2
    Rg8 "rg8" F32 2
    R16 "r16" F32 1
    R8 "r8" F32 1
    Rgba16Snorm "rgba16_snorm" F32 4
    Rgba8Snorm "rgba8_snorm" F32 4
    Rg16Snorm "rg16_snorm" F32 2
    Rg8Snorm "rg8_snorm" F32 2
    R16Snorm "r16_snorm" F32 1
    R8Snorm "r8_snorm" F32 1
    Rgba32i "rgba32i" I32 4
    Rgba16i "rgba16i" I32 4
    Rgba8i "rgba8i" I32 4
    Rg32i "rg32i" I32 2
    Rg16i "rg16i" I32 2
    Rg8i "rg8i" I32 2
    R32i "r32i" I32 1
    R16i "r16i" I32 1
    R8i "r8i" I32 1
    Rgba32ui "rgba32ui" U32 4
    Rgba16ui "rgba16ui" U32 4
    Rgb10A2ui "rgb10_a2ui" U32 4
    Rgba8ui "rgba8ui" U32 4
    Rg32ui "rg32ui" U32 2
    Rg16ui "rg16ui" U32 2
    Rg8ui "rg8ui" U32 2
    R32ui "r32ui" U32 1
    R16ui "r16ui" U32 1
    R8ui "r8ui" U32 1
}

/// The type of an image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ImageType {
    /// Access.
    pub kind: ImageKind,
    /// Dimension.
    pub dim: Dim,
    /// Whether a coordinate ends with a layer.
    pub arrayed: bool,
    /// Whether a texel has several samples.
    pub multisampled: bool,
    /// Whether samples are compared with a depth.
    pub shadow: bool,
    /// The type of a component when sampled or loaded: `f32`, `i32` or `u32`.
    pub sampled: Scalar,
}

impl ImageType {
    /// Components of a coordinate, with the array layer.
    pub const fn coordinates(self) -> u8 {
        self.dim.coordinates() + self.arrayed as u8
    }

    /// Its keyword in GLSL: `sampler2DShadow`, `uimage3D`, `texture2DMSArray`, `isubpassInput`.
    pub fn glsl_name(self) -> String {
        let prefix = match self.sampled {
            Scalar::I32 => "i",
            Scalar::U32 => "u",
            _ => "",
        };
        let multisampled = if self.multisampled { "MS" } else { "" };
        let dim = match self.dim {
            Dim::External => return "samplerExternalOES".into(),
            Dim::ExternalYuv => return "__samplerExternal2DY2YEXT".into(),
            Dim::Subpass => return format!("{prefix}subpassInput{multisampled}"),
            Dim::D1 => "1D",
            Dim::D2 => "2D",
            Dim::D3 => "3D",
            Dim::Cube => "Cube",
            Dim::Rect => "2DRect",
            Dim::Buffer => "Buffer",
        };
        let kind = match self.kind {
            ImageKind::Combined => "sampler",
            ImageKind::Texture => "texture",
            ImageKind::Storage(_) => "image",
        };
        let arrayed = if self.arrayed { "Array" } else { "" };
        // A depth texture is declared as a plain one; comparison is a property of the sampler.
        let shadow = if self.shadow && self.kind != ImageKind::Texture { "Shadow" } else { "" };
        format!("{prefix}{kind}{dim}{multisampled}{arrayed}{shadow}")
    }
}

/// A member of a struct or an interface block.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Member {
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub ty: Type,
    /// Its precision.
    pub precision: Precision,
    /// Qualifiers: interpolation, `offset`, `align`, `row_major`, location, built-in, …
    pub decorations: Decorations,
}

/// A struct or an interface block. Two declarations with the same name and members are one type, so a front end gives
/// structs of different scopes different names.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StructType {
    /// Its name.
    pub name: Arc<str>,
    /// Members in order.
    pub members: Vec<Member>,
    /// Whether it is an interface block rather than a plain struct.
    pub is_block: bool,
}

/// The shape of a [`Type`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeKind {
    /// No value.
    Void,
    /// One component.
    Scalar(Scalar),
    /// `atomic_uint`.
    AtomicCounter,
    /// `yuvCscStandardEXT`.
    YuvCsc,
    /// 2 to 4 components. Or 8 or 16, as `widen` makes them, with one component for each invocation: see [`is_vector_size`].
    Vector(Scalar, u8),
    /// `columns` × `rows` of floats, by columns.
    Matrix {
        /// `F16`, `F32` or `F64`.
        scalar: Scalar,
        /// 2 to 4.
        columns: u8,
        /// 2 to 4: components of a column.
        rows: u8,
    },
    /// `len` elements, at least one.
    Array {
        /// The type of an element.
        element: Type,
        /// Number of elements.
        len: u32,
    },
    /// An array whose length is that of the bound buffer; last member of a storage block.
    RuntimeArray {
        /// The type of an element.
        element: Type,
    },
    /// A struct or an interface block.
    Struct(Arc<StructType>),
    /// An image, possibly with its sampler.
    Image(ImageType),
    /// A sampler without an image.
    Sampler {
        /// Whether it compares with a depth.
        comparison: bool,
    },
    /// The address of a memory location.
    Pointer {
        /// Type of the memory.
        pointee: Type,
        /// Its address space.
        space: AddressSpace,
    },
    /// A reference to a function, never null.
    Function {
        /// Types of the parameters.
        params: Arc<[Type]>,
        /// Types of the results.
        results: Arc<[Type]>,
    },
    /// 128 bits, which the ops of the class `Simd` read as lanes (WebAssembly `v128`).
    V128,
    /// A reference to a function of any type, or null (WebAssembly `funcref`).
    FuncRef,
    /// An opaque reference of the host, or null (WebAssembly `externref`).
    ExternRef,
    /// An opaque unique token, equal only to itself (`gensym`).
    Token,
    /// A type that only SPIR-V has.
    Spirv(Arc<SpirvType>),
}

/// Components of the largest vectors of shading languages.
pub const MAX_LANGUAGE_VECTOR: u8 = 4;

/// Whether vectors have so many components: 2 to 4 in languages; 8 and 16 in functions over as many invocations, which have
/// componentwise operations, conversions and selects of them, components by constant index, and constructors, but no swizzles.
pub const fn is_vector_size(size: u8) -> bool {
    matches!(size, 2..=MAX_LANGUAGE_VECTOR | 8 | 16)
}

/// Predefined types. Their ids are fixed, in this order.
impl Type {
    /// `void`
    pub const VOID: Type = Type::from_u32(0);
    /// `f32`
    pub const F32: Type = Type::from_u32(1);
    /// `i32`
    pub const I32: Type = Type::from_u32(2);
    /// `u32`
    pub const U32: Type = Type::from_u32(3);
    /// `bool`
    pub const BOOL: Type = Type::from_u32(4);
    /// `atomic_uint`
    pub const ATOMIC_COUNTER: Type = Type::from_u32(5);
    /// `yuvCscStandardEXT`
    pub const YUV_CSC: Type = Type::from_u32(6);
    /// `vec2`
    pub const VEC2: Type = Type::from_u32(7);
    /// `vec3`
    pub const VEC3: Type = Type::from_u32(8);
    /// `vec4`
    pub const VEC4: Type = Type::from_u32(9);
    /// `ivec2`
    pub const IVEC2: Type = Type::from_u32(10);
    /// `ivec3`
    pub const IVEC3: Type = Type::from_u32(11);
    /// `ivec4`
    pub const IVEC4: Type = Type::from_u32(12);
    /// `uvec2`
    pub const UVEC2: Type = Type::from_u32(13);
    /// `uvec3`
    pub const UVEC3: Type = Type::from_u32(14);
    /// `uvec4`
    pub const UVEC4: Type = Type::from_u32(15);
    /// `bvec2`
    pub const BVEC2: Type = Type::from_u32(16);
    /// `bvec3`
    pub const BVEC3: Type = Type::from_u32(17);
    /// `bvec4`
    pub const BVEC4: Type = Type::from_u32(18);
    /// `mat2`
    pub const MAT2: Type = Type::from_u32(19);
    /// `mat2x3`: two columns of three rows
    pub const MAT2X3: Type = Type::from_u32(20);
    /// `mat2x4`
    pub const MAT2X4: Type = Type::from_u32(21);
    /// `mat3x2`
    pub const MAT3X2: Type = Type::from_u32(22);
    /// `mat3`
    pub const MAT3: Type = Type::from_u32(23);
    /// `mat3x4`
    pub const MAT3X4: Type = Type::from_u32(24);
    /// `mat4x2`
    pub const MAT4X2: Type = Type::from_u32(25);
    /// `mat4x3`
    pub const MAT4X3: Type = Type::from_u32(26);
    /// `mat4`
    pub const MAT4: Type = Type::from_u32(27);
}

/// Number of predefined types.
pub const PREDEFINED_TYPES: usize = 28;

/// All types of a module.
#[derive(Clone, Debug)]
pub struct Types {
    kinds: Arena<Type, TypeKind>,
    ids: FxHashMap<TypeKind, Type>,
    /// Nesting depth, by type.
    nesting: Vec<u32>,
}

/// Maximum nesting depth of types. Many passes recurse over types; real programs have a few levels.
pub const MAX_TYPE_NESTING: u32 = 100;

impl Default for Types {
    fn default() -> Self {
        Self::new()
    }
}

impl std::ops::Index<Type> for Types {
    type Output = TypeKind;
    #[inline]
    fn index(&self, ty: Type) -> &TypeKind {
        &self.kinds[ty]
    }
}

impl Types {
    /// The predefined types.
    pub fn new() -> Self {
        let mut types = Types { kinds: Arena::with_capacity(48), ids: FxHashMap::default(), nesting: Vec::new() };
        types.intern(TypeKind::Void);
        for s in [Scalar::F32, Scalar::I32, Scalar::U32, Scalar::Bool] {
            types.intern(TypeKind::Scalar(s));
        }
        types.intern(TypeKind::AtomicCounter);
        types.intern(TypeKind::YuvCsc);
        for s in [Scalar::F32, Scalar::I32, Scalar::U32, Scalar::Bool] {
            for n in 2..=4 {
                types.intern(TypeKind::Vector(s, n));
            }
        }
        for columns in 2..=4 {
            for rows in 2..=4 {
                types.intern(TypeKind::Matrix { scalar: Scalar::F32, columns, rows });
            }
        }
        debug_assert_eq!(types.kinds.len(), PREDEFINED_TYPES);
        types
    }

    /// Interns a type and returns its id.
    pub fn intern(&mut self, kind: TypeKind) -> Type {
        if let Some(&id) = self.ids.get(&kind) {
            return id;
        }
        let inside = |ty: &Type| self.nesting.get(ty.index()).map_or(0, |levels| levels + 1);
        let levels = match &kind {
            TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } => inside(element),
            TypeKind::Pointer { pointee, .. } => inside(pointee),
            TypeKind::Struct(s) => s.members.iter().map(|m| inside(&m.ty)).max().unwrap_or(0),
            TypeKind::Function { params, results } => params.iter().chain(&**results).map(inside).max().unwrap_or(0),
            _ => 0,
        };
        let id = self.kinds.push(kind.clone());
        self.nesting.push(levels);
        self.ids.insert(kind, id);
        id
    }

    /// Removes the types from index `len` on, which nothing may use any more.
    pub fn truncate(&mut self, len: usize) {
        debug_assert!(len >= PREDEFINED_TYPES);
        for kind in self.kinds.split_off(len) {
            self.ids.remove(&kind);
        }
        self.nesting.truncate(len);
    }

    /// Nesting depth of a type: of an array of floats, 1. At most [`MAX_TYPE_NESTING`] in a valid module.
    pub fn nesting(&self, ty: Type) -> u32 {
        self.nesting[ty.index()]
    }

    /// Number of types.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Always false: the predefined types are present.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// All types with their ids, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Type, &TypeKind)> {
        self.kinds.iter()
    }

    /// A scalar type.
    pub fn scalar(&mut self, scalar: Scalar) -> Type {
        match scalar {
            Scalar::Bool => Type::BOOL,
            Scalar::I32 => Type::I32,
            Scalar::U32 => Type::U32,
            Scalar::F32 => Type::F32,
            _ => self.intern(TypeKind::Scalar(scalar)),
        }
    }

    /// A vector of 2 to 4, 8 or 16 components, or for `size` 1 the scalar.
    pub fn vector(&mut self, scalar: Scalar, size: u8) -> Type {
        debug_assert!(size == 1 || is_vector_size(size));
        let base = match scalar {
            _ if size == 1 => return self.scalar(scalar),
            _ if size > MAX_LANGUAGE_VECTOR => return self.intern(TypeKind::Vector(scalar, size)),
            Scalar::F32 => Type::VEC2,
            Scalar::I32 => Type::IVEC2,
            Scalar::U32 => Type::UVEC2,
            Scalar::Bool => Type::BVEC2,
            _ => return self.intern(TypeKind::Vector(scalar, size)),
        };
        Type::new(base.index() + size as usize - 2)
    }

    /// A matrix of `columns` columns with `rows` rows.
    pub fn matrix(&mut self, scalar: Scalar, columns: u8, rows: u8) -> Type {
        if scalar == Scalar::F32 {
            return Type::new(Type::MAT2.index() + 3 * (columns as usize - 2) + rows as usize - 2);
        }
        self.intern(TypeKind::Matrix { scalar, columns, rows })
    }

    /// An array.
    pub fn array(&mut self, element: Type, len: u32) -> Type {
        self.intern(TypeKind::Array { element, len })
    }

    /// A pointer.
    pub fn pointer(&mut self, pointee: Type, space: AddressSpace) -> Type {
        self.intern(TypeKind::Pointer { pointee, space })
    }

    /// A function type.
    pub fn function(&mut self, params: &[Type], results: &[Type]) -> Type {
        self.intern(TypeKind::Function { params: params.into(), results: results.into() })
    }

    /// The type of the same shape (scalar, vector or matrix) with other components.
    pub fn with_scalar(&mut self, ty: Type, scalar: Scalar) -> Type {
        match self.kinds[ty] {
            TypeKind::Scalar(_) => self.scalar(scalar),
            TypeKind::Vector(_, n) => self.vector(scalar, n),
            TypeKind::Matrix { columns, rows, .. } => self.matrix(scalar, columns, rows),
            _ => ty,
        }
    }
}
