//! One case or more for each rule, in `cases/SET.txt`:
//!
//! ```text
//! negate_negated(f32) -> f32: %1 = negate %0; negate %1
//!   => %0
//! ```
//!
//! A name, the types of the parameters and of the result, nodes in the text form (the last one is what is returned), and
//! what the rules make of it. `BLESS=1` rewrites the second line. Lines before the first case are declarations.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

use planish_ir::builder::{Builder, Policy};
use planish_ir::entity::Value;
use planish_ir::function::{Body, Form};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::text::{parse_str, print, type_text};
use planish_ir::verify::verify;
use planish_opt::restage::{Identity, restage};
use planish_opt::rules::{Law, RULE_SETS, Rule, Rules, missed};
use planish_opt::{Context, Options};
use planish_testkit::straight_line::{Random, input, near, ordinary, returned, same, scalars, show, special};

struct Case {
    rule: &'static Rule,
    line: String,
    expected: String,
}

struct File {
    path: PathBuf,
    declarations: String,
    cases: Vec<Case>,
}

fn find(name: &str) -> Option<&'static Rule> {
    RULE_SETS.iter().flat_map(|set| set.rules).find(|rule| rule.name == name)
}

fn files() -> Vec<File> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/rules/cases");
    RULE_SETS.iter().map(|set| read(folder.join(format!("{}.txt", set.name)))).collect()
}

fn read(path: PathBuf) -> File {
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut file = File { path, declarations: String::new(), cases: Vec::new() };
    for line in text.lines() {
        if let Some(expected) = line.trim().strip_prefix("=>") {
            file.cases.last_mut().expect("a case comes first").expected = expected.trim().into();
            continue;
        }
        match line.split_once('(').and_then(|(name, _)| find(name)) {
            Some(rule) => file.cases.push(Case { rule, line: line.into(), expected: String::new() }),
            None if file.cases.is_empty() => file.declarations.push_str(&format!("{line}\n")),
            None => assert!(line.trim().is_empty(), "{}: no rule: {line}", file.path.display()),
        }
    }
    file
}

/// The module of a case, as the text form has it.
fn module_text(declarations: &str, line: &str) -> String {
    let (head, nodes) = line.split_once(": ").expect("a case has a colon");
    let (params, result) = head.split_once(") -> ").expect("a case has a result");
    let (name, params) = params.split_once('(').expect("a case has parameters");
    let params: Vec<String> =
        params.split(", ").filter(|p| !p.is_empty()).enumerate().map(|(i, ty)| format!("%{i} p{i}: {ty}")).collect();
    let mut nodes: Vec<String> = nodes.split("; ").map(str::to_owned).collect();
    let last = nodes.pop().expect("a case has a node");
    let op = last.split([' ', '[']).next().and_then(Op::from_text).unwrap_or_else(|| panic!("{line}: no op"));
    let ty = if op.info().rule.needs_type() { format!(": {result}") } else { String::new() };
    nodes.push(format!("%r{ty} = {last}"));
    let params = params.join(", ");
    let nodes: String = nodes.iter().map(|n| format!("  {n}\n")).collect();
    format!("module ir\n{declarations}fn internal @{name}({params}) -> ({result}) {{\nb0:\n{nodes}  return %r\n}}\n")
}

fn options(rule: &Rule) -> Options {
    Options { fast_math: rule.law.needs_fast_math(), ..Options::default() }
}

fn body(module: &Module) -> &Body {
    module.funcs.values().next().and_then(|f| f.body.as_ref()).expect("the case is a function")
}

/// Applies the rules to the function of a case; how often each fired.
fn apply(module: &mut Module, options: Options) -> Context {
    let rules = Rules::new(&options);
    let func = module.funcs.keys().next().expect("the case is a function");
    let policy = Policy { form: Form::Floating, fold: true, share: true, rules: Some(&rules) };
    restage(module, func, policy, &mut Identity);
    let mut context = Context::new(options);
    rules.report(module, &mut context);
    context
}

/// The nodes of the only function, and what it returns, on one line.
fn nodes_text(module: &Module) -> String {
    let text = print(module);
    let (_, body) = text.split_once("b0:\n").expect("the case is a function");
    let lines: Vec<&str> = body.lines().map(str::trim).filter(|l| *l != "}").collect();
    lines.join("; ").replace("return ", "")
}

fn parse(file: &File, case: &Case) -> Module {
    let text = module_text(&file.declarations, &case.line);
    let module = parse_str(&text).unwrap_or_else(|errors| panic!("{}\n{errors:#?}", case.line));
    assert_eq!(verify(&module), [], "{}", case.line);
    module
}

#[test]
fn each_rule_makes_of_its_cases_what_the_files_say() {
    let mut failures = Vec::new();
    for file in files() {
        let mut blessed = file.declarations.clone();
        for case in &file.cases {
            let mut module = parse(&file, case);
            let context = apply(&mut module, options(case.rule));
            assert_eq!(verify(&module), [], "{}", case.line);
            let fired = context.stats.get("", case.rule.name) > 0;
            let got = nodes_text(&module);
            if !fired {
                failures.push(format!("{}\n  did not fire; got {got}", case.line));
            }
            if got != case.expected && std::env::var_os("BLESS").is_none() {
                failures.push(format!("{}\n  => {}\n  got {got}", case.line, case.expected));
            }
            blessed.push_str(&format!("{}\n  => {got}\n", case.line));
        }
        if std::env::var_os("BLESS").is_some() {
            fs::write(&file.path, blessed).expect("can be written");
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_rule_has_a_case() {
    let files = files();
    let with_case = |rule: &Rule| files.iter().flat_map(|f| &f.cases).any(|case| case.rule.name == rule.name);
    let without: Vec<&str> =
        RULE_SETS.iter().flat_map(|set| set.rules).filter(|rule| !with_case(rule)).map(|rule| rule.name).collect();
    assert!(without.is_empty(), "no case for {without:?}");
}

/// Both sides of each case give the same: an exact rule's on special numbers, another's nearly, on ordinary ones.
#[test]
fn both_sides_of_each_case_are_equal() {
    let mut failures = Vec::new();
    let mut judged = 0;
    for file in files() {
        for case in &file.cases {
            let before = parse(&file, case);
            let mut after = before.clone();
            apply(&mut after, options(case.rule));
            match compare(&before, &after, case, &mut failures) {
                Some(0) => failures.push(format!("{}\n  no input was fit for a comparison", case.line)),
                Some(_) => judged += 1,
                None => {}
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(judged > 150, "only {judged} cases could be evaluated");
}

/// Evaluates two functions on many inputs; how many results were compared, or `None` for functions that have no meaning on
/// bits. Of a rule that is not exact, inputs that lead the
/// first function to an infinity or NaN are not compared: its law speaks of finite numbers only.
fn compare(before: &Module, after: &Module, case: &Case, failures: &mut Vec<String>) -> Option<usize> {
    let (line, law) = (&case.line, case.rule.law);
    let exact = !law.needs_fast_math();
    let mut random = Random::new(line.len() as u64);
    let func = before.funcs.values().next().expect("the case is a function");
    let kinds = scalars(&before.types, func.results[0].ty);
    let kinds = kinds?;
    let mut compared = 0;
    for _ in 0..300 {
        let mut number = |s| if exact { special(&mut random, s) } else { ordinary(&mut random, s) };
        let inputs: Option<Vec<Vec<u64>>> =
            func.params.iter().map(|p| input(&before.types, p.ty, &mut number)).collect();
        let inputs = inputs?;
        let (x, largest) = returned(before, body(before), &inputs)?;
        if !exact && largest.is_infinite() {
            continue;
        }
        compared += 1;
        let y = returned(after, body(after), &inputs).map(|(y, _)| y);
        // Rounding is relative to the largest number on the way; a node may have larger ones within.
        let tolerance = 1e-5 * largest;
        let equal =
            |y: &Vec<u64>| if exact { same(&kinds, &x, y, law == Law::AnyNan) } else { near(&kinds, &x, y, tolerance) };
        let equal = y.as_ref().is_some_and(equal);
        if !equal {
            let shown: Vec<String> = func
                .params
                .iter()
                .zip(&inputs)
                .map(|(p, bits)| show(&scalars(&before.types, p.ty).unwrap_or_default(), bits))
                .collect();
            let y = y.map_or("nothing".into(), |y| show(&kinds, &y));
            failures.push(format!("{line}\n  on ({})\n  was {}\n  is  {y}", shown.join("; "), show(&kinds, &x)));
            break;
        }
    }
    Some(compared)
}

/// A second time, no rule fires, nothing is missed, and no limit is reached.
#[test]
fn nothing_is_left_for_a_second_time() {
    for file in files() {
        for case in &file.cases {
            let mut module = parse(&file, case);
            let options = options(case.rule);
            let context = apply(&mut module, options.clone());
            assert_eq!(context.stats.get("", "RuleDepthReached"), 0, "{}", case.line);
            let left = missed(&mut module, &options);
            assert!(left.is_empty(), "{}: {left:?}", case.line);
            let count = body(&module).nodes().count();
            let again = apply(&mut module, options);
            let fired: Vec<_> = again.stats.iter().filter(|(_, name, _)| !is_order(name)).collect();
            assert!(fired.is_empty(), "{}\n  a second time: {fired:?}", case.line);
            assert!(body(&module).nodes().count() <= count, "{}", case.line);
        }
    }
}

/// The result of a rule costs no more than its case.
#[test]
fn no_rule_makes_its_case_costlier() {
    for file in files() {
        for case in &file.cases {
            let before = parse(&file, case);
            let mut after = before.clone();
            apply(&mut after, options(case.rule));
            let (old, new) = (cost(body(&before)), cost(body(&after)));
            assert!(new <= old, "{}\n  costs {new}, and cost {old}: {}", case.line, nodes_text(&after));
        }
    }
}

/// Rules that may cost more than one operation more where everything in their case is needed for something else too, and
/// how much more: what they save where it is not is worth it.
const GROWTH: &[(&str, u32)] =
    &[("product_times_vector", 8), ("common_divisor", 4), ("normalize_by_root", 3), ("scale_twice", 2)];

/// A rule loses little if all that it takes apart is needed elsewhere, too.
#[test]
fn no_rule_costs_much_where_all_is_shared() {
    let mut failures = Vec::new();
    for file in files() {
        for case in &file.cases {
            let before = parse(&file, case);
            let text = all_returned(&before, &module_text(&file.declarations, &case.line));
            let mut module = parse_str(&text).unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"));
            let old = cost(body(&module));
            apply(&mut module, options(case.rule));
            let new = cost(body(&module));
            let allowed = GROWTH.iter().find(|(name, _)| *name == case.rule.name).map_or(1, |&(_, more)| more);
            if new > old + allowed {
                failures.push(format!("{}\n  {old} became {new}: {}", case.line, nodes_text(&module)));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The function of a case with every node's value as a result.
fn all_returned(module: &Module, text: &str) -> String {
    let body = body(module);
    let results: Vec<_> = body.nodes().filter_map(|(node, _)| body.result(node)).collect();
    let types: Vec<String> = results.iter().map(|&r| type_text(&module.types, body.local_type(r))).collect();
    let (head, nodes) = text.split_once("b0:\n").expect("the case is a function");
    let (head, _) = head.rsplit_once("-> (").expect("has a result");
    let names: Vec<&str> = nodes
        .lines()
        .filter_map(|l| l.trim().split_once([':', ' ']).map(|(n, _)| n))
        .filter(|n| n.starts_with('%'))
        .collect();
    let (nodes, _) = nodes.split_once("  return").expect("returns");
    format!("{head}-> ({}) {{\nb0:\n{nodes}  return {}\n}}\n", types.join(", "), names.join(", "))
}

/// Cost of the nodes that the result needs.
fn cost(body: &Body) -> u32 {
    let mut roots = Vec::new();
    body.blocks[body.entry].exit.for_each_operand(|v| roots.push(v));
    live_cost(body, roots)
}

/// Cost of the nodes that these values need.
pub(crate) fn live_cost(body: &Body, mut pending: Vec<Value>) -> u32 {
    let mut seen = HashSet::new();
    let mut cost = 0;
    while let Some(value) = pending.pop() {
        let Some(node) = body.node_of(value).filter(|&n| seen.insert(n)) else { continue };
        cost += planish_opt::cost::GPU.of(body.node(node).op);
        pending.extend_from_slice(body.args(node));
    }
    cost
}

/// `precise` nodes are rewritten by exact rules only.
#[test]
fn precise_nodes_keep_their_value() {
    let text = "module ir\nfn internal @f(%0 x: f32) -> (f32, f32) {\nb0:\n  %1 = subtract %0, %0 precise\n  \
                %2 = multiply %1, 1.0 precise\n  %3 = subtract %0, %0\n  return %2, %3\n}\n";
    let mut module = parse_str(text).expect("is valid");
    apply(&mut module, Options { fast_math: true, ..Options::default() });
    let text = nodes_text(&module);
    assert_eq!(text, "%1 = subtract %0, %0 precise; %1, 0.0");
}

/// Nodes that were made without rules keep what rules take for granted of their own: here an index out of range.
#[test]
fn nodes_made_without_rules_are_read_as_they_are() {
    let text = "module ir\nfn internal @f(%0 a: [3 x f32], %1 x: f32) -> ([3 x f32]) floating {\nb0:\n  \
                %2 = insert_array_element %0, %1, 7\n  return %2\n}\n";
    let mut module = parse_str(text).expect("is valid");
    let func = module.funcs.keys().next().expect("there is one");
    let body = module.funcs[func].body.take().expect("has one");
    let inserted: Value = body.nodes().next().and_then(|(node, _)| body.result(node)).expect("is there").into();
    let rules = Rules::new(&Options::default());
    let policy = Policy { form: Form::Floating, fold: true, share: true, rules: Some(&rules) };
    let mut b = Builder::resume(&mut module, func, body, policy);
    let (two, one) = (b.i32(2), b.i32(1));
    assert_eq!(b.op(Op::ExtractArrayElement, &[inserted, two]), b.param(1));
    let other = b.op(Op::ExtractArrayElement, &[inserted, one]);
    assert_eq!(b.definition(other).map(|(_, _, args)| args[0]), Some(b.param(0)));
}

/// GLSL ES 1.00 has no `min` of integers, and no shifts: its programs get none.
#[test]
fn old_glsl_gets_no_functions_that_it_has_not() {
    let text = "module glsl 100 es\nfn internal @f(%0 x: i32, %1 y: i32) -> (i32) {\nb0:\n  %2 = less_than %0, %1\n  \
                %3 = select %2, %0, %1\n  %4 = less_than %3, 0\n  %5 = negate %3\n  %6 = select %4, %5, %3\n  \
                %7 = multiply %6, 8\n  return %7\n}\n";
    let mut module = parse_str(text).expect("is valid");
    apply(&mut module, Options::default());
    let ops: Vec<Op> = body(&module).nodes().map(|(_, data)| data.op).collect();
    assert_eq!(ops.iter().filter(|&&op| op == Op::Select).count(), 2, "{ops:?}");
    assert!(ops.contains(&Op::Multiply), "{ops:?}");
}

/// Rules that put operands in the order of their age, which a new function may give them anew.
pub(crate) fn is_order(rule: &str) -> bool {
    rule.contains("_in_order")
}
