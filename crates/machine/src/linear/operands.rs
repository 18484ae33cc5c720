//! Conversion of nodes' arguments to operands of directives.

use smallvec::SmallVec;

use super::Linear;
use crate::code::{Arg, ArgKind};
use crate::isa::{Isa, Kind, Operand, Operation};

/// Operands without nested ones.
type Simple = SmallVec<[Operand<'static>; 4]>;

impl<I: Isa> Linear<'_, I> {
    /// Calls `f` with the operands of the arguments. Most nodes have at most three, for which no list is allocated.
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

    /// Nested operations have simple operands, which must outlive the operations that refer to them.
    fn with_nested(&mut self, args: &[Arg], f: impl FnOnce(&mut Self, &[Operand<'_>])) {
        match *args {
            [a] => {
                let mut inner = Simple::new();
                self.inside(a, &mut inner);
                let outer = self.outside(a, &inner);
                f(self, &[self.operand(a, outer.as_ref())]);
            }
            [a, b] => {
                let (mut of_a, mut of_b) = (Simple::new(), Simple::new());
                self.inside(a, &mut of_a);
                self.inside(b, &mut of_b);
                let (outer_a, outer_b) = (self.outside(a, &of_a), self.outside(b, &of_b));
                f(self, &[self.operand(a, outer_a.as_ref()), self.operand(b, outer_b.as_ref())]);
            }
            _ => {
                let mut inner: SmallVec<[Simple; 4]> = SmallVec::new();
                inner.resize_with(args.len(), Simple::new);
                args.iter().zip(&mut inner).for_each(|(&arg, inner)| self.inside(arg, inner));
                let outer: SmallVec<[Option<Operation<'_>>; 4]> =
                    args.iter().zip(&inner).map(|(&arg, inner)| self.outside(arg, inner)).collect();
                let operands: SmallVec<[Operand<'_>; 4]> =
                    args.iter().zip(&outer).map(|(&arg, outer)| self.operand(arg, outer.as_ref())).collect();
                f(self, &operands);
            }
        }
    }

    /// Appends the operands of a nested operation.
    #[inline]
    fn inside(&self, arg: Arg, operands: &mut Simple) {
        if let ArgKind::Nested(n) = arg.kind() {
            for &arg in self.code.args_of(&self.code.nodes[n as usize]) {
                operands.push(self.simple(arg));
            }
        }
    }

    /// A nested operation, with its operands.
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
