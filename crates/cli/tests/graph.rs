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
    planish_on(SHADER, args)
}

fn planish_on(source: &str, args: &[&str]) -> (String, String, Option<i32>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_planish"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // A command that knows better than to read ends before it has.
    let _ = child.stdin.take().expect("is piped").write_all(source.as_bytes());
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

const TINTED: &str = "#version 330
uniform vec3 tint = vec3(1.0, 0.5, 0.25); // @color
uniform vec2 size;
in vec4 a;
out vec4 color;
void main() { color = vec4(clamp(a.xyz, 0.0, 1.0) * tint, sin(size.x)); }
";

/// Ops outside of the set are expanded, or an error names the op, its line, and what would allow it.
#[test]
fn a_graph_holds_the_ops_that_are_named() {
    let opcodes = |ops: &str| {
        let (json, errors, code) = planish_on(TINTED, &["compile", "-", "--flatten", "--emit=graph", "--ops", ops]);
        assert_eq!((errors.as_str(), code), ("", Some(0)));
        let graph: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
        let nodes = graph["nodes"].as_array().expect("nodes").iter();
        nodes.filter_map(|node| node["op"].as_str()).map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(opcodes("clamp,mul,sin").contains(&"clamp".into()));
    let few = opcodes("mul,sin,min,max");
    assert!(few.contains(&"min".into()) && !few.contains(&"clamp".into()), "{few:?}");
    let fewer = opcodes("mul,sin,compare,select");
    assert!(fewer.contains(&"select".into()) && !fewer.contains(&"min".into()), "{fewer:?}");
    let file = std::env::temp_dir().join(format!("planish-ops-{}.txt", std::process::id()));
    std::fs::write(&file, "mul sin # waves\nmin\nmax\n").expect("can be written");
    assert_eq!(opcodes(&file.to_string_lossy()), few);
    std::fs::remove_file(&file).expect("is there");

    let refused = |ops: &str| {
        let (out, errors, code) = planish_on(TINTED, &["compile", "-", "--flatten", "--emit=graph", "--ops", ops]);
        assert!(out.is_empty() && code != Some(0), "{out}");
        errors
    };
    let errors = refused("mul,sin,min");
    assert!(errors.contains("error[E1105]: the graph may not hold `clamp`") && errors.contains(":6:"), "{errors}");
    assert!(errors.contains("add `clamp` to the ops, or `max`, of which it can be made"), "{errors}");
    assert!(refused("mul,min,max").contains("add `sin` to the ops; nothing else computes it"));
    assert!(refused("mul,sin,mni,max").contains("there is no op `mni`; did you mean `min`?"));
    assert!(refused("no/such/file").contains("cannot read no/such/file"));
    let (_, warnings, _) = planish_on(TINTED, &["compile", "-", "--emit=glsl", "--ops=mul"]);
    assert!(warnings.contains("--ops has no effect on glsl"), "{warnings}");
}

/// Default values and colours, in each form.
#[test]
fn uniforms_have_defaults_and_hints() {
    let write = |target: &str, more: &[&str]| {
        let emit = format!("--emit={target}");
        let args = [&["compile", "-", "--flatten", &emit], more].concat();
        let (out, errors, code) = planish_on(TINTED, &args);
        assert_eq!((errors.as_str(), code), ("", Some(0)));
        out
    };
    let graph: serde_json::Value = serde_json::from_str(&write("graph", &["--uniform", "size=2,3"])).expect("is JSON");
    let uniform = |name: &str| {
        let all = graph["uniforms"].as_array().expect("a list").iter();
        all.clone().find(|uniform| uniform["name"] == name).cloned().expect("is there")
    };
    assert_eq!(uniform("tint")["default"], serde_json::json!([1.0, 0.5, 0.25]));
    assert_eq!(uniform("tint")["hint"], "color");
    assert_eq!(uniform("size")["default"], serde_json::json!([2.0, 3.0]));
    assert!(uniform("size").get("hint").is_none() && graph["version"] == 1);
    assert!(write("graph-text", &[]).contains("default (1.0, 0.5, 0.25), color"));
    assert!(write("graph-svg", &[]).contains("uniform, tint = (1.0, 0.5, 0.25), color</title>"));
    assert!(write("graph-dot", &[]).contains("vec3 uniform = (1.0, 0.5, 0.25), color"));
    let document = write("mtlx", &["--uniform=size=4"]);
    let input = "<input name=\"tint\" type=\"color3\" value=\"1.0, 0.5, 0.25\" uiname=\"tint\" />";
    assert!(document.contains(input), "{document}");
    assert!(document.contains("<input name=\"size\" type=\"vector2\" value=\"4.0, 4.0\" uiname=\"size\" />"));
    assert!(document.contains("<convert name=\"vector\" type=\"vector3\">"), "{document}");

    let errors = |more: &str| planish_on(TINTED, &["compile", "-", "--flatten", "--emit=graph", more]).1;
    assert!(errors("--uniform=tint=1,2").contains("the default value of `tint` takes 3 numbers"));
    assert!(errors("--uniform=tint=1,x,3").contains("the default value of `tint` cannot be `x`"));
    assert!(errors("--uniform=tnit=1").contains("there is no uniform `tnit` in use"));
    assert!(errors("--hint=size=color").contains("`size` is no colour"));
}

/// Components that are read one by one do not hide the vector: inputs, uniforms, members, elements, built-in variables.
#[test]
fn components_are_those_of_one_vector() {
    for (declarations, v) in [
        ("in vec4 v;", "v"),
        ("uniform vec4 v;", "v"),
        ("struct S { float k; vec4 v; }; uniform S s;", "s.v"),
        ("layout(std140) uniform B { vec4 v[2]; } b;", "b.v[1]"),
        ("", "gl_FragCoord"),
    ] {
        for value in [
            format!("sin(vec4({v}.x, {v}.y, {v}.z, {v}.w))"),
            format!("vec4(sin({v}.x), sin({v}.y), sin({v}.z), sin({v}.w))"),
        ] {
            let source = format!(
                "#version 310 es\nprecision highp float;\n{declarations}\nout vec4 o;\nvoid main() {{ o = {value}; }}\n"
            );
            let (json, errors, _) = planish_on(&source, &["compile", "-", "--flatten", "--emit=graph"]);
            assert_eq!(errors, "", "{source}");
            let graph: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
            // The vector, its sine, and the output.
            assert_eq!(graph["nodes"].as_array().map(Vec::len), Some(3), "{source}{json}");
        }
    }
}
