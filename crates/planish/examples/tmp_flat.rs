use planish::Compiler;
use planish::flatten::uses::node_count;
use planish::flatten::{Options, STAGES, Visible};
fn main() {
    let mut files: Vec<_> = std::fs::read_dir("examples/flatten")
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e != "md"))
        .collect();
    files.sort();
    let only = std::env::args().nth(1);
    for fast in [false, true] {
        let mut totals = vec![(0usize, 0usize); STAGES.len()];
        for f in &files {
            if only.as_ref().is_some_and(|o| !f.to_string_lossy().contains(o)) {
                continue;
            }
            let src = std::fs::read_to_string(f).unwrap();
            let Some(mut module) = Compiler::default().compile(&f.to_string_lossy(), &src).module else {
                println!("{f:?} no");
                continue;
            };
            let func = module.entry_points[0].func;
            let options = Options { fast_math: fast, visible: Visible::ALL, ..Options::default() };
            let mut line = format!("{:<40}", f.file_name().unwrap().to_string_lossy());
            for (i, s) in STAGES.iter().enumerate() {
                let t = std::time::Instant::now();
                if let Err(e) = (s.run)(&mut module, func, &options) {
                    line += &format!("ERR {}", e[0].message);
                    break;
                }
                let el = t.elapsed();
                let body = module.funcs[func].body.as_ref().unwrap();
                let n = node_count(&module, body);
                let un = planish::ir::uniform::uniform_values(&module, body, &options.barriers);
                let v = planish::ir::walk::blocks(body)
                    .flat_map(|b| &body.blocks[b].nodes)
                    .filter(|&&n| {
                        body.results(n).any(|r| !un[r])
                            && body.node(n).op != planish::ir::ops::Op::ConstructVectorFromScalar
                    })
                    .count();
                totals[i].0 += n;
                totals[i].1 += v;
                line += &format!(" {}:{n}/{v} {}ms", &s.name[..2], el.as_millis());
                let once = planish::ir::text::print(&module);
                let mut again = module.clone();
                (s.run)(&mut again, func, &options).unwrap();
                if once != planish::ir::text::print(&again) {
                    line += " UNSTABLE";
                }
                if only.is_some() {
                    println!("// {} {fast}\n{once}", s.name);
                }
            }
            println!("{line}");
        }
        println!("{fast}: {totals:?}");
    }
}
