//! Decoded modules: registers assigned, operands resolved, constants laid out.

use planish_ir::arena::Id;
use planish_ir::entity::{Block, Const, Func, Local, Node, Type, Value, ValueKind, Var};
use planish_ir::function::{BlockData, Body, Exit};
use planish_ir::meaning::{Kernel, Shape, kernel};
use planish_ir::module::{Module, VarData};
use planish_ir::ops::{Imm, Op};
use planish_ir::types::{AddressSpace, TypeKind, Types};
use rustc_hash::FxHashMap;

use crate::place;
use crate::stop::Stop;

/// Location of an operand's columns. `at` counts columns.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand {
    /// Registers of the frame.
    Reg { at: u32, size: u32 },
    /// The constant pool: one word for all lanes.
    Const { at: u32, size: u32 },
    /// Address of a variable of the frame, by index.
    Var(u32),
    /// Address of a variable of the module, by index; separate per instance.
    Global(u32),
}

impl Operand {
    pub(crate) fn size(self) -> usize {
        match self {
            Operand::Reg { size, .. } | Operand::Const { size, .. } => size as usize,
            Operand::Var(_) | Operand::Global(_) => 1,
        }
    }
}

/// A node, decoded.
pub(crate) struct Inst {
    pub(crate) op: Op,
    pub(crate) imm: Imm,
    args: (u32, u32),
    /// First result column and number of columns of all results.
    pub(crate) out: (u32, u32),
    /// Type of the first result; `void` if there is none.
    pub(crate) ty: Type,
    pub(crate) node: Node,
    pub(crate) kernel: Option<Kernel>,
    /// Whether it is a call whose results its block returns immediately, so that the callee's frame may replace its
    /// own.
    pub(crate) is_tail: bool,
}

/// A block, decoded.
pub(crate) struct BlockCode {
    pub(crate) insts: (u32, u32),
    /// Variables declared here, by index in the frame.
    pub(crate) vars: Vec<u32>,
    /// Whether inactive lanes may still need values of an earlier iteration: conditions of loops, whose values are used
    /// after the loop.
    pub(crate) sticky: bool,
}

/// A variable of a function.
pub(crate) struct LocalVar {
    pub(crate) size: u32,
    /// Whether it is a growable array.
    pub(crate) grows: bool,
    /// Offset of the initial components in the constant pool; `None` for zero.
    pub(crate) initial: Option<u32>,
}

/// A function, decoded.
pub(crate) struct Code {
    pub(crate) slots: Vec<(u32, u32)>,
    /// Number of register columns of a frame.
    pub(crate) columns: u32,
    pub(crate) blocks: Vec<BlockCode>,
    pub(crate) insts: Vec<Inst>,
    operands: Vec<Operand>,
    pub(crate) vars: Vec<LocalVar>,
    var_numbers: FxHashMap<Var, u32>,
}

impl Code {
    pub(crate) fn args(&self, inst: &Inst) -> &[Operand] {
        &self.operands[inst.args.0 as usize..inst.args.1 as usize]
    }

    /// First column and number of columns of a local value.
    pub(crate) fn slot(&self, local: Local) -> (u32, u32) {
        self.slots[local.index()]
    }
}

/// A decoded module.
pub(crate) struct Program<'m> {
    pub(crate) module: &'m Module,
    pub(crate) code: Vec<Option<Code>>,
    pub(crate) consts: Vec<u64>,
    const_at: FxHashMap<Const, u32>,
}

/// Number of components of a type; a runtime-sized array at its end counts zero.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
pub(crate) fn fixed_size(types: &Types, ty: Type) -> usize {
    match &types[ty] {
        TypeKind::RuntimeArray { .. } => 0,
        TypeKind::Struct(s) => s.members.iter().map(|m| fixed_size(types, m.ty)).sum(),
        _ => types.components(ty).unwrap_or(0),
    }
}

/// The components of a constant; a null is a zero.
pub(crate) fn flatten(module: &Module, c: Const, out: &mut Vec<u64>) {
    use planish_ir::constant::ConstValue;
    let mut stack = vec![c];
    while let Some(c) = stack.pop() {
        match &module.consts[c].value {
            ConstValue::Bits(b) => out.push(*b),
            ConstValue::Composite(parts) => stack.extend(parts.iter().rev()),
            ConstValue::Wide(b) => out.extend([*b as u64, (*b >> 64) as u64]),
            ConstValue::Null => out.push(0),
        }
    }
}

/// Whether the variable has a copy for each lane.
pub(crate) fn is_per_lane(var: &VarData) -> bool {
    matches!(var.space, AddressSpace::Function | AddressSpace::Private | AddressSpace::Input | AddressSpace::Output)
}

impl<'m> Program<'m> {
    /// Decodes all functions.
    pub(crate) fn new(module: &'m Module) -> Result<Self, Stop> {
        let mut program = Program { module, code: Vec::new(), consts: Vec::new(), const_at: FxHashMap::default() };
        for (_, func) in module.funcs.iter() {
            let code = func.body.as_ref().map(|body| program.decode(body)).transpose()?;
            program.code.push(code);
        }
        Ok(program)
    }

    pub(crate) fn body(&self, func: Func) -> Option<&'m Body> {
        self.module.funcs[func].body.as_ref()
    }

    fn constant(&mut self, c: Const) -> u32 {
        if let Some(&at) = self.const_at.get(&c) {
            return at;
        }
        let at = self.consts.len() as u32;
        flatten(self.module, c, &mut self.consts);
        self.const_at.insert(c, at);
        at
    }

    /// A word in the constant pool.
    fn word(&mut self, bits: u64) -> Operand {
        let at = self.consts.len() as u32;
        self.consts.push(bits);
        Operand::Const { at, size: 1 }
    }

    fn decode(&mut self, body: &Body) -> Result<Code, Stop> {
        let types = &self.module.types;
        let mut slots = Vec::with_capacity(body.local_count());
        let mut columns = 0u32;
        for (_, local) in body.locals() {
            let size = types.components(local.ty).unwrap_or(0) as u32;
            slots.push((columns, size));
            columns = columns.checked_add(size).ok_or(Stop::MemoryLimit)?;
        }
        let mut code = Code {
            slots,
            columns,
            blocks: Vec::new(),
            insts: Vec::new(),
            operands: Vec::new(),
            vars: Vec::new(),
            var_numbers: FxHashMap::default(),
        };
        for (_, block) in body.blocks.iter() {
            for &var in &block.variables {
                let number = code.vars.len() as u32;
                code.var_numbers.insert(var, number);
                let data = &self.module.vars[var];
                let size = fixed_size(&self.module.types, data.ty) as u32;
                let initial = data.initializer.map(|c| self.constant(c));
                let grows = matches!(self.module.types[data.ty], TypeKind::RuntimeArray { .. });
                code.vars.push(LocalVar { size, grows, initial });
            }
        }
        let order = place::order(self.module, body);
        let sticky = place::sticky_blocks(body);
        for (id, block) in body.blocks.iter() {
            let start = code.insts.len() as u32;
            for &node in &order[id.index()] {
                let inst = self.decode_node(body, &mut code, node)?;
                code.insts.push(inst);
            }
            if let Some(last) = code.insts[start as usize..].last_mut() {
                last.is_tail = self.is_tail_call(body, block, last.node);
            }
            let vars = block.variables.iter().map(|v| code.var_numbers[v]).collect();
            let insts = (start, code.insts.len() as u32);
            code.blocks.push(BlockCode { insts, vars, sticky: sticky[id.index()] });
            block.exit.for_each_operand(|value| {
                if let ValueKind::Const(c) = value.kind() {
                    self.constant(c);
                }
            });
        }
        Ok(code)
    }

    /// Whether the last node of a block is a tail call, followed only by the return of its results. A call that passes
    /// an address is not, since it may be that of the caller's variable.
    fn is_tail_call(&self, body: &Body, block: &BlockData, node: Node) -> bool {
        let Exit::Return(returned) = &block.exit else { return false };
        let results = body.results(node).map(Value::from);
        let is_pointer = |&arg: &Value| self.module.types.pointee(self.module.type_of(body, arg)).is_some();
        matches!(body.node(node).op, Op::TailCall | Op::TailCallIndirect)
            && results.eq(returned.iter().copied())
            && !body.args(node).iter().any(is_pointer)
    }

    fn decode_node(&mut self, body: &Body, code: &mut Code, node: Node) -> Result<Inst, Stop> {
        let data = body.node(node);
        let first = code.operands.len() as u32;
        for &arg in body.args(node) {
            let operand = self.operand(code, arg);
            code.operands.push(operand);
        }
        let results = body.results(node);
        let out = body.result(node).map_or((0, 0), |first| {
            let at = code.slots[first.index()].0;
            (at, results.map(|r| code.slots[r.index()].1).sum())
        });
        let ty = body.result(node).map_or(Type::VOID, |r| body.local_type(r));
        for operand in &code.operands[first as usize..] {
            if let Operand::Reg { at, size } = *operand
                && at + size > out.0
                && out.1 > 0
            {
                return Err(Stop::unsupported("a node uses a value made after it", data.span));
            }
        }
        let scalar = body.args(node).first().and_then(|&a| self.module.types.scalar_of(self.module.type_of(body, a)));
        let kernel = kernel(data.op, scalar.unwrap_or(planish_ir::types::Scalar::Bool));
        let args = (first, code.operands.len() as u32);
        Ok(Inst { op: data.op, imm: data.imm, args, out, ty, node, kernel, is_tail: false })
    }

    /// Resolves a value while decoding.
    fn operand(&mut self, code: &Code, value: Value) -> Operand {
        match value.kind() {
            ValueKind::Const(c) => {
                let at = self.constant(c);
                Operand::Const { at, size: self.module.types.components(self.module.consts[c].ty).unwrap_or(0) as u32 }
            }
            ValueKind::Func(f) => self.word(f.as_u32().into()),
            ValueKind::Var(v) => match code.var_numbers.get(&v) {
                Some(&number) => Operand::Var(number),
                None => Operand::Global(v.as_u32()),
            },
            ValueKind::Local(l) => {
                let (at, size) = code.slot(l);
                Operand::Reg { at, size }
            }
        }
    }

    /// Resolves an operand of an exit. Its constants are in the pool; the index of a function is returned as an error
    /// word.
    pub(crate) fn exit_operand(&self, code: &Code, value: Value) -> Result<Operand, u64> {
        match value.kind() {
            ValueKind::Const(c) => {
                let size = self.module.types.components(self.module.consts[c].ty).unwrap_or(0) as u32;
                Ok(Operand::Const { at: self.const_at[&c], size })
            }
            ValueKind::Func(f) => Err(f.as_u32().into()),
            ValueKind::Var(v) => match code.var_numbers.get(&v) {
                Some(&number) => Ok(Operand::Var(number)),
                None => Ok(Operand::Global(v.as_u32())),
            },
            ValueKind::Local(l) => {
                let (at, size) = code.slot(l);
                Ok(Operand::Reg { at, size })
            }
        }
    }

    /// The block of a function.
    pub(crate) fn block(&self, func: Func, block: Block) -> &'m BlockData {
        &self.module.funcs[func].body.as_ref().expect("decoded functions have bodies").blocks[block]
    }
}
