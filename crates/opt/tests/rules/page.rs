//! The page of the rules, written from the tables. `BLESS=1` writes it anew.

use std::fmt::Write;
use std::fs;

use planish_opt::rules::{Law, RULE_SETS};
use planish_testkit::{committed, folder};

const HEAD: &str = "# Rules

Rewrites that the builder applies before it makes a node. A rule is exact (the same bits for every input), or exact except for the
bits of a NaN (*any NaN*), or, under `--fast-math`, relies on a law of real numbers, described in
[numerics.md](numerics.md#changes-by-the-optimizer). Sets are applied from the last to the
first, the rules of a set in order. In the formulas `c` and `d` are constants, `!`, `&` and `|` apply to booleans and to the bits of integers, `v with v.x = a`
is an insertion.

This page is written by a test (`BLESS=1 cargo test -p planish-opt page`).
";

fn law(law: Law) -> &'static str {
    match law {
        Law::Exact => "",
        Law::AnyNan => "any NaN",
        Law::SignedZero => "signed zero",
        Law::Finite => "finite",
        Law::Associative => "associative",
        Law::Reciprocal => "reciprocal",
        Law::RealFunctions => "real functions",
    }
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    let all = RULE_SETS.iter().flat_map(|set| set.rules).count();
    let always = RULE_SETS.iter().flat_map(|set| set.rules).filter(|r| !r.law.needs_fast_math()).count();
    write!(page, "\n{all} rules, {always} of them always on.\n").unwrap();
    for set in RULE_SETS {
        write!(page, "\n## {}\n\n{}\n\n| rule | law | before → after |\n| --- | --- | --- |\n", set.name, set.about)
            .unwrap();
        for rule in set.rules {
            let about = rule.about.replace('|', "\\|");
            writeln!(page, "| `{}` | {} | `{about}` |", rule.name, law(rule.law)).unwrap();
        }
    }
    page
}

#[test]
fn the_page_follows_the_tables() {
    committed("docs/rules.md", &page());
}

/// Each law has its paragraph.
#[test]
fn every_law_is_in_the_numerics_page() {
    let numerics = fs::read_to_string(folder("docs/numerics.md")).expect("can be read").to_lowercase();
    for rule in RULE_SETS.iter().flat_map(|set| set.rules).filter(|r| r.law != Law::Exact) {
        let name = law(rule.law);
        assert!(numerics.contains(&format!("**{}**", name.to_lowercase())), "{name} is not in docs/numerics.md");
    }
}
