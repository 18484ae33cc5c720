//! The formats: snapshots of one small shader, the schema, Graphviz, and what the picture keeps.
//! `BLESS=1` writes the snapshots and the schema's list of opcodes.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use planish_back_graph::{Graph, HintError, Options, dot, json, listing, opcodes, svg};
use planish_front_glsl::{Options as FrontOptions, compile};
use planish_ir::module::{Module, Stage};
use planish_ir::source::SourceMap;
use planish_ir::text::parse_str;
use serde_json::{Value, json as value_of};

use crate::schema;

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/targets/graph.schema.json");

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// A shader, optimized so that no branch is left.
fn flat(name: &str, text: &str) -> (SourceMap, Module) {
    let mut map = SourceMap::new();
    let file = map.add(name, text).expect("small");
    let output = compile(&mut map, &file, &mut FrontOptions::new(Stage::Fragment));
    assert!(!output.has_errors(), "{name}: {:#?}", output.diagnostics);
    let mut module = output.module.expect("a module");
    let options = planish_opt::Options { keep_selects: true, inline_all: true, ..planish_opt::Options::default() };
    let passes = planish_opt::pipeline("2").expect("there is a level 2");
    planish_opt::run_passes(&mut module, &passes, &mut planish_opt::Context::new(options), &mut |_, _| {});
    (map, module)
}

/// The graph of a module's entry point, or of its last function.
fn graph(module: &Module, map: Option<&SourceMap>) -> Graph {
    let func = module.entry_point(None).map_or(module.funcs.keys().last().expect("a function"), |e| e.func);
    let options = Options { cost: &|op| planish_opt::cost::GPU.of(op), map, ..Options::default() };
    Graph::new(module, func, &options).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

fn shade() -> Graph {
    let text = std::fs::read_to_string(cases().join("shade.frag")).expect("the case");
    let (map, module) = flat("shade.frag", &text);
    graph(&module, Some(&map))
}

/// Every graph that the tests of the formats go through: the case, and the examples that need no flattening.
fn graphs() -> Vec<(String, Graph)> {
    let mut graphs = vec![("shade".to_string(), shade())];
    for name in ["plasma", "moire", "truchet", "soap_bubble", "starfield", "kaleido_texture", "normal_map", "marble"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../../examples/shaders/{name}.frag"));
        let (map, module) = flat(name, &std::fs::read_to_string(path).expect("the example"));
        graphs.push((name.to_string(), graph(&module, Some(&map))));
    }
    for path in std::fs::read_dir(cases()).expect("the cases").map(|e| e.expect("an entry").path()) {
        if path.extension().is_some_and(|e| e == "ir") {
            let text = std::fs::read_to_string(&path).expect("a case");
            let module = parse_str(&text).unwrap_or_else(|e| panic!("{}: {e:#?}", path.display()));
            assert_eq!(planish_ir::verify::verify(&module), [], "{}", path.display());
            graphs.push((path.file_stem().expect("a name").to_string_lossy().into_owned(), graph(&module, None)));
        }
    }
    assert!(graphs.len() > 9, "cases are missing");
    graphs
}

#[test]
fn the_formats_are_as_they_were() {
    let graph = shade();
    let image = Path::new(SCHEMA).with_file_name("../images/graph.svg");
    let found = [
        (cases().join("shade.json"), json::text(&graph)),
        (cases().join("shade.txt"), listing::text(&graph)),
        (cases().join("shade.dot"), dot::text(&graph)),
        (image, svg::text(&graph)),
    ];
    let mut differ = vec![];
    for (path, text) in found {
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &text).expect("can be written");
        } else if std::fs::read_to_string(&path).unwrap_or_default() != text {
            differ.push(format!("{}:\n{text}", path.display()));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

fn schema() -> Value {
    serde_json::from_str(&std::fs::read_to_string(SCHEMA).expect("the schema")).expect("is JSON")
}

#[test]
fn the_schema_lists_the_opcodes() {
    let listed: Vec<String> = opcodes().map(str::to_string).collect();
    if std::env::var_os("BLESS").is_some() {
        let text = std::fs::read_to_string(SCHEMA).expect("the schema");
        let start = text.find("\"op\": {\n      \"enum\": [").expect("the list") + "\"op\": {\n      \"enum\": [".len();
        let end = start + text[start..].find(']').expect("ends");
        let lines: Vec<String> = listed.iter().map(|op| format!("\n        \"{op}\"")).collect();
        std::fs::write(SCHEMA, format!("{}{}\n      {}", &text[..start], lines.join(","), &text[end..]))
            .expect("written");
        return;
    }
    let schema = schema();
    let found: Vec<&str> =
        schema["$defs"]["op"]["enum"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert_eq!(found, listed, "run with BLESS=1");
}

#[test]
fn every_graph_is_as_the_schema_says() {
    if std::env::var_os("BLESS").is_some() {
        return;
    }
    let schema = schema();
    for (name, graph) in graphs() {
        let value: Value = serde_json::from_str(&json::text(&graph)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(schema::violations(&schema, &value), [""; 0], "{name}");
    }
}

/// Default values of the source and of the caller, and hints; what does not fit is refused.
#[test]
fn defaults_and_hints_are_as_the_schema_says() {
    let source = "#version 330\nstruct Light { vec3 colour; float power; };\nuniform Light light = Light(vec3(1.0, 0.5, 0.25), 2.0);\n\
                  uniform mat2 m;\nuniform int n;\nout vec4 o;\nvoid main() { o = vec4(light.colour * light.power, float(n)) + vec4(m[0], m[1]); }\n";
    let (_, module) = flat("defaults.frag", source);
    let mut graph = graph(&module, None);
    assert_eq!(graph.set_default("m", &["1", "2", " 3", "4"]), Ok(()));
    assert_eq!(graph.set_color("light.colour"), Ok(()));
    assert_eq!(graph.set_default("n", &["0.5"]), Err(HintError::NoNumber("0.5".into())));
    assert_eq!(graph.set_default("m", &["1"]), Err(HintError::Components(4)));
    assert_eq!(graph.set_default("k", &["1"]), Err(HintError::NoUniform));
    assert_eq!(graph.set_color("m"), Err(HintError::NoColor));
    let value: Value = serde_json::from_str(&json::text(&graph)).expect("is JSON");
    assert_eq!(schema::violations(&schema(), &value), [""; 0]);
    let uniforms = value["uniforms"].as_array().expect("a list");
    let of = |name: &str| uniforms.iter().find(|uniform| uniform["name"] == name).expect("is there");
    assert_eq!(of("light.colour")["default"], value_of!([1.0, 0.5, 0.25]));
    assert_eq!(of("light.power")["default"], value_of!(2.0));
    assert_eq!(of("m")["default"], value_of!([[1.0, 2.0], [3.0, 4.0]]));
    assert_eq!(of("light.colour")["hint"], "color");
    assert!(of("n").get("default").is_none() && of("m").get("hint").is_none());
}

/// A schema that lets everything through would prove nothing.
#[test]
fn the_schema_refuses_what_is_wrong() {
    if std::env::var_os("BLESS").is_some() {
        return;
    }
    let schema = schema();
    let right: Value = serde_json::from_str(&json::text(&shade())).expect("is JSON");
    let refuses = |change: &dyn Fn(&mut Value)| {
        let mut wrong = right.clone();
        change(&mut wrong);
        assert_ne!(wrong, right);
        !schema::violations(&schema, &wrong).is_empty()
    };
    let last = right["nodes"].as_array().expect("nodes").len() - 1;
    let op = right["nodes"].as_array().expect("nodes").iter().position(|n| n.get("group").is_some()).expect("an op");
    assert!(refuses(&|v| v["version"] = 2.into()));
    assert!(refuses(&|v| v["more"] = 1.into()));
    assert!(refuses(&|v| v["nodes"][0]["id"] = (-1).into()));
    assert!(refuses(&|v| v["nodes"][0]["op"] = "jump".into()));
    assert!(refuses(&|v| v["nodes"][0]["value"] = 1.into()));
    assert!(refuses(&|v| v["nodes"][last]["group"] = "pixel".into()));
    assert!(refuses(&|v| drop(v["nodes"][op].as_object_mut().expect("a node").remove("cost"))));
    assert!(refuses(&|v| v["nodes"][op]["lanes"] = "xq".into()));
    assert!(refuses(&|v| v["types"]["vec2"]["components"] = 5.into()));
    assert!(refuses(&|v| v["inputs"][0]["kind"] = "builtin".into()));
}

/// Guarantees of the format besides the schema: order of the nodes, and operands of full shape.
#[test]
fn every_graph_keeps_the_promises() {
    for (name, graph) in graphs() {
        let value: Value = serde_json::from_str(&json::text(&graph)).expect("is JSON");
        let rank = |node: &Value| match (node["op"].as_str().expect("an op"), node["group"].as_str()) {
            ("input", _) => 0,
            ("uniform", _) => 1,
            ("resource", _) => 2,
            ("constant", _) => 3,
            (_, Some("preshader")) => 4,
            ("output" | "discard" | "trap", _) => 6,
            _ => 5,
        };
        let nodes = value["nodes"].as_array().expect("nodes");
        let mut used = vec![false; nodes.len()];
        let mut before = 0;
        for (id, node) in nodes.iter().enumerate() {
            assert_eq!(node["id"], id, "{name}");
            for input in node["inputs"].as_array().into_iter().flatten() {
                let input = input.as_u64().expect("an id") as usize;
                assert!(input < id, "{name}: {node}");
                used[input] = true;
                assert!(node["group"] != "preshader" || rank(&nodes[input]) != 5, "{name}: {node}");
            }
            assert!(rank(node) >= before || node["op"] == "result", "{name}: {node}");
            before = before.max(rank(node));
            used[id] |= rank(node) == 6;
        }
        assert!(used.iter().all(|u| *u), "{name}: a node that nothing needs");
    }
}

#[test]
fn graphviz_reads_it() {
    let Ok(mut dot_tool) = Command::new("dot").arg("-V").stderr(Stdio::null()).spawn() else {
        eprintln!("skipped: there is no `dot` (Graphviz) on this machine");
        return;
    };
    dot_tool.wait().expect("it ends");
    for (name, graph) in graphs() {
        let mut child = Command::new("dot")
            .arg("-Tcanon")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut stdin = child.stdin.take().expect("is piped");
        let text = dot::text(&graph);
        let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
        let output = child.wait_with_output().expect("it ends");
        writer.join().expect("no panic").expect("it reads");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The boxes of a picture: row, left, right.
fn boxes(svg: &str) -> Vec<(f32, f32, f32)> {
    let number = |line: &str, key: &str| -> f32 {
        let text = line.split(&format!(" {key}=\"")).nth(1).expect("the attribute");
        text.split('"').next().expect("ends").parse().expect("a number")
    };
    svg.lines()
        .filter_map(|line| line.strip_prefix("<g><title>")?.split_once("</title>"))
        .map(|(_, r)| (number(r, "y"), number(r, "x"), number(r, "x") + number(r, "width")))
        .collect()
}

#[test]
fn boxes_do_not_overlap_and_lie_inside() {
    for (name, graph) in graphs() {
        let text = svg::text(&graph);
        let mut boxes = boxes(&text);
        let ops = graph.nodes.iter().filter(|n| !n.kind.is_leaf()).count();
        assert!(boxes.len() >= ops, "{name}: {} boxes, {ops} ops", boxes.len());
        boxes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        for pair in boxes.windows(2) {
            assert!(pair[0].0 != pair[1].0 || pair[0].2 < pair[1].1, "{name}: {pair:?}");
        }
        let width: f32 = text
            .split("width=\"")
            .nth(1)
            .and_then(|t| t.split('"').next())
            .expect("a width")
            .parse()
            .expect("a number");
        assert!(boxes.iter().all(|b| b.1 >= 0.0 && b.2 <= width), "{name}");
        assert!(!text.contains("href") && !text.contains("url("), "{name}: refers to something outside");
    }
}
