//! `planish repl`: reads definitions and expressions in VL, and prints their values.

use std::io::ErrorKind;
use std::path::PathBuf;

use planish::module::Module;
use planish::vl::{Piece, Report, piece};
use planish::{EmitOptions, Target, emit};
use planish_vm::Strategy;
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;

use crate::Stop;
use crate::args::Repl;
use crate::engine;
use crate::input;
use crate::optimize::Work;
use crate::output::write_open_stdout;
use crate::report::Reporter;
use crate::run_vl;

/// File name of entries in messages; the extension selects VL.
const NAME: &str = "entries.vl";

const HELP: &str = "\
Type an expression to see its value, or a definition, which later entries know.
A definition of a name that is there replaces it. All definitions are evaluated anew for each entry.

:code      the optimized code of the last expression
:analysis  what each of its procedures gives for each shape of argument
:list      the definitions
:reset     forget them
:quit      leave (so does Ctrl-D)
";

/// Entries that the history keeps.
const MAX_HISTORY: usize = 1000;

type Editor = rustyline::Editor<(), FileHistory>;

pub(crate) fn repl(args: &Repl, reporter: &Reporter) -> Result<(), Stop> {
    let mut editor = Editor::new().map_err(trouble)?;
    editor.set_max_history_size(MAX_HISTORY).map_err(trouble)?;
    let history = history_file();
    if let Some(file) = &history {
        // There is none the first time.
        let _ = editor.load_history(file);
    }
    let mut session = Session { args, definitions: vec![], last: None };
    for file in &args.files {
        let (_, bytes) = input::read_bytes(file, &args.input)?;
        session.enter(&String::from_utf8_lossy(&bytes), reporter)?;
    }
    let ended = session.run(&mut editor, reporter);
    if let Some(file) = &history {
        let _ = file.parent().map(std::fs::create_dir_all);
        let _ = editor.save_history(file);
    }
    ended
}

fn trouble(error: ReadlineError) -> Stop {
    match error {
        // The prompt was not read.
        ReadlineError::Io(error) if error.kind() == ErrorKind::BrokenPipe => Stop::Closed,
        error => Stop::usage(format!("cannot read entries: {error}")),
    }
}

/// Reads an entry: lines until all brackets are closed; `None` at the end of the input.
fn read(editor: &mut Editor) -> Result<Option<String>, ReadlineError> {
    let mut entry = String::new();
    loop {
        match editor.readline(if entry.is_empty() { "> " } else { "  " }) {
            Ok(line) => entry.extend([&*line, "\n"]),
            Err(ReadlineError::Eof) if entry.is_empty() => return Ok(None),
            Err(ReadlineError::Eof) => return Ok(Some(entry)),
            // Gives the entry up.
            Err(ReadlineError::Interrupted) => entry.clear(),
            Err(error) => return Err(error),
        }
        match piece(&entry) {
            Piece::Empty => entry.clear(),
            Piece::Incomplete if !entry.trim_start().starts_with(':') => {}
            _ => return Ok(Some(entry)),
        }
    }
}

/// Path of the history.
fn history_file() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    let state = state.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")))?;
    Some(state.join("planish/history"))
}

/// State of a session: all entries so far.
struct Session<'a> {
    args: &'a Repl,
    /// Texts, and the names that they define.
    definitions: Vec<(Vec<String>, String)>,
    /// The program of the last expression.
    last: Option<String>,
}

impl Session<'_> {
    /// Takes entries until there are no more.
    fn run(&mut self, editor: &mut Editor, reporter: &Reporter) -> Result<(), Stop> {
        while let Some(entry) = read(editor).map_err(trouble)? {
            // Failing to store the history is no error.
            let _ = editor.add_history_entry(entry.trim());
            match entry.trim() {
                ":quit" | ":q" => break,
                ":help" | ":h" => write_open_stdout(HELP.as_bytes())?,
                ":list" => self.list()?,
                ":reset" => self.definitions.clear(),
                ":code" => self.code(reporter)?,
                ":analysis" => self.analysis(reporter)?,
                command if command.starts_with(':') => {
                    write_open_stdout(format!("there is no `{command}`; `:help` lists the commands\n").as_bytes())?;
                }
                _ => self.enter(&entry, reporter)?,
            }
        }
        Ok(())
    }

    /// The definitions without those of `names`, followed by `text`.
    fn program(&self, names: &[String], text: &str) -> String {
        let kept = self.definitions.iter().filter(|(defined, _)| !defined.iter().any(|name| names.contains(name)));
        kept.map(|(_, text)| &**text).chain([text]).collect::<Vec<_>>().join("\n")
    }

    fn enter(&mut self, entry: &str, reporter: &Reporter) -> Result<(), Stop> {
        let Piece::Definitions(names) = piece(entry) else {
            let program = self.program(&[], entry);
            self.last = Some(program.clone());
            return self.evaluate(&program, reporter);
        };
        // A definition is analyzed only when it is used; this finds the errors that can be found before.
        let program = self.program(&names, &format!("{entry}\n()"));
        if self.compile(&program, reporter)?.compilation.module.is_some() {
            self.definitions.retain(|(defined, _)| !defined.iter().any(|name| names.contains(name)));
            self.definitions.push((names, entry.trim().to_owned()));
        }
        Ok(())
    }

    /// Compiles a program and shows its errors.
    fn compile(&self, program: &str, reporter: &Reporter) -> Result<input::Program, Stop> {
        let options = input::options(&self.args.input)?;
        let compiled = input::compile(NAME, program.as_bytes(), options, &self.args.input)?;
        reporter.show(&compiled.compilation.diagnostics, &compiled.compiler.map);
        Ok(compiled)
    }

    /// The optimized module of a program; `None` if it has errors, which are shown.
    fn optimized(&self, compiled: &mut input::Program, reporter: &Reporter) -> Result<Option<Module>, Stop> {
        let Some(mut module) = compiled.compilation.module.take() else { return Ok(None) };
        let mut work = Work::new(&self.args.passes, &self.args.input)?;
        if let Err(diagnostics) = work.run(&mut module, &mut |_, _| {}) {
            reporter.show(&diagnostics, &compiled.compiler.map);
            return Ok(None);
        }
        Ok(Some(module))
    }

    /// Prints the value of a program.
    fn evaluate(&self, program: &str, reporter: &Reporter) -> Result<(), Stop> {
        let mut compiled = self.compile(program, reporter)?;
        let Some(module) = self.optimized(&mut compiled, reporter)? else { return Ok(()) };
        let answer = compiled.compilation.answer.unwrap_or_default();
        let Some(output) = answer.outputs.first() else { return Ok(()) };
        let params = module.funcs_named(&output.name).next().map_or(0, |func| module.funcs[func].params.len());
        let value = if params > 0 {
            format!("#[procedure of {params} numbers]")
        } else {
            match run_vl::call(&engine::with(Strategy::Vm), None, module, &output.name, &[], output.width()) {
                Ok(scalars) => output.show(&scalars),
                Err(error) => {
                    match run_vl::stopped(&error, &answer) {
                        Some(diagnostic) => reporter.show(&[diagnostic], &compiled.compiler.map),
                        None => write_open_stdout(format!("{error}\n").as_bytes())?,
                    }
                    return Ok(());
                }
            }
        };
        write_open_stdout(format!("{value}\n; {} analysed\n", counted(answer.bindings)).as_bytes())
    }

    fn list(&self) -> Result<(), Stop> {
        let texts: Vec<&str> = self.definitions.iter().map(|(_, text)| &**text).collect();
        write_open_stdout(format!("{}\n", texts.join("\n")).as_bytes())
    }

    fn code(&self, reporter: &Reporter) -> Result<(), Stop> {
        let Some(program) = &self.last else { return nothing_yet() };
        let mut compiled = self.compile(program, reporter)?;
        let Some(module) = self.optimized(&mut compiled, reporter)? else { return Ok(()) };
        match emit(&module, Target::Ir, &EmitOptions::default()) {
            Ok(artifact) => write_open_stdout(&artifact.bytes),
            Err(diagnostics) => {
                reporter.show(&diagnostics, &compiled.compiler.map);
                Ok(())
            }
        }
    }

    fn analysis(&self, reporter: &Reporter) -> Result<(), Stop> {
        let Some(program) = &self.last else { return nothing_yet() };
        let (map, result) = input::analyze(NAME, program.as_bytes(), &self.args.input, Report::Text)?;
        match result {
            Ok(text) => write_open_stdout(text.as_bytes()),
            Err(diagnostics) => {
                reporter.show(&diagnostics, &map);
                Ok(())
            }
        }
    }
}

fn nothing_yet() -> Result<(), Stop> {
    write_open_stdout(b"there is no expression yet\n")
}

fn counted(bindings: usize) -> String {
    if bindings == 1 { "1 shape of call".into() } else { format!("{bindings} shapes of calls") }
}
