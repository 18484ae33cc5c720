//! WGSL out, read back by naga: it is accepted, readable and short, and draws the same picture.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use planish::module::{EntryPoint, Language, Module, StageProperties, VarData};
use planish::{EmitOptions, emit};
use planish::{Optimizer, Target};
use planish_generate::{Program, glsl};
use planish_ir::arena::Id;
use planish_ir::entity::Type;
use planish_ir::function::Function;
use planish_ir::ops::{Class, Op};
use planish_ir::types::AddressSpace;
use planish_opt::{Context, legalize};
use planish_testkit::{glsl_features, op_cases};

use crate::common::seeds::for_each_seed;
use crate::common::{self, Picture};

const SIZE: [u32; 2] = [4, 4];

/// A module as WGSL and as a module again.
fn again(module: &Module, minify: bool) -> Result<Option<(String, Module)>, String> {
    let options = EmitOptions { minify, ..EmitOptions::default() };
    let Ok(artifact) = emit(module, Target::Wgsl, &options) else { return Ok(None) };
    let text = String::from_utf8(artifact.bytes).expect("WGSL is text");
    match common::compile("again.wgsl", &text) {
        Ok(module) => Ok(Some((text, module))),
        Err(errors) => Err(format!("not accepted: minify {minify}:\n{errors}\n{text}")),
    }
}

fn has_inputs(module: &Module) -> bool {
    let is_input = |data: &VarData| data.space == AddressSpace::Input && data.decorations.builtin().is_none();
    module.globals.iter().any(|&var| is_input(&module.vars[var]))
}

/// The picture of what naga writes, which has the same names of resources: those of elements of arrays and structs of samplers,
/// and so their contents, are not the source's.
fn through_naga(module: &Module) -> Option<Picture> {
    let options = planish_back_naga::Options::new(planish_back_naga::Target::Wgsl);
    let mut legal = module.clone();
    legalize::run(&mut legal, &planish_back_naga::info(options.target), &mut Context::default()).ok()?;
    let text = planish_back_naga::write_wgsl(&planish_back_naga::lower(&legal, &options).ok()?).ok()?;
    common::picture(&common::compile("naga.wgsl", text).ok()?, SIZE).ok()
}

/// Why the WGSL of a module is not the same program, with the number of pictures that were compared; it may be refused.
fn survives_as_wgsl(module: &Module, expected: Option<&Picture>, compared: &mut usize) -> Option<String> {
    for level in ["0", "2", "s"] {
        let mut optimized = module.clone();
        Optimizer::level(level).expect("has passes").run(&mut optimized, &mut |_, _| {});
        for minify in [false, true] {
            let (text, read) = match again(&optimized, minify) {
                Ok(Some(read)) => read,
                Ok(None) => continue,
                Err(why) => return Some(format!("-O{level}: {why}")),
            };
            // The values of inputs go by their names, of which short ones say nothing.
            let Some(expected) = expected.filter(|_| !minify || !has_inputs(&optimized)) else { continue };
            let drawn = common::picture(&read, SIZE);
            if drawn.as_ref() != Ok(expected) && drawn.as_ref().ok() != through_naga(&optimized).as_ref() {
                return Some(format!(
                    "-O{level}, minify {minify}: draws something else:\n{drawn:?}\n{expected:?}\n{text}"
                ));
            }
            *compared += 1;
        }
    }
    None
}

pub(crate) fn survives(program: &Program) -> Option<String> {
    let module = common::compile("random.frag", program.to_string()).ok()?;
    let expected = common::picture(&module, SIZE).ok()?;
    survives_as_wgsl(&module, Some(&expected), &mut 0)
}

/// Seeds that once found something; kept for ever.
const ONCE: [u64; 7] = [118, 305, 374, 491, 558, 641, 676];

#[test]
fn random_programs_survive_as_wgsl() {
    for_each_seed(0..40, &ONCE, glsl, survives);
}

fn files(folders: &[&str]) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![];
    for folder in folders {
        let found = root.join(folder).read_dir().expect("the folder is there").flatten().map(|e| e.path());
        let is_shader = |p: &PathBuf| p.extension().is_some_and(|e| e == "frag" || e == "vert" || e == "comp");
        files.extend(found.filter(is_shader));
    }
    files.sort();
    files
}

#[test]
fn the_gallery_and_the_cases_survive_as_wgsl() {
    let folders = [
        "examples/shaders",
        "crates/back/naga/tests/cases",
        "crates/back/glsl/tests/cases",
        "crates/front/glsl/tests/accept",
    ];
    let (mut faults, mut compared) = (vec![], 0);
    for path in files(&folders) {
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let source = std::fs::read_to_string(&path).expect("can be read");
        let Ok(module) = common::compile(&name, &source) else { continue };
        let expected = common::picture(&module, SIZE).ok();
        faults.extend(survives_as_wgsl(&module, expected.as_ref(), &mut compared).map(|why| format!("{name}: {why}")));
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(compared > 300, "only {compared} pictures were compared");
}

#[test]
fn every_feature_is_accepted_or_refused() {
    let mut faults = vec![];
    for (stage, declarations, statements) in glsl_features::all() {
        let text = glsl_features::shader(stage, declarations, statements);
        let name = format!("feature.{}", &stage.name()[..4]);
        let Ok(module) = common::compile(&name, &text) else { continue };
        faults.extend(again(&module, false).err().map(|why| format!("{declarations} {statements}\n{why}")));
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Each op on each kind of values: what is written is accepted.
#[test]
fn every_op_is_accepted_or_refused() {
    let (mut faults, mut written) = (vec![], 0);
    for op in Op::all().filter(|&op| !op_cases::cannot_run(op)) {
        let mut module = Module::new(Language::Glsl { version: 450, es: false });
        let cases = op_cases::cases_of(&mut module, &|other| other == op);
        let functions: Vec<Function> = std::mem::take(&mut module.funcs).into_entries().map(|(_, f)| f).collect();
        let empty = module.clone();
        let is_wide = |&ty: &Type| module.types.scalar_of(ty).is_some_and(|s| s.bits() == 64);
        let mut seen = BTreeSet::new();
        for case in cases.iter().filter(|case| !case.operands.iter().chain(&case.results).any(is_wide)) {
            // One of each list of scalars, of vectors and without; of a constructor's operands, the first.
            let known = if op.info().class == Class::Construct { 1 } else { case.operands.len() };
            let kind = |&ty: &Type| (module.types.scalar_of(ty), module.types.vector_size(ty) == Some(1));
            if !seen.insert(case.operands[..known].iter().chain(&case.results).map(kind).collect::<Vec<_>>()) {
                continue;
            }
            let mut alone = empty.clone();
            let func = alone.funcs.push(functions[case.func.index()].clone());
            let (names, properties) = (vec!["it".into()], StageProperties::default());
            alone.entry_points = vec![EntryPoint { names, func, stage: None, properties }];
            match again(&alone, false) {
                Ok(read) => written += usize::from(read.is_some()),
                Err(why) => faults.push(format!("{}: {:?}\n{why}", op.text(), case.operands)),
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(written > 400, "only {written} are written");
}

/// A constructor of a struct with one member, NaN, is written; and the exponent of a half, which is an `i16` to naga.
#[test]
fn structs_of_one_nan_and_exponents_of_halves_survive_as_wgsl() {
    let source = "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n\
        struct One { float x; };\nlayout(location = 0) out vec4 color;\nvoid main() {\n\
        One one = One(1.0);\nif (gl_FragCoord.x > 2.0) one = One(uintBitsToFloat(0x7fc00000u));\n\
        int exponent;\nfloat16_t part = frexp(float16_t(gl_FragCoord.y), exponent);\n\
        color = vec4(one.x, part, exponent, 1.0);\n}\n";
    let module = common::compile("a.frag", source).unwrap_or_else(|errors| panic!("{errors}"));
    let expected = common::picture(&module, SIZE).expect("is drawn");
    let mut compared = 0;
    assert_eq!(survives_as_wgsl(&module, Some(&expected), &mut compared), None);
    assert_eq!(compared, 6);
    let source = "enable f16;\n@fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {\n\
        let parts = frexp(vec2h(at.yy));\nreturn vec4f(f32(parts.fract.x), f32(parts.exp.y), 0, 1);\n}\n";
    let module = common::compile("a.wgsl", source).unwrap_or_else(|errors| panic!("{errors}"));
    let again = common::picture(&module, SIZE).expect("is drawn");
    let parts = |picture: &Picture, at: [usize; 2]| picture.iter().map(|p| at.map(|i| p[i])).collect::<BTreeSet<_>>();
    assert_eq!(parts(&again, [0, 1]), parts(&expected, [1, 2]));
}

/// The texts of the cases, as people read them.
#[test]
fn cases_read_well() {
    for path in files(&["crates/back/naga/tests/cases"]) {
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let source = std::fs::read_to_string(&path).expect("can be read");
        let module = common::compile(&name, &source).expect("cases are valid");
        if let Some((text, _)) = again(&module, false).expect("it is accepted") {
            planish_testkit::committed(&format!("crates/planish/tests/wgsl/{name}.wgsl"), &text);
        }
    }
}

#[test]
fn minified_names_are_in_the_reflection() {
    let source = "#version 300 es\nprecision highp float;\nstruct Surface { vec3 albedo; float roughness; };\n\
        layout(std140) uniform Lights { vec3 ambient; } lights;\nout vec4 color;\n\
        vec3 lit(Surface surface) { return surface.albedo * lights.ambient + surface.roughness; }\n\
        void main() { color = vec4(lit(Surface(vec3(0.5), lights.ambient.x)), 1.0); }\n";
    let module = common::compile("a.frag", source).expect("is valid");
    let options = EmitOptions { minify: true, ..EmitOptions::default() };
    let bytes = emit(&module, Target::Wgsl, &options).expect("is WGSL").bytes;
    let text = String::from_utf8(bytes).expect("text");
    for word in ["Surface", "albedo", "roughness", "lit", "Lights"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
    assert!(text.contains("ambient:vec3f") && text.contains("lights:"), "{text}");
    let reflection = planish::reflect(&module, &options).expect("has an interface");
    let names = reflection.names.expect("is minified");
    for (kind, original) in
        [("struct", "Surface"), ("member", "Surface.albedo"), ("member", "Surface.roughness"), ("function", "lit")]
    {
        let entry = names.iter().find(|n| n.kind == kind && n.original == original);
        let printed = &entry.unwrap_or_else(|| panic!("{original} in {names:?}")).printed;
        assert!(text.contains(&**printed) && printed.len() == 1, "{printed} in {text}");
    }
}
