//! Binary encoding of the reference machine's code.
//!
//! ```text
//! function  = func args results frame labels count (place directive)*
//! place     = start, length of the span
//! directive = tag, then its parts in the order of the declaration
//! ```
//!
//! Numbers are unsigned LEB128. Ops, kinds and traps are their indices in this version's tables, so the bytes are valid
//! for one version of the crate only: they are for caches, not for exchange.

use planish_ir::entity::{Func, Table, Type};
use planish_ir::function::TrapKind;
use planish_ir::ops::{Imm, OPS, Op};
use planish_ir::source::Span;
use smallvec::SmallVec;

use super::directive::{Arg, Directive, Nested, Target};
use crate::asm::{FunctionAsm, Spans};
use crate::isa::{Comparison, Frame, Kind, Label, Reg};

/// Encodes a function.
pub fn encode(asm: &FunctionAsm<Directive>) -> Vec<u8> {
    let mut out = Writer(Vec::with_capacity(asm.directives.len() * 8));
    for number in [asm.func.as_u32(), asm.args, asm.results, asm.frame, asm.labels, asm.directives.len() as u32] {
        out.number(number.into());
    }
    for (at, directive) in asm.directives.iter().enumerate() {
        let span = asm.spans.at(at);
        out.number(span.start.into());
        out.number(span.end.saturating_sub(span.start).into());
        out.directive(directive);
    }
    out.0
}

/// Decodes the result of [`encode`]; `None` for malformed bytes.
pub fn decode(bytes: &[u8]) -> Option<FunctionAsm<Directive>> {
    let mut from = Reader(bytes);
    let func = Func::from_u32(from.small()?);
    let (args, results, frame, labels) = (from.small()?, from.small()?, from.small()?, from.small()?);
    let count = from.small()?;
    let mut asm = FunctionAsm { func, directives: vec![], spans: Spans::default(), labels, frame, args, results };
    for _ in 0..count {
        let (start, len) = (from.small()?, from.small()?);
        asm.spans.push(asm.directives.len(), Span::new(start, start.checked_add(len)?));
        asm.directives.push(from.directive()?);
    }
    from.0.is_empty().then_some(asm)
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u128) {
        let mut number = number;
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn reg(&mut self, reg: Reg) {
        self.number(reg.0.into());
    }

    fn args(&mut self, args: &[Arg]) {
        self.number(args.len() as u128);
        args.iter().for_each(|arg| self.arg(arg));
    }

    /// Recursion: once: nested operations have no nested operands (`fuse::absorb`).
    fn arg(&mut self, arg: &Arg) {
        match arg {
            Arg::Reg(reg) => {
                self.0.push(0);
                self.reg(*reg);
            }
            Arg::Const(bits) => {
                self.0.push(1);
                self.number((*bits).into());
            }
            Arg::Wide(bits) => {
                self.0.push(2);
                self.number(*bits);
            }
            Arg::Nested(inner) => {
                self.0.push(3);
                self.operation(inner.op, inner.imm, inner.operand, inner.result, &inner.args);
            }
        }
    }

    fn operation(&mut self, op: Op, imm: Imm, operand: Kind, result: Kind, args: &[Arg]) {
        self.number(op as u128);
        self.number(imm.0.into());
        self.0.extend([operand as u8, result as u8]);
        self.args(args);
    }

    fn call(&mut self, target: &Target, frame: Frame) {
        match target {
            Target::Func(func) => {
                self.0.push(0);
                self.number(func.as_u32().into());
            }
            Target::Import(func) => {
                self.0.push(1);
                self.number(func.as_u32().into());
            }
            Target::Value(value) => {
                self.0.push(2);
                self.arg(value);
            }
            Target::Table { table, ty, index } => {
                self.0.push(3);
                self.number(table.as_u32().into());
                self.number(ty.as_u32().into());
                self.arg(index);
            }
        }
        [frame.base.0, frame.args, frame.results].into_iter().for_each(|n| self.number(n.into()));
    }

    fn tagged(&mut self, tag: u8, numbers: &[u32]) {
        self.0.push(tag);
        numbers.iter().for_each(|&n| self.number(n.into()));
    }

    fn directive(&mut self, directive: &Directive) {
        match directive {
            Directive::Label(label) => self.tagged(0, &[label.0]),
            Directive::Jump(to) => self.tagged(1, &[to.0]),
            Directive::JumpIf { condition, nonzero, to } => {
                self.tagged(2, &[to.0, u32::from(*nonzero)]);
                self.arg(condition);
            }
            Directive::JumpCompare { comparison: Comparison { op, kind, negated }, args, to } => {
                self.tagged(3, &[to.0, *op as u32, *kind as u32, u32::from(*negated)]);
                args.iter().for_each(|arg| self.arg(arg));
            }
            Directive::JumpTable { index, to } => {
                self.tagged(4, &[index.0, to.len() as u32]);
                to.iter().for_each(|to| self.number(to.0.into()));
            }
            Directive::Trap(kind) => self.tagged(5, &[*kind as u32]),
            Directive::Copy { out, from } => self.tagged(6, &[out.0, from.0]),
            Directive::Constant { out, bits } => {
                self.tagged(7, &[out.0]);
                self.number((*bits).into());
            }
            Directive::Op { op, imm, operand, result, outs, args } => {
                self.tagged(8, &[outs.len() as u32]);
                outs.iter().for_each(|&out| self.reg(out));
                self.operation(*op, *imm, *operand, *result, args);
            }
            Directive::IndexedLoad { out, base, index, words } => {
                self.tagged(9, &[out.0, base.0, *words]);
                self.arg(index);
            }
            Directive::IndexedStore { base, index, value, words } => {
                self.tagged(10, &[base.0, *words]);
                self.arg(index);
                self.arg(value);
            }
            Directive::Call { target, frame } => {
                self.0.push(11);
                self.call(target, *frame);
            }
            Directive::TailCall { target, frame } => {
                self.0.push(12);
                self.call(target, *frame);
            }
            Directive::Return => self.0.push(13),
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn number(&mut self) -> Option<u128> {
        let (mut number, mut shift) = (0u128, 0);
        loop {
            let byte = self.byte()?;
            let part = u128::from(byte & 0x7f);
            if shift > 126 || part.checked_shl(shift)? >> shift != part {
                return None;
            }
            number |= part << shift;
            if byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
    }

    fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    fn word(&mut self) -> Option<u64> {
        self.number()?.try_into().ok()
    }

    fn reg(&mut self) -> Option<Reg> {
        self.small().map(Reg)
    }

    fn label(&mut self) -> Option<Label> {
        self.small().map(Label)
    }

    fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn op(&mut self) -> Option<Op> {
        Some(OPS.get(self.small()? as usize)?.op)
    }

    fn kind(&mut self) -> Option<Kind> {
        match self.byte()? {
            0 => Some(Kind::None),
            n => Kind::ALL.get(usize::from(n) - 1).copied(),
        }
    }

    fn list<T, const N: usize>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<SmallVec<[T; N]>> {
        let count = self.small()?;
        // An item takes at least one byte.
        if count as usize > self.0.len() {
            return None;
        }
        (0..count).map(|_| item(self)).collect()
    }

    /// An argument; `nested`: whether an operation is allowed.
    fn arg(&mut self, nested: bool) -> Option<Arg> {
        Some(match self.byte()? {
            0 => Arg::Reg(self.reg()?),
            1 => Arg::Const(self.word()?),
            2 => Arg::Wide(self.number()?),
            3 if nested => {
                let (op, imm) = (self.op()?, Imm(self.word()?));
                let (operand, result) = (self.kind()?, self.kind()?);
                let args = self.list(|from| from.arg(false))?;
                Arg::Nested(Box::new(Nested { op, imm, operand, result, args }))
            }
            _ => return None,
        })
    }

    fn call(&mut self) -> Option<(Target, Frame)> {
        let target = match self.byte()? {
            0 => Target::Func(Func::from_u32(self.small()?)),
            1 => Target::Import(Func::from_u32(self.small()?)),
            2 => Target::Value(self.arg(true)?),
            3 => {
                let (table, ty) = (Table::from_u32(self.small()?), Type::from_u32(self.small()?));
                Target::Table { table, ty, index: self.arg(true)? }
            }
            _ => return None,
        };
        Some((target, Frame { base: self.reg()?, args: self.small()?, results: self.small()? }))
    }

    fn directive(&mut self) -> Option<Directive> {
        Some(match self.byte()? {
            0 => Directive::Label(self.label()?),
            1 => Directive::Jump(self.label()?),
            2 => {
                let (to, nonzero) = (self.label()?, self.flag()?);
                Directive::JumpIf { condition: self.arg(true)?, nonzero, to }
            }
            3 => {
                let (to, op, kind, negated) = (self.label()?, self.op()?, self.kind()?, self.flag()?);
                let args = [self.arg(true)?, self.arg(true)?];
                Directive::JumpCompare { comparison: Comparison { op, kind, negated }, args, to }
            }
            4 => {
                let index = self.reg()?;
                let to: SmallVec<[Label; 8]> = self.list(Reader::label)?;
                Directive::JumpTable { index, to: to.into_vec().into() }
            }
            5 => Directive::Trap(*TrapKind::ALL.get(self.small()? as usize)?),
            6 => Directive::Copy { out: self.reg()?, from: self.reg()? },
            7 => Directive::Constant { out: self.reg()?, bits: self.word()? },
            8 => {
                let outs = self.list(Reader::reg)?;
                let (op, imm) = (self.op()?, Imm(self.word()?));
                let (operand, result) = (self.kind()?, self.kind()?);
                Directive::Op { op, imm, operand, result, outs, args: self.list(|from| from.arg(true))? }
            }
            9 => {
                let (out, base, words) = (self.reg()?, self.reg()?, self.small()?);
                Directive::IndexedLoad { out, base, index: self.arg(true)?, words }
            }
            10 => {
                let (base, words) = (self.reg()?, self.small()?);
                Directive::IndexedStore { base, index: self.arg(true)?, value: self.arg(true)?, words }
            }
            11 => {
                let (target, frame) = self.call()?;
                Directive::Call { target, frame }
            }
            12 => {
                let (target, frame) = self.call()?;
                Directive::TailCall { target, frame }
            }
            13 => Directive::Return,
            _ => return None,
        })
    }
}
