//! Binaries that glslang (or, for `.spvasm`, `spirv-as`) made of the text beside them (`tests/binaries`).

use std::path::{Path, PathBuf};

use planish_front_spirv::{ReadResult, translate, words_of};
use planish_ir::function::Exit;
use planish_ir::module::{Module, Stage};
use planish_ir::source::SourceMap;
use planish_ir::types::{ImageKind, TypeKind};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/binaries")
}

/// Names and bytes of all binaries.
pub(crate) fn all() -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(directory()).expect("the binaries are there");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("readable").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "spv"));
    paths.sort();
    let name = |p: &PathBuf| p.file_name().expect("a file").to_string_lossy().into_owned();
    paths.iter().map(|p| (name(p), std::fs::read(p).expect("readable"))).collect()
}

fn translated(name: &str, bytes: &[u8]) -> ReadResult {
    let mut map = SourceMap::new();
    let file = map.add_binary(name, bytes.len()).expect("small");
    translate(&file, &words_of(&file, bytes)?, &mut map)
}

fn read(name: &str) -> Module {
    let bytes = std::fs::read(directory().join(name)).expect("the binary is there");
    translated(name, &bytes).unwrap_or_else(|e| panic!("{name}: {e:#?}")).0
}

/// Exits of all blocks.
fn exits(module: &Module) -> Vec<Exit> {
    let bodies = module.funcs.values().filter_map(|f| f.body.as_ref());
    bodies.flat_map(|b| b.blocks.values()).map(|b| b.exit.clone()).collect()
}

#[test]
fn all_are_read_in_either_byte_order() {
    let all = all();
    assert!(all.len() >= 7, "{}", all.len());
    for (name, mut bytes) in all {
        let text = planish_ir::text::print(&read(&name));
        bytes.chunks_exact_mut(4).for_each(<[u8]>::reverse);
        let (swapped, _) = translated(&name, &bytes).unwrap_or_else(|e| panic!("{name}: {e:#?}"));
        assert_eq!(planish_ir::text::print(&swapped), text, "{name}");
    }
}

#[test]
fn combined_samplers_stay_combined() {
    let module = read("combined.frag.spv");
    let image = |v: &_| match module.types[module.vars[*v].ty] {
        TypeKind::Image(image) => Some((module.vars[*v].name.text.to_string(), image.kind, image.shadow)),
        _ => None,
    };
    let images: Vec<_> = module.globals.iter().filter_map(image).collect();
    let wanted = [("albedo", false), ("shadow", true), ("sky", false)];
    let wanted: Vec<_> = wanted.map(|(name, shadow)| (name.to_owned(), ImageKind::Combined, shadow)).into();
    assert_eq!(images, wanted);
}

#[test]
fn compute_shaders_keep_their_work_group() {
    let module = read("blur.comp.spv");
    let entry = &module.entry_points[0];
    assert_eq!((entry.stage, entry.properties.local_size), (Some(Stage::Compute), Some([8, 8, 1])));
}

#[test]
fn vertex_shaders_keep_their_interface() {
    let module = read("wave.vert.spv");
    let locations: Vec<(&str, Option<u32>)> = module
        .globals
        .iter()
        .map(|v| &module.vars[*v])
        .filter(|v| v.decorations.location().is_some())
        .map(|v| (&*v.name.text, v.decorations.location()))
        .collect();
    for (name, location) in [("position", 0), ("normal", 0), ("id", 1)] {
        assert!(locations.contains(&(name, Some(location))), "{name}: {locations:?}");
    }
}

#[test]
fn a_value_beside_the_default_is_no_case_of_its_own() {
    let module = read("shares_default.frag.spv");
    let cases = |exit: Exit| if let Exit::Switch { cases, .. } = exit { Some(cases.len()) } else { None };
    let cases: Vec<usize> = exits(&module).into_iter().filter_map(cases).collect();
    assert_eq!(cases, [2], "the default, and one value");
}

#[test]
fn loops_are_left_from_within_a_switch() {
    let module = read("leaves_loop.frag.spv");
    let exits = exits(&module);
    let is_loop = |e: &&Exit| matches!(e, Exit::Loop { .. } | Exit::DoLoop { .. });
    assert_eq!(exits.iter().filter(is_loop).count(), 1, "{exits:?}");
    assert!(exits.iter().any(|e| matches!(e, Exit::Switch { .. })));
}

#[test]
fn a_loop_whose_body_is_its_continue_target_has_a_condition() {
    let module = read("body_is_continue.frag.spv");
    let exits = exits(&module);
    let next = |e: &Exit| if let Exit::Loop { next, .. } = e { Some(*next) } else { None };
    assert_eq!(exits.iter().find_map(next), Some(None), "a loop, and all of it is its body: {exits:?}");
    let condition = |e: &Exit| if let Exit::LoopIf { condition, .. } = e { Some(*condition) } else { None };
    let condition = exits.iter().find_map(condition).expect("a loop");
    assert!(condition.as_local().is_some(), "it is the comparison: {condition:?}");
}

/// `OpLine`, and the debug information of a set of its own.
#[test]
fn nodes_have_their_places_in_the_source() {
    for name in ["lines.g.frag.spv", "lines.gvs.frag.spv"] {
        let bytes = std::fs::read(directory().join(name)).expect("the binary is there");
        let mut map = SourceMap::new();
        let file = map.add_binary(name, bytes.len()).expect("small");
        let words = words_of(&file, &bytes).expect("whole words");
        let (module, _) = translate(&file, &words, &mut map).unwrap_or_else(|e| panic!("{name}: {e:#?}"));
        let body = module.funcs[module.entry_points[0].func].body.as_ref().expect("a body");
        let sine = body.nodes().find(|(_, data)| data.op == planish_ir::ops::Op::Sin).expect("a sine").1;
        let place = map.place(sine.span).expect("a place");
        assert!(place.contains("lines.frag:6:"), "{name}: {place}");
    }
}

#[test]
fn addresses_of_buffers_are_numbers() {
    let module = read("addresses.comp.spv");
    let text = planish_ir::text::print(&module);
    for wanted in [
        // The members of the push constants.
        "head: u64",
        // `n.v`, `n.t[1]`, and the rows of a matrix in the other order.
        "reference_load[16]",
        "reference_load[4]",
        "reference_store[16]",
        "reference_store[4]",
        "reference_atomic_add",
        // An item of the array is 64 bytes.
        ", 64ul",
    ] {
        assert!(text.contains(wanted), "{wanted}:\n{text}");
    }
}

#[test]
fn lengths_are_computed_from_specialization_constants() {
    let module = read("spec_lengths.comp.spv");
    let lengths = module.types.iter().filter_map(|(_, kind)| match kind {
        TypeKind::Array { len, .. } => Some(*len),
        _ => None,
    });
    assert_eq!(lengths.collect::<Vec<_>>(), [4]);
}
