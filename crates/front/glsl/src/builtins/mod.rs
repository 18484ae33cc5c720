//! The built-in functions of GLSL: availability by version, stage and extensions, and translation to ops.
//!
//! [`lookup`] returns the candidate overloads of a call; the type checker picks one by the rules of the language, and
//! [`emit`] lowers the call. Most functions are rows of a table ([`table`]); texture and image functions are derived
//! from the type of their first argument ([`texture`]).

mod device;
mod emit;
mod scopes;
mod signature;
mod table;
mod texture;

pub(crate) use device::POSITIONS;
pub use emit::emit;
pub use scopes::Scoped;
pub(crate) use scopes::{Form, SCOPES};
pub(crate) use table::{COMPUTE_DERIVATIVES, LONGS, SUBGROUP_BASIC, extensions_of, list};

use planish_ir::entity::Type;
use planish_ir::module::Stage;
use planish_ir::ops::{GroupOperation, Op, TextureFlags};
use planish_ir::types::Types;
use smallvec::SmallVec;

use crate::device::Instruction;
use crate::version::Version;

/// The conditions for the availability of a function.
#[derive(Clone, Copy)]
pub struct Availability<'a> {
    /// The version.
    pub version: Version,
    /// The stage.
    pub stage: Stage,
    /// Whether an extension is enabled.
    pub extension: &'a dyn Fn(&str) -> bool,
}

impl Availability<'_> {
    fn any_extension(&self, names: &[&str]) -> bool {
        names.iter().any(|n| (self.extension)(n))
    }

    /// Implicit derivatives, which fragment shaders have, and by an extension compute shaders.
    fn has_quads(&self) -> bool {
        let groups = || self.any_extension(COMPUTE_DERIVATIVES);
        self.stage == Stage::Fragment || self.stage == Stage::Compute && groups()
    }
}

/// Passing mode of an argument of a built-in function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamKind {
    /// By value.
    In,
    /// By value; must be a constant expression.
    Const,
    /// The pointer of a location that is written.
    Out,
    /// The pointer of a location in a buffer or in shared memory (or of an atomic counter).
    Memory,
    /// The pointer of a stage input, or of an element or component of one.
    Interpolant,
    /// The pointer of a variable that has no value: a ray query, an image.
    Place,
}

/// A parameter of an overload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    /// The type of the argument (of the target, if a pointer is passed).
    pub ty: Type,
    /// Its passing mode.
    pub kind: ParamKind,
}

/// One meaning of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Overload {
    /// The parameters.
    pub params: SmallVec<[Param; 5]>,
    /// The result; [`Type::VOID`] for none.
    pub result: Type,
    /// Its translation, for [`emit`].
    pub action: Action,
}

/// Translation of a built-in function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// One node; scalar operands are splatted to the result's size if the op needs operands of one type.
    Op(Op),
    /// `mix` with a boolean selector.
    MixSelect,
    /// Bits as another type.
    Bitcast,
    /// The bits of the components as another number or vector of the same size.
    Reinterpret,
    /// A pair of 16-bit floats to the word of their bits.
    PackFloats,
    /// The pair of 16-bit floats whose bits are in a word.
    UnpackFloats,
    /// First result returned, the second written through the pointer (`modf`, `frexp`, `uaddCarry`, …).
    TwoResults(Op),
    /// Both results written through pointers (`umulExtended`).
    TwoOuts(Op),
    /// A barrier with this immediate.
    MemoryBarrier(u32),
    /// `barrier`: control and shared memory.
    Barrier,
    /// An op over the active invocations of a subgroup.
    Subgroup(Op, GroupOperation),
    /// The same over clusters, whose size is the last argument.
    Clustered(Op),
    /// A texture function.
    Texture(TextureAction),
    /// `textureSize` with (`true`) or without a level.
    TextureSize(bool),
    /// Image functions; whether a sample number follows the coordinate.
    Image(Op, bool),
    /// `atomicCounterAdd` and the like, on pointers to counters: one node.
    Counter(Op),
    /// An instruction of SPIR-V.
    Device(Instruction),
    /// An atomic operation or a barrier with a scope.
    Scoped(Scoped),
}

/// Mapping of a texture function's arguments to operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextureAction {
    /// The op.
    pub op: Op,
    /// The optional operands.
    pub flags: TextureFlags,
    /// Components of the GLSL coordinate that make up the op's coordinate, as a swizzle; empty: all of them.
    pub coordinate: [u8; 4],
    /// Number of those components; 0: all.
    pub coordinate_len: u8,
    /// The component of the GLSL coordinate that is the depth to compare with.
    pub compare: Option<u8>,
    /// Whether the depth is an argument of its own, after the coordinate.
    pub compare_argument: bool,
    /// Whether the gathered component is the last argument.
    pub component_argument: bool,
    /// Whether the result, a float, is splatted to `vec4` (legacy `shadow2D`).
    pub splat: bool,
}

/// The result of [`lookup`].
#[derive(Clone, Debug)]
pub enum Lookup {
    /// No version has a built-in function of this name.
    Unknown,
    /// The function is not available here; the text names the requirement, as in "needs GLSL ES 3.00".
    Unavailable(String),
    /// The available overloads with this number of parameters, or all available ones if there is none.
    Found(Vec<Overload>),
}

/// The overloads of a name for arguments of these types.
///
/// Only overloads near the arguments are built: for a texture function those of the first argument's type, with
/// `double`, `float16_t` and integers of 8 and 16 bits only if an argument is one. (So the type table contains only types of the program.)
pub fn lookup(types: &mut Types, name: &str, args: &[Type], cx: &Availability<'_>) -> Lookup {
    if let Some(found) = texture::lookup(types, name, args, cx) {
        return found;
    }
    let rows = table::rows(name);
    if rows.is_empty() {
        return Lookup::Unknown;
    }
    let others = signature::other_scalars(types, args);
    let mut overloads = Vec::new();
    let mut missing = None;
    for row in rows {
        if row.is_available(cx) {
            signature::expand(types, row, &others, &mut overloads);
        } else if missing.is_none() {
            missing = Some(row);
        }
    }
    match missing {
        Some(row) if overloads.is_empty() => Lookup::Unavailable(row.needs(cx)),
        _ => Lookup::Found(overloads),
    }
}

/// The available overload of the table with exactly these parameter types, the common case. Overload resolution would
/// choose it among those of [`lookup`], so the others need not be built.
pub fn exact(types: &mut Types, name: &str, args: &[Type], cx: &Availability<'_>) -> Option<Overload> {
    if texture::may_be_name(name) {
        return None;
    }
    let here = table::rows(name).iter().filter(|row| row.is_available(cx));
    here.into_iter().find_map(|row| signature::exact(types, row, args))
}

/// Whether any version has a built-in function of this name: for "did you mean" and for redeclarations.
pub fn is_builtin_name(name: &str) -> bool {
    !table::rows(name).is_empty() || texture::is_name(name)
}

/// All names of the table and the modern texture functions, for "did you mean".
pub fn names() -> impl Iterator<Item = &'static str> {
    table::names().chain(texture::MODERN_NAMES.iter().copied())
}
