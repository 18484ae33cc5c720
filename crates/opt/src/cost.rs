//! Costs of ops, in one table per kind of target. Every decision asks the table: inlining, unrolling, selects or branches.
//!
//! ```text
//! gpu       about the number of simple operations of something that computes vectors at once; a branch is dear, because
//!           neighbouring invocations that take different paths execute both
//! machine   about the number of instructions that are dispatched, where one arm of a branch is run and not the other
//!
//! %1 = add %a, %b                 gpu: stays              machine: if %x {
//! %2 = multiply %1, %a                                             then b1:
//! %3 = subtract %2, %b                                               %1 = add %a, %b
//! %4 = multiply %3, %3                                               … merge %4
//! %5 = select %x, %4, %a                                           else b2: merge %a } b3(%5):
//! ```
//!
//! A table is rows: the cost of a class, and the ops with another cost. Ops that may trap are never speculated,
//! at any cost: the schedule does not move them.

use std::sync::Arc;

use planish_ir::entity::Block;
use planish_ir::function::{Body, Exit, NodeData};
use planish_ir::module::Module;
use planish_ir::ops::{Class, Effect, OPS, Op};

use crate::context::Goal;

/// Costs of ops, branches and copies on a kind of target.
///
/// # Example
/// A machine whose sines are dear:
/// ```
/// use planish_ir::ops::Op;
/// use planish_opt::Options;
/// use planish_opt::cost::MACHINE;
///
/// let mut table = MACHINE.clone().with(Op::Sin, 200);
/// (table.name, table.branch) = ("microcontroller", 1);
/// assert_eq!((table.of(Op::Sin), table.of(Op::Cos)), (200, 16));
/// let options = Options { costs: Some(table.into()), ..Options::default() };
/// ```
#[derive(Clone)]
pub struct CostTable {
    /// Its name.
    pub name: &'static str,
    /// The unit of the numbers, and the targets.
    pub about: &'static str,
    /// A branch with its labels and merges.
    pub branch: u32,
    /// A value handed to a merge block.
    pub copy: u32,
    /// Cost, in branches, from which nodes that only one path needs are worth a branch: 2 where the other path is not
    /// run, so that half of it is saved on average; more where it is often run all the same.
    pub speculation: u32,
    /// Whether the merge of two values is better a select than a block input where the branch stays for other nodes in it.
    pub selects_beside_branches: bool,
    /// Whether a value that some arms of a branch need is computed in each of them rather than before it: where only one is run.
    pub sinks: bool,
    /// Whether loop-carried values are passed by the exits of the loop, instead of being read after it: then an iteration
    /// may overwrite them.
    pub closes_loops: bool,
    /// Whether users of a load are best scheduled right after it: where the last result is at hand.
    pub reads_at_once: bool,
    /// Whether a call is an instruction for each argument and result besides its own, so that what costs no more is smaller
    /// where it is called.
    pub moves_operands: bool,
    ops: [u32; OPS.len()],
}

/// A table of costs, one of [`TABLES`] or the user's own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Costs(Owner);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Owner {
    Static(&'static CostTable),
    Shared(Arc<CostTable>),
}

impl std::ops::Deref for Costs {
    type Target = CostTable;

    fn deref(&self) -> &CostTable {
        match &self.0 {
            Owner::Static(table) => table,
            Owner::Shared(table) => table,
        }
    }
}

impl From<&'static CostTable> for Costs {
    fn from(table: &'static CostTable) -> Self {
        Costs(Owner::Static(table))
    }
}

impl From<CostTable> for Costs {
    fn from(table: CostTable) -> Self {
        Costs(Owner::Shared(Arc::new(table)))
    }
}

/// The source form of a table.
struct Rows {
    /// Ops that cost something else than their class.
    ops: &'static [(u32, &'static [Op])],
    /// Classes that cost something else than the next two.
    classes: &'static [(u32, Class)],
    /// Other pure ops.
    pure: u32,
    /// Other ops with an effect or a trap.
    other: u32,
}

/// Every table.
pub const TABLES: [&CostTable; 3] = [&GPU, &MACHINE, &NATIVE];

/// For shading languages and graphs.
pub static GPU: CostTable = CostTable {
    name: "gpu",
    about: "simple operations, on targets that compute whole vectors and run many invocations in lockstep: shading \
            languages and graphs",
    branch: 6,
    copy: 1,
    speculation: 3,
    selects_beside_branches: true,
    sinks: false,
    closes_loops: false,
    reads_at_once: false,
    moves_operands: false,
    ops: GPU_ROWS.by_op(),
};

/// For targets that run one instruction after the other.
pub static MACHINE: CostTable = CostTable {
    name: "machine",
    about: "instructions that are dispatched one after the other, in one invocation: the register machine, the virtual \
            machine and WebAssembly",
    branch: 2,
    copy: 1,
    speculation: 2,
    selects_beside_branches: false,
    sinks: true,
    closes_loops: true,
    reads_at_once: true,
    moves_operands: true,
    ops: MACHINE_ROWS.by_op(),
};

/// For machine code. The processor begins several instructions at once, in another order than written, and loses what it has
/// begun on the path that a branch does not take.
pub static NATIVE: CostTable = CostTable {
    name: "native",
    about: "instructions of a processor that executes several at once and guesses branches: machine code",
    branch: 4,
    copy: 1,
    speculation: 2,
    selects_beside_branches: false,
    sinks: true,
    closes_loops: false,
    reads_at_once: false,
    moves_operands: true,
    ops: MACHINE_ROWS.by_op(),
};

use Op::*;

const GPU_ROWS: Rows = Rows {
    ops: &[
        (4, &[Sin, Cos, Tan, Asin, Acos, Atan, Atan2, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh]),
        (4, &[Exp, Log, Exp2, Log2, Pow, Sqrt, InverseSqrt]),
        (4, &[Divide, Remainder, DivideTrapping, RemainderTrapping, Mod]),
        (4, &[Normalize, Length, Distance, Reflect, Refract, SmoothStep, FaceForward]),
        (4, &[MatrixTimesVector, VectorTimesMatrix]),
        (12, &[Determinant]),
        (16, &[MatrixTimesMatrix]),
        (32, &[Inverse]),
    ],
    classes: &[(16, Class::Texture), (8, Class::Call), (1, Class::Extract), (1, Class::Access)],
    pure: 1,
    other: 2,
};

/// Vectors are lanes one after the other there, but only the op is known here: what is one op of a vector counts as one of a
/// scalar, and what computes many components to a result counts them.
const MACHINE_ROWS: Rows = Rows {
    ops: &[
        // The registers have no types.
        (0, &[Bitcast]),
        (3, &[Divide, Remainder, DivideTrapping, RemainderTrapping, SimdDivide]),
        (3, &[Sqrt, SimdSqrt]),
        (4, &[InverseSqrt, Mod]),
        (16, &[Sin, Cos, Tan, Asin, Acos, Atan, Atan2, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh]),
        (16, &[Exp, Log, Exp2, Log2, Pow]),
        (8, &[Length, Distance, Reflect, SmoothStep, FaceForward]),
        (12, &[Normalize, Refract]),
        (28, &[MatrixTimesVector, VectorTimesMatrix]),
        (40, &[Determinant]),
        (112, &[MatrixTimesMatrix]),
        (150, &[Inverse]),
        // As long as their operands.
        (16, &[MemoryGrow, MemoryFill, MemoryCopy, MemoryInit, TableGrow, TableFill, TableCopy, TableInit]),
    ],
    classes: &[(32, Class::Texture), (8, Class::Call)],
    pure: 1,
    other: 1,
};

impl Rows {
    const fn by_op(&self) -> [u32; OPS.len()] {
        let mut costs = [0; OPS.len()];
        let mut op = 0;
        while op < OPS.len() {
            costs[op] = self.of_class(OPS[op].class, OPS[op].effect);
            op += 1;
        }
        let mut has_row = [false; OPS.len()];
        let mut row = 0;
        while row < self.ops.len() {
            let (cost, ops) = self.ops[row];
            let mut i = 0;
            while i < ops.len() {
                assert!(!has_row[ops[i] as usize], "an op has two rows");
                has_row[ops[i] as usize] = true;
                costs[ops[i] as usize] = cost;
                i += 1;
            }
            row += 1;
        }
        costs
    }

    const fn of_class(&self, class: Class, effect: Effect) -> u32 {
        let mut row = 0;
        while row < self.classes.len() {
            if self.classes[row].1 as usize == class as usize {
                return self.classes[row].0;
            }
            row += 1;
        }
        if matches!(effect, Effect::Pure) { self.pure } else { self.other }
    }
}

impl CostTable {
    /// The table of the name.
    pub fn named(name: &str) -> Option<&'static CostTable> {
        TABLES.into_iter().find(|table| table.name == name)
    }

    /// The table for the target of a module, as far as the facts about its program determine it.
    pub fn of_module(module: &Module) -> &'static CostTable {
        if module.facts.processor { &MACHINE } else { &GPU }
    }

    /// The same table with another cost of an op.
    pub fn with(mut self, op: Op, cost: u32) -> Self {
        self.ops[op as usize] = cost;
        self
    }

    /// Cost of a node. That of an op of the user's own is in its row.
    pub fn of_node(&self, module: &Module, data: &NodeData) -> u32 {
        module.custom_of(data.op, data.imm).map_or_else(|| self.of(data.op), |row| row.cost)
    }

    /// The cost of an op.
    pub fn of(&self, op: Op) -> u32 {
        self.ops[op as usize]
    }

    /// The cost of the nodes and constructs of these blocks.
    pub fn of_blocks(&self, module: &Module, body: &Body, blocks: impl Iterator<Item = Block>) -> u32 {
        let of_block = |block: Block| {
            let data = &body.blocks[block];
            let branches = data.exit.merge_block().is_some() && !matches!(data.exit, Exit::NextBlock { .. });
            u32::from(branches) * self.branch
                + data.nodes.iter().map(|&n| self.of_node(module, body.node(n))).sum::<u32>()
        };
        blocks.map(of_block).sum()
    }

    /// Minimum cost of the nodes that only one of two paths needs to be worth a branch that passes no arguments.
    pub fn worth_a_branch(&self, goal: Goal) -> u32 {
        match goal {
            Goal::Speed => self.speculation * self.branch,
            Goal::Size => 2 * self.speculation * self.branch,
        }
    }

    /// Whether selects on one condition cost more than a branch: `within` is the cost of nodes that only one arm needs, and
    /// `worth` that from which a branch pays. A branch saves the selects themselves, and has each result handed to its end.
    pub fn branch_pays(&self, within: u32, selects: usize, worth: u32) -> bool {
        let selects = u32::try_from(selects).unwrap_or(u32::MAX);
        let each_way = |cost: u32| cost.saturating_mul(selects);
        within.saturating_add(each_way(self.of(Select))) >= worth.saturating_add(each_way(self.copy))
    }
}

impl PartialEq for CostTable {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for CostTable {}

impl std::fmt::Debug for CostTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
