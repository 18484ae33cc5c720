//! Writes a shader's graph in all forms beside each other: `graph_forms SHADER.frag OUT` makes `OUT.json`, `OUT.txt`, `OUT.dot`, `OUT.svg`.
//! The shader must be free of branches once it is optimized.

use planish_back_graph::{Graph, Options, dot, json, listing, svg};
use planish_front_glsl::{Options as FrontOptions, compile};
use planish_ir::module::Stage;
use planish_ir::source::SourceMap;

fn main() {
    let [shader, out] = std::env::args().skip(1).collect::<Vec<_>>().try_into().expect("a shader and a place");
    let mut map = SourceMap::new();
    let text = std::fs::read_to_string(&shader).expect("the shader can be read");
    let file = map.add(&*shader, text).expect("small");
    let mut module = if shader.ends_with(".ir") {
        planish_ir::text::parse(&file).expect("it is valid")
    } else {
        compile(&mut map, &file, &mut FrontOptions::new(Stage::Fragment)).module.expect("it is valid")
    };
    let options = planish_opt::Options { keep_selects: true, inline_all: true, ..planish_opt::Options::default() };
    let passes = planish_opt::pipeline("2").expect("there is a level 2");
    planish_opt::run_passes(&mut module, &passes, &mut planish_opt::Context::new(options), &mut |_, _| {});
    let func = module.entry_point(None).map_or(module.funcs.keys().next().expect("a function"), |e| e.func);
    let options = Options { cost: &|op| planish_opt::cost::GPU.of(op), map: Some(&map), ..Options::default() };
    match Graph::new(&module, func, &options) {
        Ok(graph) => {
            let write = |end: &str, text: String| std::fs::write(format!("{out}.{end}"), text).expect("can be written");
            write("json", json::text(&graph));
            write("txt", listing::text(&graph));
            write("dot", dot::text(&graph));
            write("svg", svg::text(&graph));
        }
        Err(errors) => errors.iter().for_each(|e| println!("{}: {}", e.code, e.message)),
    }
}
