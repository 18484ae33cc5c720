//! Requests and their answers.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use planish::diagnostic::{Code, Diagnostic};
use planish::render::{human, severity_name};
use planish::source::SourceMap;
use planish::{Artifact, IncludeResolver, Program, SETTINGS, Source, TARGETS, Target};
use serde_json::{Value, json};

use crate::message::Message;
use crate::options::{self, camel, kind_name};

/// Why a request has no result.
pub(crate) enum Failure {
    /// The program has errors, or cannot be run.
    Program(Box<planish::Error>),
    /// A value of a wrong type.
    Type(String),
    /// A value that is none of those that are possible.
    Range(String),
}

impl From<planish::Error> for Failure {
    fn from(error: planish::Error) -> Self {
        Failure::Program(Box::new(error))
    }
}

/// The result of a request.
pub(crate) type Answer = Result<Message, Failure>;

/// The programs that JavaScript holds, by number.
#[derive(Default)]
pub struct Session {
    /// (A resolver of `#include` may send requests in the middle of one.)
    programs: RefCell<Programs>,
}

#[derive(Default)]
struct Programs {
    by_number: BTreeMap<u64, Rc<Program>>,
    last: u64,
}

impl Session {
    /// The answer to a request: `{"ok": …}`, or `{"error": {"kind": "type" or "range", "message": …}}`,
    /// or `{"error": {"kind": "program", "diagnostics": …}}`.
    ///
    /// # Panics
    /// On mistakes of Planish's own, among them requests that the package does not send.
    pub fn answer(&self, request: &Message, includes: &mut dyn IncludeResolver) -> Message {
        match self.result(request, includes) {
            Ok(Message { head, blocks }) => Message { head: json!({ "ok": head }), blocks },
            Err(failure) => Message { head: json!({ "error": failure.value() }), blocks: vec![] },
        }
    }

    fn result(&self, request: &Message, includes: &mut dyn IncludeResolver) -> Answer {
        let Message { head, blocks } = request;
        let source = || Source { name: text(&head["name"]), bytes: &blocks[0] };
        match text(&head["do"]) {
            "info" => Ok(info()),
            "compile" => {
                let target = target(head)?;
                let settings = options::parse(&head["options"])?;
                let (artifact, found) = planish::compile_with(source(), target, &settings, Some(includes))?;
                let unused = settings.levels.apply(options::unused(&head["options"], target));
                if unused.iter().any(Diagnostic::is_error) {
                    return Err(planish::Error { diagnostics: unused, map: found.map }.into());
                }
                Ok(with_warnings(output(target, artifact), &[unused, found.diagnostics].concat(), &found.map))
            }
            "check" => {
                let settings = options::parse(&head["options"])?;
                let (found, map) = Program::check(source(), &settings, Some(includes));
                Ok(head_only(diagnostics(&found, &map)))
            }
            "open" => {
                let settings = options::parse(&head["options"])?;
                let program = Program::stages(&[source()], &settings, Some(includes))?.remove(0);
                let warnings = diagnostics(&program.warnings, &program.map);
                Ok(head_only(json!({ "program": self.keep(program), "warnings": warnings })))
            }
            "stages" => {
                let settings = options::parse(&head["options"])?;
                let names = head["names"].as_array().into_iter().flatten().map(text);
                let sources: Vec<Source<'_>> = names.zip(blocks).map(|(name, bytes)| Source { name, bytes }).collect();
                let stages = Program::stages(&sources, &settings, Some(includes))?;
                // Each has the warnings of all.
                let warnings = stages.first().map(|first| diagnostics(&first.warnings, &first.map));
                let numbers: Vec<u64> = stages.into_iter().map(|stage| self.keep(stage)).collect();
                Ok(head_only(json!({ "programs": numbers, "warnings": warnings })))
            }
            "emit" => {
                let (target, program) = (target(head)?, self.program(head));
                let mut artifact = program.emit(target)?;
                let warnings = std::mem::take(&mut artifact.diagnostics);
                Ok(with_warnings(output(target, artifact), &warnings, &program.map))
            }
            "reflect" => Ok(output(Target::Reflect, self.program(head).emit(Target::Reflect)?)),
            "free" => {
                self.programs.borrow_mut().by_number.remove(&number(&head["program"]));
                Ok(Message::default())
            }
            // For tests of the package.
            "panic" => panic!("{}", text(&head["message"])),
            other => self.run(other, request),
        }
    }

    #[cfg(feature = "programs")]
    fn run(&self, what: &str, request: &Message) -> Answer {
        let Message { head, blocks } = request;
        match what {
            "header" => {
                let artifact = self.program(head).emit(target(head)?)?;
                Ok(head_only(json!(artifact.header)))
            }
            "functions" => crate::functions::list(&self.program(head)),
            "call" => crate::functions::call(&self.program(head), text(&head["function"]), &blocks[0]),
            "gradient" => {
                let derived = self.program(head).gradient(text(&head["function"]))?;
                Ok(head_only(json!({ "program": self.keep(derived) })))
            }
            "draw" => crate::draw::draw(&self.program(head), request),
            "explain" => {
                let code = text(&head["code"]);
                let page = planish::explain(code);
                let page = page.ok_or_else(|| Failure::Range(format!("there is no code `{code}`")))?;
                Ok(head_only(json!(page)))
            }
            other => panic!("there is no request `{other}`"),
        }
    }

    #[cfg(not(feature = "programs"))]
    fn run(&self, what: &str, _: &Message) -> Answer {
        panic!("there is no request `{what}`")
    }

    /// Number of programs that JavaScript holds.
    pub fn len(&self) -> usize {
        self.programs.borrow().by_number.len()
    }

    /// Whether JavaScript holds no program.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn keep(&self, program: Program) -> u64 {
        let mut programs = self.programs.borrow_mut();
        programs.last += 1;
        let number = programs.last;
        programs.by_number.insert(number, Rc::new(program));
        number
    }

    fn program(&self, head: &Value) -> Rc<Program> {
        let number = number(&head["program"]);
        self.programs.borrow().by_number.get(&number).expect("the package frees a program once").clone()
    }
}

impl Failure {
    fn value(&self) -> Value {
        match self {
            Failure::Program(error) => json!({
                "kind": "program",
                "diagnostics": diagnostics(&error.diagnostics, &error.map),
            }),
            Failure::Type(message) => json!({ "kind": "type", "message": message }),
            Failure::Range(message) => json!({ "kind": "range", "message": message }),
        }
    }
}

/// Version, targets and options of this module.
fn info() -> Message {
    let is_there = |target: &&planish::TargetInfo| target.target.feature().is_none_or(planish::Feature::is_on);
    let targets: Vec<&str> = TARGETS.iter().filter(is_there).map(|target| target.name).collect();
    let settings = SETTINGS.iter().map(|setting| (camel(setting.name), json!(kind_name(setting.kind)))).collect();
    let settings = Value::Object(settings);
    head_only(json!({ "version": env!("CARGO_PKG_VERSION"), "targets": targets, "settings": settings }))
}

pub(crate) fn head_only(head: Value) -> Message {
    Message { head, blocks: vec![] }
}

/// The target that a request names.
fn target(head: &Value) -> Result<Target, Failure> {
    text(&head["target"]).parse().map_err(Failure::Range)
}

fn output(target: Target, artifact: Artifact) -> Message {
    let is_text = !target.info().binary;
    Message::with_block(json!({ "text": is_text }), artifact.bytes)
}

/// An answer with the warnings, if there are any.
fn with_warnings(mut answer: Message, warnings: &[Diagnostic], map: &SourceMap) -> Message {
    if !warnings.is_empty() {
        answer.head["warnings"] = diagnostics(warnings, map);
    }
    answer
}

fn diagnostics(of: &[Diagnostic], map: &SourceMap) -> Value {
    of.iter().map(|one| diagnostic(&in_words_of_javascript(one.clone()), map)).collect()
}

/// For a language that a module leaves out, the way to one that has it.
fn in_words_of_javascript(mut diagnostic: Diagnostic) -> Diagnostic {
    if diagnostic.code == Code::E0711 {
        let way = match cfg!(feature = "programs") {
            true => "the native command `planish` has all languages",
            false => "import from `planish` in place of `planish/shaders`: it has more languages",
        };
        diagnostic.help = vec![way.into()];
    }
    diagnostic
}

fn diagnostic(of: &Diagnostic, map: &SourceMap) -> Value {
    let ends = map.ends_of(of.span);
    let (start, end) = ends.as_ref().map(|(start, end)| (start, end)).unzip();
    json!({
        "severity": severity_name(of.severity),
        "code": of.code.0,
        "message": of.message,
        "file": start.map(|start| &*start.file),
        "line": start.map(|start| start.at.line),
        "column": start.map(|start| start.at.column),
        "endLine": end.map(|end| end.at.line),
        "endColumn": end.map(|end| end.at.column),
        "notes": of.notes,
        "help": of.help,
        "rendered": human(of, map, false),
    })
}

/// A text of a request.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().expect("the package sends a text")
}

/// A number of a request.
pub(crate) fn number(value: &Value) -> u64 {
    value.as_u64().expect("the package sends a number")
}
