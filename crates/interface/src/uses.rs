//! Parts of globals that atomics work on, and images that are written, read or compared: what the type of a global depends on in languages
//! that say it there (WGSL, and naga's modules).

use planish_ir::entity::{Value, ValueKind, Var};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Class, Op};
use planish_ir::types::TypeKind;
use planish_ir::walk;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Reach;

/// Parts of a variable that are used by atomic operations, by path.
#[derive(Clone, Debug, Default)]
pub struct Atomics {
    /// This very place.
    pub here: bool,
    /// Members by number; elements of arrays count as one ([`ELEMENT`]).
    pub parts: FxHashMap<u32, Atomics>,
}

/// Part number for all elements of an array.
pub const ELEMENT: u32 = u32::MAX;

/// Uses of the globals that are reached.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Parts that atomics work on.
    pub atomics: FxHashMap<Var, Atomics>,
    /// Images that are stored to.
    pub written: FxHashSet<Var>,
    /// Images that are loaded from.
    pub loaded: FxHashSet<Var>,
    /// Images that atomics work on, but for exchanges.
    pub updated: FxHashSet<Var>,
    /// Images whose texels atomics exchange.
    pub exchanged: FxHashSet<Var>,
    /// Textures that are combined with a sampler that compares.
    pub compared: FxHashSet<Var>,
}

impl Uses {
    /// Those in all functions that are reached. O(nodes).
    pub fn new(module: &Module, reach: &Reach) -> Self {
        let mut uses = Uses::default();
        for &func in &reach.funcs {
            let Some(body) = &module.funcs[func].body else { continue };
            for &node in walk::blocks(body).flat_map(|block| &body.blocks[block].nodes) {
                uses.add(module, body, body.node(node).op, body.args(node));
            }
        }
        uses
    }

    /// Whether a storage image is read, and whether it is written; atomics do both. One that is neither counts as read.
    pub fn reads_and_writes(&self, image: Var) -> (bool, bool) {
        let both = self.updated.contains(&image) || self.exchanged.contains(&image);
        let written = self.written.contains(&image);
        (both || self.loaded.contains(&image) || !written, both || written)
    }

    fn add(&mut self, module: &Module, body: &Body, op: Op, args: &[Value]) {
        let of_operand = || root(body, args[0], &mut vec![]);
        match op {
            Op::AtomicAdd
            | Op::AtomicMin
            | Op::AtomicMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
            | Op::AtomicExchange
            | Op::AtomicCompareExchange => {
                let mut path = vec![];
                let Some(var) = root(body, args[0], &mut path) else { return };
                let mut at = self.atomics.entry(var).or_default();
                for part in path.into_iter().rev() {
                    at = at.parts.entry(part).or_default();
                }
                at.here = true;
            }
            Op::ImageStore => self.written.extend(of_operand()),
            Op::ImageLoad => self.loaded.extend(of_operand()),
            Op::ImageAtomicAdd
            | Op::ImageAtomicMin
            | Op::ImageAtomicMax
            | Op::ImageAtomicAnd
            | Op::ImageAtomicOr
            | Op::ImageAtomicXor => self.updated.extend(of_operand()),
            Op::ImageAtomicExchange | Op::ImageAtomicCompareExchange => self.exchanged.extend(of_operand()),
            Op::CombineSampler => {
                if let TypeKind::Sampler { comparison: true } = module.types[module.type_of(body, args[1])] {
                    self.compared.extend(of_operand());
                }
            }
            _ => {}
        }
    }
}

/// The variable that a pointer or a loaded handle leads to, and the path from it, innermost first.
fn root(body: &Body, mut value: Value, path: &mut Vec<u32>) -> Option<Var> {
    loop {
        match value.kind() {
            ValueKind::Var(v) => return Some(v),
            ValueKind::Local(_) => {
                let node = body.node_of(value)?;
                let data = body.node(node);
                match data.op {
                    Op::AccessStructField => path.push(data.imm.as_index()),
                    Op::AccessArrayElement => path.push(ELEMENT),
                    Op::Load | Op::CombineSampler => {}
                    op if op.info().class == Class::Access => {}
                    _ => return None,
                }
                value = body.args(node)[0];
            }
            _ => return None,
        }
    }
}
