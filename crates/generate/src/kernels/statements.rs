//! Statements and functions.

use super::expressions::value;
use super::tree::{Expr, Part, Stmt, line, stmt};
use super::types::Number::*;
use super::types::{Number, Ty, random, value_name};
use super::{Counter, Generator, Root};

/// Greatest depth of nested statements.
const MAX_NESTING: usize = 3;

/// An expression of a type of which all numbers are zero.
/// Recursion: over the type.
pub(super) fn zero_of(ty: &Ty, structs: &[Vec<Ty>]) -> String {
    match ty {
        Ty::Value(Bool, n) => format!("{}(false)", value_name(Bool, *n)),
        Ty::Value(..) | Ty::Matrix(..) => format!("{}(0)", ty.name()),
        Ty::Array(element, len) => {
            let element = zero_of(element, structs);
            format!("{}({})", ty.name(), vec![element; usize::from(*len)].join(", "))
        }
        Ty::Struct(i) => {
            let members: Vec<String> = structs[*i].iter().map(|member| zero_of(member, structs)).collect();
            format!("S{i}({})", members.join(", "))
        }
    }
}

impl Generator<'_, '_> {
    /// A variable, with its declaration.
    pub(super) fn variable(&mut self, name: String, ty: Ty) -> Stmt {
        let declaration = line(format!("{} {name} = {};", ty.name(), zero_of(&ty, &self.structs)));
        self.roots.push(Root::own(name, ty));
        declaration
    }

    pub(super) fn block(&mut self, most: usize, depth: usize) -> Vec<Stmt> {
        let count = 1 + self.choices.below(most);
        (0..count).map(|_| self.statement(depth)).collect()
    }

    /// A statement.
    /// Recursion: to `MAX_NESTING` levels.
    pub(super) fn statement(&mut self, depth: usize) -> Stmt {
        if depth >= MAX_NESTING {
            return self.assignment();
        }
        match self.choices.below(20) {
            0 | 1 => {
                let c = self.value(Bool, 1, 1);
                let inner = vec![c.into(), self.block(3, depth + 1).into()];
                stmt("if ($) {\n$}", inner)
            }
            2 | 3 => {
                let c = self.value(Bool, 1, 1);
                let inner = vec![c.into(), self.block(3, depth + 1).into(), self.block(3, depth + 1).into()];
                stmt("if ($) {\n$} else {\n$}", inner)
            }
            4 | 5 => self.for_loop(depth),
            6 => {
                let counter = self.enter_loop();
                let body = self.block(3, depth + 1);
                let c = self.value(Bool, 1, 1);
                self.leave_loop();
                let inner = vec![body.into(), c.into()];
                stmt(&format!("{{ uint {counter} = 0u;\ndo {{\n$}} while (++{counter} < 3u && $); }}"), inner)
            }
            7 => {
                let selector = self.value(I32, 1, 1);
                let [a, b, c] = [0; 3].map(|_| Part::from(self.block(2, depth + 1)));
                let fall = if self.choices.chance(40) { "" } else { "break;" };
                let text = format!("switch ($ & 3) {{ case 1:\n${fall} case 0: case 2:\n$break; default:\n$}}");
                stmt(&text, vec![selector.into(), a, b, c])
            }
            8 if self.loops > 0 => {
                let c = self.value(Bool, 1, 1);
                let word = self.choices.pick(&["break", "continue"]);
                let inner = vec![c.into(), self.block(1, depth + 1).into()];
                stmt(&format!("if ($) {{\n${word}; }}"), inner)
            }
            9 if self.may_return && self.choices.chance(50) => {
                let c = self.value(Bool, 1, 1);
                match self.result {
                    Some((number, n)) => {
                        let x = self.value(number, n, 1);
                        stmt("if ($) return $;", vec![c.into(), x.into()])
                    }
                    None => stmt("if ($) return;", vec![c.into()]),
                }
            }
            10 if !self.procedures.is_empty() && self.result.is_none() => self.call(),
            11 | 12 if !self.atomics.is_empty() && self.result.is_none() => self.atomic(),
            _ => self.assignment(),
        }
    }

    fn enter_loop(&mut self) -> String {
        let counter = format!("k{}", self.names);
        self.names += 1;
        self.counters.push(counter.clone());
        self.loops += 1;
        counter
    }

    fn leave_loop(&mut self) {
        self.counters.pop();
        self.loops -= 1;
    }

    fn for_loop(&mut self, depth: usize) -> Stmt {
        let bound: Part = match self.choices.chance(50) {
            true => format!("{}u", 1 + self.choices.below(4)).into(),
            false => {
                let x = self.value(U32, 1, 1);
                value(U32, 1, "($ & 3u)", vec![x.into()]).into()
            }
        };
        let counter = self.enter_loop();
        let body = self.block(3, depth + 1);
        self.leave_loop();
        // The bound is computed once: the body may change what it depends on.
        let text =
            format!("for (uint {counter} = 0u, end{counter} = $; {counter} < end{counter}; {counter}++) {{\n$}}");
        stmt(&text, vec![bound, body.into()])
    }

    /// A place with one of the types; `None` if a few tries find none.
    pub(super) fn some_place(&mut self, types: &[Ty], writable: bool, depth: usize) -> Option<(Expr, Ty)> {
        let mut roots = self.readable();
        roots.retain(|root| root.writable || !writable);
        for _ in 0..5 {
            if roots.is_empty() {
                break;
            }
            let root = roots[self.choices.below(roots.len())].clone();
            let (at, ty) = self.part_of(&root, 25, depth + 1);
            if types.contains(&ty) {
                return Some((at, ty));
            }
        }
        None
    }

    fn assignment(&mut self) -> Stmt {
        let mut roots = self.readable();
        roots.retain(|root| root.writable);
        let Some(at) = roots.len().checked_sub(1) else { return line(";") };
        let root = roots[self.choices.below(at + 1)].clone();
        let (mut at, mut ty) = self.part_of(&root, 20, 1);
        if !matches!(ty, Ty::Value(..)) {
            if let Some((from, _)) = self.some_place(std::slice::from_ref(&ty), false, 1) {
                return stmt("$ = $;", vec![at.into(), from.into()]);
            }
            if !matches!(ty, Ty::Matrix(..)) {
                (at, ty) = self.part_of(&root, 0, 1);
            }
        }
        let (at, ty) = self.narrowed(at, ty, 1);
        match ty {
            Ty::Matrix(number, columns, rows) => {
                let x = self.matrix(number, columns, rows, 1);
                let op = self.choices.pick(&["=", "=", "+=", "-="]);
                stmt(&format!("$ {op} $;"), vec![at.into(), x.into()])
            }
            Ty::Value(number, _) if number != Bool && self.choices.chance(5) => {
                let op = self.choices.pick(&["++", "--"]);
                stmt(&format!("${op};"), vec![at.into()])
            }
            Ty::Value(number, n) => {
                let x = self.value(number, n, 0);
                let ops: &[&str] = match number {
                    Bool => &["="],
                    _ if number.is_float() => &["=", "=", "+=", "-=", "*="],
                    _ => &["=", "=", "+=", "-=", "*=", "^=", "|=", "&=", ">>=", "<<="],
                };
                let op = self.choices.pick(ops);
                stmt(&format!("$ {op} $;"), vec![at.into(), x.into()])
            }
            _ => line(";"),
        }
    }

    /// An atomic operation that changes places with others on its variable; the result is seen if there is one invocation.
    fn atomic(&mut self) -> Stmt {
        let mut counters = self.atomics.clone();
        counters.retain(|counter| counter.phase.is_none_or(|phase| phase == self.phase));
        let Some(last) = counters.len().checked_sub(1) else { return self.assignment() };
        let Counter { place, number, op, len, .. } = counters[self.choices.below(last + 1)].clone();
        let mut inner: Vec<Part> = vec![];
        let place = match len {
            None => place,
            Some(len) => {
                let x = self.value(U32, 1, 1);
                inner.push(value(U32, 1, &format!("($ % {len}u)"), vec![x.into()]).into());
                format!("{place}[$]")
            }
        };
        let x = self.value(number, 1, 1);
        inner.push(x.into());
        if self.is_alone
            && let Some((to, _)) = self.some_place(&[Ty::Value(number, 1)], true, 1)
        {
            let op = self.choices.pick(&["Add", "Min", "Max", "And", "Or", "Xor", "Exchange", op]);
            inner.insert(0, to.into());
            return stmt(&format!("$ = atomic{op}({place}, $);"), inner);
        }
        stmt(&format!("atomic{op}({place}, $);"), inner)
    }

    fn call(&mut self) -> Stmt {
        let f = self.choices.below(self.procedures.len());
        let (of, (number, n)) = self.procedures[f].clone();
        let Some((at, _)) = self.some_place(&[of], true, 1) else { return self.assignment() };
        let x = self.value(number, n, 1);
        stmt(&format!("h{f}($, $);"), vec![at.into(), x.into()])
    }

    /// A type of a value.
    fn value_type(&mut self) -> (Number, u8) {
        (self.number(), 1 + self.choices.below(4) as u8)
    }

    /// Writes a function that returns a value and writes nothing else.
    pub(super) fn helper(&mut self) -> Stmt {
        let result = self.value_type();
        let params: Vec<(Number, u8)> = (0..1 + self.choices.below(3)).map(|_| self.value_type()).collect();
        let roots = self.roots.clone();
        self.roots.iter_mut().for_each(|root| root.writable = false);
        let mut texts = vec![];
        for (i, &(number, n)) in params.iter().enumerate() {
            texts.push(format!("{} x{i}", value_name(number, n)));
            self.roots.push(Root::own(format!("x{i}"), Ty::Value(number, n)));
        }
        let (result_name, ty) = (value_name(result.0, result.1), random(self.choices, &self.numbers, &self.structs, 1));
        (self.result, self.may_return) = (Some(result), true);
        let mut body = vec![self.variable("own".into(), ty)];
        body.extend(self.block(4, 1));
        let last = self.value(result.0, result.1, 0);
        (self.result, self.may_return, self.roots) = (None, false, roots);
        let head = format!("{result_name} f{}({}) {{\n$return $;\n}}", self.helpers.len(), texts.join(", "));
        self.helpers.push((result, params));
        stmt(&head, vec![body.into(), last.into()])
    }

    /// Writes a function that changes its first argument, and other places.
    pub(super) fn procedure(&mut self) -> Stmt {
        let roots = self.roots.clone();
        let of = match self.some_place_type() {
            Some(ty) if self.choices.chance(70) => ty,
            _ => random(self.choices, &self.numbers, &self.structs, 2),
        };
        let (number, n) = self.value_type();
        self.roots.push(Root::own("x0".into(), of.clone()));
        self.roots.push(Root::own("x1".into(), Ty::Value(number, n)));
        self.may_return = true;
        let body = self.block(4, 1);
        (self.may_return, self.roots) = (false, roots);
        let head =
            format!("void h{}(inout {} x0, {} x1) {{\n$}}", self.procedures.len(), of.name(), value_name(number, n));
        self.procedures.push((of, (number, n)));
        stmt(&head, vec![body.into()])
    }

    fn some_place_type(&mut self) -> Option<Ty> {
        let mut roots = self.readable();
        roots.retain(|root| root.writable);
        let count = roots.len().checked_sub(1)?;
        let root = roots[self.choices.below(count + 1)].clone();
        Some(self.part_of(&root, 40, 2).1)
    }
}
