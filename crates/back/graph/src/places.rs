//! Resolution of pointers: the variable or parameter, the part of it that has a name of its own for the host, and the
//! path from there.

use planish_ir::decoration::Decoration;
use planish_ir::entity::{Type, Value, ValueKind, Var};
use planish_ir::function::{Body, LocalDef};
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op};
use planish_ir::types::{AddressSpace, TypeKind};
use smallvec::SmallVec;

/// Root of a chain of accesses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Root {
    /// A variable.
    Var(Var),
    /// A parameter of the function, by index.
    Param(u16),
}

/// A part with a node of its own: a root, and a path of members and elements.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Leaf {
    pub(crate) root: Root,
    pub(crate) path: SmallVec<[u32; 4]>,
}

/// An access step: the op that extracts the part from a value, its immediate, and the index if it is an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) extract: Op,
    pub(crate) insert: Op,
    pub(crate) imm: Imm,
    pub(crate) index: Option<Value>,
}

/// Target of a pointer.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) leaf: Leaf,
    /// Type of the leaf.
    pub(crate) ty: Type,
    /// Path from the leaf on.
    pub(crate) steps: SmallVec<[Step; 2]>,
}

/// The target of a pointer; `None` if it is not known at compile time. O(length of the chain).
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

/// The ops that extract and insert the part to which an access op points.
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

/// The next step of a leaf's path, if the part has a name of its own for the host: members and elements of uniforms and
/// resources at constant indices, members of interface blocks.
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
            // An index is unsigned and clamped.
            let bits = module.consts.as_bits(args.get(1)?.as_const()?)?;
            Some((bits as u32).min(len - 1))
        }
        _ => None,
    }
}

/// Kind of a leaf in the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LeafKind {
    Input,
    Uniform,
    Resource,
    /// Constant: the initializer of a variable that is never written.
    Constant,
    /// Memory of this invocation: its value is the last stored one, initially zero for an output.
    Own,
    /// Memory visible to others.
    Shared,
}

/// Kind of the memory of a place.
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
        // Memory that is not written is uniform.
        AddressSpace::Storage if is_read_only(module, var) => LeafKind::Uniform,
        AddressSpace::Storage | AddressSpace::Workgroup | AddressSpace::Spirv => LeafKind::Shared,
    }
}

/// Whether a storage buffer is not written during a draw.
fn is_read_only(module: &Module, var: Var) -> bool {
    let decorations = &module.vars[var].decorations;
    decorations.has(Decoration::ReadOnly) && !decorations.has(Decoration::Volatile)
}
