//! Growth of time and memory with the length of a program: a generated shader of 1k, 10k and 100k statements, from text
//! to WGSL, and to GLSL; and 50,000 `if`s in a row on a stack of 1 MiB. Then the optimizer alone: the same shaders,
//! nests of loops, chains of calls, and many cases of a switch. Then flattening, per node of the flat function
//! (`--optimizer` and `--flatten`: only that table). `--naga`: the share of the front end, our lowering, and naga in
//! the time to WGSL as naga writes it.
//!
//! `cargo run --release -p planish --example growth`. Memory is the growth of the process's high-water mark, on systems
//! that report it (Linux).

use std::fmt::Write as _;
use std::time::Instant;

use planish::{Compiler, EmitOptions, Flattener, Optimizer, Target, emit};
use planish_opt::Context;

/// A shader of `statements` statements of several kinds.
fn shader(statements: usize) -> String {
    let mut text = String::from(
        "#version 300 es\nprecision highp float;\nuniform vec4 u;\nout vec4 color;\nvoid main() {\n    vec4 a = u;\n    float s = 0.0;\n",
    );
    for i in 0..statements {
        let line = match i % 5 {
            0 => format!("    a.xy += vec2({}.5, s) * u.zw;", i % 7),
            1 => "    s = s * 0.5 + dot(a, u);".to_owned(),
            2 => format!("    if (s > {}.0) {{ a.z = sin(s); }}", i % 11),
            3 => format!("    vec3 v{i} = normalize(a.xyz + 0.25);"),
            _ => format!("    a.w = max(a.w, v{}.y) - fract(s);", i - 1),
        };
        writeln!(text, "{line}").expect("a string takes all");
    }
    text.push_str("    color = a + s;\n}\n");
    text
}

/// Peak resident memory of this process in bytes.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|k| k * 1024)
}

fn compile_to(source: &str, target: Target) -> usize {
    let mut compiler = Compiler::default();
    let module = compiler.compile("growth.frag", source).module.expect("the shader is valid");
    assert_eq!(planish::ir::verify::verify(&module), []);
    emit(&module, target, &EmitOptions::default()).expect("the target can hold it").bytes.len()
}

/// `depth` nested loops, each of which carries a sum.
fn nest(depth: usize) -> String {
    let mut text = String::from(
        "#version 300 es\nprecision highp float;\nuniform int n;\nout vec4 color;\nvoid main() {\n    float s = 0.0;\n",
    );
    for i in 0..depth {
        writeln!(text, "    float a{i} = 0.0; for (int i{i} = 0; i{i} < n; i{i}++) {{").expect("a string takes all");
    }
    text.push_str("    s += 1.0;\n");
    for i in (0..depth).rev() {
        writeln!(text, "    a{i} += s; s += a{i}; }}").expect("a string takes all");
    }
    text.push_str("    color = vec4(s);\n}\n");
    text
}

/// Functions that each call the one before, twice.
fn chain(depth: usize) -> String {
    let mut text = String::from(
        "#version 300 es\nprecision highp float;\nuniform float u;\nout vec4 color;\nfloat f0(float x) { return sin(x) + u; }\n",
    );
    for i in 1..depth {
        writeln!(text, "float f{i}(float x) {{ if (x > {i}.0) return x; return f{}(x * u + 1.0); }}", i - 1)
            .expect("a string takes all");
    }
    writeln!(text, "void main() {{ color = vec4(f{}(u)); }}", depth - 1).expect("a string takes all");
    text
}

/// A switch of `count` cases.
fn cases(count: usize) -> String {
    let mut text = String::from(
        "#version 300 es\nprecision highp float;\nuniform int n;\nout vec4 color;\nvoid main() {\n    float s = 0.0;\n    switch (n) {\n",
    );
    for i in 0..count {
        writeln!(text, "    case {i}: s = {i}.5 * sin(s); break;").expect("a string takes all");
    }
    text.push_str("    }\n    color = vec4(s);\n}\n");
    text
}

/// Best time of `-O2` alone, in seconds, and the number of loops interpreted.
fn optimize(source: &str, iterations: usize) -> (f64, u64) {
    let mut compiler = Compiler::default();
    let module = compiler.compile("growth.frag", source).module.expect("the shader is valid");
    let mut best = f64::INFINITY;
    let mut loops = 0;
    for _ in 0..iterations {
        let mut copy = module.clone();
        let optimizer = Optimizer::level("2").expect("there is a level 2");
        let start = Instant::now();
        let context = optimizer.run(&mut copy, &mut |_, _| {});
        best = best.min(start.elapsed().as_secs_f64());
        loops = context.stats.get("inline_functions", "LoopsInterpreted");
    }
    (best, loops)
}

fn optimizer_table() {
    println!("\n| `-O2` alone | size | time, ms | µs a unit | loops interpreted |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    let row = |what: &str, size: usize, source: String| {
        let (best, loops) = optimize(&source, if size > 50_000 { 2 } else { 5 });
        println!("| {what} | {size} | {:.2} | {:.2} | {loops} |", best * 1e3, best * 1e6 / size as f64);
    };
    for count in [1_000, 10_000, 100_000] {
        row("statements", count, shader(count));
    }
    for depth in [1, 2, 4, 8] {
        row("loops in each other", depth, nest(depth));
    }
    for depth in [20, 200] {
        row("calls in a chain", depth, chain(depth));
    }
    for count in [50, 500, 5_000] {
        row("cases", count, cases(count));
    }
}

/// A loop of `count` iterations; `exits` adds a `break` and a `continue` to each.
fn iterations(count: usize, exits: bool) -> String {
    let exit =
        if exits { "if (x > 1e9) break; if (x > float(i)) { x *= 0.5; continue; } if (s > 1e6) break;" } else { "" };
    format!(
        "#version 300 es\nprecision highp float;\nout vec4 color;\nvoid main() {{\n    float x = gl_FragCoord.x, y = \
         gl_FragCoord.y, s = 0.0;\n    for (int i = 0; i < {count}; i++) {{ {exit} x = x * 0.99 + y; y = y - x * 0.01; s += \
         sin(x) * y; }}\n    color = vec4(x, y, s, 1.0);\n}}\n"
    )
}

/// Growth of flattening: time per node after lowering.
fn flatten_table() {
    println!("\n| flattened | size | nodes | time, ms | µs a node | memory, bytes a node |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    let row = |what: &str, size: usize, source: String| {
        let module = Compiler::default().compile("growth.frag", &source).module.expect("the shader is valid");
        let mut flattener = Flattener { entry_points: true, ..Flattener::default() };
        flattener.options.limits.flat_iterations = u32::MAX;
        let before = peak();
        let (mut best, mut nodes) = (f64::INFINITY, 0);
        for _ in 0..if size > 50_000 { 2 } else { 5 } {
            let mut copy = module.clone();
            let start = Instant::now();
            let counts = flattener.run(&mut copy, &mut |_, _| {}).expect("its loops have bounds");
            best = best.min(start.elapsed().as_secs_f64());
            nodes = counts[0].1;
        }
        let memory = before.zip(peak()).map(|(a, b)| (b - a) / nodes).filter(|&m| m > 0);
        let memory = memory.map_or("(within what was held)".into(), |m| m.to_string());
        println!("| {what} | {size} | {nodes} | {:.1} | {:.2} | {memory} |", best * 1e3, best * 1e6 / nodes as f64);
    };
    for count in [1_000, 10_000, 100_000] {
        row("statements", count, shader(count));
    }
    for count in [150, 1_500, 15_000, 150_000] {
        row("rounds", count, iterations(count, false));
    }
    for count in [64, 256, 1_024, 10_240] {
        row("rounds with break and continue", count, iterations(count, true));
    }
}

/// The shares of the time to WGSL: the front end, our lowering to a `naga::Module` (including validation), and naga's
/// validator and writer alone on that module.
fn naga_table() {
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    println!("\n| statements | front end | our lowering | naga's validator | naga's writer |");
    println!("| ---: | ---: | ---: | ---: | ---: |");
    let flags = ValidationFlags::all().difference(ValidationFlags::CONTROL_FLOW_UNIFORMITY);
    for count in [1_000, 10_000, 100_000] {
        let source = shader(count);
        let mut best = [f64::INFINITY; 4];
        for _ in 0..if count > 50_000 { 3 } else { 10 } {
            let mut from = Instant::now();
            let mut lap = || std::mem::replace(&mut from, Instant::now()).elapsed().as_secs_f64();
            let mut module = Compiler::default().compile("growth.frag", &source).module.expect("the shader is valid");
            let front = lap();
            let options = planish_back_naga::Options::new(planish_back_naga::Target::Wgsl);
            let info = planish_back_naga::info(options.target);
            planish_opt::legalize::run(&mut module, &info, &mut Context::default()).expect("WGSL can hold it");
            let lowered = planish_back_naga::lower(&module, &options).expect("WGSL can hold it");
            let lowering = lap();
            Validator::new(flags, Capabilities::all()).validate(&lowered.module).expect("it was validated before");
            let validation = lap();
            planish_back_naga::write_wgsl(&lowered).expect("WGSL can hold it");
            let times = [front, lowering, validation, lap()];
            best = std::array::from_fn(|part| best[part].min(times[part]));
        }
        // The lowering includes a validation.
        best[1] -= best[2];
        let each = best.map(|time| format!("{:.2}", time * 1e6 / count as f64)).join(" | ");
        println!("| {count} | {each} |");
    }
}

fn main() {
    if std::env::args().any(|a| a == "--naga") {
        naga_table();
        return;
    }
    if std::env::args().any(|a| a == "--flatten") {
        flatten_table();
        return;
    }
    if std::env::args().any(|a| a == "--optimizer") {
        optimizer_table();
        return;
    }
    println!("| statements | target | time, ms | µs a statement | memory, bytes a statement |");
    println!("| ---: | --- | ---: | ---: | ---: |");
    for count in [1_000, 10_000, 100_000] {
        let source = shader(count);
        for target in [Target::Glsl, Target::Wgsl] {
            let before = peak();
            let mut best = f64::INFINITY;
            for _ in 0..if count > 50_000 { 3 } else { 10 } {
                let start = Instant::now();
                std::hint::black_box(compile_to(&source, target));
                best = best.min(start.elapsed().as_secs_f64());
            }
            let memory = before.zip(peak()).map(|(a, b)| (b - a) / count as u64).filter(|&m| m > 0);
            let memory = memory.map_or("(within what was held)".into(), |m| m.to_string());
            println!(
                "| {count} | {} | {:.1} | {:.2} | {memory} |",
                target.info().name,
                best * 1e3,
                best * 1e6 / count as f64
            );
        }
    }
    optimizer_table();
    flatten_table();
    let mut ifs =
        String::from("#version 300 es\nprecision highp float;\nuniform float u;\nout vec4 color;\nvoid main() {\n");
    for i in 0..50_000 {
        writeln!(ifs, "    if (u > {i}.0) color.x += 1.0;").expect("a string takes all");
    }
    ifs.push_str("}\n");
    let small = std::thread::Builder::new().stack_size(1 << 20);
    let sizes = small.spawn(move || [Target::Glsl, Target::Wgsl, Target::Ir].map(|t| compile_to(&ifs, t)));
    let sizes = sizes.expect("a thread starts").join().expect("50,000 ifs fit a stack of 1 MiB");
    println!(
        "\n50,000 `if`s on a stack of 1 MiB: GLSL {} bytes, WGSL {} bytes, IR {} bytes",
        sizes[0], sizes[1], sizes[2]
    );
}
