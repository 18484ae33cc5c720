//! Calls: copies of arguments into the callee's frame.

use planish_ir::entity::Func;
use planish_ir::ops::Imm;

use super::{Linear, words_of};
use crate::code::{Arg, ArgKind, CallKind, Code};
use crate::isa::{Callee, Frame, Isa, Operand, Reg};

impl<'a, I: Isa> Linear<'a, I> {
    pub(super) fn call(&mut self, i: usize, kind: CallKind) {
        let node = &self.code.nodes[i];
        let (isa, imm) = (self.isa, node.imm);
        let outs = node.outs..node.outs + u32::from(node.outs_len);
        let results = outs.clone().map(|v| self.code.values[v as usize].words).sum();
        let call = self.live.calls_before[i];
        let (args, callee) = self.split(i, kind);
        let words = args.iter().map(|&arg| self.words(arg)).sum();
        let frame = self.allocation.frame_of(call, words, results);
        let end = frame.base.0 + words.max(results) + I::PRELUDE_WORDS;
        self.top = self.top.max(end);
        let callee = self.pass(args, frame.base, callee, end);
        isa.emit_call(&mut self.emitter(end), callee_of(kind, imm, callee), frame);
        let mut from = frame.base;
        for v in outs {
            let words = self.code.values[v as usize].words;
            if self.is_needed(v) {
                let to = self.reg(v);
                (0..words).for_each(|j| self.tables.copies.add(to.offset(j), from.offset(j)));
            }
            from = from.offset(words);
        }
        self.make_copies();
    }

    /// The frame is reused: arguments move to its start, and the prelude to the callee's position.
    pub(super) fn tail_call(&mut self, i: usize, kind: CallKind) {
        let (isa, imm) = (self.isa, self.code.nodes[i].imm);
        let (args, callee) = self.split(i, kind);
        let words = args.iter().map(|&arg| self.words(arg)).sum();
        let own = self.own_frame();
        let frame = Frame { base: Reg(0), args: words, results: own.results };
        let end = frame.prelude().0 + I::PRELUDE_WORDS;
        self.top = self.top.max(end);
        for j in 0..I::PRELUDE_WORDS {
            self.tables.copies.add(frame.prelude().offset(j), own.prelude().offset(j));
        }
        let callee = self.pass(args, Reg(0), callee, end);
        isa.emit_tail_call(&mut self.emitter(end), callee_of(kind, imm, callee), frame, own);
        self.reachable = false;
    }

    /// The arguments of a call, and the operand that selects the callee.
    fn split(&self, i: usize, kind: CallKind) -> (&'a [Arg], Option<Arg>) {
        let code: &'a Code = self.code;
        let args = code.args_of(&code.nodes[i]);
        match (kind, args) {
            (CallKind::Func | CallKind::Import, args) => (args, None),
            (_, [args @ .., callee]) => (args, Some(*callee)),
            _ => unreachable!("a call says what it calls"),
        }
    }

    /// Copies the arguments to the callee's registers. The operand that selects the callee stays readable.
    fn pass(&mut self, args: &[Arg], base: Reg, callee: Option<Arg>, end: u32) -> Operand<'static> {
        let mut to = base;
        for &arg in args {
            let words = self.words(arg);
            match arg.kind() {
                ArgKind::Value(v) => {
                    let from = self.reg(v);
                    (0..words).for_each(|j| self.tables.copies.add(to.offset(j), from.offset(j)));
                }
                ArgKind::Const(c) => {
                    let constants =
                        words_of::<I>(self.code, c).into_iter().zip(0..).map(|(bits, j)| (to.offset(j), bits));
                    self.tables.constants.extend(constants);
                }
                kind => unreachable!("a call takes no {kind:?}"),
            }
            to = to.offset(words);
        }
        let callee = match callee.map(Arg::kind) {
            Some(ArgKind::Value(v)) => {
                let reg = self.reg(v);
                // An argument or the prelude may be copied over it.
                let written = self.tables.copies.targets().any(|to| to == reg)
                    || self.tables.constants.iter().any(|&(to, _)| to == reg);
                let reg = if written {
                    let kept = self.emitter(end).temporary(1);
                    self.tables.copies.add(kept, reg);
                    kept
                } else {
                    reg
                };
                Operand::Reg(reg)
            }
            Some(ArgKind::Const(c)) => Operand::Const(self.code.consts[c as usize].bits),
            _ => Operand::Const(0),
        };
        self.make_copies();
        callee
    }
}

fn callee_of(kind: CallKind, imm: Imm, operand: Operand<'_>) -> Callee<'_> {
    let func = Func::from_u32(imm.0 as u32);
    match kind {
        CallKind::Func => Callee::Func(func),
        CallKind::Import => Callee::Import(func),
        CallKind::Value => Callee::Value(operand),
        CallKind::Table => {
            let (table, ty) = imm.as_table_type();
            Callee::Table { table, ty, index: operand }
        }
    }
}
