//! `planish reduce`: makes a program smaller for as long as a command succeeds.
//!
//! Delta debugging on the text: lines, then brackets, lists and tokens are removed, many at once, then half as many, down to one, and all
//! again until nothing more can go. The order is always the same.

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
use structure::{Part, Structure};

pub(crate) fn reduce(args: &Reduce, reporter: &Reporter) -> Result<(), Stop> {
    if args.file == Path::new("-") {
        return Err(Stop::usage("reduce takes a file, whose name its candidates get; save standard input to one"));
    }
    let output = args.output.clone().unwrap_or_else(|| beside(&args.file));
    files::check([&*args.file], &[Output::new("the output", Some(&output))])?;
    let text =
        std::fs::read(&args.file).map_err(|e| Stop::usage(format!("cannot read {}: {e}", args.file.display())))?;
    check_text(&args.file, &text)?;
    let candidates = Folder::new(&args.file)?;
    let mut reducer = Reducer {
        script: script(&args.command, &candidates.file),
        candidate: &candidates.file,
        // Others are written once, at the end.
        output: matches!(output::target(&output), Target::File(_)).then_some(&*output),
        tried: HashSet::new(),
        tests: 0,
        reporter,
    };
    let mut best = text.clone();
    if !reducer.succeeds(&best)? {
        return Err(Stop::usage(format!(
            "the command fails for {} itself, so nothing can be removed: it must succeed (status 0) for what is to be kept",
            args.file.display()
        )));
    }
    loop {
        let before = best.len();
        for pass in PASSES {
            best = reducer.run(pass, best)?;
        }
        if best.len() == before {
            break;
        }
    }
    if best.is_empty() && !text.is_empty() {
        reporter.write("warning: the command succeeds for an empty file too; does it look at its argument?\n");
    }
    output::write(&output, &best, false)?;
    if reporter.is_human() {
        let tests = count(reducer.tests, "test");
        reporter.write(&format!("reduced {} bytes to {} in {tests}: {}\n", text.len(), best.len(), output.display()));
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

/// Refuses binaries, and says how they become text.
fn check_text(file: &Path, text: &[u8]) -> Result<(), Stop> {
    if !text.contains(&0) {
        return Ok(());
    }
    let name = file.display();
    let (kind, target) = match text {
        [0, b'a', b's', b'm', ..] => ("WebAssembly", "wat"),
        [0x03, 0x02, 0x23, 0x07, ..] | [0x07, 0x23, 0x02, 0x03, ..] => ("SPIR-V", "ir"),
        _ => return Err(Stop::usage(format!("{name} is binary; reduce works on text"))),
    };
    let text = file.with_extension(target);
    let text = text.display();
    Err(Stop::usage(format!(
        "{name} is a {kind} binary, and reduce works on text: `planish compile -O0 {name} -o {text}` writes one, if the command can read it"
    )))
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
    work: fn(&mut Session<'_, '_>, &Structure<'_>) -> Result<(), Stop>,
}

/// In this order, again and again.
const PASSES: &[Pass] = &[
    Pass { name: "lines", work: |session, text| session.minimize(text.lines()) },
    Pass { name: "brackets", work: |session, text| session.simplify(text.simplifications()) },
    Pass { name: "lists", work: |session, text| text.lists().into_iter().try_for_each(|list| session.minimize(list)) },
    Pass { name: "tokens", work: |session, text| session.minimize(text.tokens()) },
    Pass { name: "spaces", work: |session, text| session.minimize(text.spaces()) },
];

struct Reducer<'a> {
    script: String,
    candidate: &'a Path,
    /// The file that has the best candidate at any time.
    output: Option<&'a Path>,
    /// Hashes of the candidates that were tried: none is tried again. A collision leaves something in that could go.
    tried: HashSet<u64>,
    tests: usize,
    reporter: &'a Reporter,
}

impl Reducer<'_> {
    fn run(&mut self, pass: &Pass, text: Vec<u8>) -> Result<Vec<u8>, Stop> {
        let tests = self.tests;
        let mut session = Session { reducer: self, text: &text, gone: vec![] };
        (pass.work)(&mut session, &Structure::new(&text))?;
        let best = without(&text, &session.gone);
        if self.reporter.is_human() && best.len() < text.len() {
            let tests = count(self.tests - tests, "test");
            self.reporter.write(&format!("{:8} {:>8} bytes after {tests}\n", pass.name, best.len()));
        }
        Ok(best)
    }

    /// Whether the command succeeds for a candidate.
    fn succeeds(&mut self, candidate: &[u8]) -> Result<bool, Stop> {
        let mut hash = DefaultHasher::new();
        candidate.hash(&mut hash);
        if !self.tried.insert(hash.finish()) {
            return Ok(false);
        }
        self.tests += 1;
        let cannot = |error: std::io::Error| Stop::usage(format!("cannot run the command: {error}"));
        std::fs::write(self.candidate, candidate)
            .map_err(|e| Stop::usage(format!("cannot write {}: {e}", self.candidate.display())))?;
        let mut shell = Command::new("sh");
        shell.args(["-c", &self.script, "sh"]).arg(self.candidate);
        shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(shell.status().map_err(cannot)?.success())
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
        if !self.reducer.succeeds(&candidate)? {
            return Ok(false);
        }
        self.gone = gone;
        // An interrupted command leaves it.
        if let Some(output) = self.reducer.output {
            output::write(output, &candidate, false)?;
        }
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
