//! Graphs as a user asks for them: by target, by extension, of a function, with figures.

use std::io::Write as _;
use std::process::{Command, Stdio};

const SHADER: &str = "#version 300 es
precision highp float;
uniform float time;
in vec2 uv;
out vec4 color;
float wave(float x) {
    for (int i = 0; i < 3; i++) {
        if (x > 1.0) return x;
        x += sin(x * float(i));
    }
    return -x;
}
void main() { color = vec4(wave(uv.x), cos(time), 0.0, 1.0); }
";

/// Standard output, standard error, exit code.
fn planish(args: &[&str]) -> (String, String, Option<i32>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_planish"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // A command that knows better than to read ends before it has.
    let _ = child.stdin.take().expect("is piped").write_all(SHADER.as_bytes());
    let output = child.wait_with_output().expect("the command ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

#[test]
fn a_graph_is_that_of_the_entry_point_or_of_the_function_named() {
    let (json, errors, code) = planish(&["compile", "-", "--flatten", "--emit=graph", "--debug-info"]);
    assert_eq!((errors.as_str(), code), ("", Some(0)));
    let graph: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!((&graph["function"], &graph["stage"]), (&"main".into(), &"fragment".into()));
    let names = |list: &str| -> Vec<String> {
        let rows = graph[list].as_array().expect("a list").iter();
        rows.filter_map(|row| row["name"].as_str()).map(str::to_string).collect()
    };
    assert_eq!(
        (names("inputs"), names("uniforms"), names("outputs")),
        (vec!["uv".to_string()], vec!["time".to_string()], vec!["color".to_string()])
    );
    assert_eq!(graph["stats"]["preshader"]["nodes"], 1);
    let nodes = graph["nodes"].as_array().expect("nodes");
    let cosine = nodes.iter().find(|n| n["op"] == "cos").expect("the cosine");
    assert_eq!((&cosine["group"], &cosine["source"]), (&"preshader".into(), &serde_json::json!([0, 13, 40])));
    let (listing, _, code) = planish(&["compile", "-", "--flatten=wave", "--emit=graph-text"]);
    assert!(code == Some(0) && listing.starts_with("graph wave\n") && listing.contains("%0 f32 x"), "{listing}");
}

#[test]
fn the_extension_names_the_form() {
    let dir = std::env::temp_dir().join(format!("planish-graph-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("can be made");
    let file = |name: &str| dir.join(name).to_string_lossy().into_owned();
    for (name, begin) in [
        ("a.graph.json", "{\n\"format\""),
        ("a.graph.txt", "graph main"),
        ("a.dot", "digraph \"main\""),
        ("a.svg", "<svg"),
        ("a.json", "{\n  \"schema\""),
    ] {
        let (_, errors, code) = planish(&["compile", "-", "--flatten", "-o", &file(name)]);
        assert_eq!((errors.as_str(), code), ("", Some(0)), "{name}");
        let text = std::fs::read_to_string(dir.join(name)).expect("it was written");
        assert!(text.starts_with(begin), "{name}: {text}");
    }
    std::fs::remove_dir_all(&dir).expect("can be removed");
}

#[test]
fn what_is_not_flat_is_refused() {
    let (out, errors, code) = planish(&["compile", "-", "--emit=graph", "-O1"]);
    assert!(out.is_empty() && code == Some(1), "{errors}");
    assert!(errors.contains("error[E1105]") && errors.contains("--flatten") && errors.contains("13:28"), "{errors}");
    let (_, errors, code) = planish(&["compile", "-", "--flatten=wave,main", "--emit=graph"]);
    assert!(code == Some(2) && errors.contains("one function"), "{errors}");
}

#[test]
fn figures_are_told() {
    let (_, told, code) = planish(&["compile", "-", "--flatten", "--emit=graph-dot", "--stats"]);
    let figure = |what: &str| {
        let line = told.lines().find(|l| l.starts_with(what)).unwrap_or_else(|| panic!("no {what}: {told}"));
        line.split_whitespace().last().and_then(|n| n.parse::<u32>().ok()).expect("a number")
    };
    assert_eq!((code, figure("graph, once a draw  Nodes")), (Some(0), 1));
    assert!(figure("graph, per pixel    Depth") > 3 && figure("graph, per pixel    Nodes") > 8, "{told}");
}
