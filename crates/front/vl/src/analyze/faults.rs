//! Errors found by the analysis, reported at the position in the user's program that leads to them.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;
use rustc_hash::FxHashMap;

use super::value::{MAX_HEIGHT, MAX_LEAVES, MAX_WIDTH, Mismatch, Value, ValueId, Values};
use super::{Analysis, BindingId, MAIN, Printer};
use crate::core::{Block, LambdaId, Operation};
use crate::interpret::Shown;
use crate::primitive::{Action, Primitive};
use crate::terms::Pattern;

/// Minimum number of arguments of one procedure for a warning.
const MANY: usize = 2000;

/// Maximum number of errors reported.
const MAX_FAULTS: usize = 20;

/// A call in the user's own text.
#[derive(Clone, Copy)]
pub(super) struct UserCall {
    place: Span,
    /// The binding it is in.
    at: BindingId,
    /// The procedure of the library that it calls; `None` if the place was not in the library.
    library_procedure: Option<LambdaId>,
}

impl Analysis<'_> {
    fn is_library(&self, span: Span) -> bool {
        self.library.start <= span.start && span.end <= self.library.end
    }

    /// Reports a fault once per position: at the innermost call in the user's own text that leads there.
    fn fault(
        &mut self,
        code: Code,
        span: Span,
        id: BindingId,
        message: String,
        more: impl FnOnce(Diagnostic) -> Diagnostic,
    ) {
        let UserCall { place, mut at, library_procedure } = self.user_call(span, id);
        if self.faults.iter().any(|f| f.code == code && f.span == place) || self.faults.len() >= MAX_FAULTS {
            return;
        }
        let new = if code == Code::W0110 { Diagnostic::warning } else { Diagnostic::error };
        let mut diagnostic = more(new(code, place, message));
        if let Some(lambda) = library_procedure {
            diagnostic = diagnostic.note(format!("in `{}` of the standard library", self.core.lambda(lambda).name));
        }
        // The calls that lead there, those in the user's text only.
        let mut shown = 0;
        while let (Some((caller, call)), 0..3) = (self.binding(at).caller, shown) {
            if !self.is_library(call) {
                let name = self.binding(at).procedure.map(|(lambda, _)| &self.core.lambda(lambda).name);
                let text = name.map_or_else(|| "called here".into(), |name| format!("`{name}` is called here"));
                diagnostic = diagnostic.also(call, text);
                shown += 1;
            }
            at = caller;
        }
        self.faults.push(diagnostic);
    }

    /// The innermost call in the user's own text that leads to a position. Results are cached by binding, since each
    /// binding of a deep recursion in the library may have a fault.
    fn user_call(&mut self, span: Span, id: BindingId) -> UserCall {
        let mut found = UserCall { place: span, at: id, library_procedure: None };
        let mut passed = Vec::new();
        while self.is_library(found.place) {
            if let Some(&known) = self.user_calls.get(&found.at) {
                found = known;
                break;
            }
            passed.push(found.at);
            found.library_procedure = self.binding(found.at).procedure.map(|(lambda, _)| lambda);
            let Some((caller, call)) = self.binding(found.at).caller else { break };
            (found.place, found.at) = (call, caller);
        }
        self.user_calls.extend(passed.into_iter().map(|binding| (binding, found)));
        found
    }

    fn shown(&self, value: ValueId) -> String {
        Printer::new(self).short(value)
    }

    pub(super) fn no_procedure(&mut self, value: ValueId, span: Span, id: BindingId) {
        let message = format!("{} is no procedure", self.what(value));
        self.fault(Code::E0812, span, id, message, |d| {
            d.label("applied here").help("the first expression after a parenthesis is applied to the others")
        });
    }

    /// An export with the name under which the value of the program leaves it.
    pub(super) fn exported_as_value(&mut self, name: &str, span: Span) {
        let value = self.core.span;
        let message = format!("`{name}` is exported, and the value of the program leaves it by that name too");
        self.fault(Code::E0807, span, MAIN, message, |d| {
            d.also(value, "the value").help("export the procedure by another name, or leave the value out")
        });
    }

    pub(super) fn wrong_argument(&mut self, lambda: LambdaId, argument: ValueId, span: Span, id: BindingId) {
        let core = self.core;
        let lambda = core.lambda(lambda);
        let message = format!("`{}` takes {}, not {}", lambda.name, Shown(&lambda.pattern), self.shown(argument));
        let wanted = count(&lambda.pattern);
        let given = self.count(argument, wanted);
        let definition = (!lambda.in_library).then_some(lambda.span);
        let name = lambda.name.clone();
        self.fault(Code::E0810, span, id, message, |mut d| {
            d = d.label("does not fit");
            if let (Some(wanted), Some(given)) = (wanted, given)
                && wanted != given
            {
                d = d.note(format!("`{name}` takes {}, and gets {given}", operands(wanted)));
            }
            if let Some(definition) = definition {
                d = d.also(definition, "its parameters are here");
            }
            d.note("`(f a b)` applies `f` to the pair of `a` and `b`")
        });
    }

    /// Number of operands in an argument, as seen by a procedure with `wanted` parameters.
    fn count(&self, argument: ValueId, wanted: Option<usize>) -> Option<usize> {
        let (mut count, mut rest) = (1, argument);
        while let Value::Pair(_, tail) = self.values.get(rest) {
            count += 1;
            rest = tail;
            if count > 64 {
                return None;
            }
        }
        match (self.values.get(rest), wanted) {
            // A list as the last operand.
            (Value::Nil, _) if count > 1 => None,
            _ => Some(count),
        }
    }

    pub(super) fn no_match(&mut self, pattern: &Pattern<u32>, value: ValueId, span: Span, id: BindingId) {
        let message = format!("{} does not fit {}", self.shown(value), Shown(pattern));
        self.fault(Code::E0810, span, id, message, |d| d.label("taken apart here"));
    }

    pub(super) fn wrong_operand(&mut self, primitive: Primitive, argument: ValueId, span: Span, id: BindingId) {
        let wanted = match primitive.action() {
            Action::Unary(_) | Action::Real | Action::WriteReal => "a real",
            Action::Binary(_) | Action::Compare(_) => "two reals",
            Action::Car | Action::Cdr => "a pair",
            Action::GensymEqual | Action::GensymLess => "two tokens",
            Action::Bundle => "a token, a primal and a tangent",
            Action::BundleToken | Action::BundlePrimal | Action::BundleTangent => "a dual number",
            Action::Node | Action::PropagateBack => "its internal operands",
            Action::Is(_) | Action::Gensym | Action::ReadReal => "anything",
        };
        let message = format!("`{}` takes {wanted}, not {}", primitive.public_name(), self.what(argument));
        self.fault(Code::E0811, span, id, message, |d| d.label("does not fit"));
    }

    /// A value as a sentence names it.
    fn what(&self, value: ValueId) -> String {
        let shown = self.shown(value);
        match self.values.get(value) {
            Value::AnyReal | Value::Asked(_) => format!("a real ({shown})"),
            Value::AnyBool | Value::Bool(_) => format!("a boolean ({shown})"),
            Value::Nil => "the empty list `()`".into(),
            Value::Closure(..) | Value::Primitive(_) => format!("the procedure {shown}"),
            Value::Token(..) => "a token".into(),
            Value::Node(_) => "a node of reverse mode".into(),
            _ => shown,
        }
    }

    pub(super) fn no_union(&mut self, mismatch: Mismatch, span: Span, id: BindingId, arms: Option<(ValueId, ValueId)>) {
        let (a, b) = arms.unwrap_or((mismatch.0, mismatch.1));
        let message = format!("this gives {} or {}, which have no common shape", self.shown(a), self.shown(b));
        let procedures = |v: ValueId| match self.values.get(v) {
            Value::Closure(lambda, _) => Some(lambda),
            _ => None,
        };
        let both = procedures(mismatch.0).zip(procedures(mismatch.1));
        let inner = (mismatch != Mismatch(a, b))
            .then(|| format!("their parts {} and {} differ", self.shown(mismatch.0), self.shown(mismatch.1)));
        let places = self.arms(span, id);
        self.fault(Code::E0813, span, id, message, |mut d| {
            d = d.label("the condition is not known, so both arms count");
            if let Some((then, otherwise)) = places {
                d = d.also(then, "one arm").also(otherwise, "the other");
            }
            if let Some(inner) = inner {
                d = d.note(inner);
            }
            match both {
                Some(_) => d.help(
                    "two procedures have no common shape unless they come from one `lambda`: call them in the arms",
                ),
                None => d.help("give both arms one shape: two reals, two booleans, or pairs and lists of such"),
            }
        });
    }

    /// Ends of the two arms of the conditional at a position.
    fn arms(&self, span: Span, id: BindingId) -> Option<(Span, Span)> {
        let body = match self.binding(id).procedure {
            Some((lambda, _)) => &self.core.lambda(lambda).body,
            None => &self.core.main,
        };
        let blocks = conditional(body, span)?;
        let end = |block: &Block| block.steps.last().map(|step| step.span);
        Some((end(&blocks.0)?, end(&blocks.1)?)).filter(|(a, b)| !self.is_library(*a) && !self.is_library(*b))
    }

    /// Reports a comparison of two tokens whose order is unknown.
    pub(super) fn unknown_token(&mut self, span: Span, id: BindingId) {
        let message = "which of the two tokens is older, or whether they are one, depends on the run".to_owned();
        self.fault(Code::E0817, span, id, message, |d| {
            d.label("compared here")
                .note("tokens exist only while a program is compiled")
                .help("let both arms of a condition that is not known give the same token")
        });
    }

    pub(super) fn too_deep(&mut self, span: Span, id: BindingId) {
        let message = format!("a value is nested more than {MAX_HEIGHT} deep here");
        self.fault(Code::E0815, span, id, message, |d| {
            d.note("the shape of every value is known at compile time: a recursion that makes a larger shape each time does not end")
                .help("if the recursion should end, its condition must be known at compile time")
        });
    }

    pub(super) fn too_wide(&mut self, span: Span, id: BindingId) {
        let message = format!("more than {MAX_WIDTH} unknown numbers in one value");
        self.fault(Code::E0815, span, id, message, |d| {
            d.note("each number that is not known at compile time is a variable of the compiled program")
                .help("compute the results that you need while building the structure")
        });
    }

    /// A loop with an unknown trip count in reverse mode.
    pub(super) fn unknown_record(&mut self, span: Span, id: BindingId) {
        let message = "the number of operations recorded here for `gradient-r` depends on the run".to_owned();
        self.fault(Code::E0820, span, id, message, |d| {
            d.label("has an unknown number of iterations")
                .note("reverse mode propagates back through each operation, so the number of iterations must be known at compile time")
                .help("`(elementary (lambda (x) …))` around the loop makes it one operation; `gradient-f` does not need this")
        });
    }

    /// Reports the procedure that is applied to ever more arguments.
    pub(super) fn endless(&mut self) {
        let mut counts: FxHashMap<LambdaId, (usize, BindingId, BindingId)> = FxHashMap::default();
        for (index, binding) in self.bindings.iter().enumerate() {
            let Some((lambda, _)) = binding.procedure else { continue };
            let id = BindingId(index as u32);
            let entry = counts.entry(lambda).or_insert((0, id, id));
            *entry = (entry.0 + 1, entry.2, id);
        }
        // Of the most applied ones, prefer the user's own.
        let rank = |(lambda, count): (&LambdaId, &(usize, BindingId, BindingId))| {
            let is_own = !self.core.lambda(*lambda).in_library;
            (is_own && count.0 > self.bindings.len() / 1000, count.0, std::cmp::Reverse(*lambda))
        };
        let most = counts.iter().max_by_key(|&(l, c)| rank((l, c))).map(|(l, c)| (*l, *c));
        let Some((lambda, (count, before, last))) = most else { return };
        let name = self.core.lambda(lambda).name.clone();
        let printer = Printer::new(self);
        let (before, now) = (printer.short(self.binding(before).argument), printer.short(self.binding(last).argument));
        let message = format!("analysis does not end: `{name}` is applied to ever new arguments");
        let (caller, span) = self.binding(last).caller.unwrap_or((MAIN, self.core.span));
        self.faults.clear();
        self.fault(Code::E0815, span, caller, message, |d| {
            d.label(format!("applied to {now}"))
                .note(format!("after {count} such applications; the one before was to {before}"))
                .help(
                    "values that change from iteration to iteration must not be known: write `(real …)` around its first value, \
                     so that it is any real",
                )
        });
    }

    /// Warns of a procedure that is analyzed for very many arguments, though the analysis terminates.
    pub(super) fn warn_of_many(&mut self) {
        let mut all: FxHashMap<LambdaId, Vec<BindingId>> = FxHashMap::default();
        for (index, binding) in self.bindings.iter().enumerate() {
            let is_left = self.values.width(binding.value) > 0 || binding.effects.any();
            if let Some((lambda, _)) = binding.procedure.filter(|_| is_left) {
                all.entry(lambda).or_default().push(BindingId(index as u32));
            }
        }
        // Faults in the library may be consequences of faults in the user's own text.
        let own = |lambda: LambdaId| !self.core.lambda(lambda).in_library;
        let Some((lambda, ids)) = all
            .into_iter()
            .filter(|(_, ids)| ids.len() >= MANY)
            .max_by_key(|(lambda, ids)| (own(*lambda), ids.len(), std::cmp::Reverse(*lambda)))
        else {
            return;
        };
        let (name, count) = (self.core.lambda(lambda).name.clone(), ids.len());
        let part = self.what_changes(lambda, &ids);
        let first = ids.iter().find_map(|&id| {
            let caller = self.binding(id).caller?;
            let is_itself = self.binding(caller.0).procedure.is_some_and(|(other, _)| other == lambda);
            (!is_itself).then_some(caller)
        });
        let (caller, span) = first.unwrap_or((MAIN, self.core.span));
        let message = format!("`{name}` becomes {count} functions, one for each argument that it is given");
        self.fault(Code::W0110, span, caller, message, |mut d| {
            d = d.label("this leads to them");
            if let Some((part, two)) = part {
                d = d.note(format!("`{part}` changes: {two}, and so on")).help(format!(
                    "if `{part}` need not be known at compile time, write `(real …)` around its first value: then all are one"
                ));
            }
            d
        });
    }

    /// The parameter or capture of a procedure that changes most from one binding to the next, with two of its values.
    fn what_changes(&self, lambda: LambdaId, ids: &[BindingId]) -> Option<(String, String)> {
        let text = self.core.lambda(lambda);
        let parts = |id: BindingId| {
            let binding = self.binding(id);
            let mut parts = Vec::new();
            self.parts(&text.pattern, binding.argument, &mut parts);
            let captured = binding.procedure.map(|(_, env)| self.values.env(env).to_vec());
            parts.extend(captured.into_iter().flatten());
            parts
        };
        let names: Vec<_> = text.parameters.iter().chain(&*text.captures).collect();
        let mut changes = vec![(0, None); names.len()];
        for two in ids.windows(2) {
            for (index, (a, b)) in parts(two[0]).into_iter().zip(parts(two[1])).enumerate() {
                if a != b && index < changes.len() {
                    changes[index] = (changes[index].0 + 1, Some((a, b)));
                }
            }
        }
        // Of those that change alike, the first.
        let (index, (_, two)) = changes.into_iter().enumerate().rev().max_by_key(|(_, (count, _))| *count)?;
        let (a, b) = two?;
        let printer = Printer::new(self);
        Some((names[index].to_string(), format!("{}, {}", printer.short(a), printer.short(b))))
    }

    /// The values of the variables of a pattern.
    /// Recursion: over the pattern, at most `reader::MAX_DEPTH` lists of `MAX_PARAMETERS` each.
    fn parts(&self, pattern: &Pattern<u32>, value: ValueId, parts: &mut Vec<ValueId>) {
        match (pattern, self.values.get(value)) {
            (Pattern::Var(_), _) => parts.push(value),
            (Pattern::Pair(patterns), Value::Pair(a, b)) => {
                self.parts(&patterns.0, a, parts);
                self.parts(&patterns.1, b, parts);
            }
            _ => {}
        }
    }

    /// Reports faults of the whole program: no value, or one that cannot be returned to the host.
    pub(super) fn check(&mut self) {
        if !self.faults.is_empty() {
            return;
        }
        let value = self.binding(MAIN).value;
        if value == Values::BOTTOM {
            self.no_value(MAIN, self.core.span);
            return;
        }
        let procedure = matches!(self.values.get(value), Value::Closure(..) | Value::Primitive(_));
        if self.core.has_value && self.values.leaf_count(value) > MAX_LEAVES {
            self.too_large(Code::E0817, "the program's value", self.core.span);
        } else if self.core.has_value && !procedure && self.holds_procedure(value) {
            let message = format!("the program's value is {}, which holds a procedure", self.shown(value));
            self.fault(Code::E0817, self.core.span, MAIN, message, |d| {
                d.help("a procedure can be the value itself, or `(export name (real …))` hands it out")
            });
        }
        for index in 0..self.exposed.len() {
            let exposed = &self.exposed[index];
            let (result, export) = (exposed.result, exposed.export);
            let span = export.map_or(self.core.span, |e| self.core.exports[e].span);
            if result == Values::BOTTOM {
                let binding = exposed.applications.last().and_then(|(_, _, binding)| *binding);
                self.no_value(binding.unwrap_or(MAIN), span);
            } else if self.values.leaf_count(result) > MAX_LEAVES {
                self.too_large(Code::E0816, "the result of the exported procedure", span);
            } else if self.holds_procedure(result) {
                let message = format!("the exported procedure gives {}, which is no data", self.shown(result));
                self.fault(Code::E0816, span, MAIN, message, |d| {
                    d.help("give its arguments, one list for each application: `(export name (real) (real real))`")
                });
            } else if let Some(shape) = export.and_then(|e| self.core.exports[e].result.as_ref())
                && !self.has_shape(result, shape)
            {
                let message = format!("the exported procedure gives {}, which has another shape", self.shown(result));
                self.fault(Code::E0816, span, MAIN, message, |d| {
                    d.help("declare the shape of its value after `->`, or leave that out")
                });
            }
        }
    }

    /// A value for the host with too many parts.
    fn too_large(&mut self, code: Code, what: &str, span: Span) {
        let message = format!("{what} has more than {MAX_LEAVES} parts");
        self.fault(code, span, MAIN, message, |d| {
            d.note("each number and each boolean in it is a result of its own")
                .help("compute the results that you need from the structure here")
        });
    }

    /// Of a value with at most `MAX_LEAVES` parts.
    fn holds_procedure(&self, value: ValueId) -> bool {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            match self.values.get(value) {
                Value::Closure(..) | Value::Primitive(_) => return true,
                Value::Pair(a, b) => open.extend([a, b]),
                Value::Bundle(_, primal, tangent) => open.extend([primal, tangent]),
                _ => {}
            }
        }
        false
    }

    /// Follows an application without a result to the position where evaluation ends.
    fn no_value(&mut self, from: BindingId, span: Span) {
        let (mut id, mut seen) = (from, Vec::new());
        let error = loop {
            seen.push(id);
            let binding = self.binding(id);
            let body = match binding.procedure {
                Some((lambda, _)) => &self.core.lambda(lambda).body,
                None => &self.core.main,
            };
            if let Some(found) = certain_error(body, &binding.slots) {
                break Some(found);
            }
            let next = binding
                .calls
                .iter()
                .map(|call| call.binding)
                .find(|&id| self.binding(id).value == Values::BOTTOM && !seen.contains(&id));
            match next {
                Some(next) => id = next,
                None => break None,
            }
        };
        match error {
            Some((place, message)) => {
                let text = format!("this error is certain: {message}");
                self.fault(Code::E0814, place, id, text, |d| {
                    d.label("reached for any input").help("an `error` after an unknown condition is left to run time")
                });
            }
            None => self.fault(Code::E0818, span, MAIN, "this never gives a value".into(), |d| {
                d.note("every path through it applies procedures without end")
                    .help("a recursion needs an arm of a condition that does not go on")
            }),
        }
    }
}

/// The arms of the conditional at a place.
/// Recursion: as deep as conditionals nest, at most `expand::MAX_DEPTH`.
fn conditional(block: &Block, span: Span) -> Option<&(Block, Block)> {
    for step in &block.steps {
        if let Operation::If(_, blocks) = &step.operation {
            if step.span == span {
                return Some(blocks);
            }
            if let Some(found) = conditional(&blocks.0, span).or_else(|| conditional(&blocks.1, span)) {
                return Some(found);
            }
        }
    }
    None
}

/// The error of the first step without a value, or of a step that it leads to.
/// Recursion: as deep as conditionals nest, at most `expand::MAX_DEPTH`.
fn certain_error(block: &Block, slots: &[ValueId]) -> Option<(Span, String)> {
    let stops = |slot: u32| slots.get(slot as usize).is_none_or(|&v| v == Values::BOTTOM);
    let step = block.steps.iter().find(|step| match step.operation {
        Operation::Match(..) => false,
        _ => stops(step.slot),
    })?;
    match &step.operation {
        Operation::Error(message) => Some((step.span, message.to_string())),
        Operation::If(_, blocks) => certain_error(&blocks.0, slots).or_else(|| certain_error(&blocks.1, slots)),
        _ => None,
    }
}

/// Number of operands of a pattern; `None` if it is a list, or variadic.
fn count(pattern: &Pattern<u32>) -> Option<usize> {
    let (mut count, mut rest) = (1, pattern);
    while let Pattern::Pair(parts) = rest {
        count += 1;
        rest = &parts.1;
    }
    (!matches!(rest, Pattern::Nil)).then_some(count)
}

fn operands(count: usize) -> String {
    if count == 1 { "1 operand".into() } else { format!("{count} operands") }
}
