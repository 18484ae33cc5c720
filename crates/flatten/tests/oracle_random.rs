//! The checkers on random flat functions after all stages. `oracle_random.txt` is the allowance: the number of functions
//! with a residual, by check. It may only decrease (`BLESS=1` writes smaller numbers). `PLANISH_SHOW=CHECK` (or `all`) prints
//! the smallest function with one.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use planish_flatten::checker::{fold_residuals, optimize_residuals};
use planish_flatten::{Options, STAGES, Visible};
use planish_ir::text::{parse_str, print};
use planish_testkit::straight_line::Random;

use crate::random_arithmetic::recipe::Recipe;

/// Functions of each kind, if `FLATTEN_SEEDS` does not say more.
const SEEDS: u64 = 2000;

/// Options of the stages, by name.
fn kinds() -> [(&'static str, Options); 5] {
    let (strict, fast) = (Options::default(), Options { fast_math: true, ..Options::default() });
    [
        ("strict for a text", Options { visible: Visible::TEXT, ..strict.clone() }),
        ("strict", strict),
        ("fast for a text", Options { visible: Visible::TEXT, expand_lerp: true, ..fast.clone() }),
        ("fast without lerp", Options { expand_lerp: true, ..fast.clone() }),
        ("fast", fast),
    ]
}

/// Functions of each kind.
fn seeds() -> u64 {
    std::env::var("FLATTEN_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(SEEDS)
}

/// The residuals of a function after the stages of flattening: the check, the residual, and what is left of the function.
fn residuals(text: &str, options: &Options) -> Vec<(&'static str, String)> {
    let mut module = parse_str(text).unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"));
    let func = module.funcs.keys().last().expect("there is a function");
    for stage in STAGES {
        (stage.run)(&mut module, func, options).expect("it is flat already");
    }
    let mut found = fold_residuals(&module, func, options);
    found.extend(optimize_residuals(&module, func, options));
    let left = print(&module);
    found.into_iter().map(|r| (r.check, format!("{}: {}\n{left}", r.node, r.description))).collect()
}

#[test]
fn nothing_is_left_but_what_is_allowed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle_random.txt");
    let text = fs::read_to_string(&path).unwrap_or_default();
    let show = std::env::var("PLANISH_SHOW").ok();
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let kinds = kinds();
    for (seed, (kind, options)) in (0..seeds()).flat_map(|s| kinds.iter().map(move |k| (s, k))) {
        let steps = 2 + (seed as usize * 60 / seeds() as usize);
        let mut recipe = Recipe::random(&mut Random::new(seed), steps, options.fast_math);
        let mut checks: Vec<&str> = residuals(&recipe.text(), options).into_iter().map(|(check, _)| check).collect();
        checks.sort_unstable();
        checks.dedup();
        for check in checks {
            let count = found.entry(format!("{kind} {check}")).or_default();
            *count += 1;
            let wanted = show.as_ref().is_some_and(|s| s == "all" && *count <= 2 || s == check);
            if wanted {
                recipe.reduce(&mut |text| residuals(text, options).iter().any(|r| r.0 == check));
                let text = recipe.text();
                let (_, residual) = residuals(&text, options).into_iter().find(|r| r.0 == check).expect("was kept");
                println!("==== {check}, seed {seed}, {kind}\n{text}\n--> {residual}");
            }
        }
    }
    let mut after = String::new();
    found.iter().for_each(|(name, count)| writeln!(after, "{name} {count}").expect("can be written"));
    println!("{after}");
    let allowed = |name: &str| {
        let line = text.lines().filter_map(|line| line.rsplit_once(' ')).find(|(n, _)| *n == name);
        line.map_or(0, |(_, count)| count.parse::<usize>().expect("a number"))
    };
    if seeds() != SEEDS {
        return;
    }
    let more: Vec<_> = found.iter().filter(|(name, count)| **count > allowed(name)).collect();
    assert!(more.is_empty(), "more residuals than allowed (PLANISH_SHOW=CHECK shows them): {more:#?}");
    if after != text {
        assert!(
            std::env::var_os("BLESS").is_some(),
            "fewer residuals than allowed: BLESS=1 takes the rest back\n{after}"
        );
        fs::write(path, after).expect("can be written");
    }
}
