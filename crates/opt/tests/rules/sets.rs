//! The sets of rules: names, and the order in which rules are asked.

use std::cell::RefCell;
use std::collections::HashSet;

use planish_ir::builder::{Builder, Policy};
use planish_ir::entity::{Type, Value};
use planish_ir::module::{Language, Module};
use planish_ir::ops::Op;
use planish_opt::Options;
use planish_opt::rules::{Law, RULE_SETS, Rule, RuleSet, Rules, Site};

#[test]
fn rules_have_unique_names_and_say_what_they_do() {
    let mut names = HashSet::new();
    for rule in RULE_SETS.iter().flat_map(|set| set.rules) {
        assert!(names.insert(rule.name), "{} stands twice", rule.name);
        assert!(rule.about.contains('→'), "{}", rule.name);
        assert!(!rule.roots.is_empty(), "{}", rule.name);
    }
}

thread_local! {
    /// The rules that were asked.
    static ASKED: RefCell<Vec<&'static str>> = const { RefCell::new(vec![]) };
}

fn ask(name: &'static str) -> Option<Value> {
    ASKED.with_borrow_mut(|asked| asked.push(name));
    None
}

/// A rule that finds nothing.
const fn rule(
    name: &'static str,
    roots: &'static [Op],
    law: Law,
    apply: fn(&mut Site<'_, '_, '_>) -> Option<Value>,
) -> Rule {
    Rule { name, roots, law, about: "→", apply }
}

/// Of two rules for one op, that of the later set is asked first, and of one set the earlier one.
#[test]
fn later_sets_are_asked_first() {
    static FIRST: &[Rule] = &[rule("a", &[Op::Sin], Law::Exact, |_| ask("a"))];
    static SECOND: &[Rule] = &[
        rule("b", &[Op::Sin, Op::Cos], Law::Exact, |_| ask("b")),
        rule("c", &[Op::Sin], Law::Finite, |_| ask("c")),
        rule("d", &[Op::Sin], Law::AnyNan, |_| ask("d")),
    ];
    let set = |rules| RuleSet { name: "", about: "", rules };
    let asked = |fast_math, op: Op| -> Vec<&str> {
        let options = Options { fast_math, ..Options::default() };
        let rules = Rules::with_sets(&options, &[set(FIRST), set(SECOND)]);
        let mut module = Module::new(Language::Ir);
        let mut b = Builder::outside(&mut module, Policy { rules: Some(&rules), ..Policy::SHARED });
        let block = b.block();
        let x = b.add_input(block, Type::F32, Default::default());
        b.op(op, &[x]);
        ASKED.take()
    };
    assert_eq!(asked(false, Op::Sin), ["b", "d", "a"]);
    assert_eq!(asked(true, Op::Sin), ["b", "c", "d", "a"]);
    assert_eq!(asked(false, Op::Cos), ["b"]);
}
