//! `planish reduce`: makes a program smaller for as long as a command succeeds.
//!
//! Delta debugging on the text: lines, then brackets, lists and tokens are removed, many at once, then half as many, down to one, and all
//! again until nothing more can go. The order is always the same. A binary is reduced as a text from which it is written anew ([`Form`]).

mod form;
mod structure;

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::ffi::OsString;
use std::hash::{Hash, Hasher};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Stop;
use crate::args::Reduce;
use crate::files::{self, Output};
use crate::output::{self, Target};
use crate::report::{Reporter, count};
use form::{Form, with_less};
use structure::{Part, Structure};

pub(crate) fn reduce(args: &Reduce, reporter: &Reporter) -> Result<(), Stop> {
    if args.file == Path::new("-") {
        return Err(Stop::usage("reduce takes a file, whose name its candidates get; save standard input to one"));
    }
    let output = args.output.clone().unwrap_or_else(|| beside(&args.file));
    files::check([&*args.file], &[Output::new("the output", Some(&output))])?;
    let program =
        std::fs::read(&args.file).map_err(|e| Stop::usage(format!("cannot read {}: {e}", args.file.display())))?;
    let (form, text) = Form::of(&args.file, &program)?;
    let candidates = Folder::new(&args.file)?;
    let mut reducer = Reducer {
        form,
        script: script(&args.command, &candidates.file),
        candidate: &candidates.file,
        // Others are written once, at the end.
        output: matches!(output::target(&output), Target::File(_)).then_some(&*output),
        tried: HashSet::new(),
        best: None,
        tests: 0,
        reporter,
    };
    let name = args.file.display();
    if !reducer.succeeds_for(&program)? {
        return Err(Stop::usage(format!(
            "the command fails for {name} itself, so nothing can be removed: it must succeed (status 0) for what is to be kept"
        )));
    }
    if !reducer.succeeds(&text)? {
        return Err(Stop::usage(format!(
            "the command fails for {name} when it is taken apart and written anew, so nothing can be removed: it looks for \
             something that is no part of the program, as the order of its sections is"
        )));
    }
    let mut best = text;
    loop {
        let before = reducer.best;
        for pass in reducer.form.passes() {
            best = reducer.run(pass, best)?;
        }
        if reducer.best == before {
            break;
        }
    }
    let smallest = reducer.form.program(&best).expect("it was written before");
    if smallest.len() == reducer.form.least() && smallest != program {
        let what = if reducer.form.is_binary() { "module" } else { "file" };
        reporter
            .write(&format!("warning: the command succeeds for an empty {what} too; does it look at its argument?\n"));
    }
    output::write(&output, &smallest, reducer.form.is_binary())?;
    if reporter.is_human() {
        let tests = count(reducer.tests, "test");
        let [from, to] = [program.len(), smallest.len()];
        reporter.write(&format!("reduced {from} bytes to {to} in {tests}: {}\n", output.display()));
    }
    Ok(())
}

/// `x.frag` becomes `x.reduced.frag`.
fn beside(file: &Path) -> PathBuf {
    let mut name: OsString = file.file_stem().unwrap_or_default().to_owned();
    name.push(".reduced");
    if let Some(extension) = file.extension() {
        name.push(".");
        name.push(extension);
    }
    file.with_file_name(name)
}

/// Names that are tried for a folder.
const MAX_FOLDERS: u32 = 100;

/// The folder of the candidates, which have the name of the input. It is removed with all that is in it.
struct Folder {
    path: PathBuf,
    file: PathBuf,
}

impl Folder {
    fn new(input: &Path) -> Result<Self, Stop> {
        let mut number = 0;
        let path = loop {
            let path = std::env::temp_dir().join(format!("planish-reduce-{}-{number}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => break path,
                // An interrupted run has left it.
                Err(e) if e.kind() == ErrorKind::AlreadyExists && number < MAX_FOLDERS => number += 1,
                Err(e) => return Err(Stop::usage(format!("cannot make the folder {}: {e}", path.display()))),
            }
        };
        let file = path.join(input.file_name().unwrap_or_default());
        Ok(Folder { path, file })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The system removes what is left.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// The command for a shell that has the candidate's path as `$1`: `{}` is the path; a command with neither gets it as its last argument.
fn script(command: &str, candidate: &Path) -> String {
    if command.contains("{}") {
        return command.replace("{}", &quoted(&candidate.to_string_lossy()));
    }
    let has_parameter = ["$1", "${1", "$@", "$*"].iter().any(|parameter| command.contains(parameter));
    if has_parameter { command.to_owned() } else { format!("{command} \"$1\"") }
}

/// A word of the shell; as it is where that is one, so that it may be within quotes.
fn quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if path.chars().all(is_plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

/// A pass over the text.
struct Pass {
    name: &'static str,
    work: fn(&mut Reducer<'_>, &[u8]) -> Result<Vec<u8>, Stop>,
}

/// In this order, again and again.
const PASSES: &[Pass] = &[
    Pass { name: "lines", work: |reducer, text| reducer.without(text, |s, text| s.minimize(text.lines())) },
    Pass {
        name: "brackets",
        work: |reducer, text| reducer.without(text, |s, text| s.simplify(text.simplifications())),
    },
    Pass {
        name: "lists",
        work: |reducer, text| {
            reducer.without(text, |s, text| text.lists().into_iter().try_for_each(|list| s.minimize(list)))
        },
    },
    Pass { name: "tokens", work: |reducer, text| reducer.without(text, |s, text| s.minimize(text.tokens())) },
    Pass { name: "spaces", work: |reducer, text| reducer.without(text, |s, text| s.minimize(text.spaces())) },
];

/// The same of SPIR-V. Results are used after they are computed, so the last instructions go first.
const PASSES_OF_SPIRV: &[Pass] = &[
    Pass { name: "functions", work: |reducer, text| reducer.without(text, |s, text| s.minimize(text.blocks())) },
    Pass {
        name: "instructions",
        work: |reducer, text| reducer.without(text, |s, text| s.minimize(text.lines().into_iter().rev().collect())),
    },
    Pass { name: "values", work: |reducer, text| with_less(text, |candidate| reducer.keeps(candidate)) },
    Pass { name: "operands", work: |reducer, text| reducer.without(text, |s, text| s.minimize(text.tokens())) },
];

impl Form {
    fn passes(&self) -> &'static [Pass] {
        match self {
            Form::Text | Form::Wasm { .. } => PASSES,
            Form::Spirv { .. } => PASSES_OF_SPIRV,
        }
    }
}

struct Reducer<'a> {
    form: Form,
    script: String,
    candidate: &'a Path,
    /// The file that has the best candidate at any time.
    output: Option<&'a Path>,
    /// Hashes of the candidates that were tried: none is tried again. A collision leaves something in that could go.
    tried: HashSet<u64>,
    /// That of the best. Several texts may be the same program: they differ in spaces, say.
    best: Option<u64>,
    tests: usize,
    reporter: &'a Reporter,
}

impl Reducer<'_> {
    fn run(&mut self, pass: &Pass, text: Vec<u8>) -> Result<Vec<u8>, Stop> {
        let tests = self.tests;
        let best = (pass.work)(self, &text)?;
        if self.reporter.is_human() && best != text {
            let tests = count(self.tests - tests, "test");
            let [before, size] = [&text, &best].map(|text| self.form.program(text).map_or(0, |program| program.len()));
            if size < before {
                self.reporter.write(&format!("{:12} {size:>8} bytes after {tests}\n", pass.name));
            }
        }
        Ok(best)
    }

    /// The text without what a session removes.
    fn without(
        &mut self,
        text: &[u8],
        work: impl FnOnce(&mut Session<'_, '_>, &Structure<'_>) -> Result<(), Stop>,
    ) -> Result<Vec<u8>, Stop> {
        let mut session = Session { reducer: self, text, gone: vec![] };
        work(&mut session, &Structure::new(text))?;
        Ok(without(text, &session.gone))
    }

    /// Whether the command succeeds for a text: then it is the best, and is written.
    fn keeps(&mut self, text: &[u8]) -> Result<bool, Stop> {
        if !self.succeeds(text)? {
            return Ok(false);
        }
        // An interrupted command leaves it.
        if let (Some(output), Some(program)) = (self.output, self.form.program(text)) {
            output::write(output, &program, false)?;
        }
        Ok(true)
    }

    /// Whether the command succeeds for the program of a text.
    fn succeeds(&mut self, text: &[u8]) -> Result<bool, Stop> {
        match self.form.program(text) {
            Some(program) => self.succeeds_for(&program),
            None => Ok(false),
        }
    }

    /// Whether the command succeeds for a program.
    fn succeeds_for(&mut self, program: &[u8]) -> Result<bool, Stop> {
        let mut hash = DefaultHasher::new();
        program.hash(&mut hash);
        let hash = hash.finish();
        if !self.tried.insert(hash) {
            return Ok(self.best == Some(hash));
        }
        self.tests += 1;
        let cannot = |error: std::io::Error| Stop::usage(format!("cannot run the command: {error}"));
        std::fs::write(self.candidate, program)
            .map_err(|e| Stop::usage(format!("cannot write {}: {e}", self.candidate.display())))?;
        let mut shell = Command::new("sh");
        shell.args(["-c", &self.script, "sh"]).arg(self.candidate);
        shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let succeeds = shell.status().map_err(cannot)?.success();
        if succeeds {
            self.best = Some(hash);
        }
        Ok(succeeds)
    }
}

/// One pass over one text.
struct Session<'a, 'r> {
    reducer: &'a mut Reducer<'r>,
    text: &'a [u8],
    /// Removed parts.
    gone: Vec<Part>,
}

impl Session<'_, '_> {
    /// Removes as many of the parts as can go: all, then halves, down to single ones.
    fn minimize(&mut self, mut parts: Vec<Part>) -> Result<(), Stop> {
        parts.retain(|part| !self.is_gone(part));
        let mut size = parts.len();
        while size > 0 && !parts.is_empty() {
            let mut at = 0;
            while at < parts.len() {
                let end = (at + size).min(parts.len());
                if self.remove(&parts[at..end])? {
                    parts.drain(at..end);
                } else {
                    at = end;
                }
            }
            size /= 2;
        }
        Ok(())
    }

    /// Removes the first set that can go of each of several.
    fn simplify(&mut self, all: Vec<Vec<Vec<Part>>>) -> Result<(), Stop> {
        for sets in all {
            for set in sets {
                if set.iter().all(|part| self.is_gone(part)) || self.remove(&set)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Whether nothing is left of a part. (Parts are removed as a whole.)
    fn is_gone(&self, part: &Part) -> bool {
        self.gone.iter().any(|gone| gone.start <= part.start && part.end <= gone.end)
    }

    /// Removes parts if the command succeeds without them.
    fn remove(&mut self, parts: &[Part]) -> Result<bool, Stop> {
        let gone: Vec<Part> = self.gone.iter().chain(parts).cloned().collect();
        let candidate = without(self.text, &gone);
        if !self.reducer.keeps(&candidate)? {
            return Ok(false);
        }
        self.gone = gone;
        Ok(true)
    }
}

/// The text without some parts, which may overlap.
fn without(text: &[u8], parts: &[Part]) -> Vec<u8> {
    let mut parts: Vec<&Part> = parts.iter().collect();
    parts.sort_by_key(|part| part.start);
    let (mut rest, mut at) = (Vec::with_capacity(text.len()), 0);
    for part in parts {
        rest.extend_from_slice(&text[at..part.start.max(at)]);
        at = at.max(part.end);
    }
    rest.extend_from_slice(&text[at..]);
    rest
}
