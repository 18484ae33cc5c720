//! Nodes that are not pure, in a function that is being flattened.

use planish_ir::builder::Results;
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Const, Node, Type, Value};
use planish_ir::function::TrapKind;
use planish_ir::ops::{Effect, Op};
use planish_ir::types::AddressSpace;
use smallvec::SmallVec;

use crate::restage::copy::copy_node;
use crate::restage::engine::Engine;
use crate::restage::memory::Made;
use crate::restage::source::{Root, Source, root};

impl Engine<'_, '_, '_> {
    /// The fragment is discarded, or the function traps, where control comes here.
    pub(in crate::restage) fn end_here(&mut self, trap: Option<TrapKind>, stays: bool) {
        let here = self.here().unwrap_or(Const::TRUE.into());
        let span = self.b.span();
        match trap {
            Some(kind) => self.flat_mut().traps.push((here, kind, span)),
            None => {
                let before = self.flat_mut().discard;
                let either = self.or(before, here);
                self.flat_mut().discard = Some(either);
            }
        }
        if !stays {
            let before = self.flat_mut().ended;
            let either = self.or(before, here);
            self.flat_mut().ended = Some(either);
        }
    }

    /// Makes a node that is not pure on new operands.
    pub(in crate::restage) fn flat_effect(&mut self, source: &Source, node: Node, args: &[Value]) -> Results {
        let data = *source.body.node(node);
        match data.op.info().effect {
            Effect::Pure => copy_node(&source.body, node, args, &mut self.b),
            Effect::Quad => self.flat_once(source, node, args),
            Effect::MayTrap => {
                let args = self.safe_operands(data.op, args);
                self.flat_once(source, node, &args)
            }
            Effect::Load if data.op != Op::Load || self.can_read(args[0]) => self.flat_once(source, node, args),
            Effect::ImageLoad => self.flat_once(source, node, args),
            Effect::Call if self.is_leaf(data.op, args) => self.flat_once(source, node, args),
            Effect::Call => {
                let help = "if the target provides it, name it with `--leaf=NAME`";
                self.problem(Code::E1104, data.span, "this call cannot be inlined", "the callee has no body", help);
                copy_node(&source.body, node, args, &mut self.b)
            }
            Effect::World if data.op == Op::Demote => {
                self.end_here(None, true);
                Results::new()
            }
            // Variables that cannot become values have been reported already.
            Effect::Load | Effect::Store | Effect::Modify if self.is_own(args[0]) => {
                copy_node(&source.body, node, args, &mut self.b)
            }
            _ => {
                let message = format!("a flat function cannot have the effect of `{}`", data.op.name());
                let help =
                    "put what computes the value into a function of its own, and flatten that (`--flatten=FUNCTION`)";
                self.problem(Code::E1103, data.span, message, "reaches beyond the function", help);
                copy_node(&source.body, node, args, &mut self.b)
            }
        }
    }

    fn is_leaf(&self, op: Op, args: &[Value]) -> bool {
        let callee = args.first().filter(|_| op == Op::Call).and_then(|a| a.as_func());
        callee.is_some_and(|func| self.flat.as_ref().is_some_and(|flat| flat.leaves.contains(&func)))
    }

    /// Whether memory that is not promoted may be read: nothing writes it while the function runs.
    fn can_read(&self, pointer: Value) -> bool {
        use AddressSpace::{Handle, Input, PushConstant, Storage, Uniform};
        match root(self.b.body(), pointer) {
            Some(Root::Var(var)) => {
                matches!(self.b.module.vars[var].space, Handle | Input | PushConstant | Storage | Uniform)
            }
            _ => false,
        }
    }

    /// Whether memory is the function's own, and so should have become values.
    fn is_own(&self, pointer: Value) -> bool {
        use AddressSpace::{Function, Output, Private};
        match root(self.b.body(), pointer) {
            Some(Root::Var(var)) => matches!(self.b.module.vars[var].space, Function | Output | Private),
            Some(Root::Param(_)) => true,
            None => false,
        }
    }

    /// Makes a node, unless the same has been made: in a flat function everybody runs everything.
    fn flat_once(&mut self, source: &Source, node: Node, args: &[Value]) -> Results {
        let data = *source.body.node(node);
        if data.result_count() != 1 {
            return copy_node(&source.body, node, args, &mut self.b);
        }
        let ty = source.body.result(node).map_or(Type::VOID, |r| source.body.local_type(r));
        let made = Made { op: data.op, imm: data.imm, ty, epoch: 0, precise: data.precise, args: args.into() };
        if let Some(&known) = self.flat_mut().made.get(&made) {
            return std::iter::once(known).collect();
        }
        let results = copy_node(&source.body, node, args, &mut self.b);
        self.flat_mut().made.insert(made, results[0]);
        results
    }

    /// Operands on which an op does not trap where control does not come here in truth.
    fn safe_operands(&mut self, op: Op, args: &[Value]) -> SmallVec<[Value; 2]> {
        let mut args: SmallVec<[Value; 2]> = args.into();
        let Some(path) = self.here() else { return args };
        let (at, number) = match op {
            Op::DivideTrapping | Op::RemainderTrapping => (1, 1),
            Op::TruncateTrapping => (0, 0),
            other => panic!("no safe operands are defined for {}", other.name()),
        };
        let ty = self.b.type_of(args[at]);
        let module = &mut *self.b.module;
        let safe = module.consts.unflatten(&mut module.types, ty, &mut std::iter::repeat(number));
        let safe = safe.expect("numbers have constants");
        args[at] = self.b.op(Op::Select, &[path, args[at], safe.into()]);
        args
    }
}
