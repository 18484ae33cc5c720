//! Writes shaders as HLSL into a folder: `corpus FOLDER files…`.
use planish_back_hlsl::{Options, info, write};
use planish_ir::module::Stage;
use planish_ir::source::SourceMap;
use planish_opt::{Context, legalize};

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = args.next().unwrap();
    for path in args {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let name = path.replace('/', "-");
        let stage = match path.rsplit('.').next() {
            Some("vert") => Stage::Vertex,
            Some("comp") => Stage::Compute,
            _ => Stage::Fragment,
        };
        let mut map = SourceMap::new();
        let file = map.add(path.clone(), text).unwrap();
        let output = planish_front_glsl::compile(&mut map, &file, &mut planish_front_glsl::Options::new(stage));
        let Some(module) = output.module.filter(|_| true) else { continue };
        for minify in [false, true] {
            let mut legal = module.clone();
            let mut options = Options::default();
            options.shading.minify = minify;
            options.shading.point_coord_is_centre = true;
            if let Err(e) = legalize::run(&mut legal, &info(options.version), &mut Context::default()) {
                println!("{path}: {}", e[0].message);
                continue;
            }
            match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| write(&legal, &options))) {
                Ok(Ok(output)) => {
                    std::fs::write(format!("{folder}/{name}{}.hlsl", if minify { ".min" } else { "" }), output.text)
                        .unwrap();
                }
                Ok(Err(e)) => println!("{path}: {} {}", e[0].code.0, e[0].message),
                Err(_) => println!("{path}: PANIC"),
            }
        }
    }
}
