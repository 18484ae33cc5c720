//! Replaces conditions by constants in the arms of selects.
//!
//! ```text
//! %2 = select %c, %x, %y             %3 = multiply %x, 2.0
//! %3 = multiply %2, 2.0              %4 = select %c, %3, %y
//! %4 = select %c, %3, %y
//! ```
//!
//! Predicated lowering writes a select for each assignment in an arm, all on one condition; this merges them. For each
//! node the analysis finds the conditions that hold whenever its value is used: the meet over its users. Sound because
//! values are pure: where the conditions do not hold, the value is not used.
//!
//! Not through ops that read neighbours (a derivative needs the value of the next fragment, whose condition differs) or
//! have an effect, nor for operands that must be safe even when unused: integer division and dynamic indices, on which
//! targets may trap.

use planish_ir::arena::SideTable;
use planish_ir::builder::Builder;
use planish_ir::entity::{Local, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Class, Op};
use planish_ir::types::Scalar;
use planish_ir::walk;
use smallvec::SmallVec;

/// A condition and its value.
type Literal = (Local, bool);

/// Conditions that hold whenever a value is used, sorted.
type Set = SmallVec<[Literal; 4]>;

/// Maximum number of conditions in a set; others are dropped.
const MAX_LITERALS: usize = 12;

/// Lattice element: index of a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Holds {
    /// Top: no user visited.
    #[default]
    Unseen,
    /// Bottom: no condition.
    Nothing,
    /// The set with this index.
    Set(u32),
}

/// By node, the conditions that hold whenever its value is used.
#[derive(Default)]
pub(super) struct Assumptions {
    sets: Vec<Set>,
    of: SideTable<Node, Holds>,
}

impl Assumptions {
    /// Runs the analysis on a placed function whose blocks follow each other. O(nodes).
    pub(super) fn find(module: &Module, old: &Body) -> Self {
        let mut found = Assumptions { sets: Vec::new(), of: SideTable::with_capacity(old.node_count()) };
        let blocks: Vec<_> = walk::blocks(old).collect();
        for &block in blocks.iter().rev() {
            let data = &old.blocks[block];
            data.exit.for_each_operand(|v| found.meet(old, v, Holds::Nothing));
            for &node in data.nodes.iter().rev() {
                found.visit(module, old, node);
            }
        }
        found
    }

    /// Propagates the conditions of a node to its operands, and those that the node itself adds.
    fn visit(&mut self, module: &Module, old: &Body, node: Node) {
        let args = old.args(node);
        if !is_transparent(module, old, node) {
            args.iter().for_each(|&a| self.meet(old, a, Holds::Nothing));
            return;
        }
        let here = self.of[node];
        match (old.node(node).op, args) {
            (Op::Select, &[c, a, b]) if is_condition(old, c) => {
                self.meet(old, c, here);
                for (side, is) in [(a, true), (b, false)] {
                    let there = if old.node_of(side).is_some() { self.with(old, here, c, is) } else { here };
                    self.meet(old, side, there);
                }
            }
            (Op::LogicalAnd | Op::LogicalOr, &[x, y]) if is_condition(old, x) => {
                self.meet(old, x, here);
                let is = old.node(node).op == Op::LogicalAnd;
                let there = if old.node_of(y).is_some() { self.with(old, here, x, is) } else { here };
                self.meet(old, y, there);
            }
            _ => args.iter().for_each(|&a| self.meet(old, a, here)),
        }
    }

    /// The conditions of `here` and a condition with value `is`.
    fn with(&mut self, old: &Body, here: Holds, condition: Value, is: bool) -> Holds {
        let mut set = Set::from_slice(self.set(here));
        let mut work: SmallVec<[(Value, bool); 4]> = SmallVec::from_slice(&[(condition, is)]);
        while let Some((value, is)) = work.pop() {
            let Some(local) = value.as_local() else { continue };
            if set.len() >= MAX_LITERALS {
                break;
            }
            if let Err(at) = set.binary_search(&(local, is)) {
                set.insert(at, (local, is));
            }
            let Some(node) = old.node_of(value) else { continue };
            match (old.node(node).op, old.args(node)) {
                (Op::LogicalNot, &[x]) => work.push((x, !is)),
                (Op::LogicalAnd, &[x, y]) if is => work.extend([(x, is), (y, is)]),
                (Op::LogicalOr, &[x, y]) if !is => work.extend([(x, is), (y, is)]),
                _ => {}
            }
        }
        self.sets.push(set);
        Holds::Set(self.sets.len() as u32 - 1)
    }

    fn set(&self, holds: Holds) -> &[Literal] {
        match holds {
            Holds::Set(number) => &self.sets[number as usize],
            _ => &[],
        }
    }

    /// Meets the conditions of a value with those of another user.
    fn meet(&mut self, old: &Body, value: Value, there: Holds) {
        let Some(node) = old.node_of(value) else { return };
        let there = if there == Holds::Unseen { Holds::Nothing } else { there };
        self.of[node] = match (self.of[node], there) {
            (Holds::Unseen, there) => there,
            (one, other) if one == other => one,
            (Holds::Set(one), Holds::Set(other)) => {
                let (one, other) = (&self.sets[one as usize], &self.sets[other as usize]);
                let both: Set = one.iter().filter(|l| other.binary_search(l).is_ok()).copied().collect();
                if both.is_empty() {
                    Holds::Nothing
                } else {
                    self.sets.push(both);
                    Holds::Set(self.sets.len() as u32 - 1)
                }
            }
            _ => Holds::Nothing,
        };
    }

    /// Replaces operands of a node (`args`, in the new function) that are known where it is used by constants.
    pub(super) fn replace(&self, old: &Body, node: Node, args: &mut [Value], b: &mut Builder<'_, '_>) {
        let Holds::Set(_) = self.of[node] else { return };
        let set = self.set(self.of[node]);
        for (&arg, new) in old.args(node).iter().zip(args) {
            if is_condition(old, arg)
                && let Some(is) = known(old, set, arg)
            {
                *new = b.bool(is);
            }
        }
    }
}

/// The value of a condition in a set; `None` if unknown.
fn known(old: &Body, set: &[Literal], condition: Value) -> Option<bool> {
    let look = |v: Value| {
        let local = v.as_local()?;
        [true, false].into_iter().find(|&is| set.binary_search(&(local, is)).is_ok())
    };
    look(condition).or_else(|| {
        let node = old.node_of(condition)?;
        let not = old.node(node).op == Op::LogicalNot;
        not.then(|| look(old.args(node)[0])).flatten().map(|is| !is)
    })
}

/// Whether a value is a scalar boolean.
fn is_condition(old: &Body, value: Value) -> bool {
    value.as_local().is_some_and(|l| old.local_type(l) == Type::BOOL)
}

/// Whether the operands of a node are used only where the node is.
fn is_transparent(module: &Module, old: &Body, node: Node) -> bool {
    let op = old.node(node).op;
    let is_integer = || {
        let ty = module.type_of(old, old.args(node)[0]);
        module.types.scalar_of(ty).is_some_and(Scalar::is_integer)
    };
    match op {
        Op::Divide | Op::Remainder => !is_integer(),
        Op::ExtractVectorComponentDynamic | Op::ExtractMatrixColumn | Op::ExtractArrayElement => false,
        Op::InsertVectorComponentDynamic | Op::InsertMatrixColumn | Op::InsertArrayElement => false,
        _ => op.is_pure() && !matches!(op.info().class, Class::Texture | Class::Access | Class::Stage | Class::Machine),
    }
}
