//! Programs with memories, tables and variables: random modules with pointers that may alias, the workloads of `examples/wasm`, functions
//! of the host, shaders.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use planish::eval::EvalValue;
use planish::eval::shade::{DrawOptions, draw};
use planish::module::Module;
use planish::{Compiler, EmitOptions, Optimizer, Target, emit};
use planish_generate::modules::{self, aliasing, plain};
use planish_generate::{Choices, for_each_seed};
use planish_testkit::{folder, runs_all, scratch, seeds};

use super::{Batch, Call, HEAD, libm, output_of};

fn compile(file: &str, text: &str, level: &str) -> Module {
    let compilation = Compiler::default().compile(file, text);
    let mut module = compilation.module.unwrap_or_else(|| panic!("{file}: {:?}", compilation.diagnostics));
    Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
    module
}

fn rust(module: &Module) -> String {
    let artifact = emit(module, Target::Rust, &EmitOptions::default()).unwrap_or_else(|errors| panic!("{errors:?}"));
    String::from_utf8(artifact.bytes).expect("a text")
}

/// Compiles a program, with options of the compiler, and gives what it shows.
fn run(test: &str, text: &str, options: &[&str]) -> String {
    let folder = scratch(&format!("rust-{test}"));
    fs::write(folder.join("main.rs"), text).expect("writable");
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition=2024", "-Dwarnings", "--extern"]).arg(format!("libm={}", libm().display()));
    output_of(rustc.args(options).args(["-o", "run", "main.rs"]).current_dir(&folder));
    output_of(&mut Command::new(folder.join("run")))
}

fn check_modules(test: &'static str, make: fn(&mut Choices<'_>) -> modules::Module, least: usize) {
    let mut batch = Batch::new(test);
    let mut refused = 0;
    for_each_seed(seeds(0..if runs_all() { 40 } else { 6 }), 1400, |bytes| {
        let program = make(&mut Choices::from_bytes(bytes));
        let mut module =
            planish::ir::text::parse_str(&program.text).unwrap_or_else(|e| panic!("{e:#?}\n{}", program.text));
        for level in ["0", "2"] {
            Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
            let call = |call: &modules::Call| -> Call {
                let func = module.funcs_named(&program.exports[call.export].name).next().expect("it is there");
                let types = module.funcs[func].params.iter().map(|param| param.ty);
                (func, types.zip(&call.args).map(|(ty, &word)| EvalValue { ty, bits: vec![word] }).collect())
            };
            let calls: Vec<Call> = program.calls.iter().map(call).collect();
            if let Err(errors) = batch.add_instances(&module, &[&calls]) {
                assert!(errors.iter().all(|error| ["E0602", "E0604"].contains(&error.code.0)), "{errors:#?}");
                refused += 1;
            }
        }
    });
    assert!(batch.programs >= least, "only {} modules, {refused} refused", batch.programs);
    batch.check();
}

#[test]
fn random_modules_give_the_evaluators_bits() {
    check_modules("modules", plain, 6);
}

#[test]
fn modules_with_pointers_that_alias_give_the_evaluators_bits() {
    check_modules("aliasing", aliasing, 4);
}

#[test]
fn modules_with_narrow_numbers_give_the_evaluators_bits() {
    check_modules("narrow", modules::narrow, 6);
}

#[test]
fn workloads_give_what_their_sources_give() {
    let folder = folder("examples/wasm");
    let table = fs::read_to_string(folder.join("workloads.txt")).expect("the table is committed");
    let mut text = "#![forbid(unsafe_code)]\n".to_owned();
    let (mut calls, mut instances, mut want) = (String::new(), String::new(), String::new());
    for (number, row) in table.lines().filter(|line| !line.starts_with('#')).enumerate() {
        let words: Vec<&str> = row.split_whitespace().collect();
        let [name, size, sum, ..] = words[..] else { panic!("a row has name, size and sum: {row}") };
        let source = fs::read_to_string(folder.join(name).with_extension("wat")).expect("every row has a text");
        for level in ["0", "2"] {
            // (All at both levels take a minute.)
            if !runs_all() && (level == "0" || !number.is_multiple_of(2)) {
                continue;
            }
            let module = compile(&format!("{name}.wat"), &source, level);
            let artifact = match emit(&module, Target::Rust, &EmitOptions::default()) {
                Ok(artifact) => artifact,
                Err(errors) => {
                    assert!(errors.iter().all(|e| e.message.contains("128-bit vectors")), "{name}: {errors:?}");
                    continue;
                }
            };
            let program = format!("{name}_{level}");
            let written = String::from_utf8(artifact.bytes).expect("a text");
            let _ = writeln!(text, "#[allow(dead_code)]\nmod {program} {{\n{written}}}");
            let _ = writeln!(
                instances,
                "impl Get for {program}::Module {{ type Value = Self; fn get(self) -> Self {{ self }} }}"
            );
            let sizes = if level == "0" { "-O0" } else { "-O2" };
            let _ = writeln!(
                calls,
                "    println!(\"{name} {sizes} {{}}\", got(got({program}::Module::new()).run({size})));"
            );
            let _ = writeln!(want, "{name} {sizes} {sum}");
        }
    }
    // Functions that cannot trap give no `Result`.
    text.push_str(
        "trait Get { type Value; fn get(self) -> Self::Value; }\n\
         impl<T, E: std::fmt::Debug> Get for Result<T, E> { type Value = T; fn get(self) -> T { self.unwrap() } }\n\
         impl Get for i32 { type Value = i32; fn get(self) -> i32 { self } }\n\
         impl Get for i64 { type Value = i64; fn get(self) -> i64 { self } }\n\
         impl Get for f32 { type Value = f32; fn get(self) -> f32 { self } }\n\
         impl Get for f64 { type Value = f64; fn get(self) -> f64 { self } }\n\
         fn got<G: Get>(result: G) -> G::Value { result.get() }\n",
    );
    text.push_str(&instances);
    let _ = writeln!(text, "fn main() {{\n{calls}}}");
    assert!(want.lines().count() > 5, "{want}");
    assert_eq!(run("workloads", &text, &["-Copt-level=1"]), want);
}

/// The module and the program of `docs/targets/rust.md`.
#[test]
fn a_host_gives_functions_and_sees_memory() {
    let page = fs::read_to_string(folder("docs/targets/rust.md")).expect("the page is there");
    let code = |language: &str| {
        let begin = format!("```{language}\n");
        let blocks = page.split(&begin).skip(1).filter_map(|rest| rest.split("```").next());
        blocks.map(str::to_owned).collect::<Vec<_>>()
    };
    let module = compile("game.wat", &code("wat")[0], "2");
    let blocks = code("rust");
    let program = blocks.iter().find(|block| block.contains("mod game")).expect("the program of the page");
    let inner = format!("mod game {{\n#![allow(dead_code)]\n{}}}", rust(&module));
    let included = "mod game {\n    include!(concat!(env!(\"OUT_DIR\"), \"/game.rs\"));\n}";
    assert!(program.contains(included), "{program}");
    let shown = run("host", &program.replace(included, &inner), &[]);
    assert_eq!(shown, "log: 6\n7\nlog: -2\nout of bounds memory\n");
}

/// Arrays with computed indices, several stages' kinds of values, and a loop.
const SHADER: &str = "#version 300 es
precision highp float;
struct Light { vec3 tint; float level; };
uniform Light lights[2];
uniform mat2 turn;
uniform int steps;
in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out vec2 moved;
void main() {
    float table[5];
    for (int i = 0; i < 5; i++) table[i] = float(i * i) * uv.x + 0.25;
    vec2 p = turn * (uv - 0.5);
    vec3 sum = vec3(0.0);
    for (int i = 0; i < steps; i++) {
        int at = int(abs(p.x) * 40.0 + float(i)) % 5;
        sum += lights[i % 2].tint * table[at] / (lights[i % 2].level + float(i));
        p = p.yx * 1.25 - vec2(table[4 - at], 0.5) * 0.1;
    }
    color = vec4(sum, length(p));
    moved = p;
}
";

#[test]
fn shaders_are_functions_of_a_fragment() {
    let sizes = [16u32, 9];
    let lights = [("lights[0].tint", vec![1.0, 0.5, 0.25]), ("lights[0].level", vec![0.5])];
    let more = [("lights[1].tint", vec![0.25, 0.75, 2.0]), ("lights[1].level", vec![3.0])];
    let rest = [("turn", vec![0.75, 0.5, -0.5, 0.75]), ("steps", vec![7.0])];
    let uniforms: Vec<(String, Vec<f64>)> =
        lights.into_iter().chain(more).chain(rest).map(|(name, values)| (name.to_owned(), values)).collect();
    let places = "#version 300 es\nprecision highp float; in vec2 uv; out vec4 c; void main() { c = vec4(uv, 0, 1); }";
    let places = draw(&compile("uv.frag", places, "0"), &DrawOptions { size: sizes, ..DrawOptions::default() });
    let places: Vec<[f32; 2]> = places.expect("it is drawn").float.iter().map(|c| [c[0], c[1]]).collect();
    let mut text = format!("{HEAD}const PLACES: [[f32; 2]; {}] = {places:?};\n", places.len());
    let mut main = String::new();
    let mut want = String::new();
    for level in ["0", "2"] {
        let module = compile("s.frag", SHADER, level);
        let _ = writeln!(text, "mod s{level} {{\n{}}}", rust(&module));
        let _ = writeln!(
            main,
            "    let uniforms = s{level}::MainUniforms {{
        lights: [s{level}::Light {{ tint: [1.0, 0.5, 0.25], level: 0.5 }}, s{level}::Light {{ tint: [0.25, 0.75, 2.0], level: 3.0 }}],
        turn: [[0.75, 0.5], [-0.5, 0.75]],
        steps: 7,
    }};
    for uv in PLACES {{
        let o = CALL(&uniforms, &s{level}::MainInputs {{ uv }})MARK;
        let words: Vec<u64> = o.color.into_iter().chain(o.moved).map(Word::word).collect();
        show(&mut out, &words);
    }}"
        );
        let mark = if text.rsplit("mod s").next().is_some_and(|own| own.contains(") -> Result<MainOutputs, Trap>")) {
            ".unwrap()"
        } else {
            ""
        };
        main = main.replace("CALL", &format!("s{level}::main")).replace("MARK", mark);
        let picture = |output: &str| {
            let output = Some(output.to_owned());
            let options = DrawOptions { size: sizes, uniforms: uniforms.clone(), output, ..DrawOptions::default() };
            draw(&module, &options).expect("it is drawn").float
        };
        for (color, moved) in picture("color").iter().zip(picture("moved")) {
            let words: Vec<u64> = color.iter().chain(&moved[..2]).map(|x| x.to_bits().into()).collect();
            let _ = writeln!(want, "{words:x?}");
        }
    }
    let _ = writeln!(
        text,
        "fn main() {{ let mut out = Vec::new();\n{main}    std::io::stdout().write_all(&out).unwrap(); }}"
    );
    assert_eq!(run("shader", &text, &["-Adead_code"]), want);
}

/// The library of `examples/build-shader`, with functions as its build script writes them.
#[test]
fn the_example_of_a_build_script_draws_the_evaluators_picture() {
    let example = folder("examples/build-shader/src");
    let source = fs::read_to_string(example.join("rings.wgsl")).expect("it is there");
    let module = compile("rings.wgsl", &source, "2");
    let out = scratch("rust-rings");
    let artifact = emit(&module, Target::Rust, &EmitOptions { optimize: true, ..EmitOptions::default() });
    let artifact = artifact.unwrap_or_else(|errors| panic!("{errors:?}"));
    fs::write(out.join("rings.rs"), artifact.bytes).expect("writable");
    let shaders = "pub mod rings {
    pub mod rust { include!(\"rings.rs\"); }
    pub const WGSL: &str = \"\";
    pub const SPIRV: &[u32] = &[];
}
";
    fs::write(out.join("shaders.rs"), shaders).expect("writable");
    let mut rustc = Command::new("rustc");
    rustc.args([
        "--edition=2024",
        "-Dwarnings",
        "-Aunexpected_cfgs",
        "--crate-type=rlib",
        "--crate-name=build_shader",
        "--extern",
    ]);
    rustc.arg(format!("libm={}", libm().display())).env("OUT_DIR", &out).current_dir(&out);
    output_of(rustc.arg(example.join("lib.rs")));
    let main = "fn main() {
    for color in build_shader::draw([40, 30], 2.75) {
        println!(\"{:x?}\", color.map(f32::to_bits));
    }
}
";
    fs::write(out.join("main.rs"), main).expect("writable");
    let mut rustc = Command::new("rustc");
    rustc.arg("-L").arg(libm().parent().expect("a folder"));
    rustc.args(["--edition=2024", "-L", ".", "--extern", "build_shader=libbuild_shader.rlib", "--extern"]);
    output_of(rustc.arg(format!("libm={}", libm().display())).args(["-o", "run", "main.rs"]).current_dir(&out));
    let uniforms = vec![("params.resolution".to_owned(), vec![40.0, 30.0]), ("params.time".to_owned(), vec![2.75])];
    let options = DrawOptions { size: [40, 30], uniforms, ..DrawOptions::default() };
    let picture = draw(&module, &options).expect("it is drawn").float;
    let want: String = picture.iter().map(|color| format!("{:x?}\n", color.map(f32::to_bits))).collect();
    assert_eq!(output_of(&mut Command::new(out.join("run"))), want);
}

#[test]
fn a_shader_that_needs_its_neighbours_is_refused() {
    let begin = "#version 300 es\nprecision highp float; uniform sampler2D t; in vec2 uv; out vec4 c;\nvoid main() {";
    for (statements, what) in [
        ("c = vec4(dFdx(uv.x * uv.y));", "derivatives"),
        ("if (uv.x > 0.5) discard; c = vec4(1);", "`discard`"),
        ("c = texture(t, uv);", "textures"),
    ] {
        let module = compile("s.frag", &format!("{begin} {statements} }}\n"), "0");
        let errors = emit(&module, Target::Rust, &EmitOptions::default()).expect_err("it is refused");
        let is_told = |error: &planish::diagnostic::Diagnostic| {
            error.message.ends_with(what) && !error.help.is_empty() && error.span != planish::source::Span::NONE
        };
        assert!(errors.iter().all(is_told), "{errors:#?}");
    }
}
