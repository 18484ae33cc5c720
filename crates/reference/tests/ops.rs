//! Every op on values, at every combination of types that the table takes: the evaluator gives the bits of the reference, and
//! traps where it does. Then every other op, in programs.

use planish_ir::module::{Language, Module};
use planish_ir::ops::Op;
use planish_reference::{Limits, Reference, Stop, Value, is_supported};
use planish_testkit::op_cases::{Case, Outcome, cases_with_small, compare, compare_edges};

/// The ops that one invocation on its own cannot give a meaning to: what has neighbours, texels, samples or primitives.
const UNSUPPORTED: &[Op] = &[
    Op::Dfdx,
    Op::Dfdy,
    Op::Fwidth,
    Op::DfdxFine,
    Op::DfdyFine,
    Op::FwidthFine,
    Op::DfdxCoarse,
    Op::DfdyCoarse,
    Op::FwidthCoarse,
    Op::CombineSampler,
    Op::TextureSample,
    Op::TextureSampleLod,
    Op::TextureSampleGrad,
    Op::TextureGather,
    Op::TextureFetch,
    Op::TextureSize,
    Op::TextureQueryLod,
    Op::TextureQueryLevels,
    Op::TextureQuerySamples,
    Op::ImageLoad,
    Op::ImageStore,
    Op::ImageAtomicAdd,
    Op::ImageAtomicMin,
    Op::ImageAtomicMax,
    Op::ImageAtomicAnd,
    Op::ImageAtomicOr,
    Op::ImageAtomicXor,
    Op::ImageAtomicExchange,
    Op::ImageAtomicCompareExchange,
    Op::ImageSize,
    Op::ImageSamples,
    Op::EmitVertex,
    Op::EndPrimitive,
    Op::InterpolateAtCentroid,
    Op::InterpolateAtSample,
    Op::InterpolateAtOffset,
    Op::ReferenceLoad,
    Op::ReferenceStore,
    Op::ReferenceAtomicAdd,
    Op::ReferenceAtomicMin,
    Op::ReferenceAtomicMax,
    Op::ReferenceAtomicAnd,
    Op::ReferenceAtomicOr,
    Op::ReferenceAtomicXor,
    Op::ReferenceAtomicExchange,
    Op::ReferenceAtomicCompareExchange,
    Op::SubpassLoad,
    Op::SubgroupElect,
    Op::SubgroupAll,
    Op::SubgroupAny,
    Op::SubgroupAllEqual,
    Op::SubgroupBroadcast,
    Op::SubgroupBroadcastFirst,
    Op::SubgroupBallot,
    Op::SubgroupInverseBallot,
    Op::SubgroupBallotBitExtract,
    Op::SubgroupBallotBitCount,
    Op::SubgroupBallotFindLsb,
    Op::SubgroupBallotFindMsb,
    Op::SubgroupShuffle,
    Op::SubgroupShuffleXor,
    Op::SubgroupShuffleUp,
    Op::SubgroupShuffleDown,
    Op::SubgroupAdd,
    Op::SubgroupMultiply,
    Op::SubgroupMin,
    Op::SubgroupMax,
    Op::SubgroupAnd,
    Op::SubgroupOr,
    Op::SubgroupXor,
    Op::QuadBroadcast,
    Op::QuadSwapHorizontal,
    Op::QuadSwapVertical,
    Op::QuadSwapDiagonal,
    Op::SubgroupBarrier,
];

#[test]
fn what_one_invocation_cannot_run_is_named() {
    let unsupported: Vec<Op> = Op::all().filter(|&op| !is_supported(op)).collect();
    assert_eq!(unsupported, UNSUPPORTED);
}

#[test]
fn the_evaluator_gives_the_bits_of_the_reference() {
    let mut module = Module::new(Language::Ir);
    let cases = cases_with_small(&mut module);
    assert!(cases.len() > 1500, "only {}", cases.len());
    let mut reference = Reference::new(&module, Limits::default()).expect("no memory is needed");
    compare(&module, &cases, 8, &mut |case, words| run(&module, &mut reference, case, words));
    compare_edges(&module, &cases, 50_000, &mut |case, words| run(&module, &mut reference, case, words));
}

fn run(module: &Module, reference: &mut Reference<'_>, case: &Case, words: &[u64]) -> Outcome {
    let mut words = words.iter();
    let params = &module.funcs[case.func].params;
    let value = |ty| Value::from_words(&module.types, ty, &mut words).expect("values have words");
    let args: Vec<Value> = params.iter().map(|param| param.ty).map(value).collect();
    match reference.call(case.func, &args) {
        Ok(results) => {
            let mut words = Vec::new();
            results.iter().for_each(|result| result.words(&mut words));
            Ok(words)
        }
        Err(Stop::Trap(kind)) => Err(kind),
        Err(stop) => panic!("{} on {args:?}: {stop}", case.op.name()),
    }
}

#[test]
fn the_reference_shares_no_meaning_with_the_folder() {
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("it is there") {
            let path = entry.expect("can be listed").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("can be read");
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            assert!(!code.clone().any(|line| line.contains("meaning")), "{}", path.display());
        }
    }
}
