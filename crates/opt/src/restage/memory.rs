//! Memory that is not promoted: known results of loads, and invalidation by writes.

use planish_ir::aliasing;
use planish_ir::builder::{Request, Results};
use planish_ir::decoration::Decoration;
use planish_ir::entity::{Node, Type, Value, ValueKind};
use planish_ir::module::Stage;
use planish_ir::ops::{Class, Effect, Imm, Op};
use planish_ir::types::AddressSpace;
use smallvec::SmallVec;

use super::engine::Engine;
use super::source::{Root, Source, root};
use super::state::Key;

/// Maximum number of pointers with known memory in a function: each store is compared with those into the same memory, and
/// each edge carries its changes.
const MOST_POINTERS: usize = 1024;

impl Engine<'_, '_, '_> {
    /// Makes a node on new operands, with its effect on the known memory.
    pub(super) fn structured_effect(&mut self, source: &Source, node: Node, args: &[Value]) -> Results {
        let op = source.body.node(node).op;
        let effect = op.info().effect;
        match effect {
            Effect::MayTrap | Effect::Quad | Effect::Subgroup => self.once(source, node, args),
            // (The length of an array is known under the pointer to the array, of which there is no value.)
            Effect::Load if matches!(op, Op::Load | Op::ArrayLength) => self.load(source, node, args[0]),
            Effect::Store => {
                let pointer = args[0];
                if self.policy.facts && self.known_memory(pointer) == Some(args[1]) {
                    return Results::new();
                }
                let results = self.b.make_again(&source.body, node, args);
                self.write(pointer, Some(args[1]));
                results
            }
            Effect::Modify => {
                let results = self.b.make_again(&source.body, node, args);
                self.write(args[0], None);
                results
            }
            Effect::MemoryLoad if op == Op::MemoryLoad => self.load_bytes(source, node, args[0]),
            Effect::MemoryStore => self.store_bytes(source, node, args),
            Effect::MemoryModify => self.modify_bytes(source, node, args),
            Effect::Call if self.env.summaries.of_call(op, args).is_some_and(|s| s.is_function) => {
                self.once(source, node, args)
            }
            Effect::Call => {
                let results = self.b.make_again(&source.body, node, args);
                self.call_effects(args);
                results
            }
            Effect::World => {
                let results = self.b.make_again(&source.body, node, args);
                self.forget_shared();
                self.forget_all_bytes();
                // An op of the user's own may write to what its operands point to.
                for &arg in args {
                    if super::source::is_pointer(&self.b.module.types, self.b.type_of(arg)) {
                        self.write(arg, None);
                    }
                }
                results
            }
            _ => self.b.make_again(&source.body, node, args),
        }
    }

    /// Makes a node that has one result and no effect but that it may not come back, or depends on other invocations;
    /// unless the same has been made in a place that always comes before, for the same invocations.
    fn once(&mut self, source: &Source, node: Node, args: &[Value]) -> Results {
        let data = *source.body.node(node);
        if !self.policy.facts || data.result_count() != 1 {
            return self.b.make_again(&source.body, node, args);
        }
        let epoch = if matches!(data.op.info().effect, Effect::Quad | Effect::Subgroup) { self.epoch } else { 0 };
        let ty = source.body.result(node).map_or(Type::VOID, |r| source.body.local_type(r));
        let made = Made { op: data.op, imm: data.imm, ty, epoch, precise: data.precise, args: args.into() };
        let next = self.next_made();
        let number = *self.made.entry(made).or_insert(next);
        if let Some(known) = self.state.get(Key::Made(number)) {
            self.context.count("NodesShared", 1);
            return std::iter::once(known).collect();
        }
        let results = self.b.make_again(&source.body, node, args);
        self.state.set(Key::Made(number), Some(results[0]));
        results
    }

    fn known_memory(&self, pointer: Value) -> Option<Value> {
        let known = self.state.get(Key::Memory(pointer))?;
        Some(self.state.get(Key::Fact(known)).unwrap_or(known))
    }

    fn load(&mut self, source: &Source, node: Node, pointer: Value) -> Results {
        if self.policy.facts
            && let Some(known) = self.known_memory(pointer)
        {
            self.context.count("LoadsForwarded", 1);
            return std::iter::once(known).collect();
        }
        if let Some(part) = self.load_whole(source, node, pointer) {
            return std::iter::once(part).collect();
        }
        let results = self.b.make_again(&source.body, node, &[pointer]);
        if self.is_tracked(pointer) {
            self.remember(pointer, results[0]);
        }
        results
    }

    /// Components of a vector that never changes: the vector is loaded once, and they are taken out of it.
    fn load_whole(&mut self, source: &Source, node: Node, pointer: Value) -> Option<Value> {
        let (op, imm, args) = self.b.definition(pointer)?;
        let extract = match op {
            Op::AccessVectorComponent => Op::ExtractVectorComponent,
            Op::AccessVectorComponentMulti => Op::ExtractVectorComponentMulti,
            Op::AccessVectorComponentDynamic => Op::ExtractVectorComponentDynamic,
            _ => return None,
        };
        let args: SmallVec<[Value; 2]> = args.into();
        if !self.policy.facts || !self.b.module.floats(self.b.body(), Op::Load, &[pointer]) {
            return None;
        }
        let precision = Some(source.body.node(node).precision);
        let whole = self.b.make(Request { precision, ..Request::new(Op::Load, &args[..1]) });
        let operands: SmallVec<[Value; 2]> = std::iter::once(whole).chain(args[1..].iter().copied()).collect();
        Some(self.b.make(Request { precision, ..Request::new(extract, &operands).imm(imm) }))
    }

    /// The variable or parameter that a new pointer points into.
    fn root(&self, pointer: Value) -> Option<Root> {
        root(self.b.body(), pointer)
    }

    fn is_growable(&self, root: Root) -> bool {
        let ty = match root {
            Root::Var(var) => self.b.module.vars[var].pointer,
            Root::Param(index) => self.b.module.funcs[self.b.func()].params[index as usize].ty,
        };
        self.b.module.types.growable(ty).is_some()
    }

    /// Whether the memory at a pointer changes only by ops of the program.
    fn is_tracked(&self, pointer: Value) -> bool {
        match self.root(pointer) {
            Some(Root::Var(var)) => {
                let data = &self.b.module.vars[var];
                let special = [Decoration::Volatile, Decoration::Coherent];
                !special.into_iter().any(|d| data.decorations.has(d)) && !self.member_is_special(pointer)
            }
            Some(Root::Param(_)) => true,
            None => false,
        }
    }

    /// Whether a pointer goes through a member that is `volatile` or `coherent`.
    fn member_is_special(&self, mut pointer: Value) -> bool {
        while let Some((op, imm, args)) = self.b.definition(pointer) {
            if op.info().class != Class::Access {
                return false;
            }
            if op == Op::AccessStructField {
                let of = self.b.module.types.pointee(self.b.type_of(args[0])).map(|p| p.0);
                let member = of
                    .and_then(|ty| self.b.module.types.as_struct(ty))
                    .and_then(|s| s.members.get(imm.as_index() as usize));
                let special = [Decoration::Volatile, Decoration::Coherent];
                if member.is_some_and(|m| special.into_iter().any(|d| m.decorations.has(d))) {
                    return true;
                }
            }
            pointer = args[0];
        }
        false
    }

    fn remember(&mut self, pointer: Value, value: Value) {
        let Some(root) = self.root(pointer) else { return };
        let known = self.pointers.entry(root).or_default();
        if !known.contains(&pointer) {
            if self.pointer_count >= MOST_POINTERS || matches!(root, Root::Var(var) if self.spread.contains(&var)) {
                return;
            }
            self.pointer_count += 1;
            known.push(pointer);
        }
        self.state.set(Key::Memory(pointer), Some(value));
    }

    /// Memory at a pointer was written.
    fn write(&mut self, pointer: Value, value: Option<Value>) {
        match self.root(pointer) {
            None => self.forget_all(),
            Some(root) => {
                self.forget_overlapping(root, pointer);
                self.forget_aliases(root);
                // (Beyond the end of a growable array nothing is stored.)
                let lands = value.filter(|_| self.is_tracked(pointer) && !self.is_growable(root));
                if let Some(value) = lands {
                    // A swizzle with several components is read back as one value, so it may be remembered too.
                    self.remember(pointer, value);
                }
            }
        }
    }

    /// Forgets all memory that may alias a root that was written. Only variables of storage space, and
    /// pointer parameters that promise nothing, may be the same memory as another root.
    fn forget_aliases(&mut self, written: Root) {
        let func = self.b.func();
        let aliased = |root: Root| match root {
            Root::Var(var) => self.b.module.vars[var].space == AddressSpace::Storage,
            Root::Param(param) => aliasing::aliased_space(self.b.module, func, param).is_some(),
        };
        let known: &mut dyn Iterator<Item = Root> = if aliased(written) {
            &mut self.pointers.keys().copied()
        } else {
            &mut (0..self.b.module.funcs[func].params.len() as u32).map(Root::Param).filter(|&root| aliased(root))
        };
        let meets = |&other: &Root| other != written && aliasing::may_meet(self.b.module, func, written, other);
        let mut roots: Vec<Root> = known.filter(meets).collect();
        roots.sort_unstable();
        roots.into_iter().for_each(|r| self.forget_root(r));
    }

    fn forget_overlapping(&mut self, root: Root, pointer: Value) {
        let Some(known) = self.pointers.get(&root).cloned() else { return };
        let steps = |pointer| aliasing::steps(self.b.module, self.b.body(), pointer);
        let written = steps(pointer);
        for other in known {
            if self.state.get(Key::Memory(other)).is_some() && !aliasing::disjoint(&written, &steps(other)) {
                self.state.set(Key::Memory(other), None);
            }
        }
    }

    pub(super) fn forget_root(&mut self, root: Root) {
        let Some(known) = self.pointers.get(&root).cloned() else { return };
        for pointer in known {
            self.state.set(Key::Memory(pointer), None);
        }
    }

    fn forget_space(&mut self, space: AddressSpace) {
        let func = self.b.func();
        let is_there = |root: &Root| match *root {
            Root::Var(var) => self.b.module.vars[var].space == space,
            Root::Param(param) => {
                let ty = self.b.module.funcs[func].params[param as usize].ty;
                self.b.module.types.pointee(ty).is_some_and(|(_, s)| s == space)
            }
        };
        let mut roots: Vec<Root> = self.pointers.keys().copied().filter(is_there).collect();
        roots.sort_unstable();
        roots.into_iter().for_each(|r| self.forget_root(r));
    }

    pub(super) fn forget_all(&mut self) {
        for pointer in self.state.known_memory() {
            self.state.set(Key::Memory(pointer), None);
        }
        self.forget_all_bytes();
    }

    /// Memory that other invocations see may have changed.
    fn forget_shared(&mut self) {
        self.forget_space(AddressSpace::Storage);
        self.forget_space(AddressSpace::Workgroup);
        self.forget_space(AddressSpace::Spirv);
        // The invocations of a patch share the outputs of the control stage.
        if self.b.module.entry_points.iter().any(|e| e.stage == Some(Stage::TessellationControl)) {
            self.forget_space(AddressSpace::Output);
        }
    }

    /// A call has happened: `args` are the callee and its arguments.
    fn call_effects(&mut self, args: &[Value]) {
        let Some(summary) = self.env.summaries.of_call(Op::Call, args).cloned() else {
            self.forget_all();
            return;
        };
        if summary.world {
            self.forget_shared();
        }
        if summary.bytes {
            self.forget_all_bytes();
        }
        for &var in &summary.writes {
            self.forget_root(Root::Var(var));
            self.forget_aliases(Root::Var(var));
        }
        for (i, &arg) in args.iter().enumerate().skip(1) {
            if matches!(arg.kind(), ValueKind::Var(_) | ValueKind::Local(_))
                && super::source::is_pointer(&self.b.module.types, self.b.type_of(arg))
                && summary.params.contains(&(i as u32 - 1))
            {
                self.write(arg, None);
            }
        }
    }
}

/// A node that has been made and must not be made again.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Made {
    pub(super) op: Op,
    pub(super) imm: Imm,
    /// Some ops have the result type of the request.
    pub(super) ty: Type,
    pub(super) epoch: u32,
    pub(super) precise: bool,
    pub(super) args: SmallVec<[Value; 4]>,
}
