//! Arguments of nodes as operands of directives.

use smallvec::SmallVec;

use super::Linear;
use crate::code::{Arg, ArgKind};
use crate::isa::{Isa, Kind, Operand, Operation};

impl<I: Isa> Linear<'_, I> {
    /// Calls `f` with the operands that the arguments are.
    pub(super) fn with_operands(&mut self, args: &[Arg], f: impl FnOnce(&mut Self, &[Operand<'_>])) {
        if args.iter().all(|arg| !matches!(arg.kind(), ArgKind::Nested(_))) {
            let mut operands: SmallVec<[Operand<'_>; 4]> = SmallVec::new();
            for &arg in args {
                operands.push(self.simple(arg));
            }
            return f(self, &operands);
        }
        // What is nested has simple operands; these must live as long as the operations that hold them.
        let code = self.code;
        let inner: SmallVec<[SmallVec<[Operand<'_>; 4]>; 2]> = args
            .iter()
            .map(|&arg| match arg.kind() {
                ArgKind::Nested(n) => {
                    let mut operands = SmallVec::new();
                    for &arg in code.args_of(&code.nodes[n as usize]) {
                        operands.push(self.simple(arg));
                    }
                    operands
                }
                _ => SmallVec::new(),
            })
            .collect();
        let operations: SmallVec<[Option<Operation<'_>>; 2]> = args
            .iter()
            .zip(&inner)
            .map(|(arg, args)| match arg.kind() {
                ArgKind::Nested(n) => {
                    let node = &code.nodes[n as usize];
                    let (op, imm, operand, result) = (node.op, node.imm, node.operand, node.result);
                    Some(Operation { op, imm, operand, result, outs: &[], args })
                }
                _ => None,
            })
            .collect();
        let operands: SmallVec<[Operand<'_>; 4]> = args
            .iter()
            .zip(&operations)
            .map(|(&arg, operation)| operation.as_ref().map_or_else(|| self.simple(arg), Operand::Nested))
            .collect();
        f(self, &operands);
    }

    #[inline]
    fn simple(&self, arg: Arg) -> Operand<'static> {
        match arg.kind() {
            ArgKind::Value(v) => Operand::Reg(self.reg(v)),
            ArgKind::Const(c) if self.code.consts[c as usize].kind == Kind::V128 => Operand::Wide(self.code.bits(c)),
            ArgKind::Const(c) => Operand::Const(self.code.consts[c as usize].bits),
            kind => unreachable!("{kind:?} has no place in a directive"),
        }
    }
}
