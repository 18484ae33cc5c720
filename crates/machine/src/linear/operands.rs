//! Arguments of nodes as operands of directives.

use smallvec::SmallVec;

use super::Linear;
use crate::code::{Arg, ArgKind};
use crate::isa::{Isa, Kind, Operand, Operation};

/// Operands that hold no others.
type Simple = SmallVec<[Operand<'static>; 4]>;

impl<I: Isa> Linear<'_, I> {
    /// Calls `f` with the operands that the arguments are. Nearly all nodes have three at most, for which no list is made.
    pub(super) fn with_operands(&mut self, args: &[Arg], f: impl FnOnce(&mut Self, &[Operand<'_>])) {
        if args.iter().any(|arg| matches!(arg.kind(), ArgKind::Nested(_))) {
            return self.with_nested(args, f);
        }
        match *args {
            [] => f(self, &[]),
            [a] => f(self, &[self.simple(a)]),
            [a, b] => f(self, &[self.simple(a), self.simple(b)]),
            [a, b, c] => f(self, &[self.simple(a), self.simple(b), self.simple(c)]),
            _ => {
                let operands: Simple = args.iter().map(|&arg| self.simple(arg)).collect();
                f(self, &operands);
            }
        }
    }

    /// What is nested has simple operands; these must live as long as the operations that hold them.
    fn with_nested(&mut self, args: &[Arg], f: impl FnOnce(&mut Self, &[Operand<'_>])) {
        match *args {
            [a] => {
                let inner = self.inside(a);
                let outer = self.outside(a, &inner);
                f(self, &[self.operand(a, outer.as_ref())]);
            }
            [a, b] => {
                let inner = [self.inside(a), self.inside(b)];
                let outer = [self.outside(a, &inner[0]), self.outside(b, &inner[1])];
                f(self, &[self.operand(a, outer[0].as_ref()), self.operand(b, outer[1].as_ref())]);
            }
            _ => {
                let inner: SmallVec<[Simple; 4]> = args.iter().map(|&arg| self.inside(arg)).collect();
                let outer: SmallVec<[Option<Operation<'_>>; 4]> =
                    args.iter().zip(&inner).map(|(&arg, inner)| self.outside(arg, inner)).collect();
                let operands: SmallVec<[Operand<'_>; 4]> =
                    args.iter().zip(&outer).map(|(&arg, outer)| self.operand(arg, outer.as_ref())).collect();
                f(self, &operands);
            }
        }
    }

    /// The operands of what is nested.
    fn inside(&self, arg: Arg) -> Simple {
        let mut operands = Simple::new();
        if let ArgKind::Nested(n) = arg.kind() {
            for &arg in self.code.args_of(&self.code.nodes[n as usize]) {
                operands.push(self.simple(arg));
            }
        }
        operands
    }

    /// What is nested, with its operands.
    fn outside<'o>(&self, arg: Arg, args: &'o [Operand<'o>]) -> Option<Operation<'o>> {
        let ArgKind::Nested(n) = arg.kind() else { return None };
        let node = &self.code.nodes[n as usize];
        let (op, imm, operand, result) = (node.op, node.imm, node.operand, node.result);
        Some(Operation { op, imm, operand, result, outs: &[], args })
    }

    fn operand<'o>(&self, arg: Arg, nested: Option<&'o Operation<'o>>) -> Operand<'o> {
        nested.map_or_else(|| self.simple(arg), Operand::Nested)
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
