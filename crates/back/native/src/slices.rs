//! Lengths of memories that are slices of the host, so that an access whose index the program has compared with the length needs no check of
//! its own.
//!
//! ```text
//!  fn f(n) length(0, 0, 8)          n is at most the number of elements, of 8 bytes, in memory 0
//!    stop unless n * 8 <= size      once, at the entry
//!    loop (i) {
//!      branch_if_zero i < n, exit   from here to the label `exit`, i < n
//!      x = load[0] i * 8            in bounds; no product wraps around, since n * 8 does not
//! ```
//!
//! Nothing is trusted: the promise of the decoration is checked, and the comparison is one that control has passed. A fact holds from the node
//! where it is learned to the first label to which something jumps from before: whatever is between is reached through that node only.

use planish_ir::arena::Id;
use planish_ir::decoration::{Decoration, SliceLength};
use planish_ir::entity::Memory;
use planish_ir::function::TrapKind;
use planish_ir::ops::{MemArg, Op};
use planish_machine::code::{Arg, Code, Node, What};
use planish_machine::isa::Kind;
use smallvec::SmallVec;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, types};

use crate::Reason;
use crate::body::{Builder, outs_of};

/// Operations through which lengths and conditions are followed.
const MOST_STEPS: u32 = 6;

/// An index that is less than the number of elements of a slice.
#[derive(Clone, Copy)]
struct Fact {
    /// The node after which it holds.
    at: usize,
    index: u32,
    memory: usize,
    stride: u32,
}

/// Slices of a function, and what is known of indices where the next node is.
#[derive(Default)]
pub(crate) struct Slices {
    /// Values that are lengths.
    lengths: Vec<(u32, SliceLength)>,
    facts: Vec<Fact>,
    /// By label.
    jumps: Vec<Jumps>,
}

/// Jumps to a label.
#[derive(Clone, Copy)]
struct Jumps {
    /// The first node that jumps there; `usize::MAX` if none does.
    first: usize,
    count: u32,
}

impl Slices {
    fn jumps(code: &Code) -> Vec<Jumps> {
        let mut jumps = vec![Jumps { first: usize::MAX, count: 0 }; code.labels.len()];
        for (i, node) in code.nodes.iter().enumerate() {
            let edges = match node.what {
                What::Loop { edge, .. } | What::Br(edge) | What::BrIf(edge) | What::BrIfZero(edge) => edge..edge + 1,
                What::BrCompare { edge, .. } => edge..edge + 1,
                What::BrTable { first, count } => first..first + count,
                _ => continue,
            };
            for edge in edges {
                if let Some(to) = jumps.get_mut(code.edges[edge as usize].label as usize) {
                    (to.first, to.count) = (to.first.min(i), to.count + 1);
                }
            }
        }
        jumps
    }
}

impl Builder<'_, '_> {
    /// Checks the lengths of slices that the function reads or writes.
    pub(crate) fn begin_slices(&mut self) {
        if self.env.object.is_some() || self.env.rest.is_some() {
            return;
        }
        let code = self.code;
        let Some(inputs) = code.nodes.iter().find(|node| node.what == What::Inputs) else { return };
        let decorations = self.env.module.funcs[self.func].decorations.iter();
        let lengths: Vec<SliceLength> =
            decorations.filter_map(|d| if let Decoration::Length(length) = d { Some(length) } else { None }).collect();
        for length in lengths {
            let memory = length.memory as usize;
            let (Some(v), Some(&(_, size))) = (outs_of(inputs).nth(length.param as usize), self.fixed.get(&memory))
            else {
                continue;
            };
            if !matches!(code.values[v as usize].kind, Kind::I32 | Kind::U32) || !self.nodes.is_read(v) {
                continue;
            }
            let count = self.value_of(v);
            let count = self.b.ins().uextend(types::I64, count);
            let bytes = self.b.ins().imul_imm_s(count, i64::from(length.stride));
            let beyond = self.b.ins().icmp(IntCC::UnsignedGreaterThan, bytes, size);
            self.stop_if(beyond, Reason::Trap(TrapKind::OutOfBoundsMemory));
            self.slices.lengths.push((v, length));
        }
        if !self.slices.lengths.is_empty() {
            self.slices.jumps = Slices::jumps(code);
        }
    }

    /// Notes that a condition holds, or does not, after node `at`.
    pub(crate) fn learn(&mut self, at: usize, condition: Arg, holds: bool) {
        if !self.slices.lengths.is_empty() {
            self.learn_from(at, condition, holds, MOST_STEPS);
        }
    }

    /// Recursion: at most [`MOST_STEPS`] levels.
    fn learn_from(&mut self, at: usize, condition: Arg, holds: bool, most: u32) {
        let Some(node) = self.operation_of(condition).filter(|_| most > 0) else { return };
        let args = self.code.args_of(node);
        let (x, y) = match (node.op, holds) {
            (Op::LogicalNot, _) => return self.learn_from(at, args[0], !holds, most - 1),
            (Op::LogicalAnd, true) | (Op::LogicalOr, false) => {
                return args.iter().for_each(|&arg| self.learn_from(at, arg, holds, most - 1));
            }
            (Op::LessThan, true) | (Op::GreaterThanEqual, false) => (args[0], args[1]),
            (Op::GreaterThan, true) | (Op::LessThanEqual, false) => (args[1], args[0]),
            _ => return,
        };
        let (Kind::U32, Some(index)) = (node.operand, self.plain(x).as_value()) else { return };
        let mut lengths = SmallVec::new();
        self.lengths_above(y, &mut lengths, MOST_STEPS);
        let fact = |length: SliceLength| Fact { at, index, memory: length.memory as usize, stride: length.stride };
        self.slices.facts.extend(lengths.into_iter().map(fact));
    }

    /// The slices that are at least as long as a number says: their lengths, and minima of them.
    /// Recursion: at most [`MOST_STEPS`] levels.
    fn lengths_above(&self, number: Arg, out: &mut SmallVec<[SliceLength; 4]>, most: u32) {
        let number = self.plain(number);
        let Some(v) = number.as_value().filter(|_| most > 0) else { return };
        out.extend(self.slices.lengths.iter().filter(|(of, _)| *of == v).map(|(_, length)| *length));
        let Some(node) = self.operation_of(number) else { return };
        let args = self.code.args_of(node);
        match node.op {
            Op::Min if node.operand == Kind::U32 => args.iter().for_each(|&arg| self.lengths_above(arg, out, most - 1)),
            Op::Select if self.is_minimum(args) => {
                args[1..].iter().for_each(|&arg| self.lengths_above(arg, out, most - 1));
            }
            _ => {}
        }
    }

    /// Whether `c ? x : y` is the lesser one of both.
    fn is_minimum(&self, args: &[Arg]) -> bool {
        let Some(test) = self.operation_of(args[0]).filter(|node| node.operand == Kind::U32) else { return false };
        let same = |a: Arg, b: Arg| self.plain(a) == self.plain(b);
        let [a, b] = [0, 1].map(|i| self.code.args_of(test).get(i).copied());
        let (Some(a), Some(b)) = (a, b) else { return false };
        match test.op {
            Op::LessThan | Op::LessThanEqual => same(a, args[1]) && same(b, args[2]),
            Op::GreaterThan | Op::GreaterThanEqual => same(b, args[1]) && same(a, args[2]),
            _ => false,
        }
    }

    /// Drops facts that need not hold at a label any more; notes what a single jump to it says.
    pub(crate) fn at_label(&mut self, at: usize, label: u32) {
        if self.slices.lengths.is_empty() {
            return;
        }
        let Jumps { first, count } = self.slices.jumps[label as usize];
        self.slices.facts.retain(|fact| fact.at < first);
        if count == 1 && !self.open {
            let node = &self.code.nodes[first];
            match node.what {
                What::BrIf(_) => self.learn(at, self.code.args_of(node)[0], true),
                What::BrIfZero(_) => self.learn(at, self.code.args_of(node)[0], false),
                _ => {}
            }
        }
    }

    /// Whether an access is in bounds by what is known.
    pub(crate) fn is_in_slice(&self, node: &Node, arg: MemArg, memory: Memory) -> bool {
        if self.slices.facts.is_empty() {
            return false;
        }
        let end = u64::from(arg.offset) + u64::from(arg.width.bytes());
        let address = self.plain(self.code.args_of(node)[0]);
        let scaled = self.operation_of(address).and_then(|of| {
            let args = self.code.args_of(of);
            let by = self.known(*args.get(1)?)?;
            match of.op {
                Op::Multiply => Some((self.plain(args[0]).as_value()?, by)),
                Op::ShiftLeft if by < 16 => Some((self.plain(args[0]).as_value()?, 1 << by)),
                _ => None,
            }
        });
        let of_byte = address.as_value().map(|v| (v, 1));
        let holds = |(index, stride): (u32, u64)| {
            let same = |fact: &&Fact| fact.index == index && fact.memory == memory.index();
            self.slices.facts.iter().find(same).is_some_and(|fact| u64::from(fact.stride) == stride && end <= stride)
        };
        scaled.is_some_and(holds) || of_byte.is_some_and(holds)
    }

    /// An argument without the operations that leave its 32 bits as they are.
    fn plain(&self, mut arg: Arg) -> Arg {
        for _ in 0..MOST_STEPS {
            match self.operation_of(arg) {
                Some(node) if node.op == Op::Bitcast && matches!(node.operand, Kind::I32 | Kind::U32) => {
                    arg = self.code.args_of(node)[0];
                }
                _ => break,
            }
        }
        arg
    }

    fn operation_of(&self, arg: Arg) -> Option<&'_ Node> {
        let node = &self.code.nodes[self.code.values[arg.as_value()? as usize].node as usize];
        (node.what == What::Operation).then_some(node)
    }
}
