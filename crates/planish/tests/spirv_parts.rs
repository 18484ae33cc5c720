//! Parts of SPIR-V that the IR has no name for: ray tracing, meshes, sparse images, streams, matrices of several invocations, extensions of one
//! vendor. They go from SPIR-V to SPIR-V, and every other target says what it lacks.

use std::collections::BTreeMap;

use planish::eval::shade::{DrawOptions, draw as eval_draw};
use planish::lanes::LaneOptions;
use planish::module::{Module, Stage};
use planish::{EmitOptions, Optimizer, Target, emit, ir};

use crate::common::compile;
use crate::spirv::objection;

/// A binary: its bytes, its stage, and instructions that it has and that stay, by number.
type Binary = (&'static str, &'static [u8], Stage, &'static [u16]);

macro_rules! binary {
    ($name:literal, $stage:ident, $instructions:expr) => {
        ($name, include_bytes!(concat!("../../front/spirv/tests/binaries/", $name)), Stage::$stage, $instructions)
    };
}

const BINARIES: [Binary; 12] = [
    // OpTraceRayKHR, OpExecuteCallableKHR
    binary!("shadows.rgen.spv", RayGeneration, &[4445, 4446]),
    // OpIgnoreIntersectionKHR, OpTerminateRayKHR
    binary!("leaves.rahit.spv", AnyHit, &[4448, 4449]),
    // OpTraceRayKHR
    binary!("record.rchit.spv", ClosestHit, &[4445]),
    // OpReportIntersectionKHR
    binary!("sphere.rint.spv", Intersection, &[5334]),
    // OpEmitMeshTasksEXT, OpAtomicIAdd
    binary!("culling.task.spv", Task, &[5294, 234]),
    // OpSetMeshOutputsEXT
    binary!("terrain.mesh.spv", Mesh, &[5295]),
    // OpRayQueryInitializeKHR, OpRayQueryProceedKHR, OpRayQueryConfirmIntersectionKHR
    binary!("visible.comp.spv", Compute, &[4473, 4477, 4476]),
    // OpImageSparseSampleImplicitLod, …ExplicitLod, OpImageSparseFetch, …Gather, …TexelsResident, …Read
    binary!("residency.frag.spv", Fragment, &[305, 306, 313, 314, 316, 320]),
    // OpEmitStreamVertex, OpEndStreamPrimitive
    binary!("streams.geom.spv", Geometry, &[220, 221]),
    // OpExtInst
    binary!("medians.frag.spv", Fragment, &[12]),
    // OpImageTexelPointer, OpAtomicUMax, OpImageRead, OpImageWrite
    binary!("wide.comp.spv", Compute, &[60, 239, 98, 99]),
    // OpCooperativeMatrixLoadNV, …StoreNV, …LengthNV
    binary!("controls.comp.spv", Compute, &[5359, 5360, 5362]),
];

/// Number of instructions of each kind in a binary.
fn instructions(bytes: &[u8]) -> BTreeMap<u16, usize> {
    let words: Vec<u32> = bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    let (mut at, mut found) = (5, BTreeMap::new());
    while at < words.len() {
        *found.entry(words[at] as u16).or_default() += 1;
        at += (words[at] >> 16) as usize;
    }
    found
}

fn optimized(module: &Module, level: &str) -> Module {
    let mut module = module.clone();
    Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
    module
}

fn written(module: &Module, target: Target) -> Result<Vec<u8>, Vec<String>> {
    let options = EmitOptions { vulkan: true, ..EmitOptions::default() };
    emit(module, target, &options)
        .map(|output| output.bytes)
        .map_err(|errors| errors.iter().map(|e| format!("{} {} {:?}", e.code, e.message, e.help)).collect())
}

#[test]
fn they_go_from_spirv_to_spirv() {
    for (name, bytes, stage, kept) in BINARIES {
        let module = compile(name, bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(module.entry_points[0].stage, Some(stage), "{name}");
        let before = instructions(bytes);
        for level in ["0", "1", "2", "s"] {
            let bytes = written(&optimized(&module, level), Target::Spirv).unwrap_or_else(|e| panic!("{name}: {e:#?}"));
            assert_eq!(objection(&bytes, "vulkan1.3"), None, "{name} at {level}");
            let after = instructions(&bytes);
            for opcode in kept {
                match level {
                    "0" => assert_eq!(after.get(opcode), before.get(opcode), "{name}: {opcode}"),
                    _ => assert!(after.contains_key(opcode), "{name} at {level}: {opcode}"),
                }
            }
            let again = compile("again.spv", &bytes).unwrap_or_else(|e| panic!("{name} at {level}: {e}"));
            assert_eq!(again.entry_points[0].properties, module.entry_points[0].properties, "{name}");
        }
    }
}

#[test]
fn equal_pure_instructions_are_one_and_unused_ones_go() {
    let count = |name: &str, level: &str, opcode: u16| {
        let (_, bytes, ..) = BINARIES.iter().find(|b| b.0 == name).expect("it is there");
        let module = compile(name, *bytes).expect("valid");
        let bytes = written(&optimized(&module, level), Target::Spirv).expect("written");
        instructions(&bytes).get(&opcode).copied().unwrap_or(0)
    };
    // Two equal sums of matrices. Of five uses of an extension two are equal, and one is of no use.
    assert_eq!([count("controls.comp.spv", "0", 129), count("controls.comp.spv", "2", 129)], [2, 1]);
    assert_eq!([count("medians.frag.spv", "0", 12), count("medians.frag.spv", "2", 12)], [5, 3]);
}

#[test]
fn other_targets_say_what_they_lack() {
    let cases = [
        ("shadows.rgen.spv", "only SPIR-V has the stage `ray_generation`"),
        ("terrain.mesh.spv", "only SPIR-V has the stage `mesh`"),
        ("visible.comp.spv", "only SPIR-V has the type `OpTypeRayQueryKHR`"),
        ("residency.frag.spv", "only SPIR-V has the instruction `ImageSparseSampleImplicitLod`"),
        ("streams.geom.spv", "only SPIR-V has variables as `second`"),
        ("wide.comp.spv", "only SPIR-V has the type `OpTypeImage`"),
    ];
    let targets = [
        Target::Glsl,
        Target::Wgsl,
        Target::Msl,
        Target::Hlsl,
        Target::C,
        Target::Rust,
        Target::Js,
        Target::Wasm,
        Target::Mtlx,
    ];
    for (name, message) in cases {
        let (_, bytes, ..) = BINARIES.iter().find(|b| b.0 == name).expect("it is there");
        let module = compile(name, *bytes).expect("valid");
        for target in targets {
            let errors = written(&module, target).err().unwrap_or_else(|| panic!("{name} as {target:?}"));
            assert!(
                errors.iter().any(|e| e.contains(message) && e.contains("--emit=spirv")),
                "{target:?}: {errors:#?}"
            );
        }
    }
}

/// A variable of SPIR-V has no value here: nothing draws as if it were zero.
#[test]
fn they_are_not_run() {
    let text = "module spirv\nvar spirv @x: f32 storage_class(1) spirv(30, 0)\nvar output @o: vec4 location(0)\n\
        fn interface @main() {\nb0:\n  %0 = load @x\n  %1: vec4 = construct_vector_from_scalar %0\n  store @o, %1\n  return\n}\n\
        entry fragment @main \"main\"\n";
    let module = compile("x.ir", text).expect("valid");
    let options = DrawOptions { size: [4, 4], ..DrawOptions::default() };
    let message = "only SPIR-V has variables as `x`, and it cannot be run";
    assert!(eval_draw(&module, &options).expect_err("no value").to_string().contains(message));
    let on_lanes = planish::lanes::draw(&module, &options, &LaneOptions::default());
    assert!(on_lanes.expect_err("no value").to_string().contains(message));
}

#[test]
fn the_text_form_has_them() {
    for (name, bytes, ..) in BINARIES {
        for level in ["0", "2"] {
            let module = optimized(&compile(name, bytes).expect("valid"), level);
            let text = ir::text::print(&module);
            let again = ir::text::parse_str(&text).unwrap_or_else(|e| panic!("{name}: {e:#?}"));
            assert_eq!(ir::verify::verify(&again), [], "{name}");
            assert_eq!(ir::text::print(&again), text, "{name}");
            assert_eq!(again.spirv_needs, module.spirv_needs, "{name}");
            // The same binary, but for the order of what is made first.
            let [a, b] =
                [&module, &again].map(|module| instructions(&written(module, Target::Spirv).expect("written")));
            assert_eq!(a, b, "{name}");
        }
    }
}

#[test]
fn wrong_text_is_refused() {
    let module = |line: &str| format!("module spirv\n{line}\nfn @f() {{\nb0:\n  return\n}}\n");
    for (line, message) in [
        ("needs spirv 2.0", "1.0 to 1.6"),
        ("op A pure cost 1 spirv 7 [ends]", "a number"),
        ("op A pure cost 1 spirv 7 [] ends", "what ends a block is ordered"),
        ("var spirv @x: spirv<TypeX 70000> storage_class(0)", "below 2^16"),
        ("var spirv @x: spirv<TypeX 70, void> storage_class(0)", "`void`"),
        ("var spirv @x: f32 spirv(1, 2, 3)", "at most one operand"),
    ] {
        let text = module(line);
        let found: Vec<String> = match ir::text::parse_str(&text) {
            Ok(module) => ir::verify::verify(&module).into_iter().map(|e| e.message).collect(),
            Err(errors) => errors.into_iter().map(|e| e.message).collect(),
        };
        assert!(found.iter().any(|e| e.contains(message)), "{line}: {found:#?}");
    }
    let text = "module spirv\nvar spirv @x: f32\nvar output @o: f32 location(0)\nfn interface @main() {\nb0:\n  %0 = load @x\n  \
        store @o, %0\n  return\n}\nentry fragment @main \"main\"\n";
    let module = compile("x.ir", text).expect("valid");
    let errors = written(&module, Target::Spirv).expect_err("it has no storage class");
    assert!(errors[0].contains("has no storage class of SPIR-V"), "{errors:#?}");
}
