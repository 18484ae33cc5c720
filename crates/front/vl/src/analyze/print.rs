//! The analysis as text and as a page: bindings as `iterate, ℝ, closure1, (ℝ . ℝ) ↦ (ℝ . ℝ)`.

use std::cell::RefCell;
use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::value::{Value, ValueId, Values};
use super::{Analysis, BindingId, MAIN};
use crate::core::LambdaId;

/// Formats values. Procedures with unknown captures are numbered in order of appearance: `closure1`.
pub(crate) struct Printer<'a, 'c> {
    analysis: &'a Analysis<'c>,
    closures: RefCell<(FxHashMap<ValueId, usize>, Vec<ValueId>)>,
}

/// Characters of a value in a message.
const SHORT: usize = 100;

impl<'a, 'c> Printer<'a, 'c> {
    pub(crate) fn new(analysis: &'a Analysis<'c>) -> Self {
        Printer { analysis, closures: RefCell::default() }
    }

    /// A value in messages, with the names of its procedures.
    pub(super) fn short(&self, value: ValueId) -> String {
        let mut text = String::new();
        self.write(value, false, &mut text);
        if text.chars().count() > SHORT {
            text = text.chars().take(SHORT - 1).chain(['…']).collect();
        }
        text
    }

    /// A value with its procedures numbered.
    pub(super) fn numbered(&self, value: ValueId) -> String {
        let mut text = String::new();
        self.write(value, true, &mut text);
        text
    }

    /// Recursion: as deep as the value nests, at most `MAX_HEIGHT`; tails of lists are a loop.
    fn write(&self, value: ValueId, numbered: bool, text: &mut String) {
        let values = &self.analysis.values;
        match values.get(value) {
            Value::Bottom => text.push('⊥'),
            Value::Nil => text.push_str("()"),
            Value::Bool(b) => text.push_str(if b { "#t" } else { "#f" }),
            Value::AnyBool => text.push('𝔹'),
            Value::Real(bits) => text.push_str(&crate::show::real(bits)),
            Value::AnyReal | Value::Asked(_) => text.push('ℝ'),
            Value::Token(a, b) if a == b => write!(text, "token{a}").expect("a string takes all"),
            Value::Token(a, b) => write!(text, "token{a}…{b}").expect("a string takes all"),
            Value::Node(number) => write!(text, "node{number}").expect("a string takes all"),
            Value::Primitive(primitive) => text.push_str(primitive.public_name()),
            Value::Closure(lambda, env) => {
                let is_plain = values.env_width(env) == 0 && values.tokens(value).is_empty();
                if numbered && !is_plain {
                    write!(text, "closure{}", self.number(value)).expect("a string takes all");
                } else {
                    text.push_str(&self.analysis.core.lambda(lambda).name);
                }
            }
            Value::Bundle(token, primal, tangent) => {
                text.push_str("dual[");
                self.write(token, numbered, text);
                text.push_str(": ");
                self.write(primal, numbered, text);
                text.push_str(", ");
                self.write(tangent, numbered, text);
                text.push(']');
            }
            Value::Pair(..) => self.write_list(value, numbered, text),
        }
    }

    fn write_list(&self, value: ValueId, numbered: bool, text: &mut String) {
        let values = &self.analysis.values;
        text.push('(');
        let mut rest = value;
        while let Value::Pair(item, tail) = values.get(rest) {
            if rest != value {
                text.push(' ');
            }
            self.write(item, numbered, text);
            rest = tail;
            if !numbered && text.len() > 4 * SHORT {
                text.push('…');
                return;
            }
        }
        if rest != Values::NIL {
            text.push_str(" . ");
            self.write(rest, numbered, text);
        }
        text.push(')');
    }

    fn number(&self, closure: ValueId) -> usize {
        let mut closures = self.closures.borrow_mut();
        let next = closures.1.len() + 1;
        if let Some(&number) = closures.0.get(&closure) {
            return number;
        }
        closures.0.insert(closure, next);
        closures.1.push(closure);
        next
    }

    /// The entry of a binding.
    pub(crate) fn entry(&self, id: BindingId) -> String {
        let binding = self.analysis.binding(id);
        let effects = match (binding.effects.io, binding.effects.error) {
            (false, false) => "",
            (true, false) => "  (reads or writes)",
            (false, true) => "  (may end with an error)",
            (true, true) => "  (reads or writes, may end with an error)",
        };
        format!("{} ↦ {}{effects}", self.application(id), self.numbered(binding.value))
    }

    /// A binding without its result.
    pub(super) fn application(&self, id: BindingId) -> String {
        let binding = self.analysis.binding(id);
        let mut text = String::new();
        match binding.procedure {
            None => text.push_str("the program"),
            Some((lambda, env)) => {
                text.push_str(&self.analysis.core.lambda(lambda).name);
                let captured = self.captured(lambda, env);
                if !captured.is_empty() {
                    write!(text, " [{captured}]").expect("a string takes all");
                }
                // The operands in sequence, as in a call.
                let mut rest = binding.argument;
                while let Value::Pair(item, tail) = self.analysis.values.get(rest) {
                    write!(text, ", {}", self.numbered(item)).expect("a string takes all");
                    rest = tail;
                }
                write!(text, ", {}", self.numbered(rest)).expect("a string takes all");
            }
        }
        text
    }

    /// The unknown captures: `c: (ℝ . ℝ)`.
    fn captured(&self, lambda: LambdaId, env: super::EnvId) -> String {
        let values = &self.analysis.values;
        let names = &self.analysis.core.lambda(lambda).captures;
        let unknown = names.iter().zip(&**values.env(env)).filter(|(_, v)| values.width(**v) > 0);
        let parts: Vec<String> = unknown.map(|(name, &v)| format!("{name}: {}", self.numbered(v))).collect();
        parts.join(", ")
    }

    /// Legend of the numbered procedures; it may number more.
    pub(super) fn legend(&self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(closure) = { self.closures.borrow().1.get(lines.len()).copied() } {
            let Value::Closure(lambda, env) = self.analysis.values.get(closure) else { break };
            let name = &self.analysis.core.lambda(lambda).name;
            lines.push(format!("closure{} = {name} [{}]", lines.len() + 1, self.captured(lambda, env)));
        }
        lines
    }
}

impl Analysis<'_> {
    /// The bindings that the program needs, the top level first, each before those that it uses.
    pub(crate) fn needed(&self) -> Vec<BindingId> {
        let exposed = self.exposed.iter().flat_map(|e| e.applications.iter().filter_map(|(_, _, id)| *id));
        let mut open: Vec<BindingId> = exposed.collect();
        open.push(MAIN);
        let mut is_known = vec![false; self.bindings.len()];
        let mut needed = Vec::new();
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut is_known[id.0 as usize], true) {
                continue;
            }
            needed.push(id);
            open.extend(self.binding(id).calls.iter().rev().map(|call| call.binding));
        }
        needed
    }

    /// The analysis as text: an entry a line, the user's procedures before those of the standard library.
    pub(crate) fn text(&self) -> String {
        let printer = Printer::new(self);
        let needed = self.needed();
        let in_library = |id: &&BindingId| {
            self.binding(**id).procedure.is_some_and(|(lambda, _)| self.core.lambda(lambda).in_library)
        };
        let own: Vec<String> = needed.iter().filter(|id| !in_library(id)).map(|&id| printer.entry(id)).collect();
        let library: Vec<String> = needed.iter().filter(in_library).map(|&id| printer.entry(id)).collect();
        let mut text = own.join("\n");
        if !library.is_empty() {
            write!(text, "\n\nstandard library\n{}", library.join("\n")).expect("a string takes all");
        }
        let legend = printer.legend();
        if !legend.is_empty() {
            write!(text, "\n\nwhere\n{}", legend.join("\n")).expect("a string takes all");
        }
        text.push('\n');
        text
    }
}
