//! What a pointer points to: a variable of the host's, or a parameter, the part of it that the host knows by a name of its own,
//! and the way from there to the part that is meant.

use planish_ir::decoration::Decoration;
use planish_ir::entity::{Type, Value, ValueKind, Var};
use planish_ir::function::{Body, LocalDef};
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op};
use planish_ir::types::{AddressSpace, TypeKind};
use smallvec::SmallVec;

/// Where a chain of accesses begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Root {
    /// A variable.
    Var(Var),
    /// A parameter of the function, by number.
    Param(u16),
}

/// Something that has a node of its own: a root, and members and elements from there on.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Leaf {
    pub(crate) root: Root,
    pub(crate) path: SmallVec<[u32; 4]>,
}

/// A step from a whole to a part: the op that takes the part out of a value, its immediate, and the index if it is an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) extract: Op,
    pub(crate) insert: Op,
    pub(crate) imm: Imm,
    pub(crate) index: Option<Value>,
}

/// What a pointer points to.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) leaf: Leaf,
    /// The type of the leaf.
    pub(crate) ty: Type,
    /// From the leaf on.
    pub(crate) steps: SmallVec<[Step; 2]>,
}

/// The place that a pointer points to; `None` if it cannot be told before the program runs. O(length of the chain).
pub(crate) fn place_of(module: &Module, body: &Body, pointer: Value) -> Option<Place> {
    let mut accesses: SmallVec<[_; 4]> = SmallVec::new();
    let mut at = pointer;
    let root = loop {
        match at.kind() {
            ValueKind::Var(var) => break Root::Var(var),
            ValueKind::Local(local) => match body.local(local).def {
                LocalDef::Input(block, i) if block == body.entry => break Root::Param(i),
                LocalDef::Result(node, _) => {
                    step_of(body.node(node).op)?;
                    accesses.push(node);
                    at = body.args(node)[0];
                }
                LocalDef::Input(..) => return None,
            },
            _ => return None,
        }
    };
    let mut ty = module.types.pointee(module.type_of(body, at))?.0;
    let mut place = Place { leaf: Leaf { root, path: SmallVec::new() }, ty, steps: SmallVec::new() };
    for &node in accesses.iter().rev() {
        let (data, args) = (body.node(node), body.args(node));
        let (extract, insert) = step_of(data.op)?;
        ty = module.types.pointee(body.local_type(body.result(node)?))?.0;
        match path_step(module, root, &place, data.op, data.imm, args) {
            Some(index) => {
                place.leaf.path.push(index);
                place.ty = ty;
            }
            None => place.steps.push(Step { extract, insert, imm: data.imm, index: args.get(1).copied() }),
        }
    }
    Some(place)
}

/// The ops that take a part out of a value, and put it in, where this op makes a pointer to it.
fn step_of(access: Op) -> Option<(Op, Op)> {
    Some(match access {
        Op::AccessVectorComponent => (Op::ExtractVectorComponent, Op::InsertVectorComponent),
        Op::AccessVectorComponentMulti => (Op::ExtractVectorComponentMulti, Op::InsertVectorComponent),
        Op::AccessVectorComponentDynamic => (Op::ExtractVectorComponentDynamic, Op::InsertVectorComponentDynamic),
        Op::AccessMatrixColumn => (Op::ExtractMatrixColumn, Op::InsertMatrixColumn),
        Op::AccessArrayElement => (Op::ExtractArrayElement, Op::InsertArrayElement),
        Op::AccessStructField => (Op::ExtractStructField, Op::InsertStructField),
        _ => return None,
    })
}

/// The next step of a leaf's path, if the host knows the part by itself: members and elements of uniforms and resources at
/// constant indices, members of the blocks that inputs and outputs stand in.
fn path_step(module: &Module, root: Root, place: &Place, op: Op, imm: Imm, args: &[Value]) -> Option<u32> {
    let Root::Var(var) = root else { return None };
    if !place.steps.is_empty() {
        return None;
    }
    let space = module.vars[var].space;
    let whole = &module.types[place.ty];
    let is_read_only = is_read_only(module, var);
    match (space, op, whole) {
        (AddressSpace::Storage, Op::AccessStructField, _) if is_read_only => Some(imm.as_index()),
        (AddressSpace::Input | AddressSpace::Output, Op::AccessStructField, TypeKind::Struct(s)) => {
            (s.is_block && place.leaf.path.is_empty()).then_some(imm.as_index())
        }
        (AddressSpace::Uniform | AddressSpace::PushConstant | AddressSpace::Handle, Op::AccessStructField, _) => {
            Some(imm.as_index())
        }
        (
            AddressSpace::Uniform | AddressSpace::PushConstant | AddressSpace::Handle | AddressSpace::Storage,
            Op::AccessArrayElement,
            &TypeKind::Array { len, .. },
        ) if space != AddressSpace::Storage || is_read_only => {
            // An index counts as unsigned and is clamped.
            let bits = module.consts.as_bits(args.get(1)?.as_const()?)?;
            Some((bits as u32).min(len - 1))
        }
        _ => None,
    }
}

/// What a leaf is to the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LeafKind {
    Input,
    Uniform,
    Resource,
    /// A constant: the initializer of a variable that is never written.
    Constant,
    /// Memory of this invocation alone: its value is what was stored last. An output begins as zero.
    Own,
    /// Memory that others see.
    Shared,
}

/// What reading a place finds there.
pub(crate) fn kind_of(module: &Module, place: &Place) -> LeafKind {
    let Root::Var(var) = place.leaf.root else { return LeafKind::Own };
    let data = &module.vars[var];
    let is_specialized = data.decorations.iter().any(|d| matches!(d, Decoration::ConstantId(_)));
    match data.space {
        AddressSpace::Input => LeafKind::Input,
        AddressSpace::Handle => LeafKind::Resource,
        AddressSpace::Uniform | AddressSpace::PushConstant if module.types.is_opaque(place.ty) => LeafKind::Resource,
        AddressSpace::Uniform | AddressSpace::PushConstant => LeafKind::Uniform,
        AddressSpace::Private | AddressSpace::Function if is_specialized => LeafKind::Uniform,
        AddressSpace::Private | AddressSpace::Function if data.is_const && data.initializer.is_some() => {
            LeafKind::Constant
        }
        AddressSpace::Private | AddressSpace::Function | AddressSpace::Output => LeafKind::Own,
        // What nobody writes is the same for a whole draw.
        AddressSpace::Storage if is_read_only(module, var) => LeafKind::Uniform,
        AddressSpace::Storage | AddressSpace::Workgroup => LeafKind::Shared,
    }
}

/// Whether nobody writes a storage buffer while the program runs.
fn is_read_only(module: &Module, var: Var) -> bool {
    let decorations = &module.vars[var].decorations;
    decorations.has(Decoration::ReadOnly) && !decorations.has(Decoration::Volatile)
}
