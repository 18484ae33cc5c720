//! Object files: linked and called from C and from Rust with the evaluator's bits; for other processors, read again. Sources in C in
//! their place, which have the same interface: compiled by each compiler without a warning, and run with its sanitizers.

mod batches;
mod cross;
mod gallery;
mod linked;
mod manual;
mod ops;
pub(crate) mod programs;
mod workloads;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use planish::diagnostic::Diagnostic;
use planish::module::Module;
use planish::source::SourceMap;
use planish::{Artifact, Compiler, EmitOptions, Optimizer, Target, emit};
use planish_testkit::{has_tool, runs_all, scratch};

/// A program with its source.
struct Source {
    module: Module,
    map: SourceMap,
}

fn compile(file: &str, text: &str, level: &str) -> Source {
    let mut compiler = Compiler::default();
    let compilation = compiler.compile(file, text);
    let mut module = compilation.module.unwrap_or_else(|| panic!("{file}: {:?}", compilation.diagnostics));
    Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
    Source { module, map: compiler.map }
}

impl Source {
    fn emit(&self, prefix: &str, triple: Option<&str>) -> Result<Artifact, Vec<Diagnostic>> {
        let options = EmitOptions {
            prefix: prefix.to_owned(),
            triple: triple.map(str::to_owned),
            debug_info: Some(self.map.clone()),
            ..EmitOptions::default()
        };
        emit(&self.module, Target::Object, &options)
    }

    fn source_in_c(&self, prefix: &str) -> Result<Artifact, Vec<Diagnostic>> {
        let options =
            EmitOptions { prefix: prefix.to_owned(), debug_info: Some(self.map.clone()), ..EmitOptions::default() };
        emit(&self.module, Target::C, &options)
    }

    fn object(&self, prefix: &str) -> Artifact {
        self.emit(prefix, None).unwrap_or_else(|errors| panic!("{prefix}: {errors:?}"))
    }
}

/// Form of the programs of a [`Project`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Object,
    /// Sources in C, compiled and run with sanitizers.
    C,
}

/// A folder with a C program and objects, or sources in their place.
pub(crate) struct Project {
    folder: PathBuf,
    objects: Vec<String>,
    pub(crate) form: Form,
}

/// Options for sources in C: what the manual asks for, and every warning an error.
const C_OPTIONS: &[&str] = &["-std=c11", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"];
/// The C compiler: `cc`, or that of the variable `PLANISH_CC`.
pub(crate) fn compiler() -> String {
    std::env::var("PLANISH_CC").unwrap_or_else(|_| "cc".to_owned())
}

/// Options that stop a program where C leaves something undefined.
const SANITIZERS: &[&str] = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

impl Project {
    /// `None` if there is no C compiler, which is reported aloud.
    pub(crate) fn new(test: &str) -> Option<Project> {
        Project::of(test, Form::Object)
    }

    pub(crate) fn of(test: &str, form: Form) -> Option<Project> {
        let folder = format!("{form:?}-{test}").to_ascii_lowercase();
        has_tool(&compiler()).then(|| Project { folder: scratch(&folder), objects: vec![], form })
    }

    /// One for each form; none if there is no C compiler.
    pub(crate) fn in_each_form(test: &str) -> impl Iterator<Item = Project> {
        [Form::Object, Form::C].into_iter().filter_map(move |form| Project::of(test, form))
    }

    fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.join(name);
        fs::write(&path, contents).expect("files of tests can be written");
        path
    }

    /// Adds an object, or a source, and its header.
    fn add(&mut self, name: &str, source: &Source) {
        let artifact = match self.form {
            Form::Object => source.object(name),
            Form::C => source.source_in_c(name).unwrap_or_else(|errors| panic!("{name}: {errors:?}")),
        };
        self.link(name, artifact);
    }

    /// Adds an object, or a source, with its header.
    pub(crate) fn link(&mut self, name: &str, artifact: Artifact) {
        let extension = if self.form == Form::C { "c" } else { "o" };
        self.write(&format!("{name}.{extension}"), &artifact.bytes);
        self.write(&format!("{name}.h"), artifact.header.expect("an object has a header"));
        self.objects.push(format!("{name}.{extension}"));
    }

    /// Sources in C take long to compile with optimizations and sanitizers.
    fn level(&self) -> &'static str {
        match self.form {
            Form::Object => "-O1",
            Form::C if runs_all() => "-O2",
            Form::C => "-O0",
        }
    }

    /// Another compiler has no warning of sources in C either.
    fn check_by_clang(&self) {
        if self.form == Form::C && has_tool("clang") {
            let mut check = Command::new("clang");
            check.args(C_OPTIONS).args(["-O1", "-fsyntax-only"]).args(&self.objects).current_dir(&self.folder);
            output_of(&mut check);
        }
    }

    /// Compiles and runs a C program, with the runtime library unless the program must do without: its standard output.
    pub(crate) fn run(&self, program: &str, with_runtime: bool) -> String {
        self.write("main.c", program);
        self.check_by_clang();
        let output = self.run_with(program, with_runtime, &[self.level()]);
        if self.has_vectors() {
            // Compilers without vectors of their own have loops over lanes, which take twice as long at `-O2`.
            let level = if self.level() == "-O2" { "-O1" } else { self.level() };
            assert_eq!(self.run_with(program, with_runtime, &["-DPLANISH_PORTABLE_VECTORS", level]), output);
        }
        output
    }

    /// Whether sources in C have vectors.
    fn has_vectors(&self) -> bool {
        let has = |file: &String| {
            let text = fs::read_to_string(self.folder.join(file)).expect("it was written");
            text.contains("VECTOR_OPERATORS")
        };
        self.form == Form::C && self.objects.iter().any(has)
    }

    fn run_with(&self, program: &str, with_runtime: bool, options: &[&str]) -> String {
        let mut cc = Command::new(compiler());
        cc.args(C_OPTIONS).args(options).args(["main.c", "-o", "main"]).args(&self.objects);
        if self.form == Form::C {
            cc.args(SANITIZERS).arg("-lm");
        } else if with_runtime {
            cc.arg(runtime()).args(["-lpthread", "-ldl", "-lm"]);
        }
        let built = cc.current_dir(&self.folder).output().expect("there is a C compiler");
        assert!(built.status.success(), "{program}\n{}", String::from_utf8_lossy(&built.stderr));
        output_of(Command::new(self.folder.join("main")).current_dir(&self.folder))
    }
}

fn output_of(command: &mut Command) -> String {
    let output = command.output().expect("what was built can be started");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{errors}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The runtime as a static library, which Cargo builds as a dependency of the tests: the newest one.
fn runtime() -> PathBuf {
    let program = std::env::current_exe().expect("a test has a path");
    let folder = program.parent().expect("it is in a folder");
    let is_library = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("libplanish_runtime") && name.ends_with(".a")
    };
    let files = fs::read_dir(folder).expect("the folder can be read").flatten().map(|entry| entry.path());
    let newest = files.filter(|path| is_library(path)).max_by_key(|path| {
        fs::metadata(path).and_then(|metadata| metadata.modified()).expect("the system knows when a file was written")
    });
    newest.expect("Cargo has built the runtime library")
}
