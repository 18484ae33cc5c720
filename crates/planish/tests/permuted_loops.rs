//! Loops whose variables trade places while others read what they were: the same results in the evaluator, on the virtual machine,
//! as JavaScript, asm.js and WebAssembly, and as the same picture through every shading language that is read back.

use std::fmt::Write as _;

use planish::eval::Limits;
use planish::eval::world::{Val, World};
use planish::module::Module;
use planish::{Compiler, EmitOptions, Optimizer, Target, vm};
use planish_generate::Choices;
use planish_testkit::node as javascript;

use crate::common;

/// The next value of a variable, from the variables before: an operation, and one or two of them.
struct Next(&'static str, usize, usize);

/// `loop { v0, v1, … = next }` for as many rounds as the parameter says: one variable counts them.
struct Loop {
    next: Vec<Next>,
    counter: usize,
    /// Whether the condition is at the end.
    is_do: bool,
}

impl Loop {
    fn new(seed: u64) -> Self {
        let mut random = Choices::from_seed(seed);
        let count = 2 + random.below(5);
        let mut order: Vec<usize> = (0..count).collect();
        for i in (1..count).rev() {
            order.swap(i, random.below(i + 1));
        }
        let next = order.iter().map(|&from| match random.below(5) {
            0 | 1 => Next("copy", from, from),
            2 => Next("add", from, random.below(count)),
            3 => Next("subtract", from, random.below(count)),
            _ => Next("multiply", from, from),
        });
        Loop { next: next.collect(), counter: random.below(count), is_do: random.below(2) == 0 }
    }

    fn ir(&self) -> String {
        let count = self.next.len();
        let starts: Vec<String> = (0..count)
            .map(|i| if i == self.counter { "0".to_owned() } else { (i as i32 * 7 - 5).to_string() })
            .collect();
        let inputs: Vec<String> = (0..count).map(|i| format!("%{}: i32", i + 1)).collect();
        let mut number = count;
        let mut body = String::new();
        let mut values = Vec::new();
        for (i, &Next(op, a, b)) in self.next.iter().enumerate() {
            let step = match op {
                _ if i == self.counter => format!("add %{}, 1", i + 1),
                "copy" => {
                    values.push(format!("%{}", a + 1));
                    continue;
                }
                op => format!("{op} %{}, %{}", a + 1, b + 1),
            };
            number += 1;
            writeln!(body, "    %{number} = {step}").expect("strings take all");
            values.push(format!("%{number}"));
        }
        let (head, values) = (inputs.join(", "), values.join(", "));
        let types = vec!["i32"; count].join(", ");
        let mut text = format!("module ir\n\nfn @f(%0 n: i32) -> ({types}) {{\nb0:\n");
        let mut results: Vec<String> = (0..count).map(|i| format!("%{}", i + 1)).collect();
        let starts = starts.join(", ");
        if self.is_do {
            let next = number + 1;
            let inner: Vec<String> = (0..count).map(|i| format!("%{}", next + i)).collect();
            let typed: Vec<String> = inner.iter().map(|v| format!("{v}: i32")).collect();
            let test = next + count;
            results = (0..count).map(|i| format!("%{}", test + 1 + i)).collect();
            let outer: Vec<String> = results.iter().map(|v| format!("{v}: i32")).collect();
            let inner = inner.join(", ");
            write!(
                text,
                "  do_loop {starts} {{\n  body b1({head}):\n{body}    continue b0, {values}\n  cond b2({}):\n    %{test} = \
                 less_than %{}, %0\n    loop_if %{test} body({inner}) merge({inner})\n  }}\nb3({}):\n",
                typed.join(", "),
                next + self.counter,
                outer.join(", "),
            )
        } else {
            let body = renumbered(&body, count, &values);
            write!(
                text,
                "  loop {starts} {{\n  cond b1({head}):\n    %{} = less_than %{}, %0\n    loop_if %{}\n  body b2:\n{body}  }}\nb3:\n",
                count + 1,
                self.counter + 1,
                count + 1,
            )
        }
        .expect("strings take all");
        write!(text, "  return {}\n}}\nexport @f \"f\"\n", results.join(", ")).expect("strings take all");
        text
    }

    /// The same as a shader, whose colour is made of what is left.
    fn glsl(&self) -> String {
        let count = self.next.len();
        let mut text = "#version 310 es\nprecision highp float; precision highp int;\nlayout(location = 0) out vec4 color;\nvoid main() {\n  int n = int(gl_FragCoord.x);\n".to_owned();
        let mut line = |line: String| text.push_str(&(line + "\n"));
        for i in 0..count {
            line(format!("  int v{i} = {};", if i == self.counter { 0 } else { i as i32 * 7 - 5 }));
        }
        line(if self.is_do { "  do {".to_owned() } else { format!("  while (v{} < n) {{", self.counter) });
        for (i, &Next(op, a, b)) in self.next.iter().enumerate() {
            let sign = match op {
                "add" => "+",
                "subtract" => "-",
                _ => "*",
            };
            line(match op {
                _ if i == self.counter => format!("    int t{i} = v{i} + 1;"),
                "copy" => format!("    int t{i} = v{a};"),
                _ => format!("    int t{i} = v{a} {sign} v{b};"),
            });
        }
        (0..count).for_each(|i| line(format!("    v{i} = t{i};")));
        line(if self.is_do { format!("  }} while (v{} < n);", self.counter) } else { "  }".to_owned() });
        let part = |from: usize| {
            let parts: Vec<String> = (from..count).step_by(3).map(|i| format!("(v{i} & 255) * {}", i + 1)).collect();
            if parts.is_empty() { "0".to_owned() } else { parts.join(" + ") }
        };
        line(format!("  color = vec4(float({}), float({}), float({}), 1.0);\n}}", part(0), part(1), part(2)));
        text
    }
}

/// The body of a loop whose condition has made a value before: numbers from `count` on are one more.
fn renumbered(body: &str, count: usize, values: &str) -> String {
    let text = format!("{body}    continue b0, {values}\n");
    let mut words = text.split('%');
    let mut result = words.next().unwrap_or_default().to_owned();
    for word in words {
        let end = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
        let number: usize = word[..end].parse().expect("a number is behind `%`");
        let number = if number > count { number + 1 } else { number };
        write!(result, "%{number}{}", &word[end..]).expect("strings take all");
    }
    result
}

fn optimized(module: &Module, level: &str) -> Module {
    let mut module = module.clone();
    Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
    module
}

fn evaluated(module: &Module, n: i32) -> Vec<u64> {
    let mut world = World::new(Limits::default());
    let instance = world.instantiate(module, |_, _| None).expect("imports nothing");
    let results = world.invoke(instance, "f", &[Val::I32(n)]).expect("ends");
    results.iter().map(|value| if let Val::I32(x) = *value { u64::from(x as u32) } else { 0 }).collect()
}

/// Result of a module in the virtual machine.
fn on_machine(module: Module, n: i32, width: usize) -> Vec<u64> {
    let engine = vm::Engine::default();
    let mut store = vm::Store::new(&engine, ());
    let module = vm::Module::new(&engine, module).expect("fits the machine");
    let instance = vm::Linker::new().instantiate(&mut store, &module).expect("imports nothing");
    let mut results = vec![vm::Val::I32(0); width];
    let f = instance.get_func(&store, "f").expect("is exported");
    f.call(&mut store, &[vm::Val::I32(n)], &mut results).expect("ends");
    results.iter().map(|value| if let vm::Val::I32(x) = *value { u64::from(x as u32) } else { 0 }).collect()
}

const ROUNDS: [i32; 4] = [0, 1, 2, 7];

#[test]
fn loops_that_permute_their_variables_give_the_same_everywhere() {
    let (mut programs, mut calls, mut want) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 0..120 {
        let text = Loop::new(seed).ir();
        let module = common::compile("loop.ir", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let truth = ROUNDS.map(|n| evaluated(&module, n));
        for level in ["0", "2"] {
            let module = optimized(&module, level);
            let wasm = planish::emit(&module, Target::Wasm, &EmitOptions::default()).expect("numbers are numbers");
            let back = Compiler::default().compile("loop.wasm", &wasm.bytes).module.expect("what was written is valid");
            for (n, truth) in ROUNDS.iter().zip(&truth) {
                assert_eq!(&on_machine(module.clone(), *n, truth.len()), truth, "machine: {n} at -O{level}\n{text}");
                assert_eq!(&on_machine(back.clone(), *n, truth.len()), truth, "wasm: {n} at -O{level}\n{text}");
            }
            for target in [Target::Js, Target::AsmJs] {
                let artifact = planish::emit(&module, target, &EmitOptions::default()).expect("numbers are numbers");
                let text = String::from_utf8(artifact.bytes).expect("JavaScript is text");
                programs.push(javascript::Program { text, asm: target == Target::AsmJs, pages: 0, fresh: false });
                for (n, truth) in ROUNDS.iter().zip(&truth) {
                    let func = module.entry_points[0].func;
                    let args = vec![u64::from(*n as u32)];
                    calls.push(javascript::Call::new(programs.len() - 1, &module, func, "f", args));
                    want.push(truth.clone());
                }
            }
        }
    }
    let Some(outcomes) = javascript::run("permuted-loops", &programs, &calls) else { return };
    for ((call, want), got) in calls.iter().zip(want).zip(outcomes) {
        assert_eq!(got, Ok(want), "{:?}\n{}", call.args, programs[call.program].text);
    }
}

#[test]
fn loops_that_permute_their_variables_draw_the_same_in_every_shading_language() {
    for seed in 0..40 {
        let text = Loop::new(seed).glsl();
        let module = common::compile("loop.frag", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let want = common::picture(&module, [6, 1]).expect("can be drawn");
        for level in ["0", "2"] {
            let module = optimized(&module, level);
            for (target, name) in [
                (Target::Glsl, "loop.frag"),
                (Target::Wgsl, "loop.wgsl"),
                (Target::Spirv, "loop.spv"),
                (Target::SpirvNaga, "loop.spv"),
            ] {
                let artifact = planish::emit(&module, target, &EmitOptions::default());
                let artifact = artifact.unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"));
                let back = common::compile(name, &artifact.bytes).unwrap_or_else(|e| panic!("{e}\n{text}"));
                let picture = common::picture(&back, [6, 1]).expect("can be drawn");
                assert_eq!(picture, want, "{} at -O{level}\n{text}", target.info().name);
            }
        }
    }
}
