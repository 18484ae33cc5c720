//! The code of `docs/targets/c.md` compiles, and does what the page says.

use super::{Form, Project, compile};

const PAGE: &str = include_str!("../../../../docs/targets/c.md");

/// The first block in a language after a heading.
fn block(heading: &str, language: &str) -> &'static str {
    let after = PAGE.split_once(&format!("## {heading}\n")).expect("the page has the heading").1;
    let from = after.split_once(&format!("```{language}\n")).expect("there is a block").1;
    from.split_once("```").expect("it ends").0
}

#[test]
fn c_manual_embeds_a_module() {
    let Some(mut project) = Project::of("manual-embedding", Form::C) else { return };
    project.add("game", &compile("game.wat", block("Embedding", "wat"), "2"));
    let output = project.run(block("Embedding", "c"), false);
    assert!(output.starts_with("log: 6\n7\nlog: -2\ntrap 5 in step at 6:"), "{output}");
}

#[test]
fn c_manual_calls_a_shader() {
    let Some(mut project) = Project::of("manual-shader", Form::C) else { return };
    let text = "#version 300 es\nprecision highp float;\nin vec2 uv; uniform vec3 tint; out vec4 color;\n\
                void main() { color = vec4(tint * uv.x, uv.y); }\n";
    project.add("shader", &compile("shader.frag", text, "2"));
    let program = format!(
        "#include \"shader.h\"\n#include <stdio.h>\nint main(void) {{\n{}return 0;\n}}\n",
        block("Shaders", "c")
    );
    assert_eq!(project.run(&program, false), "0.5 0.25 0.125 0.75\n");
}
