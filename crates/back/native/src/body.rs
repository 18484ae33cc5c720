//! One function: labels become blocks, their inputs block parameters, nodes instructions.
//!
//! Stops are blocks at the end of the function that hand a number to the runtime: one for each reason and place.

use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use cranelift_codegen::ir::{
    AbiParam, AliasRegion, AliasRegionData, Block, BlockArg, BlockCall, FuncRef, Function, InstBuilder,
    InstructionData, JumpTableData, MemFlagsData, SigRef, Signature, StackSlot, Type, UserFuncName, Value, types,
};
use cranelift_codegen::isa::{CallConv, TargetIsa};
use cranelift_codegen::packed_option::PackedOption;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use planish_back_header::layout;
use planish_ir::arena::SideTable;
use planish_ir::entity::{self, Func, Var};
use planish_ir::module::Module;
use planish_ir::source::Span;
use planish_machine::Nodes;
use planish_machine::code::{Arg, ArgKind, Code, Edge, NONE, Node, RETURN, What};
use planish_machine::isa::Kind;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::mem::offset_of;
use target_lexicon::Architecture;

use crate::abi;
use crate::compile::{Options, Stops};
use crate::faults;
use crate::object::code::ObjectEnvironment;
use crate::slices::Slices;
use crate::words;
use crate::{Operation, Reason, Stop};

/// All that functions of a module have in common.
#[derive(Clone, Copy)]
pub(crate) struct Environment<'a> {
    pub(crate) module: &'a Module,
    pub(crate) globals: &'a SideTable<Var, u32>,
    pub(crate) signatures: &'a SideTable<entity::Type, Option<planish_machine::Signature>>,
    pub(crate) options: Options,
    pub(crate) isa: &'a dyn TargetIsa,
    /// Whether the processor rounds floats by an instruction.
    pub(crate) rounds: bool,
    /// Whether the processor selects lanes by the highest bit of each in one instruction.
    pub(crate) blends: bool,
    /// `None` for code that reaches everything through a context.
    pub(crate) object: Option<&'a ObjectEnvironment<'a>>,
    /// `None` for whole functions.
    pub(crate) rest: Option<Rest<'a>>,
}

/// The part of a function from the head of an outermost loop on ([`crate::rest`]).
#[derive(Clone, Copy)]
pub(crate) struct Rest<'a> {
    /// The label of the loop.
    pub(crate) label: u32,
    /// The values that live there, with the numbers of their first words.
    pub(crate) values: &'a [(u32, u32)],
}

/// Memory that code reaches: accesses of different ones never meet.
#[derive(Clone, Copy)]
pub(crate) enum Region {
    /// Contexts, and tables of addresses, memories and callees.
    Context,
    /// The bytes of memories.
    Memory,
    /// Words of variables.
    Globals,
    /// Elements of tables.
    Tables,
}

/// The type of a value of a kind.
pub(crate) fn type_of(kind: Kind) -> Type {
    match kind {
        Kind::Bool => types::I8,
        Kind::I32 | Kind::U32 => types::I32,
        Kind::F32 => types::F32,
        Kind::F64 => types::F64,
        Kind::V128 => types::I8X16,
        _ => types::I64,
    }
}

/// The type in which a value of a kind is passed: equal for kinds that are one type for the host.
pub(crate) fn passed_as(kind: Kind) -> Type {
    if kind == Kind::Bool { types::I32 } else { type_of(kind) }
}

/// Bytes of the largest frame of a function that calls no other and does not compare the stack pointer with its limit.
const LARGEST_UNCHECKED_FRAME: u32 = 1 << 15;

/// The kinds of results in registers, and of those in memory: the callee stores these as words, where the caller says.
pub(crate) fn split_results<'k>(isa: &dyn TargetIsa, results: &'k [Kind]) -> (&'k [Kind], &'k [Kind]) {
    let [most_ints, most_floats] = if is_riscv(isa) { [2, 2] } else { [6, 8] };
    let [mut ints, mut floats] = [0, 0];
    let in_registers = results.iter().take_while(|&&kind| {
        let count = if passed_as(kind).is_int() { &mut ints } else { &mut floats };
        *count += 1;
        ints <= most_ints && floats <= most_floats && (!is_riscv(isa) || ints + floats <= 2)
    });
    let count = in_registers.count();
    results.split_at(count)
}

/// Whether the processor is a RISC-V.
pub(crate) fn is_riscv(isa: &dyn TargetIsa) -> bool {
    matches!(isa.triple().architecture, Architecture::Riscv64(_))
}

/// Bytes of values as words.
pub(crate) fn size_of(kinds: &[Kind]) -> u32 {
    kinds.iter().map(|kind| 8 * kind.words(64)).sum()
}

/// The signature of a function of the program: the context, the address of results that are not in registers, if there
/// are any, and the parameters.
pub(crate) fn signature_of(isa: &dyn TargetIsa, signature: &planish_machine::Signature) -> Signature {
    let (in_registers, in_memory) = split_results(isa, &signature.results);
    let mut of = Signature::new(CallConv::Tail);
    of.params.push(AbiParam::new(types::I64));
    of.params.extend((!in_memory.is_empty()).then(|| AbiParam::new(types::I64)));
    of.params.extend(signature.params.iter().map(|&kind| AbiParam::new(passed_as(kind))));
    of.returns.extend(in_registers.iter().map(|&kind| AbiParam::new(passed_as(kind))));
    of
}

/// A signature of functions of the runtime: words, and at most one result.
pub(crate) fn runtime_signature(isa: &dyn TargetIsa, params: &[Type], result: Option<Type>) -> Signature {
    let mut of = Signature::new(isa.default_call_conv());
    of.params.extend(params.iter().map(|&ty| AbiParam::new(ty)));
    of.returns.extend(result.map(AbiParam::new));
    of
}

/// Writes one function.
pub(crate) struct Builder<'a, 'f> {
    pub(crate) env: Environment<'a>,
    pub(crate) nodes: Nodes<'a>,
    pub(crate) code: &'a Code,
    pub(crate) func: Func,
    pub(crate) b: FunctionBuilder<'f>,
    values: Vec<PackedOption<Value>>,
    labels: Vec<PackedOption<Block>>,
    pub(crate) slots: FxHashMap<u32, StackSlot>,
    /// Functions of the unit and signatures that it names.
    pub(crate) functions: FxHashMap<Func, FuncRef>,
    pub(crate) signatures: FxHashMap<Signature, SigRef>,
    /// Whether control reaches the next node.
    pub(crate) open: bool,
    /// Address of results that are not in registers, given by the caller.
    pub(crate) results_at: Option<Value>,
    /// Room for words that callees and the runtime read and write.
    pub(crate) words_slot: Option<StackSlot>,
    /// The function's first parameter.
    pub(crate) context: Value,
    /// Start and size of memory 0, for functions that access it.
    pub(crate) memory: Option<[Variable; 2]>,
    /// By memory: start and size of those that do not change while the function runs.
    pub(crate) fixed: FxHashMap<usize, (Value, Value)>,
    /// By one of those memories and the end of an access (offset and width): the last index that is in bounds.
    pub(crate) lasts: FxHashMap<(usize, u64), Value>,
    /// By value: whether it is raw ([`crate::numbers`]).
    pub(crate) raw: Vec<bool>,
    /// By value: whether it is a mask ([`crate::masks`]).
    pub(crate) masks: Vec<bool>,
    /// Values that are raw, in their canonical form, which the current block is dominated by.
    pub(crate) canonical: FxHashMap<u32, Value>,
    /// By memory and index: the end of the largest access that is known to be in bounds, which the current block is dominated by.
    pub(crate) checked: FxHashMap<(usize, u32), u64>,
    pub(crate) slices: Slices,
    /// The stops of accesses that may fault.
    pub(crate) accesses: Vec<Stop>,
    pub(crate) regions: [AliasRegion; 4],
    pub(crate) stops: Vec<Stop>,
    stop_blocks: FxHashMap<(Reason, Span), Block>,
    pub(crate) number: &'a mut dyn FnMut(Operation) -> u32,
    pub(crate) span: Span,
}

/// Builds the function of a list of nodes, and the table of its stops.
pub(crate) fn build<'a>(
    env: Environment<'a>,
    nodes: Nodes<'a>,
    func: Func,
    scratch: &mut FunctionBuilderContext,
    number: &'a mut dyn FnMut(Operation) -> u32,
) -> (Function, Stops) {
    let code = nodes.code;
    let signature = planish_machine::Signature { params: params_of(code), results: code.results.clone() };
    let name = UserFuncName::user(0, func.as_u32());
    let signature = match env.rest {
        Some(_) => runtime_signature(env.isa, &[types::I64; 2], None),
        None => signature_of(env.isa, &signature),
    };
    let mut function = Function::with_name_signature(name, signature);
    let mut b = FunctionBuilder::new(&mut function, scratch);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let context = b.block_params(entry)[0];
    let regions = ["context", "memory", "variables", "tables"];
    let mut id = 0;
    let regions = regions.map(|name| {
        id += 1;
        b.func.dfg.alias_regions.insert(AliasRegionData { user_id: id, description: name.into() })
    });
    let mut builder = Builder {
        env,
        nodes,
        code,
        func,
        b,
        values: vec![PackedOption::default(); code.values.len()],
        labels: vec![PackedOption::default(); code.labels.len()],
        slots: FxHashMap::default(),
        functions: FxHashMap::default(),
        signatures: FxHashMap::default(),
        open: true,
        results_at: None,
        words_slot: None,
        context,
        memory: None,
        fixed: FxHashMap::default(),
        lasts: FxHashMap::default(),
        raw: crate::numbers::raw(code),
        masks: if env.blends { crate::masks::masks(code) } else { Vec::new() },
        canonical: FxHashMap::default(),
        checked: FxHashMap::default(),
        slices: Slices::default(),
        accesses: Vec::new(),
        regions,
        stops: Vec::new(),
        stop_blocks: FxHashMap::default(),
        number,
        span: env.module.funcs[func].span,
    };
    match env.rest {
        Some(rest) => builder.rest(entry, rest),
        None => {
            builder.begin(entry);
            builder.walk(0);
        }
    }
    builder.write_stops();
    let stops = builder.numbered_stops();
    builder.b.seal_all_blocks();
    builder.b.finalize(env.isa.frontend_config());
    (function, stops)
}

/// Kinds of a function's parameters.
fn params_of(code: &Code) -> Vec<Kind> {
    let inputs = code.nodes.iter().find(|node| node.what == What::Inputs);
    inputs.map_or(vec![], |node| outs_of(node).map(|v| code.values[v as usize].kind).collect())
}

pub(crate) fn outs_of(node: &Node) -> std::ops::Range<u32> {
    node.outs..node.outs + u32::from(node.outs_len)
}

impl<'a> Builder<'a, '_> {
    /// Parameters, slots, memory 0; that the stack has room for the function.
    fn begin(&mut self, entry: Block) {
        self.make_slots();
        let mut params: SmallVec<[Value; 8]> = self.b.block_params(entry)[1..].into();
        if !split_results(self.env.isa, &self.code.results).1.is_empty() {
            self.results_at = Some(params.remove(0));
        }
        if let Some(node) = self.code.nodes.iter().find(|node| node.what == What::Inputs) {
            for (v, value) in outs_of(node).zip(params) {
                let value = self.as_type(value, type_of(self.code.values[v as usize].kind));
                self.set(v, value);
            }
        }
        self.begin_checks();
        self.begin_slices();
    }

    /// That the stack has room for the function, and that nobody has asked it to stop; memory 0.
    pub(crate) fn begin_checks(&mut self) {
        let slots: u64 = self.slots.values().map(|&slot| u64::from(self.b.func.sized_stack_slots[slot].size)).sum();
        // A value may have a place in the frame: of 16 bytes, if the processor holds it in a vector register.
        let place = |kind: Kind| if kind.is_float() || kind == Kind::V128 { 16 } else { 8 };
        let frame = slots + self.code.values.iter().map(|value| place(value.kind)).sum::<u64>();
        let is_limited = self.env.object.is_none_or(|object| object.layout.has_state());
        if is_limited && (self.code.has_calls || frame > u64::from(LARGEST_UNCHECKED_FRAME)) {
            let limit = if self.env.object.is_some() {
                self.load(Region::Context, types::I64, self.context, layout::STACK_LIMIT as usize)
            } else {
                let runtime = self.runtime();
                self.load(Region::Context, types::I64, runtime, offset_of!(abi::Runtime, stack_limit))
            };
            // The frame is there already: the runtime has room for one below the limit.
            let pointer = self.b.ins().get_stack_pointer(types::I64);
            let below = self.b.ins().icmp(IntCC::UnsignedLessThan, pointer, limit);
            self.stop_if(below, Reason::Trap(planish_ir::function::TrapKind::StackOverflow));
        }
        if self.code.has_calls {
            // Recursion is a loop, too.
            self.heed_interrupt();
        }
        self.begin_memory();
        self.charge(0);
    }

    /// Writes the nodes from number `first` on.
    pub(crate) fn walk(&mut self, first: usize) {
        let code = self.code;
        for (i, node) in code.nodes.iter().enumerate().skip(first) {
            self.span = node.span;
            self.mark_place();
            match node.what {
                What::Label(label) => {
                    self.at_label(i, label);
                    let block = self.block_of(label);
                    if self.open {
                        self.b.ins().jump(block, &[]);
                    }
                    self.b.switch_to_block(block);
                    self.canonical.clear();
                    self.checked.clear();
                    self.open = true;
                    self.charge(i + 1);
                    continue;
                }
                What::Loop { label, edge } => {
                    self.at_label(i, label);
                    let block = self.block_of(label);
                    if self.open {
                        let args = self.edge_args(&code.edges[edge as usize]);
                        self.b.ins().jump(block, &args);
                    }
                    self.b.switch_to_block(block);
                    self.canonical.clear();
                    self.checked.clear();
                    self.open = true;
                    self.heed_interrupt();
                    self.charge(i + 1);
                    continue;
                }
                _ => {}
            }
            if self.open {
                if let What::BrIf(edge) | What::BrIfZero(edge) = node.what
                    && let Some(latch) = self.latch(i)
                {
                    let holds = matches!(node.what, What::BrIf(_));
                    self.branch_back(code.args_of(node)[0], (edge, holds), latch);
                    self.open = false;
                    continue;
                }
                self.node(node);
                match node.what {
                    What::BrIf(_) => self.learn(i, code.args_of(node)[0], false),
                    What::BrIfZero(_) => self.learn(i, code.args_of(node)[0], true),
                    _ => {}
                }
                let ends =
                    matches!(node.what, What::Br(_) | What::BrTable { .. } | What::TailCall(_) | What::Unreachable(_));
                self.open = !ends;
            }
        }
    }

    fn node(&mut self, node: &'a Node) {
        let code = self.code;
        let args = code.args_of(node);
        match node.what {
            What::Nothing | What::Inputs | What::LoopEnd(_) | What::Label(_) | What::Loop { .. } => {}
            What::Br(edge) => self.leave_along(edge),
            What::BrIf(edge) => self.branch(args[0], edge, true),
            What::BrIfZero(edge) => self.branch(args[0], edge, false),
            What::BrCompare { .. } => unreachable!("only `fuse` makes them"),
            What::BrTable { first, count } => self.table(args[0], first, count),
            What::Call(kind) => self.call(node, kind),
            What::TailCall(kind) => self.tail_call(node, kind),
            What::Operation => self.operation(node),
            What::Constant => {
                let kind = code.values[node.outs as usize].kind;
                let value = self.arg(args[0], type_of(kind));
                self.set(node.outs, value);
            }
            What::SlotLoad => {
                let ty = type_of(node.result);
                let value = match self.slot(node) {
                    Ok((slot, offset)) => self.b.ins().stack_load(types::I64, ty, slot, offset),
                    Err(address) => {
                        let flags = MemFlagsData::trusted();
                        self.b.ins().load(ty, flags, address, 0)
                    }
                };
                self.set(node.outs, value);
            }
            What::SlotStore => {
                let value = self.arg(args[1], type_of(node.operand));
                match self.slot(node) {
                    Ok((slot, offset)) => {
                        self.b.ins().stack_store(types::I64, value, slot, offset);
                    }
                    Err(address) => {
                        let flags = MemFlagsData::trusted();
                        self.b.ins().store(flags, value, address, 0);
                    }
                }
            }
            What::Unreachable(kind) => {
                let block = self.stop_block(Reason::Trap(kind));
                self.b.ins().jump(block, &[]);
            }
        }
    }

    // Values

    /// Gives a value of the list its value of the function.
    pub(crate) fn set(&mut self, v: u32, value: Value) {
        debug_assert_eq!(
            self.b.func.dfg.value_type(value),
            type_of(self.code.values[v as usize].kind),
            "v{v} of {:?}",
            self.code.nodes[self.code.values[v as usize].node as usize]
        );
        self.values[v as usize] = value.into();
    }

    pub(crate) fn value_of(&self, v: u32) -> Value {
        self.values[v as usize].expand().expect("a value is defined before it is read")
    }

    /// An argument as a value of a type, with all its bits. The list reads a value as another type of the same bits, and as a wider one.
    pub(crate) fn arg(&mut self, arg: Arg, ty: Type) -> Value {
        match arg.kind() {
            ArgKind::Value(v) => {
                let mut value = self.value_of(v);
                if self.raw(v) {
                    value = self.canonical(v, value);
                }
                self.as_type(value, ty)
            }
            ArgKind::Const(c) => self.constant(self.code.bits(c), ty),
            kind => unreachable!("no argument is {kind:?} after lowering"),
        }
    }

    /// The bits of a value as another type, zero-extended or cut.
    pub(crate) fn as_type(&mut self, value: Value, ty: Type) -> Value {
        let from = self.b.func.dfg.value_type(value);
        if from == ty {
            return value;
        }
        let mut bits = value;
        if from.is_vector() || ty.is_vector() {
            return self.b.ins().bitcast(ty, bitcast_flags(), bits);
        }
        let mut now = from;
        if from.is_float() {
            now = if from == types::F32 { types::I32 } else { types::I64 };
            bits = self.b.ins().bitcast(now, MemFlagsData::new(), bits);
        }
        let whole = match ty {
            types::F32 => types::I32,
            types::F64 => types::I64,
            other => other,
        };
        if now.bits() < whole.bits() {
            bits = self.b.ins().uextend(whole, bits);
        } else if now.bits() > whole.bits() {
            bits = self.b.ins().ireduce(whole, bits);
        }
        if whole == ty { bits } else { self.b.ins().bitcast(ty, MemFlagsData::new(), bits) }
    }

    pub(crate) fn constant(&mut self, bits: u128, ty: Type) -> Value {
        match ty {
            types::F32 => {
                let imm = cranelift_codegen::ir::immediates::Ieee32::with_bits(bits as u32);
                self.b.ins().f32const(imm)
            }
            types::F64 => {
                let imm = cranelift_codegen::ir::immediates::Ieee64::with_bits(bits as u64);
                self.b.ins().f64const(imm)
            }
            _ if ty.is_vector() => {
                let data = bits.to_le_bytes().as_slice().into();
                let constant = self.b.func.dfg.constants.insert(data);
                self.b.ins().vconst(ty, constant)
            }
            _ => {
                // An immediate of a narrow type is sign-extended.
                let unused = 64 - ty.bits();
                self.b.ins().iconst(ty, ((bits as u64) << unused) as i64 >> unused)
            }
        }
    }

    // Blocks

    /// The block of a label, with a parameter for each of its inputs that is read.
    pub(crate) fn block_of(&mut self, label: u32) -> Block {
        if let Some(block) = self.labels[label as usize].expand() {
            return block;
        }
        let block = self.b.create_block();
        self.labels[label as usize] = block.into();
        let data = self.code.labels[label as usize];
        for v in data.inputs..data.inputs + data.inputs_len {
            if self.nodes.is_read(v) {
                let param = self.b.append_block_param(block, type_of(self.code.values[v as usize].kind));
                self.set(v, param);
            }
        }
        block
    }

    /// The arguments of an edge to a label, for the inputs that are read.
    fn edge_args(&mut self, edge: &Edge) -> SmallVec<[BlockArg; 8]> {
        let code = self.code;
        let data = code.labels[edge.label as usize];
        debug_assert!(data.node != NONE, "the label has its place");
        let inputs = data.inputs..data.inputs + data.inputs_len;
        let mut args = SmallVec::new();
        for (v, &arg) in inputs.zip(code.edge_args(edge)) {
            if self.nodes.is_read(v) {
                args.push(self.chosen(arg, v, type_of(code.values[v as usize].kind)).into());
            }
        }
        args
    }

    fn leave_along(&mut self, edge: u32) {
        let edge = &self.code.edges[edge as usize];
        if edge.label == RETURN {
            let code = self.code;
            let results = code.edge_args(edge).iter().zip(&code.results);
            let values: SmallVec<[Value; 8]> = results.map(|(&arg, &kind)| self.arg(arg, passed_as(kind))).collect();
            return self.return_values(&values);
        }
        let block = self.block_of(edge.label);
        let args = self.edge_args(edge);
        self.b.ins().jump(block, &args);
    }

    fn return_values(&mut self, values: &[Value]) {
        if self.env.rest.is_some() {
            return self.return_words(values);
        }
        let (in_registers, in_memory) = split_results(self.env.isa, &self.code.results);
        let (values, rest) = values.split_at(in_registers.len());
        if let Some(at) = self.results_at {
            words::store(&mut self.b, at, in_memory, rest);
        }
        self.b.ins().return_(values);
    }

    /// The block and arguments for a conditional edge; one that returns gets a block of its own, written later by the
    /// caller.
    pub(crate) fn target(
        &mut self,
        edge: u32,
        returns: &mut SmallVec<[(Block, u32); 4]>,
    ) -> (Block, SmallVec<[BlockArg; 8]>) {
        let data = &self.code.edges[edge as usize];
        if data.label == RETURN {
            let block = self.b.create_block();
            returns.push((block, edge));
            return (block, SmallVec::new());
        }
        (self.block_of(data.label), self.edge_args(data))
    }

    fn branch(&mut self, condition: Arg, edge: u32, holds: bool) {
        let condition = self.condition(condition);
        let mut returns = SmallVec::new();
        let (block, args) = self.target(edge, &mut returns);
        let next = self.b.create_block();
        if holds {
            self.b.ins().brif(condition, block, &args, next, &[]);
        } else if let Some(opposite) = self.opposite(condition) {
            self.b.ins().brif(opposite, block, &args, next, &[]);
        } else {
            self.b.ins().brif(condition, next, &[], block, &args);
        }
        self.write_returns(returns);
        self.b.switch_to_block(next);
    }

    /// The opposite of a comparison, for a branch: Cranelift puts the second block of a branch right behind it, and what is run more often is
    /// there, as the body of a loop behind its condition. `None` where the code that Cranelift optimizes has its own order.
    fn opposite(&mut self, condition: Value) -> Option<Value> {
        if !self.env.module.facts.scheduled {
            return None;
        }
        let inst = self.b.func.dfg.value_def(condition).inst()?;
        match self.b.func.dfg.insts[inst] {
            InstructionData::IntCompare { args: [x, y], cond, .. } => Some(self.b.ins().icmp(cond.complement(), x, y)),
            InstructionData::FloatCompare { args: [x, y], cond, .. } => {
                Some(self.b.ins().fcmp(cond.complement(), x, y))
            }
            _ => None,
        }
    }

    /// An argument that is tested for zero.
    pub(crate) fn condition(&mut self, arg: Arg) -> Value {
        let kind = self.code.kind_of(arg);
        self.arg(arg, type_of(kind))
    }

    fn table(&mut self, index: Arg, first: u32, count: u32) {
        let index = self.arg(index, types::I32);
        let mut returns = SmallVec::new();
        let mut calls: Vec<BlockCall> = Vec::with_capacity(count as usize);
        for edge in first..first + count {
            let (block, args) = self.target(edge, &mut returns);
            let pool = &mut self.b.func.dfg.value_lists;
            calls.push(BlockCall::new(block, args, pool));
        }
        let default = calls.pop().expect("a table has a default");
        let table = self.b.create_jump_table(JumpTableData::new(default, &calls));
        self.b.ins().br_table(index, table);
        self.write_returns(returns);
    }

    pub(crate) fn write_returns(&mut self, returns: SmallVec<[(Block, u32); 4]>) {
        for (block, edge) in returns {
            self.b.switch_to_block(block);
            // Other paths do not come through this block: they find nothing that it makes canonical.
            let args = self.code.edge_args(&self.code.edges[edge as usize]).iter();
            let values = args.filter_map(|arg| arg.as_value()).filter(|v| !self.canonical.contains_key(v));
            let values: SmallVec<[u32; 8]> = values.collect();
            self.leave_along(edge);
            for v in values {
                self.canonical.remove(&v);
            }
        }
    }

    /// A signature, declared once.
    pub(crate) fn import(&mut self, signature: Signature) -> SigRef {
        if let Some(&found) = self.signatures.get(&signature) {
            return found;
        }
        let imported = self.b.import_signature(signature.clone());
        self.signatures.insert(signature, imported);
        imported
    }

    // Stops

    /// Stops if a condition is not zero.
    pub(crate) fn stop_if(&mut self, condition: Value, reason: Reason) {
        let stop = self.stop_block(reason);
        let next = self.b.create_block();
        self.b.ins().brif(condition, stop, &[], next, &[]);
        self.b.switch_to_block(next);
    }

    /// The block that stops at the current place.
    fn stop_block(&mut self, reason: Reason) -> Block {
        if let Some(&block) = self.stop_blocks.get(&(reason, self.span)) {
            return block;
        }
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        self.stop_blocks.insert((reason, self.span), block);
        self.stops.push(Stop { reason, span: self.span });
        block
    }

    fn write_stops(&mut self) {
        let stops = std::mem::take(&mut self.stops);
        for (i, stop) in stops.iter().enumerate() {
            self.b.switch_to_block(self.stop_blocks[&(stop.reason, stop.span)]);
            if let Some(object) = self.env.object {
                self.object_stop(*stop, object);
                continue;
            }
            let runtime = self.runtime();
            let code = self.load_constant(types::I64, runtime, offset_of!(abi::Runtime, stop));
            let signature = runtime_signature(self.env.isa, &[types::I64, types::I64, types::I64], None);
            let signature = self.import(signature);
            let word = u64::from(self.func.as_u32()) << 32 | i as u64;
            let word = self.b.ins().iconst(types::I64, word as i64);
            self.b.ins().call_indirect(signature, code, &[runtime, self.context, word]);
            self.b.ins().trap(faults::never());
        }
        self.stops = stops;
    }
}

/// Vectors are cast as on a processor that puts the first lane lowest.
pub(crate) fn bitcast_flags() -> MemFlagsData {
    MemFlagsData::new().with_endianness(cranelift_codegen::ir::Endianness::Little)
}
