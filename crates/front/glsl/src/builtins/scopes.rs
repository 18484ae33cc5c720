//! Atomic operations and barriers with a scope, the kinds of memory and their order (`GL_KHR_memory_scope_semantics`). Each has three more
//! arguments than the plain function, `atomicCompSwap` five.

use planish_ir::entity::Type;
use planish_ir::ops::Op;
use planish_ir::types::Types;

use super::table::{Row, needs, row};
use super::{Action, Availability, Lookup, Overload, Param, ParamKind};

/// The extension.
pub(crate) const SCOPES: &[&str] = &["GL_KHR_memory_scope_semantics"];

/// Form of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Load,
    Store,
    /// Reads, computes and writes: with one operand.
    Update,
    /// A comparison and a new value.
    CompareExchange,
    MemoryBarrier,
    ControlBarrier,
}

/// A function with a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scoped {
    /// Name of its instruction of SPIR-V, without `Op`.
    pub(crate) name: &'static str,
    /// Number of that instruction.
    pub(crate) opcode: u32,
    pub(crate) form: Form,
    /// The op that does the same without an order.
    pub(crate) plain: Option<Op>,
    /// Of an image: whether a sample number follows the coordinate.
    pub(crate) image: Option<bool>,
}

impl Scoped {
    /// The op of images that accesses a texel in the same way.
    pub(crate) fn image_op(&self) -> Op {
        match self.form {
            Form::Load => Op::ImageLoad,
            Form::Store => Op::ImageStore,
            _ => Op::ImageAtomicExchange,
        }
    }
}

const fn scoped(name: &'static str, opcode: u32, form: Form, plain: Option<Op>) -> Scoped {
    Scoped { name, opcode, form, plain, image: None }
}

const fn function(name: &'static str, signature: &'static str, scoped: Scoped) -> Row {
    row(name, signature, (0, 0), Op::CustomOrdered).does(Action::Scoped(scoped)).with(SCOPES)
}

const fn update(name: &'static str, signature: &'static str, spirv: &'static str, opcode: u32, plain: Op) -> Row {
    function(name, signature, scoped(spirv, opcode, Form::Update, Some(plain)))
}

const LOAD: Scoped = scoped("AtomicLoad", 227, Form::Load, None);
const STORE: Scoped = scoped("AtomicStore", 228, Form::Store, None);
const COMPARE: Scoped = scoped("AtomicCompareExchange", 230, Form::CompareExchange, Some(Op::AtomicCompareExchange));

#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    update("atomicAdd", "u(&u,u,!i,!i,!i)", "AtomicIAdd", 234, Op::AtomicAdd),
    update("atomicAdd", "i(&i,i,!i,!i,!i)", "AtomicIAdd", 234, Op::AtomicAdd),
    update("atomicAdd", "w(&w,w,!i,!i,!i)", "AtomicIAdd", 234, Op::AtomicAdd),
    update("atomicAdd", "l(&l,l,!i,!i,!i)", "AtomicIAdd", 234, Op::AtomicAdd),
    update("atomicMin", "u(&u,u,!i,!i,!i)", "AtomicUMin", 237, Op::AtomicMin),
    update("atomicMin", "i(&i,i,!i,!i,!i)", "AtomicSMin", 236, Op::AtomicMin),
    update("atomicMin", "w(&w,w,!i,!i,!i)", "AtomicUMin", 237, Op::AtomicMin),
    update("atomicMin", "l(&l,l,!i,!i,!i)", "AtomicSMin", 236, Op::AtomicMin),
    update("atomicMax", "u(&u,u,!i,!i,!i)", "AtomicUMax", 239, Op::AtomicMax),
    update("atomicMax", "i(&i,i,!i,!i,!i)", "AtomicSMax", 238, Op::AtomicMax),
    update("atomicMax", "w(&w,w,!i,!i,!i)", "AtomicUMax", 239, Op::AtomicMax),
    update("atomicMax", "l(&l,l,!i,!i,!i)", "AtomicSMax", 238, Op::AtomicMax),
    update("atomicAnd", "u(&u,u,!i,!i,!i)", "AtomicAnd", 240, Op::AtomicAnd),
    update("atomicAnd", "i(&i,i,!i,!i,!i)", "AtomicAnd", 240, Op::AtomicAnd),
    update("atomicAnd", "w(&w,w,!i,!i,!i)", "AtomicAnd", 240, Op::AtomicAnd),
    update("atomicAnd", "l(&l,l,!i,!i,!i)", "AtomicAnd", 240, Op::AtomicAnd),
    update("atomicOr", "u(&u,u,!i,!i,!i)", "AtomicOr", 241, Op::AtomicOr),
    update("atomicOr", "i(&i,i,!i,!i,!i)", "AtomicOr", 241, Op::AtomicOr),
    update("atomicOr", "w(&w,w,!i,!i,!i)", "AtomicOr", 241, Op::AtomicOr),
    update("atomicOr", "l(&l,l,!i,!i,!i)", "AtomicOr", 241, Op::AtomicOr),
    update("atomicXor", "u(&u,u,!i,!i,!i)", "AtomicXor", 242, Op::AtomicXor),
    update("atomicXor", "i(&i,i,!i,!i,!i)", "AtomicXor", 242, Op::AtomicXor),
    update("atomicXor", "w(&w,w,!i,!i,!i)", "AtomicXor", 242, Op::AtomicXor),
    update("atomicXor", "l(&l,l,!i,!i,!i)", "AtomicXor", 242, Op::AtomicXor),
    update("atomicExchange", "u(&u,u,!i,!i,!i)", "AtomicExchange", 229, Op::AtomicExchange),
    update("atomicExchange", "i(&i,i,!i,!i,!i)", "AtomicExchange", 229, Op::AtomicExchange),
    update("atomicExchange", "w(&w,w,!i,!i,!i)", "AtomicExchange", 229, Op::AtomicExchange),
    update("atomicExchange", "l(&l,l,!i,!i,!i)", "AtomicExchange", 229, Op::AtomicExchange),
    function("atomicCompSwap", "u(&u,u,u,!i,!i,!i,!i,!i)", COMPARE),
    function("atomicCompSwap", "i(&i,i,i,!i,!i,!i,!i,!i)", COMPARE),
    function("atomicCompSwap", "w(&w,w,w,!i,!i,!i,!i,!i)", COMPARE),
    function("atomicCompSwap", "l(&l,l,l,!i,!i,!i,!i,!i)", COMPARE),
    function("atomicLoad", "u(&u,!i,!i,!i)", LOAD),
    function("atomicLoad", "i(&i,!i,!i,!i)", LOAD),
    function("atomicLoad", "w(&w,!i,!i,!i)", LOAD),
    function("atomicLoad", "l(&l,!i,!i,!i)", LOAD),
    function("atomicStore", "v(&u,u,!i,!i,!i)", STORE),
    function("atomicStore", "v(&i,i,!i,!i,!i)", STORE),
    function("atomicStore", "v(&w,w,!i,!i,!i)", STORE),
    function("atomicStore", "v(&l,l,!i,!i,!i)", STORE),
    function("memoryBarrier", "v(!i,!i,!i)", scoped("MemoryBarrier", 225, Form::MemoryBarrier, None)),
    function("controlBarrier", "v(!i,!i,!i,!i)", scoped("ControlBarrier", 224, Form::ControlBarrier, None)),
];

/// The names that only this extension has, of images.
pub(super) const IMAGE_NAMES: &[&str] = &["imageAtomicLoad", "imageAtomicStore"];

/// The function whose parameters begin like those of a function of images.
pub(super) fn plain_image_function(name: &str) -> &str {
    if IMAGE_NAMES.contains(&name) { "imageAtomicExchange" } else { name }
}

/// Adds the form with a scope to the overloads of a function of images.
pub(super) fn with_scopes(types: &Types, name: &str, found: Lookup, cx: &Availability<'_>) -> Lookup {
    let is_new = IMAGE_NAMES.contains(&name);
    let Lookup::Found(mut overloads) = found else { return found };
    if !cx.any_extension(SCOPES) {
        return if is_new { Lookup::Unavailable(needs(cx, (0, 0), SCOPES)) } else { Lookup::Found(overloads) };
    }
    let scoped = overloads.iter().filter_map(|plain| of_image(types, name, plain)).next();
    if is_new {
        overloads.clear();
    }
    overloads.extend(scoped);
    Lookup::Found(overloads)
}

fn of_image(types: &Types, name: &str, plain: &Overload) -> Option<Overload> {
    let Action::Image(op, sample) = plain.action else { return None };
    let scalar = types.scalar_of(plain.result)?;
    let is_signed = scalar.is_signed() && scalar.is_integer();
    let (spirv, opcode, form) = match (name, op) {
        ("imageAtomicLoad", _) => ("AtomicLoad", 227, Form::Load),
        ("imageAtomicStore", _) => ("AtomicStore", 228, Form::Store),
        (_, Op::ImageAtomicExchange) => ("AtomicExchange", 229, Form::Update),
        (_, Op::ImageAtomicCompareExchange) => ("AtomicCompareExchange", 230, Form::CompareExchange),
        _ if scalar.is_float() => return None,
        (_, Op::ImageAtomicAdd) => ("AtomicIAdd", 234, Form::Update),
        (_, Op::ImageAtomicMin) if is_signed => ("AtomicSMin", 236, Form::Update),
        (_, Op::ImageAtomicMin) => ("AtomicUMin", 237, Form::Update),
        (_, Op::ImageAtomicMax) if is_signed => ("AtomicSMax", 238, Form::Update),
        (_, Op::ImageAtomicMax) => ("AtomicUMax", 239, Form::Update),
        (_, Op::ImageAtomicAnd) => ("AtomicAnd", 240, Form::Update),
        (_, Op::ImageAtomicOr) => ("AtomicOr", 241, Form::Update),
        (_, Op::ImageAtomicXor) => ("AtomicXor", 242, Form::Update),
        _ => return None,
    };
    let mut params = plain.params.clone();
    params[0].kind = ParamKind::Place;
    if form == Form::Load {
        params.pop();
    }
    let more = if form == Form::CompareExchange { 5 } else { 3 };
    params.extend((0..more).map(|_| Param { ty: Type::I32, kind: ParamKind::Const }));
    let result = if form == Form::Store { Type::VOID } else { plain.result };
    let scoped = Scoped { name: spirv, opcode, form, plain: None, image: Some(sample) };
    Some(Overload { params, result, action: Action::Scoped(scoped) })
}
