//! Instructions on virtual registers, as the register allocator sees them.

use cranelift_codegen::ir::ExternalName;
use planish_ir::entity::Func;
use regalloc2::{Block, Function, Inst, InstRange, Operand, PReg, PRegSet, RegClass, VReg};
use smallvec::SmallVec;

use super::ops::Vex;

/// The origin of an address; registers are the last operands of the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// A register.
    Register,
    /// A constant by its number.
    Constant(u32),
    /// Memory of the frame: bytes beyond the area of slots.
    Slot,
    /// Arguments on the stack: of this function, and of those that it calls.
    Incoming,
    Outgoing,
}

/// An operand in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Memory {
    pub(super) origin: Origin,
    /// Binary logarithm of the factor of an index register, if there is one.
    pub(super) scale: Option<u8>,
    pub(super) disp: i32,
    /// The ordinal of the access, if it may fault.
    pub(super) fault: Option<u32>,
}

/// Condition of a jump, after an instruction that sets flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Condition {
    /// By its number.
    Plain(u8),
    /// Floats are equal, or not: two flags tell.
    FloatEqual,
    FloatNotEqual,
}

impl Condition {
    pub(super) const BELOW: Condition = Condition::Plain(2);
    pub(super) const ABOVE_EQUAL: Condition = Condition::Plain(3);
    pub(super) const EQUAL: Condition = Condition::Plain(4);
    pub(super) const NOT_EQUAL: Condition = Condition::Plain(5);
    pub(super) const BELOW_EQUAL: Condition = Condition::Plain(6);
    pub(super) const ABOVE: Condition = Condition::Plain(7);
    pub(super) const PARITY: Condition = Condition::Plain(10);
    pub(super) const NO_PARITY: Condition = Condition::Plain(11);
    pub(super) const LESS: Condition = Condition::Plain(12);
    pub(super) const GREATER_EQUAL: Condition = Condition::Plain(13);
    pub(super) const LESS_EQUAL: Condition = Condition::Plain(14);
    pub(super) const GREATER: Condition = Condition::Plain(15);

    pub(super) fn inverse(self) -> Condition {
        match self {
            Condition::Plain(number) => Condition::Plain(number ^ 1),
            Condition::FloatEqual => Condition::FloatNotEqual,
            Condition::FloatNotEqual => Condition::FloatEqual,
        }
    }
}

/// Sizes and extensions of integer moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extension {
    Zero8,
    Zero16,
    Zero32,
    Sign8,
    Sign16,
    /// To 64 bits.
    Sign8To64,
    Sign16To64,
    Sign32,
    /// All 64 bits.
    Whole,
}

/// The vector registers that a function keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Convention {
    /// By Cranelift's conventions: none.
    Cranelift,
    /// By that of this back end: all from [`DIRECT_VECTORS`] on.
    Direct,
    /// All but those of its results: of a function that is seldom called, so that its callers need not spill on the usual path.
    Seldom,
}

/// An instruction. Operands are listed in this order: results, sources, base and index of an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Op {
    /// Parameters of the function in their registers.
    Params,
    /// A vector instruction.
    Vex {
        of: Vex,
        long: bool,
        imm: Option<u8>,
        memory: Option<Memory>,
    },
    /// `op` on the result's own register and another one: a number of an opcode, or `imul`.
    Int {
        opcode: &'static [u8],
        wide: bool,
    },
    /// As [`Op::Int`], with a constant, by the number of the operation.
    IntConstant {
        number: u8,
        wide: bool,
        imm: i32,
    },
    /// `not` (2) or `neg` (3).
    IntUnary {
        number: u8,
        wide: bool,
    },
    /// `popcnt`, `lzcnt`, `tzcnt` by their opcodes.
    Count {
        opcode: u8,
        wide: bool,
    },
    /// `bswap`
    SwapBytes {
        wide: bool,
    },
    /// The sum of base, index and displacement.
    Lea {
        wide: bool,
        memory: Memory,
    },
    /// A shift by a constant: `shl` (4), `shr` (5), `sar` (7), `rol` (0), `ror` (1).
    ShiftConstant {
        number: u8,
        wide: bool,
        by: u8,
    },
    /// A rotation by `cl`.
    Rotate {
        number: u8,
        wide: bool,
    },
    /// Quotient and remainder of `rax`.
    Divide {
        signed: bool,
        wide: bool,
    },
    Constant {
        bits: u64,
    },
    /// A register or memory, extended.
    Move {
        extension: Extension,
        memory: Option<Memory>,
    },
    /// Stores bytes of an integer register.
    Store {
        bytes: u8,
        memory: Memory,
    },
    /// Flags of a comparison; with a constant if there is one.
    Compare {
        wide: bool,
        imm: Option<i32>,
    },
    /// Flags of a register: of its lowest byte, 4 bytes, or 8.
    Test {
        bytes: u8,
    },
    /// A condition as 0 or 1; the second result is a temporary register of two-flag conditions.
    Set {
        condition: Condition,
    },
    /// The second operand if a condition holds, else the first, in an integer register.
    Choose {
        condition: Condition,
    },
    /// The same in a vector register.
    ChooseVector {
        condition: Condition,
    },
    StackPointer,
    /// A call; with bytes of arguments that the callee takes off the stack.
    Call {
        target: Option<Func>,
        pops: u32,
        convention: Convention,
    },
    /// Goes to the first successor if a condition holds, else to the second.
    Branch {
        condition: Condition,
    },
    /// To the successor by number; the last one for all greater ones.
    Table,
    Jump,
    Return,
    /// Never reached.
    Trap,
}

/// An instruction with its operands.
pub(super) struct Instruction {
    pub(super) op: Op,
    pub(super) operands: SmallVec<[Operand; 4]>,
}

/// A block while it is written.
#[derive(Default)]
pub(super) struct Part {
    pub(super) instructions: Vec<Instruction>,
    pub(super) params: Vec<VReg>,
    /// Successors with the arguments for their parameters.
    pub(super) successors: Vec<(usize, Vec<VReg>)>,
    pub(super) cold: bool,
    /// Place among all parts.
    pub(super) position: usize,
}

/// A function on virtual registers.
#[derive(Default)]
pub(super) struct VCode {
    pub(super) ops: Vec<Op>,
    operands: Vec<Operand>,
    ranges: Vec<(u32, u32)>,
    blocks: Vec<InstRange>,
    succs: Vec<Vec<Block>>,
    preds: Vec<Vec<Block>>,
    params: Vec<Vec<VReg>>,
    args: Vec<Vec<Vec<VReg>>>,
    pub(super) vregs: usize,
}

impl VCode {
    /// Puts the parts of a function one after the other, those that are seldom reached last.
    pub(super) fn new(parts: Vec<Part>, vregs: usize) -> Self {
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by_key(|&part| (parts[part].cold, parts[part].position));
        let mut number = vec![0; parts.len()];
        order.iter().enumerate().for_each(|(i, &part)| number[part] = i);
        let mut code = VCode { vregs, preds: vec![Vec::new(); parts.len()], ..VCode::default() };
        let mut parts: Vec<Option<Part>> = parts.into_iter().map(Some).collect();
        for (i, &part) in order.iter().enumerate() {
            let part = parts[part].take().expect("each part has one place");
            let start = code.ops.len();
            for Instruction { op, operands } in part.instructions {
                let first = code.operands.len() as u32;
                code.operands.extend(operands);
                code.ranges.push((first, code.operands.len() as u32));
                code.ops.push(op);
            }
            code.blocks.push(InstRange::new(Inst::new(start), Inst::new(code.ops.len())));
            let (mut succs, mut args) = (Vec::new(), Vec::new());
            for (to, values) in part.successors {
                succs.push(Block::new(number[to]));
                code.preds[number[to]].push(Block::new(i));
                args.push(values);
            }
            code.succs.push(succs);
            code.args.push(args);
            code.params.push(part.params);
        }
        code
    }
}

impl Function for VCode {
    fn num_insts(&self) -> usize {
        self.ops.len()
    }

    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    fn entry_block(&self) -> Block {
        Block::new(0)
    }

    fn block_insns(&self, block: Block) -> InstRange {
        self.blocks[block.index()]
    }

    fn block_succs(&self, block: Block) -> &[Block] {
        &self.succs[block.index()]
    }

    fn block_preds(&self, block: Block) -> &[Block] {
        &self.preds[block.index()]
    }

    fn block_params(&self, block: Block) -> &[VReg] {
        &self.params[block.index()]
    }

    fn is_ret(&self, inst: Inst) -> bool {
        matches!(self.ops[inst.index()], Op::Return | Op::Trap)
    }

    fn is_branch(&self, inst: Inst) -> bool {
        matches!(self.ops[inst.index()], Op::Branch { .. } | Op::Table | Op::Jump)
    }

    fn branch_blockparams(&self, block: Block, _: Inst, succ: usize) -> &[VReg] {
        &self.args[block.index()][succ]
    }

    fn inst_operands(&self, inst: Inst) -> &[Operand] {
        let (start, end) = self.ranges[inst.index()];
        &self.operands[start as usize..end as usize]
    }

    fn inst_clobbers(&self, inst: Inst) -> PRegSet {
        let Op::Call { convention, .. } = self.ops[inst.index()] else { return PRegSet::empty() };
        let vectors = match convention {
            Convention::Cranelift => 16,
            Convention::Direct => DIRECT_VECTORS,
            Convention::Seldom => 0,
        };
        let mut clobbers = PRegSet::empty();
        CALLER_SAVED.iter().for_each(|&number| clobbers.add(PReg::new(number, RegClass::Int)));
        (0..vectors).for_each(|number| clobbers.add(PReg::new(number, RegClass::Float)));
        for operand in self.inst_operands(inst) {
            if let (regalloc2::OperandKind::Def, Some(fixed)) = (operand.kind(), fixed(operand)) {
                clobbers.remove(fixed);
            }
        }
        clobbers
    }

    fn num_vregs(&self) -> usize {
        self.vregs
    }

    fn spillslot_size(&self, class: RegClass) -> usize {
        if class == RegClass::Float { 4 } else { 1 }
    }
}

/// Number of vector registers that a function with direct calls may change; it keeps the others.
pub(super) const DIRECT_VECTORS: usize = 8;
/// Integer registers that a callee may change.
pub(super) const CALLER_SAVED: [usize; 9] = [0, 1, 2, 6, 7, 8, 9, 10, 11];
/// Those that it keeps; `rbp` is the frame pointer.
pub(super) const CALLEE_SAVED: [usize; 5] = [3, 12, 13, 14, 15];

fn fixed(operand: &Operand) -> Option<PReg> {
    match operand.constraint() {
        regalloc2::OperandConstraint::FixedReg(reg) => Some(reg),
        _ => None,
    }
}

/// The functions of its module that a function calls by name.
pub(crate) fn callees(function: &cranelift_codegen::ir::Function) -> Vec<Func> {
    function.dfg.ext_funcs.values().filter_map(|data| callee(function, &data.name)).collect()
}

/// The function of the module that a name of Cranelift's means.
pub(super) fn callee(function: &cranelift_codegen::ir::Function, name: &ExternalName) -> Option<Func> {
    match *name {
        ExternalName::User(name) => Some(Func::from_u32(function.params.user_named_funcs()[name].index)),
        _ => None,
    }
}
