//! Reads and writes of expressions and calls, which decide whether an expression may move to its user.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Func, Local, Value, ValueKind, Var};
use planish_ir::function::{Body, Direction, Exit, LocalDef};
use planish_ir::module::Module;
use planish_ir::ops::{Effect, Op};
use planish_ir::types::AddressSpace;
use planish_ir::walk;
use smallvec::SmallVec;

/// Memory that may change while a function runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Region {
    /// A local variable.
    Local(Var),
    /// A variable of the output that several values share, by its class.
    Shares(u32),
    /// A global variable of the invocation.
    Global(Var),
    /// Memory of an `out` or `inout` parameter.
    Param(Local),
    /// Buffers, shared memory, images, counters: others may write them too.
    Shared,
    /// Every global variable and everything shared.
    Globals,
    /// Anything.
    All,
}

impl Region {
    fn overlaps(self, other: Region) -> bool {
        let is_global = |r: Region| matches!(r, Region::Global(_) | Region::Shared | Region::Globals);
        match (self, other) {
            (Region::All, _) | (_, Region::All) => true,
            (Region::Globals, r) | (r, Region::Globals) => is_global(r),
            (a, b) => a == b,
        }
    }
}

/// A small set of regions; beyond a few members it becomes "anything".
#[derive(Clone, Default, Debug)]
pub struct Regions(SmallVec<[Region; 2]>);

impl Regions {
    const MOST: usize = 12;

    /// Adds a region.
    #[inline]
    pub fn add(&mut self, region: Region) {
        if self.0.contains(&region) || self.0.first() == Some(&Region::All) {
            return;
        }
        if self.0.len() == Self::MOST || region == Region::All {
            self.0.clear();
            self.0.push(Region::All);
        } else {
            self.0.push(region);
        }
    }

    /// Adds all regions of another set.
    pub fn add_all(&mut self, other: &Regions) {
        other.0.iter().for_each(|&r| self.add(r));
    }

    /// Whether it has none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The regions.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Region> {
        self.0.iter().copied()
    }

    fn includes(&self, other: &Regions) -> bool {
        self.0.first() == Some(&Region::All) || other.0.iter().all(|r| self.0.contains(r))
    }

    fn overlaps(&self, other: &Regions) -> bool {
        self.0.iter().any(|a| other.0.iter().any(|b| a.overlaps(*b)))
    }
}

/// Effects of the evaluation of an expression.
#[derive(Clone, Default, Debug)]
pub struct Effects {
    /// Memory that may be read.
    pub reads: Regions,
    /// Memory that may be written.
    pub writes: Regions,
    /// Its value depends on the neighbours in the quad, so it may not move into a branch.
    pub quad: bool,
}

impl Effects {
    /// Whether it may be evaluated anywhere and any number of times.
    #[inline]
    pub fn is_free(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty() && !self.quad
    }

    /// Whether it is observable if it is evaluated where the program does not evaluate it.
    #[inline]
    pub fn is_unconditional(&self) -> bool {
        !self.writes.is_empty() || self.quad
    }

    /// Whether it reads nothing but variables that values share, so that it may be mentioned again until one changes.
    #[inline]
    pub fn only_shares(&self) -> bool {
        let shares = |r| matches!(r, Region::Shares(_));
        self.writes.is_empty() && !self.quad && self.reads.iter().all(shares)
    }

    fn includes(&self, other: &Effects) -> bool {
        self.reads.includes(&other.reads) && self.writes.includes(&other.writes) && (self.quad || !other.quad)
    }

    /// Both.
    #[inline]
    pub fn add(&mut self, other: &Effects) {
        self.reads.add_all(&other.reads);
        self.writes.add_all(&other.writes);
        self.quad |= other.quad;
    }

    /// Whether the order of the two matters.
    #[inline]
    pub fn conflicts(&self, other: &Effects) -> bool {
        self.writes.overlaps(&other.reads) || self.writes.overlaps(&other.writes) || self.reads.overlaps(&other.writes)
    }
}

/// The region that a pointer points to; `None` if it never changes while the program runs.
pub fn region_of(module: &Module, body: &Body, pointer: Value) -> Option<Region> {
    use AddressSpace::{Function, Handle, Input, Output, Private, PushConstant, Spirv, Storage, Uniform, Workgroup};
    match body.base(pointer).kind() {
        ValueKind::Var(var) => match module.vars[var].space {
            Function => Some(Region::Local(var)),
            Private | Output => (!module.vars[var].is_const).then_some(Region::Global(var)),
            Storage | Workgroup | Spirv => Some(Region::Shared),
            Input | Uniform | PushConstant | Handle => None,
        },
        ValueKind::Local(local) => match body.local(local).def {
            LocalDef::Result(..) => Some(Region::All),
            LocalDef::Input(..) => {
                let space = module.types.pointee(body.local(local).ty).map(|(_, space)| space);
                (space != Some(Handle)).then_some(Region::Param(local))
            }
        },
        ValueKind::Const(_) | ValueKind::Func(_) => None,
    }
}

/// Effects of each function on memory that outlives it, callees included. Parameters are not in it: calls add them.
pub fn summaries(module: &Module, order: &[Func]) -> SideTable<Func, Effects> {
    let mut all: SideTable<Func, Effects> = SideTable::with_capacity(module.funcs.len());
    // Callees come first, unless functions call themselves: these are repeated until nothing is added.
    loop {
        let mut done: SideTable<Func, bool> = SideTable::with_capacity(module.funcs.len());
        let mut is_final = true;
        for &func in order {
            let mut effects = Effects::default();
            let mut knows_callees = true;
            match &module.funcs[func].body {
                Some(body) => knows_callees = summarize(module, body, &all, &done, &mut effects),
                None => effects.writes.add(Region::Globals),
            }
            is_final &= knows_callees || all[func].includes(&effects);
            all[func] = effects;
            done[func] = true;
        }
        if is_final {
            return all;
        }
    }
}

/// Returns whether all callees are done.
fn summarize(
    module: &Module,
    body: &Body,
    known: &SideTable<Func, Effects>,
    done: &SideTable<Func, bool>,
    out: &mut Effects,
) -> bool {
    let mut knows_callees = true;
    for block in walk::blocks(body) {
        let data = &body.blocks[block];
        for &node in &data.nodes {
            let own = node_effects(module, body, known, node);
            let outlives = |r: &Region| !matches!(r, Region::Local(_) | Region::Param(_));
            own.reads.iter().filter(outlives).for_each(|r| out.reads.add(r));
            own.writes.iter().filter(outlives).for_each(|r| out.writes.add(r));
            out.quad |= own.quad;
            let callee = if body.node(node).op == Op::Call { body.args(node)[0].as_func() } else { None };
            knows_callees &= callee.is_none_or(|f| done[f]);
        }
        if matches!(data.exit, Exit::Discard | Exit::Trap(_)) {
            out.writes.add(Region::Globals);
        }
    }
    knows_callees
}

/// Effects of one node, without its operands.
pub fn node_effects(
    module: &Module,
    body: &Body,
    functions: &SideTable<Func, Effects>,
    node: planish_ir::entity::Node,
) -> Effects {
    let data = body.node(node);
    let args = body.args(node);
    let mut effects = Effects::default();
    let region = || args.first().and_then(|&p| region_of(module, body, p));
    match data.op.info().effect {
        Effect::Pure => {}
        Effect::Quad | Effect::Subgroup => effects.quad = true,
        Effect::Load => region().into_iter().for_each(|r| effects.reads.add(r)),
        Effect::Store => region().into_iter().for_each(|r| effects.writes.add(r)),
        Effect::Modify => {
            // A counter lies in handle space, where nothing else is written.
            let region = region().unwrap_or(Region::Shared);
            effects.reads.add(region);
            effects.writes.add(region);
        }
        Effect::ImageLoad => effects.reads.add(Region::Shared),
        Effect::ImageStore => effects.writes.add(Region::Shared),
        Effect::ImageModify => {
            effects.reads.add(Region::Shared);
            effects.writes.add(Region::Shared);
        }
        Effect::Call => call_effects(module, body, functions, node, &mut effects),
        // A trap keeps its place among other traps, and among what is seen from outside.
        Effect::MayTrap
        | Effect::MemoryLoad
        | Effect::MemoryStore
        | Effect::MemoryModify
        | Effect::TableLoad
        | Effect::TableStore => effects.writes.add(Region::Globals),
        Effect::NewToken | Effect::World => effects.writes.add(Region::All),
    }
    effects
}

fn call_effects(
    module: &Module,
    body: &Body,
    functions: &SideTable<Func, Effects>,
    node: planish_ir::entity::Node,
    effects: &mut Effects,
) {
    let args = body.args(node);
    let callee = if body.node(node).op == Op::Call { args[0].as_func() } else { None };
    let Some(callee) = callee else {
        effects.writes.add(Region::All);
        return;
    };
    effects.add(&functions[callee]);
    for (param, &arg) in module.funcs[callee].params.iter().zip(&args[1..]) {
        if param.direction == Direction::In {
            continue;
        }
        if let Some(region) = region_of(module, body, arg) {
            effects.writes.add(region);
            if param.direction != Direction::Out {
                effects.reads.add(region);
            }
        }
    }
}
