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
    pub(super) fn find(module: &Module, source: &Body) -> Self {
        let mut found = Assumptions { sets: Vec::new(), of: SideTable::with_capacity(source.node_count()) };
        let blocks: Vec<_> = walk::blocks(source).collect();
        for &block in blocks.iter().rev() {
            let data = &source.blocks[block];
            data.exit.for_each_operand(|v| found.meet(source, v, Holds::Nothing));
            for &node in data.nodes.iter().rev() {
                found.visit(module, source, node);
            }
        }
        found
    }

    /// Propagates the conditions of a node to its operands, and those that the node itself adds.
    fn visit(&mut self, module: &Module, source: &Body, node: Node) {
        let args = source.args(node);
        if !is_transparent(module, source, node) {
            args.iter().for_each(|&a| self.meet(source, a, Holds::Nothing));
            return;
        }
        let here = self.of[node];
        match (source.node(node).op, args) {
            (Op::Select, &[c, a, b]) if is_condition(source, c) => {
                self.meet(source, c, here);
                for (side, is) in [(a, true), (b, false)] {
                    let there = if source.node_of(side).is_some() { self.with(source, here, c, is) } else { here };
                    self.meet(source, side, there);
                }
            }
            (Op::LogicalAnd | Op::LogicalOr, &[x, y]) if is_condition(source, x) => {
                self.meet(source, x, here);
                let is = source.node(node).op == Op::LogicalAnd;
                let there = if source.node_of(y).is_some() { self.with(source, here, x, is) } else { here };
                self.meet(source, y, there);
            }
            _ => args.iter().for_each(|&a| self.meet(source, a, here)),
        }
    }

    /// The conditions of `here` and a condition with value `is`.
    fn with(&mut self, source: &Body, here: Holds, condition: Value, is: bool) -> Holds {
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
            let Some(node) = source.node_of(value) else { continue };
            match (source.node(node).op, source.args(node)) {
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
    fn meet(&mut self, source: &Body, value: Value, there: Holds) {
        let Some(node) = source.node_of(value) else { return };
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
    pub(super) fn replace(&self, source: &Body, node: Node, args: &mut [Value], b: &mut Builder<'_, '_>) {
        let Holds::Set(_) = self.of[node] else { return };
        let set = self.set(self.of[node]);
        for (&arg, new) in source.args(node).iter().zip(args) {
            if is_condition(source, arg)
                && let Some(is) = known(source, set, arg)
            {
                *new = b.bool(is);
            }
        }
    }
}

/// The value of a condition in a set; `None` if unknown.
fn known(source: &Body, set: &[Literal], condition: Value) -> Option<bool> {
    let look = |v: Value| {
        let local = v.as_local()?;
        [true, false].into_iter().find(|&is| set.binary_search(&(local, is)).is_ok())
    };
    look(condition).or_else(|| {
        let node = source.node_of(condition)?;
        let not = source.node(node).op == Op::LogicalNot;
        not.then(|| look(source.args(node)[0])).flatten().map(|is| !is)
    })
}

/// Whether a value is a scalar boolean.
fn is_condition(source: &Body, value: Value) -> bool {
    value.as_local().is_some_and(|l| source.local_type(l) == Type::BOOL)
}

/// Whether the operands of a node are used only where the node is.
fn is_transparent(module: &Module, source: &Body, node: Node) -> bool {
    let op = source.node(node).op;
    let is_integer = || {
        let ty = module.type_of(source, source.args(node)[0]);
        module.types.scalar_of(ty).is_some_and(Scalar::is_integer)
    };
    match op {
        Op::Divide | Op::Remainder => !is_integer(),
        Op::ExtractVectorComponentDynamic | Op::ExtractMatrixColumn | Op::ExtractArrayElement => false,
        Op::InsertVectorComponentDynamic | Op::InsertMatrixColumn | Op::InsertArrayElement => false,
        _ => op.is_pure() && !matches!(op.info().class, Class::Texture | Class::Access | Class::Stage | Class::Machine),
    }
}
