//! Parameters, results and calls, by the calling conventions of Cranelift on systems of the Unix family.
//!
//! Small functions that others call by name have a convention of their own for these calls: two vectors side by side are passed in one
//! register of 256 bits, and registers 8 to 15 are kept. All others come in by an adapter before the function ([`super::emit`]).

use cranelift_codegen::ir::{AbiParam, Function, Inst, InstructionData, Signature, Type, Value};
use cranelift_codegen::isa::CallConv;
use planish_ir::entity::Func;
use regalloc2::{Operand, PReg, RegClass, VReg};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::lower::{Lower, RegMem, Result, class_of};
use super::ops;
use super::values::is_vector;
use super::vcode::{Convention, Extension, Memory, Op, Origin, callee, callees};

/// The place of an argument.
#[derive(Clone, Copy)]
enum Place {
    Register(PReg),
    /// Bytes from the first argument on the stack.
    Stack(u32),
}

/// Registers of arguments: `rdi`, `rsi`, `rdx`, `rcx`, `r8`, `r9`.
const ARGUMENTS: [usize; 6] = [7, 6, 2, 1, 8, 9];
/// Registers of results of the program's functions: `rax`, `rcx`, `rdx`, `rsi`, `rdi`, `r8`.
const RESULTS: [usize; 6] = [0, 1, 2, 6, 7, 8];
const FLOATS: usize = 8;

/// An argument or result of a direct call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direct {
    /// In a register.
    One(PReg),
    /// A vector that is passed together with the next one.
    Lower(PReg),
    /// The other one.
    Upper,
}

/// The registers of arguments or results of direct calls, of which integers have these; `None` if there are too many.
fn direct(params: &[AbiParam], ints: &[usize]) -> Option<SmallVec<[Direct; 8]>> {
    let is_float = |param: &AbiParam| class_of(param.value_type) == RegClass::Float;
    if params.iter().filter(|param| is_float(param)).count() > FLOATS {
        return None;
    }
    let (mut next_int, mut next_vector) = (ints.iter(), 0);
    let mut places = SmallVec::new();
    let mut i = 0;
    while let Some(param) = params.get(i) {
        i += 1;
        if !is_float(param) {
            places.push(Direct::One(PReg::new(*next_int.next()?, RegClass::Int)));
            continue;
        }
        let register = PReg::new(next_vector, RegClass::Float);
        next_vector += 1;
        let is_pair = is_vector(param.value_type) && params.get(i).is_some_and(|next| is_vector(next.value_type));
        if is_pair {
            places.extend([Direct::Lower(register), Direct::Upper]);
            i += 1;
        } else {
            places.push(Direct::One(register));
        }
    }
    Some(places)
}

/// The registers of arguments and results of direct calls; `None` if a function cannot have any.
pub(super) fn direct_signature(signature: &Signature) -> Option<[SmallVec<[Direct; 8]>; 2]> {
    let fits = signature.call_conv == CallConv::Tail;
    fits.then_some([direct(&signature.params, &ARGUMENTS)?, direct(&signature.returns, &RESULTS)?])
}

/// Instructions of a function that is called directly, at most: it has half of the registers.
const SMALL: usize = 2000;

/// Functions that are called directly, by their conventions.
pub(crate) type Directs = FxHashMap<Func, Convention>;

/// The functions that are called directly, of those of a unit.
pub(crate) fn directs<'f>(functions: impl Iterator<Item = (Func, &'f Function)> + Clone) -> Directs {
    let called: FxHashSet<Func> = functions.clone().flat_map(|(_, f)| callees(f)).collect();
    let fits = |f: &Function| f.dfg.num_insts() <= SMALL && direct_signature(&f.signature).is_some();
    let direct = functions.clone().filter(|(func, f)| called.contains(func) && fits(f));
    let mut directs: Directs = direct.map(|(func, _)| (func, Convention::Direct)).collect();
    // A function of shaders that calls others does so in rare cases: all else is inlined, or direct.
    let calls_others: Vec<Func> = functions
        .filter(|(func, f)| directs.contains_key(func) && calls_others(f, &directs))
        .map(|(func, _)| func)
        .collect();
    directs.extend(calls_others.into_iter().map(|func| (func, Convention::Seldom)));
    directs
}

/// Whether a function has a call that is not direct, besides those that end it or wait.
fn calls_others(f: &Function, directs: &Directs) -> bool {
    let usual = f.layout.blocks().filter(|&block| !f.layout.is_cold(block));
    let insts = usual.flat_map(|block| f.layout.block_insts(block));
    insts.filter(|&inst| f.dfg.insts[inst].opcode().is_call()).any(|inst| match f.dfg.insts[inst] {
        InstructionData::Call { func_ref, .. } => {
            callee(f, &f.dfg.ext_funcs[func_ref].name).is_none_or(|target| !directs.contains_key(&target))
        }
        _ => true,
    })
}

/// The places of arguments, and the bytes of those on the stack.
fn arguments(params: &[AbiParam]) -> (SmallVec<[Place; 8]>, u32) {
    let (mut ints, mut floats, mut stack) = (0, 0, 0_u32);
    let places = params.iter().map(|param| {
        let is_int = class_of(param.value_type) == RegClass::Int;
        let next = if is_int { &mut ints } else { &mut floats };
        *next += 1;
        let at = *next - 1;
        match is_int {
            true if at < ARGUMENTS.len() => Place::Register(PReg::new(ARGUMENTS[at], RegClass::Int)),
            false if at < FLOATS => Place::Register(PReg::new(at, RegClass::Float)),
            _ => {
                let bytes = param.value_type.bytes().max(8);
                let start = stack.next_multiple_of(bytes);
                stack = start + bytes;
                Place::Stack(start)
            }
        }
    });
    let places = places.collect();
    (places, stack.next_multiple_of(16))
}

/// The registers of results.
fn results(signature: &Signature) -> Option<SmallVec<[PReg; 8]>> {
    let (mut ints, mut floats) = (0, 0);
    let is_tail = signature.call_conv == CallConv::Tail;
    let places = signature.returns.iter().map(|result| {
        if class_of(result.value_type) == RegClass::Int {
            ints += 1;
            let limit = if is_tail { RESULTS.len() } else { 1 };
            (ints <= limit).then(|| PReg::new(RESULTS[ints - 1], RegClass::Int))
        } else {
            floats += 1;
            let limit = if is_tail { FLOATS } else { 2 };
            (floats <= limit).then(|| PReg::new(floats - 1, RegClass::Float))
        }
    });
    places.collect()
}

impl Lower<'_> {
    /// Parameters of the function, in registers and on the stack.
    pub(super) fn entry(&mut self, block: cranelift_codegen::ir::Block) -> Result {
        let params = self.f.dfg.block_params(block);
        if self.convention != Convention::Cranelift {
            self.direct_entry(params);
            return Ok(());
        }
        let (places, bytes) = arguments(&self.f.signature.params);
        if self.f.signature.call_conv == CallConv::Tail {
            self.frame.incoming = bytes;
        }
        let mut operands = Vec::new();
        let mut from_stack: Vec<(Value, u32)> = Vec::new();
        for (&param, place) in params.iter().zip(&places) {
            match *place {
                Place::Register(register) => {
                    let reg = self.new_reg(register.class());
                    operands.push(Operand::reg_fixed_def(reg, register));
                    self.set(param, reg);
                }
                Place::Stack(at) => from_stack.push((param, at)),
            }
        }
        self.push(Op::Params, operands);
        for (param, at) in from_stack {
            let memory = Memory { origin: Origin::Incoming, scale: None, disp: at as i32, fault: None };
            let from = RegMem::Mem(memory, SmallVec::new());
            let ty = self.values.ty(param);
            let reg = match class_of(ty) {
                RegClass::Float => self.two(loaded(ty), false, from, None),
                _ => self.int_memory(Extension::Whole, &from),
            };
            self.set(param, reg);
        }
        self.join_params(params);
        Ok(())
    }

    fn direct_entry(&mut self, params: &[Value]) {
        let [places, _] = direct_signature(&self.f.signature).expect("it fits");
        let operands = self.direct_results(params, &places);
        self.push(Op::Params, operands);
    }

    /// Gives parameters of the function, or results of a direct call, their registers.
    fn direct_results(&mut self, values: &[Value], places: &[Direct]) -> Vec<Operand> {
        let mut operands = Vec::new();
        for (i, place) in places.iter().enumerate() {
            let (Direct::One(register) | Direct::Lower(register)) = *place else { continue };
            let reg = self.new_reg(register.class());
            operands.push(Operand::reg_fixed_def(reg, register));
            match place {
                Direct::Lower(_) => self.set_pair([values[i], values[i + 1]], reg),
                _ => self.set(values[i], reg),
            }
        }
        operands
    }

    /// The values of results of the function, or arguments of a direct call, in their registers.
    fn direct_operands(&mut self, values: &[Value], places: &[Direct]) -> Vec<Operand> {
        let mut operands = Vec::new();
        for (i, place) in places.iter().enumerate() {
            let (reg, register) = match *place {
                Direct::One(register) => (self.argument(values[i], self.values.ty(values[i])), register),
                Direct::Lower(register) => (self.y([values[i], values[i + 1]]), register),
                Direct::Upper => continue,
            };
            operands.push(Operand::reg_fixed_use(reg, register));
        }
        operands
    }

    fn direct_call(
        &mut self,
        inst: Inst,
        (target, convention): (Func, Convention),
        [params, results]: [SmallVec<[Direct; 8]>; 2],
    ) {
        let uses = self.direct_operands(self.f.dfg.inst_args(inst), &params);
        let mut operands = self.direct_results(self.f.dfg.inst_results(inst), &results);
        operands.extend(uses);
        self.push(Op::Call { target: Some(target), pops: 0, convention }, operands);
    }

    fn argument(&mut self, value: Value, ty: Type) -> VReg {
        if class_of(ty) == RegClass::Int { self.int(value) } else { self.x(value) }
    }

    pub(super) fn returns(&mut self, inst: Inst) -> Result {
        let values = self.f.dfg.inst_args(inst);
        if self.convention != Convention::Cranelift {
            let [_, places] = direct_signature(&self.f.signature).expect("it fits");
            let operands = self.direct_operands(values, &places);
            self.push(Op::Return, operands);
            return Ok(());
        }
        let Some(registers) = results(&self.f.signature) else { return self.missing(inst) };
        let mut operands = Vec::new();
        for (&value, register) in values.iter().zip(registers) {
            let reg = self.argument(value, self.values.ty(value));
            operands.push(Operand::reg_fixed_use(reg, register));
        }
        self.push(Op::Return, operands);
        Ok(())
    }

    pub(super) fn call(&mut self, inst: Inst) -> Result {
        let f = self.f;
        let args = f.dfg.inst_args(inst);
        let (signature, target, code, args) = match f.dfg.insts[inst] {
            InstructionData::Call { func_ref, .. }
                if f.dfg.insts[inst].opcode() == cranelift_codegen::ir::Opcode::Call =>
            {
                let data = &f.dfg.ext_funcs[func_ref];
                let Some(target) = callee(f, &data.name) else { return self.missing(inst) };
                if let Some(&convention) = self.direct.get(&target) {
                    let places = direct_signature(&f.dfg.signatures[data.signature]).expect("it fits");
                    self.direct_call(inst, (target, convention), places);
                    return Ok(());
                }
                (&f.dfg.signatures[data.signature], Some(target), None, args)
            }
            InstructionData::CallIndirect { sig_ref, .. }
                if f.dfg.insts[inst].opcode() == cranelift_codegen::ir::Opcode::CallIndirect =>
            {
                (&f.dfg.signatures[sig_ref], None, Some(args[0]), &args[1..])
            }
            _ => return self.missing(inst),
        };
        if !matches!(signature.call_conv, CallConv::Tail | CallConv::SystemV) {
            return self.missing(inst);
        }
        let (places, bytes) = arguments(&signature.params);
        let Some(registers) = results(signature) else { return self.missing(inst) };
        self.frame.outgoing = self.frame.outgoing.max(bytes);
        let mut uses = Vec::new();
        for (&value, place) in args.iter().zip(&places) {
            let ty = self.values.ty(value);
            match *place {
                Place::Register(register) => {
                    let reg = self.argument(value, ty);
                    uses.push(Operand::reg_fixed_use(reg, register));
                }
                Place::Stack(at) => {
                    let memory = Memory { origin: Origin::Outgoing, scale: None, disp: at as i32, fault: None };
                    let to = RegMem::Mem(memory, SmallVec::new());
                    if is_vector(ty) {
                        self.store_half(self.values.root(value), &to);
                    } else if class_of(ty) == RegClass::Float {
                        let reg = self.x(value);
                        let of = if ty.bits() == 32 { ops::STORESS } else { ops::STORESD };
                        self.store_vector(of, false, None, reg, &to);
                    } else {
                        let reg = self.int(value);
                        self.store_int(8, reg, &to);
                    }
                }
            }
        }
        if let Some(code) = code {
            uses.push(Operand::reg_use(self.int(code)));
        }
        let mut operands: Vec<Operand> = Vec::new();
        for (&result, register) in f.dfg.inst_results(inst).iter().zip(registers) {
            let reg = self.new_reg(register.class());
            operands.push(Operand::reg_fixed_def(reg, register));
            self.set(result, reg);
        }
        operands.extend(uses);
        let pops = if signature.call_conv == CallConv::Tail { bytes } else { 0 };
        self.push(Op::Call { target, pops, convention: Convention::Cranelift }, operands);
        Ok(())
    }
}

/// The load of a float or vector.
fn loaded(ty: Type) -> ops::Vex {
    match ty.bits() {
        32 => ops::LOADSS,
        64 => ops::LOADSD,
        _ => ops::LOADUPS,
    }
}
