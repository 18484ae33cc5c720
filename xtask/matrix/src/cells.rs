//! One input's row of the matrix: reading it, each level with each target, and draws of everything else.

use planish::diagnostic::{Code, Diagnostic};
use planish::ir::verify::verify;
use planish::module::{Module, Stage};
use planish::source::{SourceMap, Span};
use planish::{Compiler, EmitOptions, InputKind, LEVELS, Optimizer, TARGETS, Target, emit, explain, render};
use planish_generate::Choices;
use xtask::pool::guarded;

use crate::draw;

/// One compilation, and the fault found in its result.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The request: `O2 wgsl`, `draw 3 spirv`.
    pub name: String,
    /// The reason why the answer is wrong; `None` if it is right.
    pub problem: Option<String>,
}

/// Sees the cells go by, for instance with a clock.
pub trait Observer {
    /// A cell begins.
    fn begin(&mut self, name: &str);
    /// It has ended.
    fn end(&mut self, cell: Cell);
}

/// Levels whose outputs are read again.
const READ_AGAIN: [&str; 2] = ["0", "2"];

/// Codes of errors about the options, which have no place in the program.
const ABOUT_OPTIONS: [Code; 3] = [Code::E0502, Code::E0503, Code::E0601];

/// Targets written of a drawn module.
const TARGETS_OF_A_DRAW: usize = 3;

/// Runs all cells of one input; `draws` is the number of drawn settings. To be called within [`xtask::pool::run`], which
/// remembers panics.
pub fn check(name: &str, bytes: &[u8], seed: u64, draws: u32, observer: &mut dyn Observer) {
    let mut row = Row { name, bytes, observer };
    if let Some((module, compiler)) = row.read(Compiler::default(), "read") {
        for level in LEVELS {
            row.level(&module, level, &compiler.map);
        }
    }
    for draw in 0..draws {
        row.draw(&mut Choices::from_seed(seed ^ u64::from(draw) << 32 ^ hash(name)), draw);
    }
}

/// FNV-1a: the draws of one input are independent of the other inputs.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

struct Row<'a> {
    name: &'a str,
    bytes: &'a [u8],
    observer: &'a mut dyn Observer,
}

impl Row<'_> {
    /// Runs one cell. A panic is a problem with its message.
    fn cell<T>(&mut self, name: &str, action: impl FnOnce() -> Result<T, String>) -> Option<T> {
        self.observer.begin(name);
        let (value, problem) = match guarded(action) {
            Ok(Ok(value)) => (Some(value), None),
            Ok(Err(problem)) => (None, Some(problem)),
            Err(panic) => (None, Some(format!("panic: {panic}"))),
        };
        self.observer.end(Cell { name: name.to_owned(), problem });
        value
    }

    fn read<'c>(&mut self, mut compiler: Compiler<'c>, cell: &str) -> Option<(Module, Compiler<'c>)> {
        let (name, bytes) = (self.name, self.bytes);
        self.cell(cell, || {
            let compilation = compiler.compile(name, bytes);
            check_diagnostics(&compilation.diagnostics, &compiler.map, is_binary(name, bytes))?;
            match compilation.module {
                None if !compilation.has_errors() => Err("no module and no error".into()),
                module => Ok((module, compiler)),
            }
        })
        .and_then(|(module, compiler)| Some((module?, compiler)))
    }

    fn level(&mut self, module: &Module, level: &str, map: &SourceMap) {
        let optimized = self.cell(&format!("O{level}"), || {
            let mut module = module.clone();
            Optimizer::level(level).expect("is a level").run(&mut module, &mut |_, _| {});
            valid(&module).map(|()| module)
        });
        let Some(optimized) = optimized else { return };
        for target in TARGETS.iter().filter(|target| target.target != Target::Analysis) {
            let options = EmitOptions::default();
            let cell = format!("O{level} {}", target.name);
            self.target(&optimized, target.target, &options, map, &cell, READ_AGAIN.contains(&level));
        }
    }

    fn draw(&mut self, choices: &mut Choices<'_>, draw: u32) {
        let mut compiler = Compiler::default();
        compiler.options.webgl = choices.chance(15).into();
        if choices.chance(5) {
            compiler.options.stage = Some(choices.pick(&[Stage::Fragment, Stage::Vertex, Stage::Compute]));
        }
        let Some((mut module, compiler)) = self.read(compiler, &format!("draw {draw}: read")) else { return };
        let optimizer = draw::optimizer(choices);
        let flattener = draw::flattener(choices, &module, &optimizer);
        let map = &compiler.map;
        let is_binary = is_binary(self.name, self.bytes);
        let module = self.cell(&format!("draw {draw}: {}", described(&optimizer, flattener.is_some())), || {
            if let Some(flattener) = &flattener {
                match flattener.mark(&mut module) {
                    Ok(()) => {}
                    Err(errors) => return check_diagnostics(&errors, map, is_binary).map(|()| None),
                }
            }
            optimizer.run(&mut module, &mut |_, _| {});
            valid(&module)?;
            if let Some(Err(errors)) = flattener.map(|flattener| flattener.run(&mut module, &mut |_, _| {})) {
                return check_diagnostics(&errors, map, is_binary).map(|()| None);
            }
            valid(&module).map(|()| Some(module))
        });
        let Some(Some(module)) = module else { return };
        for _ in 0..TARGETS_OF_A_DRAW {
            let target = draw::target(choices);
            let options = draw::emit_options(choices, &module, map);
            let cell = format!("draw {draw} {}", target.info().name);
            self.target(&module, target, &options, map, &cell, true);
        }
    }

    fn target(
        &mut self,
        module: &Module,
        target: Target,
        options: &EmitOptions,
        map: &SourceMap,
        cell: &str,
        again: bool,
    ) {
        let is_binary = is_binary(self.name, self.bytes);
        self.cell(cell, || match emit(module, target, options) {
            Ok(artifact) => {
                check_diagnostics(&artifact.diagnostics, map, is_binary)?;
                if again { read_again(module, target, options, &artifact.bytes) } else { Ok(()) }
            }
            Err(errors) if errors.is_empty() => Err("refused without an error".into()),
            Err(errors) => check_diagnostics(&errors, map, is_binary),
        });
    }
}

fn described(optimizer: &Optimizer, flat: bool) -> String {
    let names: Vec<&str> = optimizer.passes.iter().map(|pass| pass.name).collect();
    let fast = if optimizer.options.fast_math { " fast" } else { "" };
    format!("{}{fast}{}", names.join(","), if flat { " flat" } else { "" })
}

/// Whether the input is not text, so that diagnostics have no lines.
fn is_binary(name: &str, bytes: &[u8]) -> bool {
    InputKind::detect(name, bytes) == InputKind::Spirv
}

fn valid(module: &Module) -> Result<(), String> {
    match verify(module).first() {
        Some(error) => Err(format!("not valid: {error:?}")),
        None => Ok(()),
    }
}

/// Every diagnostic can be shown, has a code with a page that is not the one of internal errors, and a place.
fn check_diagnostics(diagnostics: &[Diagnostic], map: &SourceMap, is_binary: bool) -> Result<(), String> {
    for diagnostic in diagnostics {
        let text = render::short(diagnostic, map);
        render::human(diagnostic, map, false);
        render::json(diagnostic, map);
        if explain(diagnostic.code.0).is_none() {
            return Err(format!("no page: {text}"));
        }
        if diagnostic.code == Code::E0699 {
            return Err(format!("internal error: {text}"));
        }
        let needs_place = !is_binary && !ABOUT_OPTIONS.contains(&diagnostic.code);
        if diagnostic.is_error() && diagnostic.span == Span::NONE && needs_place {
            return Err(format!("no place: {text}"));
        }
    }
    Ok(())
}

/// Reads the output again, if it is in a language that Planish reads. Except SPIR-V, since the reader (naga's) supports
/// less than is written (the tests of the back end check it with `spirv-val`), and GLSL without an entry point, which
/// is no shader.
fn read_again(module: &Module, target: Target, options: &EmitOptions, bytes: &[u8]) -> Result<(), String> {
    let has_main = module.entry_points.iter().any(|entry| entry.stage.is_some());
    let kind = match target {
        Target::Glsl if !has_main => return Ok(()),
        Target::Glsl => InputKind::Glsl,
        Target::Wasm | Target::Wat => InputKind::Wasm,
        Target::Ir => InputKind::Ir,
        _ => return Ok(()),
    };
    let mut compiler = Compiler::default();
    compiler.options.from = Some(kind);
    compiler.options.stage = options.stage.or_else(|| module.entry_points.first().and_then(|entry| entry.stage));
    let compilation = compiler.compile("again", bytes);
    match compilation.diagnostics.iter().find(|d| d.is_error()) {
        Some(error) => Err(format!("not read again: {}", render::short(error, &compiler.map).trim_end())),
        None => Ok(()),
    }
}
