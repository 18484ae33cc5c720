//! Calls: arguments by value and by pointer, one result or several.

use planish_ir::arena::Id;
use planish_ir::entity::{Func, Local, Node, Type, Value};
use planish_ir::function::{Direction, Param};
use smallvec::SmallVec;

use crate::abilities::{Parameters, Results};
use crate::dialect::Dialect;
use crate::effects::{node_effects, region_of};
use crate::lower::{Lower, Slot};
use crate::tree::{Callee, Decl, Expr, ExprKind, Stmt};

impl<'m, D: Dialect<'m>> Lower<'_, 'm, D> {
    pub(crate) fn call(&mut self, node: Node, args: &[Value]) {
        let Some(callee) = args[0].as_func() else {
            self.w.unsupported("a call through a reference", self.span);
            return;
        };
        let module = self.w.module;
        let function = &module.funcs[callee];
        let symbol = self.w.func_symbol(callee);
        let mut own = node_effects(self.w.module, self.body, &self.w.summaries, node);
        let mut exprs: Vec<Expr> = D::leading_arguments(self, callee);
        // Places that copies are passed for, and the copies.
        let mut copies: Vec<(Expr, Expr)> = Vec::new();
        let is_copied = |l: &Self, i: usize| {
            let pointer = l.uses.passed.get(&(node, i)).copied().unwrap_or(args[i]);
            function.params.get(i - 1).is_some_and(|p| l.needs_copy(pointer, p.ty))
        };
        let copies_any = (1..args.len()).any(|i| is_copied(self, i));
        for (i, &arg) in args.iter().enumerate().skip(1) {
            let passed = self.uses.passed.get(&(node, i)).copied();
            if let Some(region) = passed.and_then(|p| region_of(self.w.module, self.body, p)) {
                own.reads.add(region);
                own.writes.add(region);
            }
            let value = passed.unwrap_or(arg);
            let expr = if copies_any { self.stable_operand(value) } else { D::argument(self, value) };
            let Some(param) = function.params.get(i - 1).filter(|p| self.is_by_pointer(p.ty)) else {
                exprs.push(expr);
                continue;
            };
            let place = if is_copied(self, i) {
                self.order(&own);
                let copy = self.copy_in(expr, param);
                copies.push((expr, copy));
                copy
            } else {
                expr
            };
            exprs.push(self.w.tree.address_of(place));
        }
        let results: SmallVec<[Local; 2]> = self.body.results(node).collect();
        let several = function.results.len() > 1;
        if several && self.w.abilities.several_results == Results::Value {
            let call = self.w.tree.call(Callee::User(symbol), &exprs);
            let call = self.w.finish_call(callee, call);
            self.begin();
            self.order(&own);
            self.take_results_of(callee, call, &results);
            self.copy_back(&copies);
            return;
        }
        for &extra in results.iter().skip(1) {
            let name = self.set_result(extra, None);
            let by_pointer = self.w.abilities.parameters == Parameters::Pointers;
            exprs.push(if by_pointer { self.w.tree.address_of(name) } else { name });
        }
        let call = self.w.tree.call(Callee::User(symbol), &exprs);
        let expr = self.w.finish_call(callee, call);
        match results.first() {
            Some(&result) if several || !copies.is_empty() => {
                // The other results exist once the call has run, so it runs here.
                self.order(&own);
                self.begin();
                self.set(result, Some(expr), self.frames.len() - 1);
            }
            Some(&result) => self.finish(result, expr, &own),
            None => {
                self.begin();
                self.order(&own);
                self.push(Stmt::Expr(expr));
            }
        }
        self.copy_back(&copies);
    }

    /// Whether a call takes no pointer to the place, but one to a copy.
    fn needs_copy(&self, pointer: Value, param: Type) -> bool {
        let is_whole = pointer.as_var().is_some() || self.body.node_of(pointer).is_none();
        self.is_by_pointer(param)
            && !self.w.abilities.pointers_to_parts
            && !(is_whole && self.type_of(pointer) == param)
    }

    fn copy_in(&mut self, place: Expr, param: &Param) -> Expr {
        let symbol = self.w.tree.add_symbol("t");
        let ty = self.w.module.types.pointee(param.ty).map_or(param.ty, |(ty, _)| ty);
        let init = (param.direction != Direction::Out).then(|| D::load(self, place));
        self.push(Stmt::Decl(Decl { precision: param.precision, ..Decl::plain(symbol, ty, init) }));
        self.w.tree.name(symbol)
    }

    fn copy_back(&mut self, copies: &[(Expr, Expr)]) {
        for &(target, value) in copies {
            D::store(self, target, value);
        }
    }

    /// A variable for all results of a call of a function with the results of `func`, which are read from it: for nodes
    /// that a language writes by itself.
    pub fn take_all_results(&mut self, node: Node, func: Func, call: Expr) {
        let own = node_effects(self.w.module, self.body, &self.w.summaries, node);
        let results: SmallVec<[Local; 2]> = self.body.results(node).collect();
        self.begin();
        self.order(&own);
        self.take_results_of(func, call, &results);
    }

    /// A variable for all results of a call, which are read from it.
    fn take_results_of(&mut self, func: Func, call: Expr, results: &[Local]) {
        let symbol = self.w.tree.add_symbol("results");
        self.push(Stmt::Results { symbol, func, call });
        let frame = self.frames.len() - 1;
        for (i, &result) in results.iter().enumerate() {
            let expr = self.w.tree.add(ExprKind::Result(symbol, i as u32));
            let stays = self.variables.class[result] == 0 && self.variables.depth[result] as usize >= frame;
            if self.use_count(result) == 0 || stays {
                self.slots[result.index()] = Slot::Stable(expr);
            } else {
                self.set(result, Some(expr), self.frames.len() - 1);
            }
        }
    }
}
