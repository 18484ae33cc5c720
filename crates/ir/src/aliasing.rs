//! Alias analysis of pointers, and calls that pass aliasing pointers.
//!
//! A pointer has a *root*, a variable or a parameter, and a path of access steps. A pointer parameter without a
//! direction may point to anything of its address space that outlives the function, and may alias other such
//! parameters. Memory behind an `out`, `inout` or `noalias` parameter ([`Direction`]) is accessed through that
//! parameter only while the function runs, if it is written at all. [`conflicts`] finds calls that may break this.

pub mod bytes;

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::arena::SideTable;
use crate::entity::{Func, Node, Value, Var};
use crate::function::{Body, Direction, LocalDef};
use crate::module::Module;
use crate::ops::{Effect, Op};
use crate::types::AddressSpace;
use crate::{decoration::Decoration, walk};

/// The root of a pointer in a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Root {
    /// A variable.
    Var(Var),
    /// A parameter, by number.
    Param(u32),
}

/// The root of a chain of accesses; `None` if unknown. Time is linear in its length.
pub fn root(body: &Body, pointer: Value) -> Option<Root> {
    let base = body.base(pointer);
    if let Some(var) = base.as_var() {
        return Some(Root::Var(var));
    }
    match body.local(base.as_local()?).def {
        LocalDef::Input(block, index) if block == body.entry => Some(Root::Param(index.into())),
        _ => None,
    }
}

/// An access step: index of the part, or `None` if it is not a constant.
pub type Step = Option<u64>;

/// The path of access steps of a pointer, outermost first. Time is linear in their number.
pub fn steps(module: &Module, body: &Body, mut pointer: Value) -> SmallVec<[Step; 4]> {
    let mut steps = SmallVec::new();
    while let Some(node) = body.node_of(pointer) {
        let (data, args) = (body.node(node), body.args(node));
        steps.push(match data.op {
            Op::AccessStructField | Op::AccessVectorComponent => Some(u64::from(data.imm.as_index())),
            // An index past the end is clamped, so it may select the last element.
            Op::AccessArrayElement | Op::AccessMatrixColumn => {
                let index = args[1].as_const().and_then(|c| module.consts.as_bits(c));
                index.filter(|&i| is_inside(module, body, args[0], i))
            }
            _ => None,
        });
        pointer = args[0];
    }
    steps.reverse();
    steps
}

fn is_inside(module: &Module, body: &Body, pointer: Value, index: u64) -> bool {
    let of = module.types.pointee(module.type_of(body, pointer)).map(|p| p.0);
    of.and_then(|ty| module.types.part_count(ty)).is_some_and(|n| index < u64::from(n))
}

/// Whether two paths from one root never overlap.
pub fn disjoint(a: &[Step], b: &[Step]) -> bool {
    for (a, b) in a.iter().zip(b) {
        match (a, b) {
            (Some(a), Some(b)) if a == b => {}
            (Some(_), Some(_)) => return true,
            // The kinds of the following steps may differ.
            _ => return false,
        }
    }
    false
}

/// The address space of a pointer parameter that may alias others; `None` for all other parameters.
pub fn aliased_space(module: &Module, func: Func, param: u32) -> Option<AddressSpace> {
    let param = module.funcs[func].params.get(param as usize)?;
    let (_, space) = module.types.pointee(param.ty)?;
    (param.direction == Direction::In && space != AddressSpace::Handle).then_some(space)
}

/// Whether two different roots of a function may alias.
pub fn may_meet(module: &Module, func: Func, a: Root, b: Root) -> bool {
    let space = |param| aliased_space(module, func, param);
    match (a, b) {
        (Root::Var(a), Root::Var(b)) => {
            let shares = |var: Var| {
                let data = &module.vars[var];
                data.space == AddressSpace::Storage && !data.decorations.has(Decoration::Restrict)
            };
            shares(a) && shares(b)
        }
        (Root::Param(a), Root::Param(b)) => space(a).is_some() && space(a) == space(b),
        // A local variable of the function aliases no parameter.
        (Root::Var(var), Root::Param(param)) | (Root::Param(param), Root::Var(var)) => {
            module.vars[var].space != AddressSpace::Function && Some(module.vars[var].space) == space(param)
        }
    }
}

/// Accesses of a function and its callees to memory.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Access {
    reads: bool,
    writes: bool,
}

impl Access {
    const WRITE: Access = Access { reads: false, writes: true };
    const READ: Access = Access { reads: true, writes: false };
    const BOTH: Access = Access { reads: true, writes: true };

    fn add(&mut self, other: Access) -> bool {
        let before = *self;
        self.reads |= other.reads;
        self.writes |= other.writes;
        *self != before
    }

    /// Whether aliasing of the two accesses is observable: at least one is a write.
    fn conflicts(self, other: Access) -> bool {
        self.writes && (other.reads || other.writes) || self.reads && other.writes
    }
}

/// Accesses of one function through its parameters and to variables of the module.
#[derive(Clone, Default, Debug)]
struct Accesses {
    params: Vec<Access>,
    vars: FxHashMap<Var, Access>,
}

impl Accesses {
    fn add(&mut self, root: Option<Root>, access: Access) -> bool {
        match root {
            Some(Root::Var(var)) => self.vars.entry(var).or_default().add(access),
            Some(Root::Param(param)) => self.params.get_mut(param as usize).is_some_and(|p| p.add(access)),
            None => false,
        }
    }
}

/// A call that passes a pointer to memory which the callee also accesses in another way, with a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The caller.
    pub func: Func,
    /// The call.
    pub node: Node,
    /// The callee.
    pub callee: Func,
    /// Index of the argument.
    pub argument: u32,
    /// The other access.
    pub other: Other,
    /// Whether a parameter promises that this does not happen: it is `out`, `inout` or `noalias`.
    pub is_broken_promise: bool,
}

impl Conflict {
    /// Description for a message.
    pub fn text(&self, module: &Module) -> String {
        let callee = &module.funcs[self.callee];
        let name = &callee.name.text;
        let param = |i: u32| {
            let param = &callee.params[i as usize];
            let word = match param.direction {
                Direction::In => "",
                Direction::Out => " (`out`)",
                Direction::InOut => " (`inout`)",
                Direction::NoAlias => " (`noalias`)",
            };
            let name = &param.name.text;
            if name.is_empty() { format!("parameter {i}{word}") } else { format!("`{name}`{word}") }
        };
        match self.other {
            Other::Argument(other) => {
                let (first, second) = (param(self.argument), param(other));
                format!("`{name}` gets pointers for {first} and {second} that may alias, and writes that memory")
            }
            Other::Var(var) => {
                let var = &module.vars[var].name.text;
                format!(
                    "`{name}` gets a pointer for {} that may alias `{var}`, which it accesses too, and writes one of them",
                    param(self.argument)
                )
            }
        }
    }
}

/// Second access path to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Other {
    /// Another argument, by index.
    Argument(u32),
    /// A variable that the callee or its callees access.
    Var(Var),
}

/// All direct calls that pass aliasing pointers to memory that is written. Linear in the size of the module plus calls
/// times variables reachable through pointer parameters; no work in modules without pointer parameters.
pub fn conflicts(module: &Module) -> Vec<Conflict> {
    let has_pointer = |func: Func| module.funcs[func].params.iter().any(|p| is_pointer(module, p.ty));
    if !module.funcs.keys().any(has_pointer) {
        return vec![];
    }
    let all = accesses(module);
    let mut found = Vec::new();
    for (func, function) in module.funcs.iter() {
        let Some(body) = &function.body else { continue };
        for node in walk::blocks(body).flat_map(|b| body.blocks[b].nodes.iter().copied()) {
            if let Some(callee) = body.callee(node).filter(|&callee| has_pointer(callee)) {
                conflicts_of(module, func, node, callee, &all[callee], &mut found);
            }
        }
    }
    found
}

fn is_pointer(module: &Module, ty: crate::entity::Type) -> bool {
    module.types.pointee(ty).is_some_and(|(_, space)| space != AddressSpace::Handle)
}

/// Accesses of every function and its callees.
fn accesses(module: &Module) -> SideTable<Func, Accesses> {
    // Variables of an address space without pointer parameters cannot be aliased.
    let pointees = module.funcs.values().flat_map(|f| &f.params).filter_map(|p| module.types.pointee(p.ty));
    let spaces: Vec<AddressSpace> = pointees.map(|p| p.1).filter(|&s| s != AddressSpace::Function).collect();
    let matters = |root: &Root| match *root {
        Root::Var(var) => spaces.contains(&module.vars[var].space),
        Root::Param(_) => true,
    };
    let mut all: SideTable<Func, Accesses> = SideTable::new();
    let mut calls: Vec<(Func, Func, Vec<Option<Root>>)> = Vec::new();
    for (func, function) in module.funcs.iter() {
        all[func].params = vec![Access::default(); function.params.len()];
        let Some(body) = &function.body else {
            // An imported function may do anything with its arguments.
            all[func].params.fill(Access::BOTH);
            continue;
        };
        for node in walk::blocks(body).flat_map(|b| body.blocks[b].nodes.iter().copied()) {
            let args = body.args(node);
            let effect = body.node(node).op.info().effect;
            let access = match effect {
                Effect::Load => Access::READ,
                Effect::Store => Access::WRITE,
                Effect::Modify => Access::BOTH,
                Effect::Call if body.callee(node).is_some() => {
                    let callee = body.callee(node).expect("it was just there");
                    let roots = args[1..].iter().map(|&a| root(body, a).filter(matters)).collect();
                    calls.push((func, callee, roots));
                    continue;
                }
                // An op of the user's own may read and write what its operands point to.
                Effect::World => {
                    let pointers = args.iter().filter(|arg| is_pointer(module, module.type_of(body, **arg)));
                    for &pointer in pointers {
                        all[func].add(root(body, pointer).filter(matters), Access::BOTH);
                    }
                    continue;
                }
                _ => continue,
            };
            if let Some(&pointer) = args.first() {
                all[func].add(root(body, pointer).filter(matters), access);
            }
        }
    }
    spread(module, &calls, &mut all);
    all
}

/// Propagates accesses of callees to their callers, to a fixpoint.
fn spread(module: &Module, calls: &[(Func, Func, Vec<Option<Root>>)], all: &mut SideTable<Func, Accesses>) {
    let mut callers: SideTable<Func, Vec<usize>> = SideTable::new();
    for (i, (_, callee, _)) in calls.iter().enumerate() {
        callers[*callee].push(i);
    }
    let mut pending: VecDeque<Func> = module.funcs.keys().collect();
    let mut is_pending: SideTable<Func, bool> = SideTable::new();
    pending.iter().for_each(|&func| is_pending[func] = true);
    while let Some(callee) = pending.pop_front() {
        is_pending[callee] = false;
        let does = all[callee].clone();
        for &call in &callers[callee] {
            let (caller, _, roots) = &calls[call];
            let caller_does = &mut all[*caller];
            let mut changed = false;
            for (&root, &access) in roots.iter().zip(&does.params) {
                changed |= caller_does.add(root, access);
            }
            for (&var, &access) in &does.vars {
                changed |= caller_does.add(Some(Root::Var(var)), access);
            }
            if changed && !std::mem::replace(&mut is_pending[*caller], true) {
                pending.push_back(*caller);
            }
        }
    }
}

fn conflicts_of(module: &Module, func: Func, node: Node, callee: Func, does: &Accesses, found: &mut Vec<Conflict>) {
    let body = module.funcs[func].body.as_ref().expect("it has the call");
    let args = &body.args(node)[1..];
    let params = &module.funcs[callee].params;
    let pointers = (0..args.len().min(params.len())).filter(|&i| is_pointer(module, params[i].ty));
    let pointers: SmallVec<[usize; 4]> = pointers.collect();
    let roots: SmallVec<[Option<Root>; 4]> = pointers.iter().map(|&i| root(body, args[i])).collect();
    let meet = |x: usize, y: usize| match (roots[x], roots[y]) {
        (Some(a), Some(b)) if a == b => {
            !disjoint(&steps(module, body, args[pointers[x]]), &steps(module, body, args[pointers[y]]))
        }
        (Some(a), Some(b)) => may_meet(module, func, a, b),
        _ => true,
    };
    let promises = |i: usize| params[i].direction != Direction::In;
    let mut add = |argument: usize, other: Other, is_broken_promise: bool| {
        found.push(Conflict { func, node, callee, argument: argument as u32, other, is_broken_promise });
    };
    for (x, &i) in pointers.iter().enumerate() {
        for (y, &j) in pointers.iter().enumerate().skip(x + 1) {
            if does.params[i].conflicts(does.params[j]) && meet(x, y) {
                add(i, Other::Argument(j as u32), promises(i) || promises(j));
            }
        }
        let meets = |&(var, access): &(Var, Access)| {
            let same = roots[x].is_none_or(|r| r == Root::Var(var) || may_meet(module, func, r, Root::Var(var)));
            same && does.params[i].conflicts(access)
        };
        let first = does.vars.iter().map(|(&var, &access)| (var, access)).filter(meets).map(|(var, _)| var).min();
        if let Some(var) = first {
            add(i, Other::Var(var), promises(i));
        }
    }
}
