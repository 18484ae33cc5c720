//! Shaders through every output, and their pictures against those of the shaders themselves.
//!
//! Each `cases/*.{frag,vert,comp}` must come out valid in all four languages (what a header line `// not: wgsl` names is
//! left out), and its WGSL is the text beside it (`BLESS=1` rewrites it). Fragment shaders without a line `// no picture`
//! are drawn twice by a software GPU: as they are, and through our module and naga's GLSL writer. The pictures must be the
//! same. Where there is no software GPU, that part is skipped with a message.

use std::path::{Path, PathBuf};

use planish_back_naga::{Lowered, Options, Target, write_spirv, write_wgsl};
use planish_gl::{Api, Draw, Gpu};
use planish_ir::module::{Module, Stage};
use planish_ir::source::SourceMap;

use crate::feed;
use crate::legal::lower;

fn cases() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir)
        .expect("the cases")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e != "wgsl"))
        .collect();
    files.sort();
    assert!(files.len() >= 8, "cases are missing");
    files
}

fn read(path: &Path) -> (String, Module) {
    let text = std::fs::read_to_string(path).expect("a case");
    if path.extension().is_some_and(|e| e == "ir") {
        let module = planish_ir::text::parse_str(&text).unwrap_or_else(|e| panic!("{}: {e:#?}", path.display()));
        assert_eq!(planish_ir::verify::verify(&module).len(), 0, "{}", path.display());
        return (text, module);
    }
    let stage = match path.extension().and_then(|e| e.to_str()) {
        Some("vert") => Stage::Vertex,
        Some("comp") => Stage::Compute,
        _ => Stage::Fragment,
    };
    let mut map = SourceMap::new();
    let file = map.add(path.display().to_string(), text.clone()).expect("small");
    let output = planish_front_glsl::compile(&mut map, &file, &mut planish_front_glsl::Options::new(stage));
    assert!(!output.has_errors(), "{}: {:#?}", path.display(), output.diagnostics);
    (text, output.module.expect("a module"))
}

fn lowered(path: &Path, module: &Module, target: Target) -> Lowered {
    let options = Options { point_coord_is_centre: true, ..Options::new(target) };
    lower(module, &options).unwrap_or_else(|e| panic!("{} to {}: {e:#?}", path.display(), target.name()))
}

#[test]
fn all_outputs_are_valid() {
    for path in cases() {
        let (text, module) = read(&path);
        let wanted = |name: &str| !text.contains(&format!("// not: {name}"));
        if wanted("wgsl") {
            let wgsl = write_wgsl(&lowered(&path, &module, Target::Wgsl)).unwrap();
            let again = naga::front::wgsl::parse_str(&wgsl);
            let again = again.unwrap_or_else(|e| panic!("{}: {}", path.display(), e.emit_to_string(&wgsl)));
            let flags = naga::valid::ValidationFlags::all();
            let checked = naga::valid::Validator::new(flags, naga::valid::Capabilities::all()).validate(&again);
            assert!(checked.is_ok(), "{}: {:?}\n{wgsl}", path.display(), checked.err());
            check_text(&path.with_extension(format!("{}.wgsl", path.extension().unwrap().to_str().unwrap())), &wgsl);
        }
        if wanted("spirv") {
            assert!(write_spirv(&lowered(&path, &module, Target::Spirv)).unwrap().len() > 20);
        }
    }
}

fn check_text(path: &Path, text: &str) {
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, text).expect("blessed");
        return;
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    assert!(text == expected, "{} differs; BLESS=1 rewrites it. Now:\n{text}", path.display());
}

const SIZE: u32 = 16;

#[test]
fn pictures_are_the_same() {
    let gpu = match Gpu::open(Api::Es) {
        Ok(gpu) => gpu,
        Err(why) => {
            eprintln!("SKIPPED: no software GPU: {why}");
            return;
        }
    };
    let mut drawn = 0;
    let mut wrong = vec![];
    for path in cases() {
        let (text, module) = read(&path);
        if path.extension().is_none_or(|e| e != "frag") || text.contains("// no picture") {
            continue;
        }
        let module_of_target = lowered(&path, &module, Target::Spirv);
        let (glsl, info) = naga_glsl(&module_of_target);
        let feed = feed::Feed::new(&module, &module_of_target, &info);
        let mut original = Draw::new(&text, [SIZE, SIZE]);
        original.uniforms = feed.uniforms.clone();
        original.blocks = feed.blocks.clone();
        original.textures = feed.textures.clone();
        original.background = [0.25; 4];
        let mut ours = Draw::new(&glsl, [SIZE, SIZE]);
        ours.blocks = feed.our_blocks.clone();
        ours.textures = feed.our_textures.clone();
        ours.background = [0.25; 4];
        let name = path.file_name().expect("a name").to_string_lossy().to_string();
        let (a, b) = match (gpu.draw(&original), gpu.draw(&ours)) {
            (Ok(a), Ok(b)) => (a, b),
            (a, b) => {
                wrong.push(format!("{name}: {:?}, through naga {:?}\n{glsl}", a.err(), b.err()));
                continue;
            }
        };
        let differ = |x: &[f32; 4], y: &[f32; 4]| {
            (0..4).any(|c| (x[c] - y[c]).abs() > 1e-4 * x[c].abs().max(1.0) || x[c].is_nan() != y[c].is_nan())
        };
        let places: Vec<usize> = (0..a.pixels.len()).filter(|&i| differ(&a.pixels[i], &b.pixels[i])).collect();
        if let Some(&i) = places.first() {
            let at = (i as u32 % SIZE, i as u32 / SIZE);
            let (n, x, y) = (places.len(), a.pixels[i], b.pixels[i]);
            wrong.push(format!("{name}: {n} pixels differ, first {at:?}: {x:?}, through naga {y:?}"));
        }
        let distinct: std::collections::BTreeSet<String> = a.pixels.iter().map(|p| format!("{p:?}")).collect();
        assert!(distinct.len() > 3, "{} draws next to nothing", path.display());
        drawn += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(drawn >= 8, "only {drawn} pictures");
}

fn naga_glsl(lowered: &Lowered) -> (String, naga::back::glsl::ReflectionInfo) {
    use naga::back::glsl;
    let options = glsl::Options {
        version: glsl::Version::new_gles(310),
        writer_flags: glsl::WriterFlags::empty(),
        ..glsl::Options::default()
    };
    let entry = &lowered.module.entry_points[0];
    let pipeline =
        glsl::PipelineOptions { shader_stage: entry.stage, entry_point: entry.name.clone(), multiview: None };
    let mut text = String::new();
    let policies = naga::proc::BoundsCheckPolicies::default();
    let mut writer =
        glsl::Writer::new(&mut text, &lowered.module, &lowered.info, &options, &pipeline, policies).expect("a writer");
    let info = writer.write().expect("GLSL of naga's");
    (text, info)
}
