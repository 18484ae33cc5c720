//! Binaries that glslang made of the GLSL beside them (`tests/spirv`): read, verified, and out again as WGSL that naga
//! accepts.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use planish_back_naga::{Options, Target, write_wgsl};
use planish_ir::module::{Module, Stage};
use planish_ir::types::TypeKind;

use crate::common;
use crate::legal::lower;

fn read(name: &str) -> Module {
    let bytes = std::fs::read(common::directory("spirv").join(name)).expect("the binary is there");
    let words = planish_front_naga::spirv_words(&bytes).expect("whole words");
    let (module, _) = planish_front_naga::read_spirv(&words).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    common::verified(name, module)
}

fn as_wgsl(name: &str, module: &Module) -> String {
    let lowered = lower(module, &Options::new(Target::Wgsl)).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    let text = write_wgsl(&lowered).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    let parsed = naga::front::wgsl::parse_str(&text).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(&parsed).unwrap_or_else(|e| panic!("{name}: {:?}\n{text}", e.as_inner()));
    text
}

#[test]
fn combined_samplers_are_split() {
    let module = read("combined.frag.spv");
    let names = |wanted: fn(&TypeKind) -> bool| {
        let vars = module.globals.iter().map(|v| &module.vars[*v]);
        vars.filter(|v| wanted(&module.types[v.ty])).map(|v| v.name.text.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(|t| matches!(t, TypeKind::Image(_))), ["albedo", "shadow", "sky"]);
    assert_eq!(names(|t| matches!(t, TypeKind::Sampler { .. })), ["albedo_sampler", "shadow_sampler", "sky_sampler"]);
    let text = as_wgsl("combined.frag.spv", &module);
    assert!(text.contains("textureSampleCompare("), "{text}");
}

#[test]
fn compute_shaders_keep_their_work_group() {
    let module = read("blur.comp.spv");
    let entry = &module.entry_points[0];
    assert_eq!(entry.stage, Some(Stage::Compute));
    assert_eq!(entry.properties.local_size, Some([8, 8, 1]));
    let text = as_wgsl("blur.comp.spv", &module);
    assert!(text.contains("@workgroup_size(8, 8, 1)"), "{text}");
}

#[test]
fn vertex_shaders_keep_their_interface() {
    let module = read("wave.vert.spv");
    let locations: Vec<(String, Option<u32>)> = module
        .globals
        .iter()
        .map(|v| &module.vars[*v])
        .filter(|v| v.decorations.location().is_some())
        .map(|v| (v.name.text.to_string(), v.decorations.location()))
        .collect();
    for (name, location) in [("position", 0), ("normal", 0), ("id", 1)] {
        assert!(locations.contains(&(name.into(), Some(location))), "{name}: {locations:?}");
    }
}

/// Binaries that naga's reader would misread are refused, unless rewriting them first makes it read them right.
#[test]
fn what_would_be_misread_is_refused() {
    let errors = |name: &str| {
        let bytes = std::fs::read(common::directory("spirv").join(name)).expect("the binary is there");
        let words = planish_front_naga::spirv_words(&bytes).expect("whole words");
        let errors = planish_front_naga::read_spirv(&words).err().unwrap_or_default();
        errors.into_iter().map(|e| (e.code.to_string(), e.message)).collect::<Vec<_>>()
    };
    for (name, what) in [("leaves_loop.frag.spv", "out of a loop"), ("falls_into_default.frag.spv", "default case")] {
        let found = errors(name);
        let [(code, message)] = &found[..] else { panic!("{name}: {found:?}") };
        assert!(code == "E0704" && message.contains(what), "{name}: {message}");
    }
    for name in ["falls_into_case.frag.spv", "shares_default.frag.spv"] {
        assert!(errors(name).is_empty(), "{name}");
    }
}

#[test]
fn a_value_beside_the_default_is_no_case_of_its_own() {
    let module = read("shares_default.frag.spv");
    let cases: Vec<usize> = module
        .funcs
        .values()
        .filter_map(|f| f.body.as_ref())
        .flat_map(|b| b.blocks.values())
        .filter_map(|b| match &b.exit {
            planish_ir::function::Exit::Switch { cases, .. } => Some(cases.len()),
            _ => None,
        })
        .collect();
    assert_eq!(cases, [2], "the default, and one value");
}
