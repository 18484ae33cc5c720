//! Source text to verified IR to WGSL text, against naga on twins of the same shaders in the GLSL that naga accepts
//! (4.50 for Vulkan), in one run. `cargo bench -p planish --bench translate`.
//!
//! The shaders are `examples/shaders`, and those of the conformance corpus if it has been harvested
//! (`target/conformance/programs`). Shaders whose twin naga rejects are left out on both sides.

use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use planish::{Compiler, EmitOptions, Optimizer, Target, Version, emit};

/// A shader and its twin.
struct Pair {
    name: String,
    source: String,
    twin: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "frag") {
            out.push(path);
        }
    }
}

/// Text to WGSL by Planish; `None` on any error.
fn by_planish(name: &str, source: &str) -> Option<Vec<u8>> {
    let mut compiler = Compiler::default();
    let module = compiler.compile(name, source).module?;
    if !planish::ir::verify::verify(&module).is_empty() {
        return None;
    }
    emit(&module, Target::Wgsl, &EmitOptions::default()).ok().map(|a| a.bytes)
}

/// Text to a target by Planish at `-O2`: the number of bytes.
fn optimized(name: &str, source: &str, target: Target) -> usize {
    let mut compiler = Compiler::default();
    let mut module = compiler.compile(name, source).module.expect("it compiles without -O2");
    Optimizer::level("2").expect("there is a level 2").run(&mut module, &mut |_, _| {});
    emit(&module, target, &EmitOptions::default()).map_or(0, |a| a.bytes.len())
}

/// Text to WGSL by naga: parse, validate, write.
fn by_naga(source: &str) -> Option<String> {
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    let options = naga::front::glsl::Options::from(naga::ShaderStage::Fragment);
    let module = naga::front::glsl::Frontend::default().parse(&options, source).ok()?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).ok()?;
    naga::back::wgsl::write_string(&module, &info, naga::back::wgsl::WriterFlags::empty()).ok()
}

/// GLSL 4.50 in the dialect of naga: loose uniforms in a block, samplers split (a macro combines them at their use),
/// everything with a location or binding.
fn for_vulkan(text: &str) -> String {
    let (mut members, mut rest, mut at) = (String::new(), String::new(), 0);
    for line in text.lines() {
        at += 1;
        let words: Vec<&str> = line.trim_end_matches(';').split_whitespace().collect();
        match words[..] {
            ["uniform", kind, name] if kind.starts_with("sampler") && line.ends_with(';') => {
                let texture = kind.replacen("sampler", "texture", 1);
                rest += &format!("layout(set = 1, binding = {}) uniform {texture} {name}_t;\n", 2 * at);
                rest += &format!("layout(set = 1, binding = {}) uniform sampler {name}_s;\n", 2 * at + 1);
                rest += &format!("#define {name} {kind}({name}_t, {name}_s)\n");
            }
            ["uniform", kind, name] if line.ends_with(';') => members += &format!("    {kind} {name};\n"),
            ["in" | "out", ..] if line.ends_with(';') => rest += &format!("layout(location = {at}) {line}\n"),
            ["flat" | "smooth", "in", ..] if line.ends_with(';') => {
                rest += &format!("layout(location = {at}) {line}\n")
            }
            _ => rest += &format!("{line}\n"),
        }
    }
    if members.is_empty() {
        return rest;
    }
    let block = format!("layout(set = 0, binding = 0) uniform Loose {{\n{members}}};\n");
    let head = rest.find('\n').map_or(0, |i| i + 1);
    rest.insert_str(head, &block);
    rest
}

fn pair(path: &Path) -> Option<Pair> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let source = std::fs::read_to_string(path).ok()?;
    let mut compiler = Compiler::default();
    let module = compiler.compile(&name, &source).module?;
    let options = EmitOptions { version: Version::parse("450"), ..EmitOptions::default() };
    let twin = for_vulkan(&String::from_utf8(emit(&module, Target::Glsl, &options).ok()?.bytes).ok()?);
    by_planish(&name, &source)?;
    by_naga(&twin)?;
    Some(Pair { name, source, twin })
}

fn translate(criterion: &mut Criterion) {
    let mut paths = Vec::new();
    files(&root().join("examples/shaders"), &mut paths);
    files(&root().join("target/conformance/programs"), &mut paths);
    paths.sort();
    // Every n-th, so that a run ends in time.
    let step = paths.len().div_ceil(400).max(1);
    let pairs: Vec<Pair> = paths.iter().step_by(step).filter_map(|p| pair(p)).collect();
    let bytes = |text: fn(&Pair) -> &str| pairs.iter().map(|p| text(p).len() as u64).sum::<u64>();
    println!("{} of {} shaders have a twin that naga takes", pairs.len(), paths.len().div_ceil(step));
    if pairs.is_empty() {
        return;
    }
    let mut group = criterion.benchmark_group("translate");
    group.sample_size(20).measurement_time(Duration::from_secs(8));
    group.throughput(Throughput::Bytes(bytes(|p| &p.source)));
    group.bench_function("planish", |b| {
        b.iter(|| pairs.iter().map(|p| by_planish(&p.name, &p.source).map_or(0, |o| o.len())).sum::<usize>());
    });
    group.throughput(Throughput::Bytes(bytes(|p| &p.twin)));
    group.bench_function("planish, on the twins", |b| {
        b.iter(|| pairs.iter().map(|p| by_planish(&p.name, &p.twin).map_or(0, |o| o.len())).sum::<usize>());
    });
    group.bench_function("planish -O2, on the twins", |b| {
        b.iter(|| pairs.iter().map(|p| optimized(&p.name, &p.twin, Target::Wgsl)).sum::<usize>());
    });
    group.bench_function("planish -O2 to SPIR-V, on the twins", |b| {
        b.iter(|| pairs.iter().map(|p| optimized(&p.name, &p.twin, Target::Spirv)).sum::<usize>());
    });
    group.bench_function("naga, on the twins", |b| {
        b.iter(|| pairs.iter().map(|p| by_naga(&p.twin).map_or(0, |o| o.len())).sum::<usize>());
    });
    group.finish();
}

criterion_group!(benches, translate);
criterion_main!(benches);
