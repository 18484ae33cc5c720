//! Rule sets: tables of small named rewrites that the builder asks before it makes a node.
//!
//! Rules are dispatched by root op. Sets are ordered: a later set is asked first, and in a set an earlier rule. What a
//! rule builds goes through the builder again, so its parts are rewritten in turn. How to write one, and the stories of
//! those that went wrong: `README.md` in this folder.

mod arith;
mod check;
mod site;

use std::cell::{Cell, RefCell};

use planish_ir::builder::{Builder, Request, Rewriter};
use planish_ir::entity::Value;
use planish_ir::ops::{OPS, Op};

use crate::context::{Context, Options};

pub use check::{Missed, missed};
pub use site::Site;

/// What a rule takes for granted beyond the IR's own meaning. All but `Exact` need `--fast-math`; `docs/numerics.md` says
/// what each gives up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Law {
    /// Nothing: the same bits (any NaN is as good as any other).
    Exact,
    /// `-0.0` and `0.0` are the same.
    SignedZero,
    /// No operand or result is NaN or infinite.
    Finite,
    /// Sums and products may be regrouped.
    Associative,
    /// `x / y` is `x * (1 / y)`.
    Reciprocal,
    /// Functions of real numbers: `sqrt(x) * sqrt(x)` is `x`, `exp(log(x))` is `x`, …
    RealFunctions,
}

/// One rewrite.
pub struct Rule {
    /// Its name, for remarks, statistics and tests; unique.
    pub name: &'static str,
    /// The ops it is asked for.
    pub roots: &'static [Op],
    /// What it takes for granted.
    pub law: Law,
    /// `before → after`.
    pub about: &'static str,
    /// A value that equals the requested node, or `None`.
    pub apply: fn(&mut Site<'_, '_, '_>) -> Option<Value>,
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.name, self.about)
    }
}

/// A named list of rules.
#[derive(Clone, Copy, Debug)]
pub struct RuleSet {
    /// Its name.
    pub name: &'static str,
    /// In the order they are tried.
    pub rules: &'static [Rule],
}

/// Every rule set, in order: later ones are asked first.
pub static RULE_SETS: &[RuleSet] = &[RuleSet { name: "arith", rules: arith::RULES }];

/// The rules of one compilation, ready to be asked.
pub struct Rules {
    by_op: Vec<Vec<(usize, &'static Rule)>>,
    names: Vec<&'static str>,
    hits: RefCell<Vec<u64>>,
    depth: Cell<u32>,
    max_depth: u32,
    exhausted: Cell<u64>,
}

impl Rules {
    /// The rules that the options allow.
    pub fn new(options: &Options) -> Self {
        let mut by_op: Vec<Vec<(usize, &'static Rule)>> = vec![Vec::new(); OPS.len()];
        let mut names = Vec::new();
        for set in RULE_SETS.iter().rev() {
            for rule in set.rules {
                let number = names.len();
                names.push(rule.name);
                if rule.law == Law::Exact || options.fast_math {
                    rule.roots.iter().for_each(|&op| by_op[op as usize].push((number, rule)));
                }
            }
        }
        let hits = RefCell::new(vec![0; names.len()]);
        let max_depth = options.limits.rule_depth;
        Rules { by_op, names, hits, depth: Cell::new(0), max_depth, exhausted: Cell::new(0) }
    }

    /// Counts what fired.
    pub fn report(&self, context: &mut Context) {
        for (name, &hits) in self.names.iter().zip(self.hits.borrow().iter()) {
            context.count(name, hits);
        }
        context.count("RuleDepthReached", self.exhausted.get());
    }

    /// The first rule that has something better than the request, and what.
    fn find(&self, builder: &mut Builder<'_, '_>, request: &Request<'_>) -> Option<(usize, Value)> {
        let precise = builder.is_precise();
        for &(number, rule) in &self.by_op[request.op as usize] {
            if precise && rule.law != Law::Exact {
                continue;
            }
            if let Some(value) = (rule.apply)(&mut Site::new(builder, request)) {
                return Some((number, value));
            }
        }
        None
    }
}

impl Rewriter for Rules {
    fn rewrite(&self, builder: &mut Builder<'_, '_>, request: &Request<'_>) -> Option<Value> {
        if self.by_op[request.op as usize].is_empty() {
            return None;
        }
        if self.depth.get() >= self.max_depth {
            self.exhausted.set(self.exhausted.get() + 1);
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        let found = self.find(builder, request);
        self.depth.set(self.depth.get() - 1);
        let (number, value) = found?;
        self.hits.borrow_mut()[number] += 1;
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn rules_have_unique_names_and_say_what_they_do() {
        let mut names = HashSet::new();
        for rule in RULE_SETS.iter().flat_map(|set| set.rules) {
            assert!(names.insert(rule.name), "{} stands twice", rule.name);
            assert!(rule.about.contains('→'), "{}", rule.name);
            assert!(!rule.roots.is_empty(), "{}", rule.name);
        }
    }
}
