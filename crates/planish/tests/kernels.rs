//! Random compute shaders: every pass, every way out and back in and every engine leave the same bytes in their buffers.
//!
//! A failing kernel is shrunk before it is shown. `PLANISH_SEEDS=FROM..TO` runs other kernels than the usual ones.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use planish::diagnostic::Diagnostic;
use planish::eval::EvalValue;
use planish::eval::shade::{
    Compute, DrawOptions, block_from_bytes, block_len, block_to_bytes, uniform_values, uniforms,
};
use planish::ir::decoration::BuiltIn;
use planish::ir::entity::{Type, Var};
use planish::ir::meaning::{Shape, float_bits};
use planish::ir::types::{AddressSpace, Scalar, TypeKind};
use planish::lanes::{DrawError, LaneOptions, dispatch_on};
use planish::module::{Module, Stage};
use planish::{EmitOptions, Optimizer, SpirvVersion, TARGETS, Target, Version, emit};
use planish_generate::Choices;
use planish_generate::kernels::{self, Kernel};
use planish_reference::{Limits, Reference, Value};
use planish_testkit::seeds;

use crate::common::compile;
use crate::lanes_stages::engines;
use crate::spirv::objection;

/// Elements of a block's last array if it has no length: more than there are invocations.
const ELEMENTS: usize = 130;

/// A block, as the host knows it.
#[derive(Clone, PartialEq, Debug)]
struct Block {
    /// Its binding; `None`: push constants.
    binding: Option<u32>,
    is_written: bool,
    bytes: Vec<u8>,
}

/// Comparisons of a way, by its name in [`WAYS`].
static COMPARED: [AtomicUsize; WAYS.len()] = [const { AtomicUsize::new(0) }; WAYS.len()];
const WAYS: [&str; 7] = ["levels", "lanes", "SPIR-V", "WGSL", "GLSL", "reference", "spirv-val"];

fn count(way: &str) {
    let at = WAYS.iter().position(|name| *name == way).expect("a way");
    COMPARED[at].fetch_add(1, Ordering::Relaxed);
}

/// The blocks of a module, with the variable of each.
fn blocks(module: &Module) -> Vec<(Var, Option<u32>, bool)> {
    let of = |&var: &Var| {
        let data = &module.vars[var];
        let is_written = data.space == AddressSpace::Storage;
        match data.space {
            AddressSpace::Storage | AddressSpace::Uniform => Some((var, Some(data.decorations.binding()?), is_written)),
            AddressSpace::PushConstant => Some((var, None, false)),
            _ => None,
        }
    };
    module.globals.iter().filter_map(of).collect()
}

/// The type of the elements of an array without a length.
fn element(module: &Module, ty: Type) -> Type {
    match module.types[ty] {
        TypeKind::RuntimeArray { element } => element,
        _ => unreachable!("every other type has a size"),
    }
}

/// Number of components of a storage block.
fn components(module: &Module, ty: Type) -> usize {
    let types = &module.types;
    let of_array = |ty: Type| types.components(element(module, ty)).unwrap_or(0) * ELEMENTS;
    match types.as_struct(ty) {
        Some(block) => block.members.iter().map(|m| types.components(m.ty).unwrap_or_else(|| of_array(m.ty))).sum(),
        None => types.components(ty).unwrap_or_else(|| of_array(ty)),
    }
}

/// The words of a block with a NaN of each type the same.
fn canonical(module: &Module, var: Var, bytes: &[u8]) -> Vec<u64> {
    let mut words = block_from_bytes(module, var, bytes).expect("numbers");
    for (word, scalar) in words.iter_mut().zip(scalars(module, module.vars[var].ty)) {
        let is_nan = match scalar {
            Scalar::F16 => *word & 0x7fff > 0x7c00,
            Scalar::F32 => f32::from_bits(*word as u32).is_nan(),
            Scalar::F64 => f64::from_bits(*word).is_nan(),
            _ => false,
        };
        if is_nan {
            *word = u64::MAX;
        }
    }
    words
}

/// The scalars of a block, in order.
fn scalars(module: &Module, ty: Type) -> Vec<Scalar> {
    let types = &module.types;
    let mut all = vec![];
    let mut add = |ty: Type, times: usize| {
        for _ in 0..times {
            types.for_each_run(ty, &mut |scalar, n| all.extend(std::iter::repeat_n(scalar, n)));
        }
    };
    match types.as_struct(ty) {
        Some(block) => {
            for member in &block.members {
                match types.components(member.ty) {
                    Some(_) => add(member.ty, 1),
                    None => add(element(module, member.ty), ELEMENTS),
                }
            }
        }
        None => add(ty, 1),
    }
    all
}

/// A number of a type, for the host.
fn number(scalar: Scalar, random: &mut Choices<'_>) -> f64 {
    let small = random.below(41) as f64 - 20.0;
    match scalar {
        Scalar::Bool => f64::from(small > 0.0),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => small.abs(),
        scalar if scalar.is_float() => small / 4.0,
        _ => small,
    }
}

/// The host: options with a value for each uniform, and all blocks.
fn host(module: &Module, seed: u64) -> (DrawOptions<'static>, Vec<Block>) {
    let mut random = Choices::from_seed(seed ^ 0x5eed);
    let mut options = DrawOptions { threads: 1, ..DrawOptions::default() };
    for uniform in uniform_values(module, &options).expect("they have values") {
        let values = uniform.values.iter().map(|_| number(uniform.scalar, &mut random)).collect();
        options.uniforms.push((uniform.name, values));
    }
    let known = uniforms(module, &options).expect("they have values");
    let of = |(var, binding, is_written): (Var, Option<u32>, bool)| {
        let words: Vec<u64> = match known.iter().find(|(other, _)| *other == var) {
            Some((_, words)) => words.clone(),
            None => {
                let ty = module.vars[var].ty;
                let word = |scalar: Scalar| match scalar.is_float() {
                    true => float_bits(scalar, number(scalar, &mut random)),
                    false if scalar == Scalar::Bool || random.chance(60) => number(scalar, &mut random) as i64 as u64,
                    false => random.word(),
                };
                let words: Vec<u64> = scalars(module, ty).into_iter().map(word).collect();
                assert_eq!(words.len(), components(module, ty));
                words
            }
        };
        let len = block_len(module, var, words.len()).expect("numbers");
        let bytes = block_to_bytes(module, var, &words, len).expect("numbers");
        Block { binding, is_written, bytes }
    };
    let blocks = blocks(module).into_iter().map(of).collect();
    (options, blocks)
}

/// The blocks after a run.
fn run(module: &Module, before: &[Block], groups: u32) -> Result<Vec<Block>, String> {
    let mut compute = Compute::new(module, &DrawOptions::default()).map_err(|e| e.to_string())?;
    let mut after = before.to_vec();
    let vars = blocks(module);
    for block in before {
        let Some((var, ..)) = vars.iter().find(|(_, binding, _)| *binding == block.binding) else { continue };
        if block.is_written {
            assert!(compute.set_buffer(*var, &block.bytes));
        } else {
            let bits = block_from_bytes(module, *var, &block.bytes).ok_or("a block without numbers")?;
            compute.evaluator().set(*var, &EvalValue { ty: module.vars[*var].ty, bits });
        }
    }
    compute.dispatch([groups, 1, 1]).map_err(|e| e.to_string())?;
    for block in after.iter_mut().filter(|block| block.is_written) {
        let Some((var, ..)) = vars.iter().find(|(_, binding, _)| *binding == block.binding) else { continue };
        block.bytes = compute.buffer_bytes(*var, block.bytes.len()).ok_or("a block without numbers")?;
    }
    Ok(after)
}

/// A kernel with its result.
struct Subject<'k> {
    kernel: &'k Kernel,
    module: Module,
    options: DrawOptions<'static>,
    before: Vec<Block>,
    words: Vec<Vec<u64>>,
}

impl Subject<'_> {
    fn new(kernel: &Kernel, seed: u64) -> Result<Subject<'_>, String> {
        let module = compile("random.comp", kernel.to_string()).map_err(|e| format!("not accepted: {e}"))?;
        let errors = planish::ir::verify::verify(&module);
        if !errors.is_empty() {
            return Err(format!("not valid: {errors:#?}"));
        }
        let (options, before) = host(&module, seed);
        let after = run(&module, &before, kernel.groups).map_err(|e| format!("does not run: {e}"))?;
        let mut subject = Subject { kernel, module, options, before, words: vec![] };
        subject.words = subject.canonical(&after);
        Ok(subject)
    }

    /// The words of blocks in the order of the source.
    fn canonical(&self, after: &[Block]) -> Vec<Vec<u64>> {
        let vars = blocks(&self.module);
        vars.iter().zip(after).map(|((var, ..), block)| canonical(&self.module, *var, &block.bytes)).collect()
    }

    /// The first difference between a result and the expected one.
    fn difference(&self, after: &[Block]) -> Option<String> {
        let found = self.canonical(after);
        found.iter().zip(&self.words).zip(after).find_map(|((found, expected), block)| {
            let at = (0..expected.len()).find(|&at| found[at] != expected[at])?;
            let (found, expected) = (found[at], expected[at]);
            Some(format!("binding {:?}, component {at} is {found:#x}, not {expected:#x}", block.binding))
        })
    }

    /// Why a module does not do the same; `None` if it does.
    fn fault(&self, module: &Module, way: &str) -> Option<String> {
        count(way);
        match run(module, &self.before, self.kernel.groups) {
            Ok(after) => self.difference(&after).map(|why| format!("differs: {why}")),
            Err(why) => Some(format!("does not run: {why}")),
        }
    }

    fn at_levels(&self) -> Option<String> {
        ["1", "2", "s"].into_iter().find_map(|level| {
            let fault = |module: &Module| {
                let errors = planish::ir::verify::verify(module);
                let invalid = (!errors.is_empty()).then(|| format!("not valid: {errors:#?}"));
                invalid.or_else(|| self.fault(module, "levels"))
            };
            let why = fault(&optimized(&self.module, level))?;
            let mut passes = vec![];
            let optimizer = Optimizer::level(level).expect("a level");
            optimizer.run(&mut self.module.clone(), &mut |pass, module| {
                if passes.is_empty() && fault(module).is_some() {
                    passes.push(pass.to_owned());
                }
            });
            Some(format!("-O{level} {why} after {passes:?}"))
        })
    }

    fn on_lanes(&self) -> Option<String> {
        let words = |block: &Block, var: Var| block_from_bytes(&self.module, var, &block.bytes).expect("numbers");
        let vars = blocks(&self.module);
        let written = || vars.iter().zip(&self.before).filter(|(_, block)| block.is_written);
        let buffers: Vec<(Var, Vec<u64>)> = written().map(|((var, ..), block)| (*var, words(block, *var))).collect();
        engines().find_map(|(engine, lanes, strategy)| {
            let options = LaneOptions { lanes, exact: true };
            let mut found = buffers.clone();
            let groups = [self.kernel.groups, 1, 1];
            match dispatch_on(&engine, &self.module, &self.options, &options, &mut found, groups) {
                Ok(()) => {}
                Err(DrawError::Unsupported(_)) => return None,
                Err(error) => return Some(format!("{lanes} lanes, {strategy:?}: {error}")),
            }
            count("lanes");
            let mut after = self.before.clone();
            for ((var, words), block) in found.iter().zip(after.iter_mut().filter(|block| block.is_written)) {
                block.bytes = block_to_bytes(&self.module, *var, words, block.bytes.len()).expect("numbers");
            }
            self.difference(&after).map(|why| format!("{lanes} lanes, {strategy:?} differs: {why}"))
        })
    }

    /// Through a language, from which it is read again.
    fn through(&self, target: Target, options: &EmitOptions, name: &str) -> Option<String> {
        let way = target_name(target);
        ["0", "2"].into_iter().find_map(|level| {
            let module = optimized(&self.module, level);
            let output = match emit(&module, target, options) {
                Ok(output) => output.bytes,
                Err(errors) => {
                    return is_internal(&errors).then(|| format!("{way} is not written: -O{level}: {errors:#?}"));
                }
            };
            let text =
                if target == Target::Spirv { String::new() } else { String::from_utf8_lossy(&output).into_owned() };
            let why = match compile(name, &output) {
                Ok(again) => self.fault(&again, way),
                // A limit of the reader, not of the language.
                Err(errors) if errors.contains("workgroup size is multi dimensional") => None,
                Err(errors) => Some(format!("is not read: {errors}")),
            };
            why.map(|why| format!("{way} -O{level} {why}\n{text}"))
        })
    }

    /// Invocation by invocation, if they have nothing to do with each other.
    fn in_the_reference(&self) -> Option<String> {
        let text = self.kernel.to_string();
        if text.contains("barrier()") || text.contains("subgroup") {
            return None;
        }
        let module = &self.module;
        let entry = module.entry_point(Some(Stage::Compute)).expect("a compute shader");
        let size: u32 = entry.properties.local_size.unwrap_or([1; 3]).iter().product();
        let value = |var: Var, words: &[u64]| {
            Value::from_words(&module.types, module.vars[var].ty, &mut words.iter()).expect("as many words")
        };
        let vars = blocks(module);
        let mut words: Vec<Vec<u64>> = (vars.iter().zip(&self.before))
            .map(|((var, ..), block)| block_from_bytes(module, *var, &block.bytes).expect("numbers"))
            .collect();
        for number in 0..self.kernel.groups * size {
            let mut reference = Reference::new(module, Limits::default()).expect("it has values");
            for ((var, ..), words) in vars.iter().zip(&words) {
                reference.set(*var, value(*var, words));
            }
            for (var, data) in module.vars.iter() {
                match data.decorations.builtin() {
                    Some(BuiltIn::LocalInvocationIndex) => reference.set(var, value(var, &[u64::from(number % size)])),
                    Some(BuiltIn::WorkGroupId) => reference.set(var, value(var, &[u64::from(number / size), 0, 0])),
                    _ => {}
                }
            }
            match reference.call(entry.func, &[]) {
                Ok(_) => {}
                Err(stop) => return Some(format!("the reference stops: {stop}")),
            }
            for ((var, ..), words) in vars.iter().zip(&mut words) {
                words.clear();
                reference.get(*var).words(words);
            }
        }
        count("reference");
        let mut after = self.before.clone();
        for (((var, ..), words), block) in vars.iter().zip(&words).zip(&mut after) {
            block.bytes = block_to_bytes(module, *var, words, block.bytes.len()).expect("numbers");
        }
        self.difference(&after).map(|why| format!("the reference differs: {why}"))
    }

    /// Every target writes it or says why not.
    fn is_written(&self) -> Option<String> {
        let module = optimized(&self.module, "2");
        TARGETS.iter().find_map(|target| {
            let errors = emit(&module, target.target, &EmitOptions::default()).err()?;
            is_internal(&errors).then(|| format!("{} fails: {errors:#?}", target.name))
        })
    }

    fn is_valid_spirv(&self) -> Option<String> {
        // Layouts that the validator takes by options only.
        let text = self.kernel.to_string();
        if text.contains("scalar,") || text.lines().any(|line| line.contains("std430") && line.contains(" uniform ")) {
            return None;
        }
        let options = EmitOptions { spirv_version: SpirvVersion::V1_5, ..EmitOptions::default() };
        ["0", "2"].into_iter().find_map(|level| {
            let output = emit(&optimized(&self.module, level), Target::Spirv, &options).ok()?;
            count("spirv-val");
            objection(&output.bytes, "vulkan1.2").map(|said| format!("spirv-val: -O{level}: {said}"))
        })
    }
}

/// Whether an error is a fault of the compiler, not of the program.
fn is_internal(errors: &[Diagnostic]) -> bool {
    errors.iter().any(|e| ["E0699", "E0698", "E0690"].contains(&e.code.0))
}

fn target_name(target: Target) -> &'static str {
    match target {
        Target::Spirv => "SPIR-V",
        Target::Wgsl => "WGSL",
        _ => "GLSL",
    }
}

fn optimized(module: &Module, level: &str) -> Module {
    let mut module = module.clone();
    Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
    module
}

/// Why a kernel fails; `None` if it does not.
fn fault(kernel: &Kernel, seed: u64) -> Option<String> {
    let subject = match Subject::new(kernel, seed) {
        Ok(subject) => subject,
        Err(why) => return Some(why),
    };
    let glsl = EmitOptions { version: Some(Version::desktop(450)), vulkan: true, ..EmitOptions::default() };
    subject
        .in_the_reference()
        .or_else(|| subject.at_levels())
        .or_else(|| subject.on_lanes())
        .or_else(|| subject.through(Target::Spirv, &EmitOptions::default(), "again.spv"))
        .or_else(|| subject.through(Target::Wgsl, &EmitOptions::default(), "again.wgsl"))
        .or_else(|| subject.through(Target::Glsl, &glsl, "again.comp"))
        .or_else(|| subject.is_written())
        .or_else(|| if seed.is_multiple_of(16) { subject.is_valid_spirv() } else { None })
}

/// As [`fault`]; a panic is a fault like others.
fn caught(kernel: &Kernel, seed: u64) -> Option<String> {
    std::panic::catch_unwind(|| fault(kernel, seed)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        Some(format!("panics: {}", text.or_else(|| panic.downcast_ref().copied()).unwrap_or("for no reason given")))
    })
}

/// A part of a reason that stays when a kernel is shrunk.
fn kind(why: &str) -> String {
    let code = why.split_once("error[").map_or("", |(_, rest)| rest.get(..5).unwrap_or_default());
    let words: Vec<&str> = why.split(':').next().unwrap_or_default().split_whitespace().take(3).collect();
    words.join(" ") + code
}

/// Runs the kernels of all seeds, and shows one that fails, shrunk.
fn for_each_seed(usual: Range<u64>, generate: fn(&mut Choices<'_>) -> Kernel) {
    let (seeds, threads) = (seeds(usual), 2);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let mine = seeds.clone().filter(move |seed| seed % threads == thread);
            scope.spawn(move || {
                for seed in mine {
                    let kernel = generate(&mut Choices::from_seed(seed));
                    let Some(why) = caught(&kernel, seed) else { continue };
                    let is_same = |k: &Kernel| caught(k, seed).is_some_and(|other| kind(&other) == kind(&why));
                    // Parts of an invalid program are invalid for other reasons.
                    let budget = if why.starts_with("not accepted") { 0 } else { 1500 };
                    let small = kernel.reduce(budget, &mut { is_same });
                    let why = caught(&small, seed).unwrap_or(why);
                    panic!("seed {seed}: {why}\n--- kernel ({} groups)\n{small}", small.groups);
                }
            });
        }
    });
    let counts = WAYS.iter().zip(&COMPARED).map(|(way, count)| format!("{way} {}", count.load(Ordering::Relaxed)));
    println!("compared: {}", counts.collect::<Vec<_>>().join(", "));
}

#[test]
fn kernels_leave_the_same_memory() {
    for_each_seed(0..30, kernels::memory);
    // (Other tests count, too.)
    for way in ["levels", "lanes", "SPIR-V", "WGSL", "GLSL", "reference"] {
        let at = WAYS.iter().position(|name| *name == way).expect("a way");
        assert!(COMPARED[at].load(Ordering::Relaxed) > 0, "nothing was compared by way of {way}");
    }
}

#[test]
fn kernels_share_memory_between_barriers() {
    for_each_seed(0..30, kernels::shared);
}

#[test]
fn kernels_keep_who_is_together() {
    for_each_seed(0..30, kernels::subgroups);
}
