//! Order of memory among invocations, which binaries ask for at atomics, barriers and single accesses.
//!
//! `handoff.comp` hands a sum from group to group; `handoff.rays.comp.spv` also has a ray query, so that it goes through as it is and keeps
//! Vulkan's memory model.

use planish::module::Module;
use planish::{EmitOptions, Optimizer, Target, emit};

use crate::common::compile;
use crate::spirv::objection;

const HANDOFF: &[u8] = include_bytes!("../../front/spirv/tests/binaries/handoff.comp.spv");
const WITH_RAYS: &[u8] = include_bytes!("../../front/spirv/tests/binaries/handoff.rays.comp.spv");

const LOAD: u16 = 61;
const STORE: u16 = 62;
const DECORATE: u16 = 71;
const IMAGE_READ: u16 = 98;
const IMAGE_WRITE: u16 = 99;
const CONTROL_BARRIER: u16 = 224;
const MEMORY_BARRIER: u16 = 225;
const ATOMIC_LOAD: u16 = 227;
const ATOMIC_STORE: u16 = 228;

/// Numbers and operands of instructions.
fn instructions(bytes: &[u8]) -> Vec<(u16, Vec<u32>)> {
    let words: Vec<u32> = bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    let (mut at, mut found) = (5, vec![]);
    while at < words.len() {
        let length = (words[at] >> 16) as usize;
        found.push((words[at] as u16, words[at + 1..at + length].to_vec()));
        at += length;
    }
    found
}

fn optimized(module: &Module, level: &str) -> Module {
    let mut module = module.clone();
    Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
    module
}

fn spirv(name: &str, module: &Module) -> Vec<(u16, Vec<u32>)> {
    let options = EmitOptions { vulkan: true, ..EmitOptions::default() };
    let bytes = emit(module, Target::Spirv, &options).unwrap_or_else(|e| panic!("{name}: {e:?}")).bytes;
    assert_eq!(objection(&bytes, "vulkan1.3"), None, "{name}");
    instructions(&bytes)
}

fn count(all: &[(u16, Vec<u32>)], op: u16) -> usize {
    all.iter().filter(|(code, _)| *code == op).count()
}

#[test]
fn atomics_and_barriers_keep_their_order() {
    for (name, bytes) in [("handoff", HANDOFF), ("rays", WITH_RAYS)] {
        let module = compile("handoff.comp.spv", bytes).expect("the binary is valid");
        for level in ["0", "1", "2", "s"] {
            let all = spirv(&format!("{name} at -O{level}"), &optimized(&module, level));
            // The flag, the mark, and the clock twice.
            assert_eq!(count(&all, ATOMIC_LOAD), 4, "{name} at -O{level}");
            // The flag, the carry, the mark.
            assert_eq!(count(&all, ATOMIC_STORE), 3, "{name} at -O{level}");
            // After the acquiring load, before the releasing store, and for the barrier that orders the whole device.
            assert_eq!(count(&all, MEMORY_BARRIER), 3, "{name} at -O{level}");
            // Its own, and that after shared memory is cleared.
            assert_eq!(count(&all, CONTROL_BARRIER), 2, "{name} at -O{level}");
        }
    }
}

#[test]
fn accesses_become_qualifiers_in_the_model_of_glsl() {
    let module = compile("handoff.comp.spv", HANDOFF).expect("the binary is valid");
    for level in ["0", "2"] {
        let all = spirv(level, &optimized(&module, level));
        let decorated = |wanted: u32| all.iter().filter(|(op, words)| *op == DECORATE && words[1] == wanted).count();
        // Coherent: the sums, the image and the clock; volatile: the clock.
        assert_eq!((decorated(23), decorated(21)), (3, 1), "-O{level}");
        assert!(all.iter().all(|(op, words)| *op != STORE || words.len() == 2));
    }
    let text = emit(&optimized(&module, "2"), Target::Wgsl, &EmitOptions::default());
    let text = text.map(|output| String::from_utf8_lossy(&output.bytes).into_owned());
    if let Ok(text) = text {
        assert!(text.contains("atomicLoad(&"), "{text}");
    }
}

#[test]
fn accesses_have_their_bits_in_the_model_of_vulkan() {
    let module = compile("handoff.comp.spv", WITH_RAYS).expect("the binary is valid");
    for level in ["0", "2"] {
        let all = spirv(level, &optimized(&module, level));
        // OpMemoryModel Logical Vulkan
        assert!(all.iter().any(|(op, words)| *op == 14 && words[..] == [0, 3]), "-O{level}");
        let bits = |code: u16, at: usize| -> Vec<u32> {
            let all = all.iter().filter(|(op, words)| *op == code && words.len() > at);
            all.map(|(_, words)| words[at]).collect()
        };
        // NonPrivatePointer 0x20, MakePointerVisible 0x10, MakePointerAvailable 0x8, Volatile 0x1.
        assert_eq!(bits(LOAD, 3), [0x30, 0x20], "-O{level}: the sum before, the carry");
        assert_eq!(bits(STORE, 2), [0x28, 0x29, 0x29, 0x20], "-O{level}: the sum, the clock twice, the result");
        // NonPrivateTexel 0x400, MakeTexelVisible 0x200, MakeTexelAvailable 0x100.
        assert_eq!((bits(IMAGE_READ, 4), bits(IMAGE_WRITE, 3)), (vec![0x600], vec![0x500]), "-O{level}");
        // The decorations are not allowed beside them.
        assert!(all.iter().all(|(op, words)| *op != DECORATE || ![21, 23].contains(&words[1])));
    }
}

#[test]
fn atomic_loads_of_wgsl_stay_in_their_loop() {
    let source = "\
struct State { flag: atomic<u32>, value: u32 }
@group(0) @binding(0) var<storage, read_write> state: State;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main() {
    while atomicLoad(&state.flag) == 0u {}
    result[0] = state.value;
    atomicStore(&state.flag, 2u);
    result[1] = atomicLoad(&state.flag);
    result[2] = atomicLoad(&state.flag);
}
";
    let module = compile("spin.wgsl", source.as_bytes()).expect("the source is valid");
    for level in ["0", "2"] {
        let module = optimized(&module, level);
        let text = planish::ir::text::print(&module);
        assert_eq!(text.matches("= atomic_or ").count(), 3, "{text}");
        let wgsl = emit(&module, Target::Wgsl, &EmitOptions::default()).expect("WGSL has atomics");
        let wgsl = String::from_utf8_lossy(&wgsl.bytes).into_owned();
        assert_eq!(wgsl.matches("atomicLoad(&").count(), 3, "{wgsl}");
        assert_eq!(wgsl.matches("atomicStore(&").count(), 1, "{wgsl}");
        let metal = emit(&module, Target::Msl, &EmitOptions::default()).expect("Metal has atomics");
        let metal = String::from_utf8_lossy(&metal.bytes).into_owned();
        assert_eq!(metal.matches("atomic_load_explicit(").count(), 3, "{metal}");
        assert_eq!(metal.matches("atomic_store_explicit(").count(), 1, "{metal}");
    }
}

#[test]
fn scopes_of_glsl_are_ops_of_all_languages() {
    let source = "\
#version 450
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Flags { uint state[]; };
layout(set = 0, binding = 1) coherent buffer Sums { uint sum[]; };
shared uint carry;
const int BUFFER = gl_StorageSemanticsBuffer;
void main() {
    uint group = gl_WorkGroupID.x;
    if (gl_LocalInvocationIndex == 0u) {
        uint before = 0u;
        if (group > 0u) {
            while (atomicLoad(state[group - 1u], gl_ScopeDevice, BUFFER, gl_SemanticsAcquire) == 0u) {}
            before = sum[group - 1u];
        }
        sum[group] = before + group;
        atomicStore(state[group], 1u, gl_ScopeDevice, BUFFER, gl_SemanticsRelease);
        atomicStore(carry, before, gl_ScopeWorkgroup, 0, 0);
    }
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, BUFFER | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
    sum[group] += carry;
}
";
    let module = compile("handoff.comp", source.as_bytes()).expect("the source is valid");
    for level in ["0", "2"] {
        let module = optimized(&module, level);
        let all = spirv(level, &module);
        let counts = [ATOMIC_LOAD, ATOMIC_STORE, MEMORY_BARRIER].map(|op| count(&all, op));
        assert_eq!(counts, [1, 2, 3], "-O{level}");
        // Older versions have no barrier of memory alone.
        let options = EmitOptions {
            msl_version: planish::MslVersion::parse("3.2").expect("a version"),
            ..EmitOptions::default()
        };
        let metal = emit(&module, Target::Msl, &options).expect("Metal has atomics");
        let metal = String::from_utf8_lossy(&metal.bytes).into_owned();
        assert!(metal.contains("atomic_load_explicit(&Flags.state["), "{metal}");
    }
}

#[test]
fn atomics_of_64_bits_have_their_extension() {
    let source = "\
#version 450
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Sums { uint64_t sum; int64_t least; uint64_t seen[]; };
void main() {
    seen[0] = atomicAdd(sum, min(seen[1], 3ul));
    atomicMin(least, -2l);
    seen[2] = atomicCompSwap(seen[3], 1ul, 2ul);
}
";
    let module = compile("sums.comp", source.as_bytes()).expect("the source is valid");
    for level in ["0", "2"] {
        let module = optimized(&module, level);
        let all = spirv(level, &module);
        // OpAtomicIAdd, OpAtomicSMin, OpAtomicCompareExchange
        assert_eq!([234, 236, 230].map(|op| count(&all, op)), [1, 1, 1], "-O{level}");
        let options = EmitOptions { vulkan: true, ..EmitOptions::default() };
        let glsl = emit(&module, Target::Glsl, &options).expect("GLSL for Vulkan has them").bytes;
        let text = String::from_utf8_lossy(&glsl).into_owned();
        assert!(text.contains("GL_EXT_shader_atomic_int64"), "{text}");
        compile("again.comp", &glsl).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    }
}
