//! Random programs with every construct of GLSL, and the programs of the gallery: flattened, written as graphs, read again, and run
//! with random inputs and uniforms. The reader gives the outputs that the evaluator gives for the program as it was written.

use std::path::Path;

use crate::common::{compare_pixels, read};
use planish::Compiler;
use planish::flatten::{Options, STAGES};
use planish::ir::entity::Func;
use planish::module::Module;
use planish_generate::{Choices, glsl};

/// A program, flattened, and its entry point; or why it cannot be.
fn flat(module: &Module) -> Result<(Module, Func), String> {
    let (mut flat, func) = (module.clone(), module.entry_points[0].func);
    for stage in STAGES {
        (stage.run)(&mut flat, func, &Options::default()).map_err(|e| format!("{}: {e:#?}", stage.name))?;
    }
    Ok((flat, func))
}

#[test]
fn random_programs_survive_flattening_and_the_format() {
    // `PLANISH_SEEDS=150..5000` asks for others.
    let given = std::env::var("PLANISH_SEEDS").ok();
    let range =
        given.as_deref().and_then(|s| s.split_once("..")).and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    let seeds: std::ops::Range<u64> = range.unwrap_or(0..150);
    let (mut kept, all) = (0, 6 * (seeds.end - seeds.start) as usize);
    for seed in seeds {
        let source = glsl(&mut Choices::from_seed(seed)).to_string();
        let what = format!("{seed}:\n{source}");
        let module = Compiler::default().compile("random.frag", &source).module.unwrap_or_else(|| panic!("{what}"));
        let (flat, func) = flat(&module).unwrap_or_else(|e| panic!("{e}: {what}"));
        let program = read(&flat, func).unwrap_or_else(|e| panic!("{e}: {what}"));
        kept += compare_pixels(&what, &module, &program, func, 6);
    }
    assert!(kept * 3 > all * 2, "only {kept} of {all} pixels were not discarded");
}

#[test]
fn the_gallery_survives_flattening_and_the_format() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shaders");
    let mut files: Vec<_> = folder.read_dir().expect("the gallery").map(|e| e.expect("an entry").path()).collect();
    files.sort();
    let (mut compared, mut refused) = (0, vec![]);
    for path in &files {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let source = std::fs::read_to_string(path).expect("can be read");
        let module = Compiler::default().compile(&name, &source).module.expect("it is valid");
        // Textures are the host's, and there is none here; the largest loops are written out elsewhere.
        let program = flat(&module).and_then(|(flat, func)| Ok((read(&flat, func)?, func)));
        match program {
            Ok((program, func)) if program.resources.is_empty() => {
                compare_pixels(&name, &module, &program, func, 3);
                compared += 1;
            }
            Ok(_) => refused.push(format!("{name}: textures")),
            Err(why) => refused.push(format!("{name}: {why}")),
        }
    }
    println!("{compared} of {} compared; not: {}", files.len(), refused.join(", "));
    assert!(compared * 4 > files.len() * 3, "only {compared} of {}:\n{}", files.len(), refused.join("\n"));
}
