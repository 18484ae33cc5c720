//! Values that are used where the IR does not see them.
//!
//! In SPIR-V a value may be used wherever its definition is on every path. In the IR it is visible in the statements around it and
//! after it; so a value of a loop's body is neither in the continue block nor after the loop. Such values are kept in variables;
//! addresses, images and samplers are made again where they are used.

use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{Op, StorageClass};

use crate::cfg::Cfg;
use crate::structure::{Stmt, Test};
use crate::types::{TypeDef, TypeDefs};
use crate::words::{Binary, Inst};

/// Scopes of the statements of a function: each but the first is in another.
#[derive(Default)]
pub(crate) struct Scopes {
    /// By block.
    of: Vec<u32>,
    /// By scope.
    parents: Vec<u32>,
    depths: Vec<u32>,
    /// Values that need a variable.
    pub(crate) kept: FxHashSet<u32>,
}

impl Scopes {
    pub(crate) fn find(binary: &Binary<'_>, defs: &TypeDefs, cfg: &Cfg, stmts: &[Stmt]) -> Scopes {
        let mut scopes =
            Scopes { of: vec![0; cfg.nodes.len()], parents: vec![0], depths: vec![0], ..Scopes::default() };
        scopes.walk(stmts, 0);
        let mut block_of: FxHashMap<u32, usize> = FxHashMap::default();
        for (number, node) in cfg.nodes.iter().enumerate() {
            let results = binary.insts[node.insts.clone()].iter().map(|i| i.result).filter(|&r| r != 0);
            block_of.extend(results.map(|id| (id, number)));
        }
        for (number, node) in cfg.nodes.iter().enumerate() {
            for inst in &binary.insts[node.insts.start..node.end + 1] {
                if inst.op == Op::Phi {
                    for pair in inst.operands.chunks_exact(2) {
                        // A phi of one value is that value.
                        let place = match node.preds.len() {
                            1 => Some(number),
                            _ => cfg.numbers.get(&pair[1]).copied(),
                        };
                        if let Some(place) = place {
                            scopes.use_at(binary, defs, &block_of, pair[0], scopes.of[place]);
                        }
                    }
                    continue;
                }
                for &id in ids(inst) {
                    scopes.use_at(binary, defs, &block_of, id, scopes.of[number]);
                }
            }
        }
        scopes
    }

    /// The scope of a block.
    pub(crate) fn of(&self, block: usize) -> u32 {
        self.of.get(block).copied().unwrap_or(0)
    }

    /// Whether values of a scope are visible in another.
    pub(crate) fn sees(&self, user: u32, def: u32) -> bool {
        let depth = |scope: u32| self.depths.get(scope as usize).copied().unwrap_or(0);
        let mut at = user;
        while depth(at) > depth(def) {
            at = self.parents[at as usize];
        }
        at == def
    }

    fn child(&mut self, parent: u32) -> u32 {
        let depth = self.depths[parent as usize] + 1;
        self.parents.push(parent);
        self.depths.push(depth);
        self.parents.len() as u32 - 1
    }

    /// Recursion: over the statements.
    fn walk(&mut self, stmts: &[Stmt], scope: u32) {
        for stmt in stmts {
            match stmt {
                Stmt::Block(block) => self.of[*block] = scope,
                Stmt::If { then, otherwise, .. } => {
                    for arm in [then, otherwise] {
                        let inner = self.child(scope);
                        self.walk(arm, inner);
                    }
                }
                Stmt::Switch { arms, .. } => {
                    for arm in arms {
                        let inner = self.child(scope);
                        self.walk(&arm.body, inner);
                    }
                }
                Stmt::Label { body, .. } => {
                    let inner = self.child(scope);
                    self.walk(body, inner);
                }
                Stmt::Loop(data) => {
                    if let Test::Before { stmts, .. } = &data.test {
                        self.walk(stmts, scope);
                    }
                    let body = self.child(scope);
                    self.walk(&data.body, body);
                    if let Some((_, next)) = &data.next {
                        let inner = self.child(scope);
                        self.walk(next, inner);
                    }
                    if let Test::After { stmts, .. } = &data.test {
                        let inner = self.child(scope);
                        self.walk(stmts, inner);
                    }
                }
                Stmt::Jump { .. } | Stmt::End(_) => {}
            }
        }
    }

    fn use_at(&mut self, binary: &Binary<'_>, defs: &TypeDefs, block_of: &FxHashMap<u32, usize>, id: u32, scope: u32) {
        let mut stack = vec![id];
        let mut seen = FxHashSet::default();
        while let Some(id) = stack.pop() {
            let Some(&block) = block_of.get(&id) else { continue };
            if self.sees(scope, self.of[block]) || self.kept.contains(&id) {
                continue;
            }
            match binary.def(id) {
                Some(inst) if is_remade(defs, inst) => {
                    if seen.insert(id) {
                        stack.extend(inst.operands);
                    }
                }
                _ => {
                    self.kept.insert(id);
                }
            }
        }
    }
}

/// Operands that may be values. Among others may be numbers, which at worst make a variable more.
fn ids<'w>(inst: &Inst<'w>) -> &'w [u32] {
    let count = match inst.op {
        Op::Branch | Op::LoopMerge | Op::SelectionMerge | Op::Line => 0,
        Op::CompositeExtract | Op::Load | Op::ArrayLength | Op::BranchConditional | Op::Switch => 1,
        Op::CompositeInsert | Op::VectorShuffle | Op::Store => 2,
        Op::ExtInst => return inst.rest(2),
        _ => inst.operands.len(),
    };
    &inst.operands[..count.min(inst.operands.len())]
}

/// Whether an instruction gives an address, an image or a sampler, which no variable can keep.
pub(crate) fn is_remade(defs: &TypeDefs, inst: &Inst<'_>) -> bool {
    match defs.get(inst.ty) {
        // Addresses are numbers.
        Some(TypeDef::Pointer(StorageClass::PhysicalStorageBuffer, _)) => false,
        Some(TypeDef::Pointer(..) | TypeDef::Image(..) | TypeDef::SampledImage(_) | TypeDef::Sampler) => {
            !matches!(inst.op, Op::Variable | Op::FunctionParameter)
        }
        Some(TypeDef::Spirv(Op::TypeAccelerationStructureKHR | Op::TypeImage | Op::TypeSampledImage, _)) => {
            !matches!(inst.op, Op::Variable | Op::FunctionParameter)
        }
        _ => false,
    }
}
