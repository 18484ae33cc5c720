//! Parameters, results and calls.

use planish_ir::builder::{Builder, Request};
use planish_ir::entity::{Func, Node, Type, Var};
use planish_ir::ops::Op;
use planish_ir::types::TypeKind;

use super::control::Widener;
use super::lanes::broadcast;
use super::places::Place;
use crate::lower_to_scalars::values::Parts;

impl Widener<'_, '_> {
    pub(super) fn params(&mut self, func: Func, first: usize, b: &mut Builder<'_, '_>) {
        let mut next = first;
        for (&input, param) in self.body.blocks[self.body.entry].inputs.iter().zip(&self.old.funcs[func].params) {
            let Some(types) = self.work.types_of(b.module, param.ty) else { continue };
            let parts: Parts = (next..next + types.len()).map(|i| b.param(i)).collect();
            next += types.len();
            match self.old.types.pointee(param.ty) {
                Some((pointee, space)) => {
                    self.places[input] = Some(Place::behind(parts[0], pointee, super::is_own(space)));
                }
                None => self.values[input] = Some(parts),
            }
        }
    }

    /// Begins the variables of an invocation, if they are those of the function; the number of parameters so far.
    pub(super) fn begin_interface(&mut self, first: usize, b: &mut Builder<'_, '_>) -> usize {
        let mut next = first;
        if !self.work.options.interface {
            return next;
        }
        b.declare(self.work.helpers);
        if self.work.options.helpers {
            let helpers = b.param(next);
            b.store(self.work.helpers.into(), helpers);
            next += 1;
        }
        for var in self.work.inputs.clone() {
            let Some(place) = self.declared(var, b) else { continue };
            for cell in super::places::cells_of(b, &place).unwrap_or_default() {
                let value = b.param(next);
                b.store(cell, value);
                next += 1;
            }
        }
        let own: Vec<Var> = self.work.private.iter().chain(&self.work.outputs).copied().collect();
        for var in own {
            self.begin_variable(var, b);
        }
        next
    }

    pub(super) fn declared(&mut self, var: Var, b: &mut Builder<'_, '_>) -> Option<Place> {
        let lanes = self.work.variable(b.module, self.old, var)?;
        b.declare(lanes);
        self.place(var.into(), b)
    }

    pub(super) fn end_interface(&mut self, results: &mut Parts, b: &mut Builder<'_, '_>) {
        if !self.work.options.interface {
            return;
        }
        for var in self.work.outputs.clone() {
            if let Some(place) = self.place(var.into(), b) {
                let cells = super::places::cells_of(b, &place).unwrap_or_default();
                results.extend(cells.into_iter().map(|cell| b.load(cell)));
            }
        }
        if self.work.has_helpers {
            results.push(b.load(self.work.helpers.into()));
        }
    }

    pub(super) fn declare_results(&mut self, func: Func, b: &mut Builder<'_, '_>) {
        let mut types: Vec<Type> = Vec::new();
        for result in &self.old.funcs[func].results {
            types.extend(self.work.types_of(b.module, result.ty).into_iter().flatten());
        }
        self.results = types.into_iter().map(|ty| self.declare(ty, "result", b)).collect();
    }

    /// A call of the widened callee.
    pub(super) fn call(&mut self, node: Node, b: &mut Builder<'_, '_>) -> Option<()> {
        let data = *self.body.node(node);
        let args = self.body.args(node);
        if !matches!(data.op, Op::Call | Op::TailCall) {
            return None;
        }
        let callee = args[0].as_func()?;
        if self.work.entry == Some(callee) && self.work.all_active || self.work.options.interface {
            return None;
        }
        let widened = self.work.function(b.module, self.old, callee);
        let mut operands: Parts = Parts::from_slice(&[widened.into(), self.active]);
        let mut written = Vec::new();
        for &arg in &args[1..] {
            let ty = self.old.type_of(self.body, arg);
            if !matches!(self.old.types[ty], TypeKind::Pointer { .. }) {
                for part in self.parts(arg, b) {
                    operands.push(broadcast(b, part, self.n));
                }
                continue;
            }
            let place = self.place(arg, b)?;
            match place.direct() {
                Some(pointer) => operands.push(pointer),
                None if place.is_own => {
                    let (pointee, _) = self.old.types.pointee(ty)?;
                    let copy = self.temporary(pointee, b)?;
                    let parts = self.load(&place, b)?;
                    self.store(&copy, &parts, b)?;
                    operands.push(copy.direct()?);
                    written.push((place, copy));
                }
                None => return None,
            }
        }
        let results = b.make_all(Request::new(Op::Call, &operands));
        let mut next = 0;
        for result in self.body.results(node) {
            let count = self.work.types_of(b.module, self.body.local_type(result))?.len();
            self.set(result, results[next..next + count].into(), b);
            next += count;
        }
        for (place, copy) in written {
            let parts = self.load(&copy, b)?;
            self.store(&place, &parts, b)?;
        }
        Some(())
    }
}
