//! From the tree of blocks to the list of nodes.
//!
//! Composites fall apart into components, which constructors, extraction and insertion
//! then merely rename; so do conversions that change no bit. A block that nothing leads to is not lowered.

mod algebra;
mod components;
mod control;
pub(crate) mod convert;
mod memory;
mod node;
mod parts;
mod switch;
pub(crate) mod types;

use planish_ir::arena::Id;
use planish_ir::constant::ConstValue;
use planish_ir::diagnostic::{Code as ErrorCode, Diagnostic};
use planish_ir::entity::{Const, Func, Type, Value, ValueKind};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op};
use planish_ir::source::Span;
use planish_ir::types::Scalar;
use planish_target::scalars;
use planish_target::structure::Walk;

use crate::code::{Arg, ArgKind, Code, Constant, Edge, LabelData, NONE, Node, ValueData, What};
use crate::isa::{Kind, Machine};
use control::Constructs;
use memory::Pointer;
use types::{Shape, Shapes, push_kinds};

/// Boxed, so that what goes well stays small.
pub(crate) type Fallible<T> = Result<T, Box<Diagnostic>>;

/// Lowers functions of a module, one after the other, in the same tables.
pub(crate) struct Lower<'m, I> {
    isa: &'m I,
    module: &'m Module,
    span: Span,
    pub(crate) room: Room,
}

/// Facts of the module, scratch tables, and the result. See [`crate::compile::Scratch`].
#[derive(Debug, Default)]
pub(crate) struct Room {
    shapes: Shapes,
    /// Which functions come from outside.
    is_import: Vec<bool>,
    /// Result.
    pub(crate) code: Code,
    /// Argument of each local value. For composites and pointers, see [`ArgKind::Many`].
    map: Vec<Arg>,
    /// The components of composites.
    many: Vec<Arg>,
    pointers: Vec<Pointer>,
    /// The label of each block that edges lead to.
    block_labels: Vec<u32>,
    /// The labels of the second arms of the `If`s around.
    else_labels: Vec<u32>,
    walk: Walk,
    /// The slot of each variable of the function.
    var_slots: Vec<u32>,
    /// The variables that have one.
    vars_used: Vec<u32>,
    kinds: Vec<Kind>,
    scratch: Vec<Arg>,
    results: Vec<Kind>,
    /// The parameters that are pointers, with the types of what they point to: that goes back behind the results.
    out_params: Vec<(Arg, Type)>,
}

impl<'m, I: Machine> Lower<'m, I> {
    pub(crate) fn new(isa: &'m I, module: &'m Module, mut room: Room) -> Self {
        room.shapes.extend(module);
        if room.is_import.len() != module.funcs.len() {
            room.is_import = vec![false; module.funcs.len()];
            module.func_imports.iter().for_each(|(func, _)| room.is_import[func.index()] = true);
        }
        Lower { isa, module, span: Span::NONE, room }
    }

    /// Makes [`Room::code`] of a placed body.
    pub(crate) fn lower(&mut self, func: Func, body: &Body) -> Fallible<()> {
        self.room.code.clear();
        self.room.map.clear();
        self.room.map.resize(body.local_count(), Arg::NONE);
        self.room.many.clear();
        self.room.pointers.clear();
        self.room.else_labels.clear();
        self.room.block_labels.clear();
        self.room.block_labels.resize(body.blocks.len(), NONE);
        for var in self.room.vars_used.drain(..) {
            self.room.var_slots[var as usize] = NONE;
        }
        self.begin(func, body)?;
        let mut walk = std::mem::take(&mut self.room.walk);
        let written = walk.write(&mut Constructs { lower: self, body }, body);
        self.room.walk = walk;
        written
    }

    /// The parameters, and the kinds of the results.
    fn begin(&mut self, func: Func, body: &Body) -> Fallible<()> {
        let function = &self.module.funcs[func];
        self.span = function.span;
        for scalar in if self.room.shapes.has_small { &Scalar::SMALL[..] } else { &[] } {
            if let Some(span) = scalars::use_in(self.module, func, *scalar) {
                return Err(Box::new(scalars::lacks("the machine", *scalar, span)));
            }
        }
        self.room.results.clear();
        for result in &function.results {
            self.need_value(result.ty)?;
            push_kinds(self.module, result.ty, &mut self.room.results);
        }
        let mut kinds = std::mem::take(&mut self.room.kinds);
        kinds.clear();
        let inputs = &body.blocks[body.entry].inputs;
        for &input in inputs {
            let ty = body.local_type(input);
            let behind = self.pointee(ty);
            self.need_value(behind)?;
            let first = kinds.len();
            push_kinds(self.module, behind, &mut kinds);
            if behind != ty {
                self.room.results.extend_from_slice(&kinds[first..]);
            }
        }
        let words = |kinds: &[Kind]| kinds.iter().map(|kind| kind.words(I::WORD_BITS)).sum();
        (self.room.code.arg_words, self.room.code.result_words) = (words(&kinds), words(&self.room.results));
        self.room.code.results.clone_from(&self.room.results);
        let mut first = self.new_node(What::Inputs, &[], &kinds);
        self.room.kinds = kinds;
        self.room.out_params.clear();
        for &input in inputs {
            let ty = body.local_type(input);
            let behind = self.pointee(ty);
            let arg = if behind == ty { self.arg_of_values(first, ty) } else { self.declare_param(behind, first)? };
            if behind != ty {
                self.room.out_params.push((arg, behind));
            }
            self.room.map[input.index()] = arg;
            first += self.room.shapes.components(behind).unwrap_or(0);
        }
        Ok(())
    }

    /// An error about what the machine cannot hold.
    fn unsupported<T>(&self, what: impl Into<String>) -> Fallible<T> {
        Err(Box::new(Diagnostic::error(ErrorCode::E0604, self.span, what)))
    }

    /// That a type's values fit registers.
    fn need_value(&self, ty: Type) -> Fallible<()> {
        match self.room.shapes.of(ty) {
            Shape::Pointer => self.unsupported("a pointer cannot be a value on a register machine"),
            Shape::TooLarge => self.unsupported("this value is too large for the registers of a machine"),
            _ => Ok(()),
        }
    }

    /// A node without op. The first of its results.
    fn new_node(&mut self, what: What, args: &[Arg], outs: &[Kind]) -> u32 {
        self.push_node(what, Op::Call, Imm::NONE, (Kind::None, outs.first().copied().unwrap_or_default()), args, outs)
    }

    /// The first result.
    #[inline(always)]
    fn push_node(&mut self, what: What, op: Op, imm: Imm, kinds: (Kind, Kind), args: &[Arg], outs: &[Kind]) -> u32 {
        let code = &mut self.room.code;
        let (node, first, start) = (code.nodes.len() as u32, code.values.len() as u32, code.args.len() as u32);
        for &kind in outs {
            code.values.push(ValueData { node, kind, words: kind.words(I::WORD_BITS) });
        }
        // (A loop would become a call.)
        match *args {
            [] => {}
            [a] => code.args.push(a),
            [a, b] => code.args.extend([a, b]),
            _ => code.args.extend_from_slice(args),
        }
        code.nodes.push(Node {
            what,
            op,
            operand: kinds.0,
            result: kinds.1,
            args: start,
            args_len: args.len() as u16,
            outs: first,
            outs_len: outs.len() as u16,
            imm,
            span: self.span,
        });
        first
    }

    /// An operation with one result.
    fn operation(&mut self, op: Op, imm: Imm, operand: Kind, result: Kind, args: &[Arg]) -> Fallible<Arg> {
        let mut args: smallvec::SmallVec<[Arg; 4]> = args.into();
        Ok(Arg::value(self.operations(op, imm, operand, &mut args, &[result])?))
    }

    /// An operation with any number of results; the first. Constants that it does not take become values.
    #[inline]
    fn operations(&mut self, op: Op, imm: Imm, operand: Kind, args: &mut [Arg], outs: &[Kind]) -> Fallible<u32> {
        let result = outs.first().copied().unwrap_or_default();
        if !self.isa.supports(op, operand, result) {
            return self.unsupported(format!("the machine has no `{}` of `{}`", op.text(), operand.name()));
        }
        for (i, arg) in args.iter_mut().enumerate() {
            if let ArgKind::Const(c) = arg.kind()
                && !self.isa.takes_immediate(op, operand, i, self.room.code.consts[c as usize].bits)
            {
                *arg = self.in_register(*arg);
            }
        }
        Ok(self.push_node(What::Operation, op, imm, (operand, result), args, outs))
    }

    /// The value, if it is one; a constant as a value of its own.
    fn in_register(&mut self, arg: Arg) -> Arg {
        match arg.kind() {
            ArgKind::Const(c) => {
                let kind = self.room.code.consts[c as usize].kind;
                Arg::value(self.new_node(What::Constant, &[arg], &[kind]))
            }
            _ => arg,
        }
    }

    /// A scalar constant.
    fn bits(&mut self, kind: Kind, bits: u64) -> Arg {
        self.room.code.consts.push(Constant { bits, kind });
        Arg::constant(self.room.code.consts.len() as u32 - 1)
    }

    /// Argument of an operand of the IR.
    #[inline]
    fn arg(&mut self, value: Value) -> Fallible<Arg> {
        match value.kind() {
            ValueKind::Local(local) => Ok(self.room.map[local.index()]),
            ValueKind::Const(c) => self.constant(c),
            ValueKind::Var(var) => {
                let pointer = self.pointer_to(var)?;
                Ok(pointer)
            }
            ValueKind::Func(func) => {
                let imm = Imm(func.as_u32().into());
                self.operation(Op::RefFunc, imm, Kind::None, Kind::Func, &[])
            }
        }
    }

    /// Recursion: over the type of the constant, at most `MAX_TYPE_NESTING` levels.
    fn constant(&mut self, c: Const) -> Fallible<Arg> {
        let data = &self.module.consts[c];
        let shape = self.room.shapes.of(data.ty);
        match (&data.value, shape) {
            (&ConstValue::Bits(bits), Shape::One(kind)) => Ok(self.bits(kind, bits)),
            (&ConstValue::Wide(bits), _) => {
                let arg = self.bits(Kind::V128, bits as u64);
                self.bits(Kind::V128, (bits >> 64) as u64);
                Ok(arg)
            }
            (ConstValue::Null, Shape::One(kind)) => Ok(self.bits(kind, 0)),
            (ConstValue::Composite(parts), Shape::Many(n)) => {
                let mut flat = Vec::with_capacity(n as usize);
                for &part in parts.iter() {
                    let arg = self.constant(part)?;
                    let ty = self.module.consts[part].ty;
                    self.push_parts(arg, ty, &mut flat);
                }
                Ok(self.tuple(&flat))
            }
            _ => self.unsupported("this constant is too large for the registers of a machine"),
        }
    }

    /// Several values as one argument.
    fn tuple(&mut self, parts: &[Arg]) -> Arg {
        let at = self.room.many.len() as u32;
        self.room.many.extend_from_slice(parts);
        Arg::many(at)
    }

    /// Appends the components of an argument of a type.
    fn push_parts(&self, arg: Arg, ty: Type, out: &mut Vec<Arg>) {
        match (arg.kind(), self.room.shapes.of(ty)) {
            (ArgKind::Many(at), Shape::Many(n)) => out.extend_from_slice(&self.room.many[at as usize..][..n as usize]),
            (_, Shape::Void) => {}
            _ => out.push(arg),
        }
    }

    /// Argument for the result of a node, of a type that consists of the values from `first` on.
    fn arg_of_values(&mut self, first: u32, ty: Type) -> Arg {
        match self.room.shapes.of(ty) {
            Shape::Many(n) => {
                let at = self.room.many.len() as u32;
                self.room.many.extend((first..first + n).map(Arg::value));
                Arg::many(at)
            }
            _ => Arg::value(first),
        }
    }

    fn new_label(&mut self) -> u32 {
        let label = LabelData { node: NONE, edges: NONE, edge_count: 0, inputs: 0, inputs_len: 0, end: 0 };
        self.room.code.labels.push(label);
        self.room.code.labels.len() as u32 - 1
    }

    /// An edge that brings what is in `scratch`.
    fn new_edge(&mut self, label: u32) -> u32 {
        let edge = self.room.code.edges.len() as u32;
        let args = self.room.code.args.len() as u32;
        self.room.code.args.extend_from_slice(&self.room.scratch);
        let mut next = NONE;
        if label != crate::code::RETURN {
            let data = &mut self.room.code.labels[label as usize];
            next = std::mem::replace(&mut data.edges, edge);
            data.edge_count += 1;
        }
        self.room.code.edges.push(Edge { label, args, args_len: self.room.scratch.len() as u32, next });
        edge
    }
}
