//! Functions without a graph are rejected, with a code and a location.

use planish_back_graph::{Graph, Kind, Options, listing};
use planish_ir::module::Module;
use planish_ir::source::SourceMap;
use planish_ir::text::parse;

/// Codes and places (the source text) of what is wrong with the last function.
fn errors(text: &str, options: &Options<'_>) -> Vec<(String, String)> {
    let (map, module) = read(text);
    let func = module.funcs.keys().last().expect("a function");
    let errors = Graph::new(&module, func, options).expect_err("it is refused");
    errors.iter().map(|e| (e.code.to_string(), map.text(e.span).to_string())).collect()
}

fn read(text: &str) -> (SourceMap, Module) {
    let mut map = SourceMap::new();
    let file = map.add("a.ir", format!("module ir\n{text}")).expect("small");
    let module = parse(&file).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
    assert_eq!(planish_ir::verify::verify(&module), [], "{text}");
    (map, module)
}

fn body(text: &str) -> String {
    format!("fn @f(%x x: f32, %i i: i32, %c c: bool) -> (f32) {{\nb0:\n{text}\n}}\n")
}

#[track_caller]
fn refused(text: &str, code: &str, place: &str) {
    let found = errors(text, &Options::default());
    assert!(found.iter().any(|(c, p)| c == code && p.contains(place)), "{code} at `{place}`: {found:?}");
}

#[test]
fn control_flow_is_refused() {
    let arms = "  if %c {\n  then b1:\n    merge %x\n  else b2:\n    merge 1.0\n  }\nb3(%y: f32):\n  return %y";
    refused(&body(arms), "E0608", "if");
    let discards = "  if %c {\n  then b1:\n    discard\n  else b2:\n    discard\n  }\nb3:\n  return %x";
    refused(&body(discards), "E0608", "if");
    let rounds = "  loop {\n  cond b1:\n    loop_if %c\n  body b2:\n    continue b0\n  }\nb3:\n  return %x";
    refused(&body(rounds), "E0608", "loop");
    refused(&body("  discard"), "E0608", "discard");
    refused(&body("  trap user"), "E0608", "trap");
    let traps = "  if %c {\n  then b1:\n    trap user\n  else b2:\n    trap user\n  }\nb3:\n  return %x";
    refused(&body(traps), "E0608", "if");
    let selected = "  switch %i {\n  case 0, default b1:\n    break b0\n  }\nb2:\n  return %x";
    refused(&body(selected), "E0608", "switch");
}

/// A function that is not scheduled lists no pure nodes: a graph of it would be empty, and wrong.
#[test]
fn only_scheduled_functions_are_read() {
    let text = "fn @f(%x x: f32) -> (f32) floating {\nb0:\n  %0 = sin %x\n  return %0\n}\n";
    assert_eq!(errors(text, &Options::default())[0].0, "E0699");
}

#[test]
fn effects_traps_and_memory_are_refused() {
    let vector = "fn @f(%v v: ivec2) -> (ivec2) {\nb0:\n  %0 = divide_trapping %v, %v\n  return %0\n}\n";
    refused(vector, "E1105", "divide_trapping");
    let shared = "var workgroup @w: f32\n".to_string();
    refused(&(shared.clone() + &body("  %0 = load @w\n  return %0")), "E1107", "load");
    refused(&(shared + &body("  store @w, %x\n  return %x")), "E1103", "store");
    refused(&("var private @p: f32\n".to_string() + &body("  %0 = load @p\n  return %0")), "E1107", "load");
    refused(&body("  memory_barrier[buffer]\n  return %x"), "E1103", "memory_barrier");
    let counted = "var storage @s: u32\n".to_string() + &body("  %0 = atomic_add @s, 1u\n  return %x");
    refused(&counted, "E1103", "atomic_add");
    let written = "var storage @s: f32\n".to_string() + &body("  %0 = load @s\n  return %0");
    refused(&written, "E1107", "load");
    let endless = "var storage @s: [f32] readonly\n".to_string();
    refused(&(endless + &body("  %0 = access_array_element @s, %i\n  %1 = load %0\n  return %1")), "E0602", "load");
    // Several at once.
    assert_eq!(
        errors(
            &body("  %0 = load @w\n  memory_barrier[buffer]\n  return %x")
                .replace("fn @f", "var workgroup @w: f32\nfn @f"),
            &Options::default()
        )
        .len(),
        2
    );
}

#[test]
fn calls_are_refused_but_for_leaves() {
    let text = "fn @noise(%0 p: f32) -> (f32)\n\nfn @g(%0 p: f32) -> (f32) {\nb0:\n  %1 = call @noise, %0\n  return %1\n}\nimport @noise \"host\" \"noise\"\n";
    refused(text, "E1105", "call");
    let (_, module) = read(text);
    let func = module.funcs.keys().last().expect("a function");
    let leaves = ["noise".to_string()];
    let options = Options { leaves: &leaves, cost: &|_| 3, ..Options::default() };
    let graph = Graph::new(&module, func, &options).expect("the target has it");
    assert!(listing::text(&graph).contains("%1 f32 call[noise] %0"), "{}", listing::text(&graph));
    let first = module.funcs.keys().next().expect("a function");
    let error = Graph::new(&module, first, &options).expect_err("it has no inside");
    assert_eq!(error[0].code.0, "E1104");
}

/// Memory of the function's own is followed, and a mask may come in either arm, more than once.
#[test]
fn memory_and_masks_become_nodes() {
    let text = "var output interface @o: vec4
var private const @table: [3 x f32] = [3 x f32]{1.0, 2.0, 4.0}
var input interface @k: i32 flat
fn @main() {
b0:
  %0 = access_vector_component[1] @o
  store %0, 1.0
  %1 = load @k
  %2 = access_array_element @table, %1
  %3 = load %2
  %4 = greater_than %3, 2.0
  if %4 {
  then b1:
    merge
  else b2:
    discard
  }
b3:
  %5 = less_than %1, 7
  if %5 {
  then b4:
    discard
  else b5:
    merge
  }
b6:
  %6 = load @o
  %7: vec4 = construct_vector_from_scalar %3
  %8 = multiply %6, %7
  store @o, %8
  return
}
entry fragment @main \"main\"
";
    let (_, module) = read(text);
    let graph = Graph::new(&module, module.entry_points[0].func, &Options::default()).expect("it is flat");
    let text = listing::text(&graph);
    for line in [
        "insert_vector_component[1] (0.0, 0.0, 0.0, 0.0) 1.0",
        "f32 extract_array_element (1.0, 2.0, 4.0) %0",
        "bool logical_not",
        "bool logical_or",
        "  o: vec4 = %",
        "  discard if %",
    ] {
        assert!(text.contains(line), "{line}:\n{text}");
    }
    assert!(!text.contains("construct_vector_from_scalar"), "the splat costs nothing:\n{text}");
    assert!(graph.nodes.iter().all(|n| n.group.is_some() != (n.kind.is_leaf() || n.kind.is_sink())));
    assert!(matches!(graph.nodes[graph.discard.expect("there is a mask") as usize].kind, Kind::Discard));
}

/// The group of a node is the result of the analysis of the IR.
#[test]
fn groups_are_those_of_the_analysis() {
    let text = "var uniform interface @u: vec2
var input interface @v: vec2
var handle interface @t: combined<2d f32>
var output interface @o: vec4
fn @main() {
b0:
  %0 = load @u
  %1 = sin %0
  %2 = load @v
  %3 = add %1, %2
  %4 = load @t
  %5 = texture_sample_lod[lod] %4, %1, 0.0
  %6 = extract_vector_component_multi[xyxy] %3
  %7 = add %5, %6
  store @o, %7
  return
}
entry fragment @main \"main\"
";
    let (_, module) = read(text);
    let func = module.entry_points[0].func;
    let groups = |options: &Options<'_>| {
        let graph = Graph::new(&module, func, options).expect("it is flat");
        let ops = graph.nodes.iter().filter_map(|n| Some((n.kind.opcode(), n.group?.name())));
        ops.collect::<Vec<_>>()
    };
    let rest = [("add", "pixel"), ("extract_vector_component_multi", "pixel"), ("add", "pixel")];
    let sample = "texture_sample_lod";
    let [a, b, c] = rest;
    assert_eq!(groups(&Options::default()), [("sin", "preshader"), a, (sample, "pixel"), b, c]);
    let without = Options { barrier: &|_| false, ..Options::default() };
    assert_eq!(groups(&without), [("sin", "preshader"), (sample, "preshader"), a, b, c]);
}
