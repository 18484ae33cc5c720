//! Rule sets: tables of small named rewrites that the builder asks before it makes a node.
//!
//! Rules are dispatched by root op. Sets are ordered: a later set is asked first, and in a set an earlier rule. What a
//! rule builds goes through the builder again, so its parts are rewritten in turn. How to write one, and the stories of
//! those that went wrong: `README.md` in this folder.

mod aggregate;
mod arith;
mod bits;
mod boolean;
mod bounds;
mod check;
mod compare;
mod convert;
mod custom;
mod derivative;
mod math;
mod matrix;
mod products;
mod select;
mod site;
mod sums;
mod texture;
mod vector;

use std::cell::{Cell, RefCell};
use std::sync::{Arc, OnceLock};

use planish_ir::builder::{Builder, Request, Rewriter};
use planish_ir::entity::{Func, Value};
use planish_ir::module::Module;
use planish_ir::ops::{Imm, ImmKind, OPS, Op};
use planish_ir::source::Span;
use planish_ir::types::Scalar;

use crate::context::{Context, Options, RemarkKind};
use crate::cost::{CostTable, Costs};
use crate::limits::Limits;

pub use check::{Missed, missed};
pub use custom::CustomRule;
pub use site::{Site, number_bits};

/// The law that a rule assumes beyond the IR's own meaning. All but `Exact` and `AnyNan` need `--fast-math`;
/// `docs/numerics.md` gives the loss of each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Law {
    /// Nothing: the same bits.
    Exact,
    /// Any NaN is as good as any other; otherwise the same bits. Not in WebAssembly, where arithmetic must not let a
    /// signalling NaN through.
    AnyNan,
    /// `-0.0` and `0.0` are the same.
    SignedZero,
    /// No operand or result is NaN or infinite.
    Finite,
    /// Sums and products may be regrouped: associativity and distributivity.
    Associative,
    /// `x / y` is `x * (1 / y)`.
    Reciprocal,
    /// Functions of real numbers: `sqrt(x) * sqrt(x)` is `x`, `exp(log(x))` is `x`, …
    RealFunctions,
}

impl Law {
    /// Whether it holds under `--fast-math` only.
    pub fn needs_fast_math(self) -> bool {
        !matches!(self, Law::Exact | Law::AnyNan)
    }
}

/// One rewrite.
pub struct Rule {
    /// Its name, for remarks, statistics and tests; unique.
    pub name: &'static str,
    /// The ops it is asked for.
    pub roots: &'static [Op],
    /// The law it assumes.
    pub law: Law,
    /// `before → after`.
    pub about: &'static str,
    /// A value that equals the requested node, or `None`.
    pub apply: fn(&mut Site<'_, '_, '_>) -> Option<Value>,
}

/// A row of a table of rules.
const fn rule(
    name: &'static str,
    roots: &'static [Op],
    law: Law,
    about: &'static str,
    apply: fn(&mut Site<'_, '_, '_>) -> Option<Value>,
) -> Rule {
    Rule { name, roots, law, about, apply }
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
    /// Its subject, in one sentence.
    pub about: &'static str,
    /// In the order they are tried.
    pub rules: &'static [Rule],
}

/// Every rule set, in order: later ones are asked first.
pub static RULE_SETS: &[RuleSet] = &[
    RuleSet {
        name: "arith",
        about: "Identities and annihilators of numbers, forms of negation and subtraction, division.",
        rules: arith::RULES,
    },
    RuleSet {
        name: "boolean",
        about: "Boolean algebra, on booleans and on the bits of integers.",
        rules: boolean::RULES,
    },
    RuleSet {
        name: "compare",
        about: "Comparisons: canonical form, those that are decided, and pairs of them.",
        rules: compare::RULES,
    },
    RuleSet { name: "select", about: "Choices.", rules: select::RULES },
    RuleSet { name: "bounds", about: "Min, max, clamp, saturate, step, mix, and known ranges.", rules: bounds::RULES },
    RuleSet { name: "vector", about: "Swizzles, constructors, extraction and insertion.", rules: vector::RULES },
    RuleSet { name: "matrix", about: "Transposition, products with constants, columns.", rules: matrix::RULES },
    RuleSet { name: "aggregate", about: "Parts of structs and arrays.", rules: aggregate::RULES },
    RuleSet { name: "convert", about: "Conversions and bitcasts.", rules: convert::RULES },
    RuleSet { name: "bits", about: "Masks, shifts, rotations, fields, powers of two.", rules: bits::RULES },
    RuleSet {
        name: "derivative",
        about: "Derivatives of values that are equal over the quad.",
        rules: derivative::RULES,
    },
    RuleSet { name: "texture", about: "Arguments of texture ops that do nothing.", rules: texture::RULES },
    RuleSet { name: "math", about: "Functions of floats, and vectors as geometry.", rules: math::RULES },
    RuleSet { name: "products", about: "Products and quotients regrouped.", rules: products::RULES },
    RuleSet { name: "sums", about: "Sums regrouped, and chains of bits.", rules: sums::RULES },
];

/// A rule that can be asked.
#[derive(Clone, Copy)]
struct Asked {
    /// Its number among the names.
    number: u32,
    law: Law,
    apply: Apply,
}

#[derive(Clone, Copy)]
enum Apply {
    BuiltIn(fn(&mut Site<'_, '_, '_>) -> Option<Value>),
    /// A rule of the user's, by its index.
    Custom(u32),
}

/// Rules by the op they are asked for.
struct Table {
    /// Those of all ops, one op after the other.
    asked: Vec<Asked>,
    /// By op: the end of its part of `asked`.
    ends: Vec<u32>,
    /// By number.
    names: Vec<&'static str>,
}

impl Table {
    /// Of the built-in rules alone, which are arranged once.
    fn built_in(fast_math: bool) -> Arc<Self> {
        static TABLES: [OnceLock<Arc<Table>>; 2] = [const { OnceLock::new() }; 2];
        let table = || Arc::new(Table::new(&[], RULE_SETS, fast_math));
        TABLES[usize::from(fast_math)].get_or_init(table).clone()
    }

    fn new(custom: &[CustomRule], sets: &[RuleSet], fast_math: bool) -> Self {
        let mut names = Vec::new();
        let mut rows: Vec<(&[Op], Asked)> = Vec::new();
        let mut ends = vec![0; OPS.len()];
        let mut add = |name, roots, law: Law, apply| {
            if !law.needs_fast_math() || fast_math {
                rows.push((roots, Asked { number: names.len() as u32, law, apply }));
                roots.iter().for_each(|&op| ends[op as usize] += 1);
            }
            names.push(name);
        };
        for (index, rule) in custom.iter().enumerate() {
            add(rule.name, rule.roots(), rule.law, Apply::Custom(index as u32));
        }
        for rule in sets.iter().rev().flat_map(|set| set.rules) {
            add(rule.name, rule.roots, rule.law, Apply::BuiltIn(rule.apply));
        }
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(end, total);
        }
        let none = Asked { number: 0, law: Law::Exact, apply: Apply::Custom(0) };
        let mut asked = vec![none; total as usize];
        for (roots, row) in rows {
            for &op in roots {
                asked[ends[op as usize] as usize] = row;
                ends[op as usize] += 1;
            }
        }
        Table { asked, ends, names }
    }

    /// The rules of an op, in the order they are asked.
    fn of(&self, op: Op) -> &[Asked] {
        let before = (op as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.asked[before as usize..self.ends[op as usize] as usize]
    }
}

/// The rules of one compilation, ready to be asked.
pub struct Rules {
    table: Arc<Table>,
    custom: Vec<CustomRule>,
    hits: RefCell<Vec<u64>>,
    depth: Cell<u32>,
    max_depth: u32,
    /// Hits that are left for the node that is being made, with all that rules make of it.
    fuel: Cell<u32>,
    max_fuel: u32,
    exhausted: Cell<u64>,
    /// By depth: the rule that is being asked.
    asking: Vec<Cell<usize>>,
    /// The first place where the bounds on depth or fuel stopped the rules.
    stopped: RefCell<Option<Stopped>>,
    costs: Option<Costs>,
    /// Numbers of the rules that are left out.
    left_out: Vec<usize>,
    /// Numbers of the rules that are left out while `is_sparing`.
    spared: Vec<usize>,
    is_sparing: Cell<bool>,
}

impl Rules {
    /// The built-in rules that the options allow.
    pub fn new(options: &Options) -> Self {
        Self::with_sets(options, RULE_SETS)
    }

    /// The rules of these sets that the options allow. Beside the built-in sets, a program's own set is asked first;
    /// before it, the rules of [`Options::rules`], which may be closures.
    ///
    /// # Example
    /// A program that knows that its angles are given in turns:
    /// ```
    /// use planish_ir::builder::{Builder, Policy};
    /// use planish_ir::module::{Language, Module};
    /// use planish_ir::ops::Op;
    /// use planish_opt::Options;
    /// use planish_opt::rules::{Law, RULE_SETS, Rule, RuleSet, Rules};
    ///
    /// static TURNS: &[Rule] = &[Rule {
    ///     name: "whole_turns",
    ///     roots: &[Op::Sin],
    ///     law: Law::Exact,
    ///     about: "sin(x + 1.0) → sin(x)",
    ///     apply: |s| {
    ///         let (x, whole) = s.binary(s.arg(0), Op::Add)?;
    ///         s.is_number(whole, 1.0).then(|| s.make(Op::Sin, &[x]))
    ///     },
    /// }];
    /// let mut sets = RULE_SETS.to_vec();
    /// sets.push(RuleSet { name: "turns", about: "Angles in turns.", rules: TURNS });
    /// let rules = Rules::with_sets(&Options::default(), &sets);
    ///
    /// let mut module = Module::new(Language::Ir);
    /// let policy = Policy { rules: Some(&rules), ..Policy::SHARED };
    /// let mut b = Builder::outside(&mut module, policy);
    /// let block = b.block();
    /// let x = b.add_input(block, planish_ir::entity::Type::F32, Default::default());
    /// let one = b.f32(1.0);
    /// let later = b.op(Op::Add, &[x, one]);
    /// assert_eq!(b.op(Op::Sin, &[later]), b.op(Op::Sin, &[x]));
    /// ```
    pub fn with_sets(options: &Options, sets: &[RuleSet]) -> Self {
        let is_built_in = options.rules.is_empty() && std::ptr::eq(sets, RULE_SETS);
        let table = match is_built_in {
            true => Table::built_in(options.fast_math),
            false => Arc::new(Table::new(&options.rules, sets, options.fast_math)),
        };
        let Limits { rule_depth: max_depth, rule_fuel: max_fuel, .. } = options.limits;
        Rules {
            hits: RefCell::new(vec![0; table.names.len()]),
            depth: Cell::new(0),
            max_depth,
            fuel: Cell::new(max_fuel),
            max_fuel,
            exhausted: Cell::new(0),
            asking: vec![Cell::new(0); max_depth as usize],
            stopped: RefCell::default(),
            costs: options.costs.clone(),
            left_out: Vec::new(),
            spared: Vec::new(),
            is_sparing: Cell::new(false),
            table,
            custom: options.rules.clone(),
        }
    }

    /// Without the rules of these names, whose work a pass does with more care.
    pub fn without(mut self, names: &[&str]) -> Self {
        self.left_out.extend(self.numbers(names));
        self
    }

    /// Names of rules that are left out while [`Rules::spare`] is set.
    pub fn sparing(mut self, names: &[&str]) -> Self {
        self.spared = self.numbers(names);
        self
    }

    /// Numbers of the rules of these names.
    fn numbers(&self, names: &[&str]) -> Vec<usize> {
        let rules = self.table.names.iter().enumerate();
        rules.filter(|(_, name)| names.contains(name)).map(|(number, _)| number).collect()
    }

    /// Leaves the rules that [`Rules::sparing`] named out from now on, or asks them again. A rule that takes two nodes apart
    /// to make two others pays if one of the two falls away, which only the pass may know.
    pub fn spare(&self, on: bool) {
        self.is_sparing.set(on);
    }

    /// Counts the rules that fired, and leaves a remark where rules were stopped.
    pub fn report(&self, module: &Module, context: &mut Context) {
        for (name, &hits) in self.table.names.iter().zip(self.hits.borrow().iter()) {
            context.count(name, hits);
        }
        let mut exhausted = self.exhausted.get();
        let stopped = self.stopped.borrow();
        if let Some(stopped) = stopped.as_ref().filter(|stopped| module.funcs.get(stopped.func).is_some()) {
            let names: Vec<String> =
                stopped.rules.iter().map(|&rule| format!("`{}`", self.table.names[rule])).collect();
            let message = format!("stopped after {}: {} rewrite their own results", stopped.bound, names.join(", "));
            context.remark(RemarkKind::Limit, "RuleDepthReached", module, stopped.func, stopped.span, message);
            exhausted -= 1;
        }
        context.count("RuleDepthReached", exhausted);
    }

    /// Adds the hits of the same rules elsewhere.
    pub(crate) fn absorb(&self, other: Rules) {
        self.hits.borrow_mut().iter_mut().zip(other.hits.into_inner()).for_each(|(hits, more)| *hits += more);
        self.exhausted.set(self.exhausted.get() + other.exhausted.get());
        if let Some(stopped) = other.stopped.into_inner() {
            self.stopped.borrow_mut().get_or_insert(stopped);
        }
    }

    /// Notes that a bound stopped the rules on a node.
    fn stop(&self, builder: &Builder<'_, '_>) {
        self.exhausted.set(self.exhausted.get() + 1);
        let depth = self.depth.get() as usize;
        let bound = match depth < self.max_depth as usize {
            true => format!("{} hits for one node", self.max_fuel),
            false => format!("{depth} nested rules"),
        };
        self.stopped.borrow_mut().get_or_insert_with(|| {
            let mut rules: Vec<usize> = self.asking[..depth].iter().rev().take(MOST_NAMED).map(Cell::get).collect();
            rules.sort_unstable();
            rules.dedup();
            Stopped { func: builder.func(), span: builder.span(), bound, rules }
        });
    }

    /// The first rule that has a better form than the request, with that form.
    fn find(&self, builder: &mut Builder<'_, '_>, request: &Request<'_>) -> Option<(usize, Value)> {
        let precise = builder.is_precise();
        let strict = builder.module.facts.nan_bits && touches_floats(builder, request);
        let costs = match &self.costs {
            Some(costs) => costs,
            None => CostTable::of_module(builder.module),
        };
        let asking = self.asking.get(self.depth.get().saturating_sub(1) as usize);
        for &Asked { number, law, apply } in self.table.of(request.op) {
            let number = number as usize;
            if precise && law.needs_fast_math() || strict && law == Law::AnyNan {
                continue;
            }
            if self.left_out.contains(&number) || self.is_sparing.get() && self.spared.contains(&number) {
                continue;
            }
            if let Some(asking) = asking {
                asking.set(number);
            }
            let mut site = Site::new(builder, request, costs);
            let found = match apply {
                Apply::BuiltIn(apply) => apply(&mut site),
                Apply::Custom(index) => self.custom[index as usize].apply(&mut site),
            };
            if let Some(value) = found {
                return Some((number, value));
            }
        }
        None
    }
}

/// Rules named in a remark.
const MOST_NAMED: usize = 4;

/// The place where the rules were stopped.
struct Stopped {
    func: Func,
    span: Span,
    /// The bound.
    bound: String,
    /// The rules that were being applied, innermost first.
    rules: Vec<usize>,
}

/// Whether an operand or the result has float components: only then is there a NaN.
fn touches_floats(builder: &Builder<'_, '_>, request: &Request<'_>) -> bool {
    let types = &builder.module.types;
    let float = |ty| types.scalar_of(ty).is_none_or(Scalar::is_float);
    request.ty.is_some_and(float) || request.args.iter().any(|&a| float(builder.type_of(a)))
}

impl Rewriter for Rules {
    fn rewrite(&self, builder: &mut Builder<'_, '_>, request: &Request<'_>) -> Option<Value> {
        if request.op.info().imm == ImmKind::Guard && request.imm.is_guarded() {
            // The replacement of an operand by a rule or a fact may be out of range, so the promise is dropped.
            return Some(builder.make(Request { imm: Imm::NONE, ..*request }));
        }
        if self.table.of(request.op).is_empty() {
            return None;
        }
        let depth = self.depth.get();
        if depth == 0 {
            self.fuel.set(self.max_fuel);
        }
        if depth >= self.max_depth || self.fuel.get() == 0 {
            self.stop(builder);
            return None;
        }
        self.depth.set(depth + 1);
        let found = self.find(builder, request);
        self.depth.set(depth);
        let (number, value) = found?;
        self.fuel.set(self.fuel.get().saturating_sub(1));
        self.hits.borrow_mut()[number] += 1;
        Some(value)
    }
}
