//! Pages of `docs` follow the tables of the library, and show what it writes.

use planish::optimizer::reference;
use planish::{Compiler, EmitOptions, Flattener, Target, emit};
use planish_testkit::{committed, folder};

/// The text of a page.
fn page(path: &str) -> String {
    std::fs::read_to_string(folder(path)).expect("the page is there")
}

#[test]
fn the_page_on_options_follows_the_tables() {
    let path = "docs/optimizer-options.md";
    let page = page(path);
    let marks = ["<!-- from the tables -->\n", "<!-- end -->\n"];
    let start = page.find(marks[0]).expect("the table begins") + marks[0].len();
    let end = page.find(marks[1]).expect("the table ends");
    committed(path, &format!("{}\n{}\n{}", &page[..start], reference(), &page[end..]));
}

/// The page on graphs shows what is written for the shader on it, when it is flattened.
#[test]
fn the_page_on_graphs_tells_the_truth() {
    let path = "docs/targets/graph.md";
    let page = page(path);
    let part = |fence: &str| {
        let begin = format!("```{fence}\n");
        let start = page.find(&begin).expect("an example") + begin.len();
        start..start + page[start..].find("```").expect("it ends")
    };
    let compilation = Compiler::default().compile("page.frag", &page[part("glsl")]);
    let mut module = compilation.module.expect("it is valid");
    let flattener = Flattener { entry_points: true, ..Flattener::default() };
    flattener.run(&mut module, &mut |_, _| {}).expect("it can be flat");
    let graph = emit(&module, Target::Graph, &EmitOptions::default()).expect("it is a graph");
    let mut told = page.clone();
    told.replace_range(part("json"), &String::from_utf8_lossy(&graph.bytes));
    committed(path, &told);
}
