//! Inputs of subgroups that a target lacks are computed from those that it has.
//!
//! ```text
//! before: %1 = load @gl_SubgroupLtMask       after: %1 = load @gl_SubgroupInvocationID
//!                                                   … the bits below %1, word by word …
//!         %2 = load @gl_SubgroupID                  %2 = load @subgroup_id
//! ```
//!
//! Of the number of the subgroup in its work group only this is known: that all of its invocations have the same, and no others, and that it is
//! less than `gl_NumSubgroups`. The entry point counts the subgroups in shared memory before anything else, when all invocations are there:
//!
//! ```text
//! atomic_and @subgroup_count, 0;  control_barrier;
//! %number = atomic_add @subgroup_count, (subgroup_elect ? 1 : 0);
//! store @subgroup_id, subgroup_broadcast_first %number;  control_barrier;
//! store @num_subgroups, load @subgroup_count
//! ```
//!
//! Holds before: a valid, placed module, whose inputs of subgroups are loaded, whole or in parts.

use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::decoration::{BuiltIn, Decoration, Name, NameSource};
use planish_ir::entity::{Block, Func, Node, Type, Value, Var};
use planish_ir::function::Body;
use planish_ir::module::{Module, Stage as ShaderStage};
use planish_ir::ops::{Class, Imm, Op};
use planish_ir::types::AddressSpace;
use rustc_hash::FxHashSet;
use smallvec::smallvec;

use crate::context::Context;
use crate::input_parts::{part_of, path_to};
use crate::restage::{Stage, copy_node, restage};

/// Inputs that can be computed from the number of the invocation and the size of the subgroup.
pub const MASKS: &[BuiltIn] = &[
    BuiltIn::SubgroupEqMask,
    BuiltIn::SubgroupGeMask,
    BuiltIn::SubgroupGtMask,
    BuiltIn::SubgroupLeMask,
    BuiltIn::SubgroupLtMask,
];

/// Inputs that can be computed; those of compute shaders alone are the last two.
pub const ALL: &[BuiltIn] = &[
    BuiltIn::SubgroupEqMask,
    BuiltIn::SubgroupGeMask,
    BuiltIn::SubgroupGtMask,
    BuiltIn::SubgroupLeMask,
    BuiltIn::SubgroupLtMask,
    BuiltIn::SubgroupId,
    BuiltIn::NumSubgroups,
];

/// Whether a module has inputs among those that the target is `lacking`, in stages that have subgroups.
pub fn is_needed(module: &Module, lacking: &[BuiltIn]) -> bool {
    let of_subgroups = |stage| matches!(stage, Some(ShaderStage::Fragment | ShaderStage::Compute));
    module.entry_points.iter().any(|entry| of_subgroups(entry.stage))
        && module.globals.iter().any(|&var| lacking_input(module, var, lacking).is_some())
}

/// Runs on the whole module.
pub fn run(module: &mut Module, lacking: &[BuiltIn], context: &mut Context) {
    let counts =
        module.globals.clone().into_iter().any(|var| {
            matches!(lacking_input(module, var, lacking), Some(BuiltIn::SubgroupId | BuiltIn::NumSubgroups))
        });
    let counted = counts.then(|| {
        let private =
            |module: &mut Module, name: &str| module.add_var(Name::temporary(name), Type::U32, AddressSpace::Private);
        let shared = Name::temporary("subgroup_count");
        Counted {
            count: module.add_var(shared, Type::U32, AddressSpace::Workgroup),
            id: private(module, "subgroup_id"),
            all: private(module, "num_subgroups"),
        }
    });
    let entries: Vec<Func> =
        module.entry_points.iter().filter(|e| e.stage == Some(ShaderStage::Compute)).map(|e| e.func).collect();
    let funcs: Vec<Func> = module.funcs.iter().filter(|(_, f)| f.body.is_some()).map(|(func, _)| func).collect();
    for func in funcs {
        let begins = counted.filter(|_| entries.contains(&func));
        restage(module, func, Policy::PLAIN, &mut Lower { lacking, counted, begins });
        let unused = unused_addresses(module, func, lacking);
        if !unused.is_empty() {
            restage(module, func, Policy::PLAIN, &mut Drop { unused });
        }
    }
    context.changed();
}

/// The built-in of an input, if it is one of these.
fn lacking_input(module: &Module, var: Var, lacking: &[BuiltIn]) -> Option<BuiltIn> {
    let data = &module.vars[var];
    let builtin = data.decorations.builtin().filter(|_| data.space == AddressSpace::Input)?;
    lacking.contains(&builtin).then_some(builtin)
}

/// Addresses of parts of the inputs, which no node uses any more.
fn unused_addresses(module: &Module, func: Func, lacking: &[BuiltIn]) -> FxHashSet<Node> {
    let Some(body) = &module.funcs[func].body else { return FxHashSet::default() };
    let is_address = |node: Node| {
        let root = body.result(node).and_then(|result| body.base(result.into()).as_var());
        let is_access = body.node(node).op.info().class == Class::Access;
        is_access && root.is_some_and(|var| lacking_input(module, var, lacking).is_some())
    };
    let mut unused: FxHashSet<Node> = body.nodes().map(|(node, _)| node).filter(|&node| is_address(node)).collect();
    for (node, _) in body.nodes().filter(|(node, _)| !unused.contains(node)).collect::<Vec<_>>() {
        body.args(node).iter().filter_map(|&arg| body.node_of(arg)).for_each(|used| {
            unused.remove(&used);
        });
    }
    unused
}

/// Leaves nodes out.
struct Drop {
    unused: FxHashSet<Node>,
}

impl Stage for Drop {
    fn drops(&self, node: Node) -> bool {
        self.unused.contains(&node)
    }
}

/// Variables of the count.
#[derive(Clone, Copy)]
struct Counted {
    /// Shared by the work group.
    count: Var,
    /// The number of the subgroup.
    id: Var,
    /// The number of subgroups.
    all: Var,
}

struct Lower<'a> {
    lacking: &'a [BuiltIn],
    counted: Option<Counted>,
    /// Of an entry point, which counts first.
    begins: Option<Counted>,
}

impl Stage for Lower<'_> {
    fn enter(&mut self, b: &mut Builder<'_, '_>) -> Block {
        if let Some(counted) = self.begins {
            count(b, counted);
        }
        b.block()
    }

    fn node(&mut self, old: &Body, node: Node, args: &[Value], b: &mut Builder<'_, '_>) -> Results {
        if old.node(node).op == Op::Load
            && let Some(value) = self.load(args[0], b)
        {
            return smallvec![value];
        }
        copy_node(old, node, args, b)
    }
}

impl Lower<'_> {
    fn load(&self, pointer: Value, b: &mut Builder<'_, '_>) -> Option<Value> {
        let input_of = |module: &Module, value: Value| lacking_input(module, value.as_var()?, self.lacking);
        let (input, path) = path_to(b, pointer, &|module, value| input_of(module, value).is_some())?;
        let whole = match (input_of(b.module, input)?, self.counted) {
            (BuiltIn::SubgroupId, Some(counted)) => b.load(counted.id.into()),
            (BuiltIn::NumSubgroups, Some(counted)) => b.load(counted.all.into()),
            (mask, _) => mask_of(b, mask)?,
        };
        // Binaries may give it another sign.
        let ty = b.module.types.pointee(b.type_of(input)).map(|(ty, _)| ty)?;
        let whole = b.convert(whole, ty);
        part_of(b, whole, path)
    }
}

/// The words of a mask.
fn mask_of(b: &mut Builder<'_, '_>, mask: BuiltIn) -> Option<Value> {
    let own = input(b, BuiltIn::SubgroupInvocationId);
    let above = matches!(mask, BuiltIn::SubgroupGeMask | BuiltIn::SubgroupGtMask);
    let size = above.then(|| input(b, BuiltIn::SubgroupSize));
    let words: Vec<Value> = (0..4)
        .map(|c| {
            let below = bits_below(b, own, c);
            match (mask, size) {
                (BuiltIn::SubgroupLtMask, _) => below,
                (BuiltIn::SubgroupGeMask, Some(size)) => without(b, size, below, c),
                _ => {
                    let bit = own_bit(b, own, c);
                    if mask == BuiltIn::SubgroupEqMask {
                        return bit;
                    }
                    let up_to = b.op(Op::BitwiseOr, &[below, bit]);
                    size.map_or(up_to, |size| without(b, size, up_to, c))
                }
            }
        })
        .collect();
    Some(b.make(Request::new(Op::ConstructVectorFromMultiple, &words).ty(Type::UVEC4)))
}

/// The bits of a subgroup of this size in word `c` but these.
fn without(b: &mut Builder<'_, '_>, size: Value, bits: Value, c: u32) -> Value {
    let all = bits_below(b, size, c);
    let others = b.op(Op::BitwiseNot, &[bits]);
    b.op(Op::BitwiseAnd, &[all, others])
}

/// `1 << number`, by its low five bits.
fn bit(b: &mut Builder<'_, '_>, number: Value) -> Value {
    let (one, low) = (b.u32(1), b.u32(31));
    let amount = b.op(Op::BitwiseAnd, &[number, low]);
    b.make(Request::new(Op::ShiftLeft, &[one, amount]).imm(Imm::GUARDED))
}

/// Word `c` of the bit of a number.
fn own_bit(b: &mut Builder<'_, '_>, number: Value, c: u32) -> Value {
    let (five, word, zero) = (b.u32(5), b.u32(c), b.u32(0));
    let at = b.make(Request::new(Op::ShiftRight, &[number, five]).imm(Imm::GUARDED));
    let is_here = b.op(Op::Equal, &[at, word]);
    let bit = bit(b, number);
    b.op(Op::Select, &[is_here, bit, zero])
}

/// Word `c` of the bits below a number.
fn bits_below(b: &mut Builder<'_, '_>, number: Value, c: u32) -> Value {
    let (one, all, zero) = (b.u32(1), b.u32(u32::MAX), b.u32(0));
    let bit = bit(b, number);
    let within = b.op(Op::Subtract, &[bit, one]);
    let end = b.u32(32 * (c + 1));
    let is_past = b.op(Op::GreaterThanEqual, &[number, end]);
    let word = b.op(Op::Select, &[is_past, all, within]);
    if c == 0 {
        return word;
    }
    let base = b.u32(32 * c);
    let is_before = b.op(Op::LessThan, &[number, base]);
    b.op(Op::Select, &[is_before, zero, word])
}

/// Counts the subgroups of the work group.
fn count(b: &mut Builder<'_, '_>, Counted { count, id, all }: Counted) {
    let (zero, one) = (b.u32(0), b.u32(1));
    b.op(Op::AtomicAnd, &[count.into(), zero]);
    b.make_all(Request::new(Op::ControlBarrier, &[]));
    let is_first = b.op(Op::SubgroupElect, &[]);
    let step = b.op(Op::Select, &[is_first, one, zero]);
    let number = b.op(Op::AtomicAdd, &[count.into(), step]);
    let number = b.op(Op::SubgroupBroadcastFirst, &[number]);
    b.store(id.into(), number);
    b.make_all(Request::new(Op::ControlBarrier, &[]));
    let counted = b.load(count.into());
    b.store(all.into(), counted);
}

/// The value of an input, which is declared if it is not yet: a `u32`.
pub(crate) fn input(b: &mut Builder<'_, '_>, builtin: BuiltIn) -> Value {
    let is_it = |var: &&Var| b.module.vars[**var].decorations.builtin() == Some(builtin);
    let var = match b.module.globals.iter().find(is_it) {
        Some(&var) => var,
        None => {
            let var =
                b.module.add_var(Name::new(builtin.glsl_name(), NameSource::BuiltIn), Type::U32, AddressSpace::Input);
            b.module.vars[var].decorations.add(Decoration::BuiltIn(builtin));
            var
        }
    };
    let value = b.load(var.into());
    // Binaries may give it another sign.
    b.convert(value, Type::U32)
}
