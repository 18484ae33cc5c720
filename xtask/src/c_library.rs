//! `cargo xtask c-library`: the library for C, shared and static, in a folder as it is installed; programs in C and C++ are built with it as
//! a user would, in an empty folder, and run with sanitizers and Valgrind.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::{Failure, first, root, skip, target_folder};

/// Bytes of the shared library: a gate, so that growth is noticed.
const MAX_SHARED: u64 = 32 << 20;

/// Libraries of the system that the static library needs.
const SYSTEM_LIBRARIES: &str = "-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc";

/// Builds the library to `--out-dir DIR` (default: `target/c-library`), and checks it unless `--no-check` is given.
///
/// # Errors
/// If it cannot be built, or a program does other than it should.
pub fn run(args: &[String]) -> Result<(), Failure> {
    let (mut folder, mut checks) = (target_folder().join("c-library"), true);
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match (arg.as_str(), arg == "--out-dir") {
            ("--no-check", _) => checks = false,
            (_, true) => folder = rest.next().map(PathBuf::from).ok_or_else(|| usage("--out-dir takes a folder"))?,
            _ => return Err(usage(&format!("`c-library` takes no `{arg}`"))),
        }
    }
    let library = Library::build(folder)?;
    println!("{}: {} KiB shared, {} KiB static", library.folder.display(), library.shared >> 10, library.fixed >> 10);
    if !checks {
        return Ok(());
    }
    if library.shared > MAX_SHARED {
        return Err(Failure::Broken(format!("the shared library has more than {MAX_SHARED} bytes")));
    }
    for (tool, package) in [("cc", "gcc"), ("c++", "g++"), ("pkg-config", "pkg-config"), ("valgrind", "valgrind")] {
        if Command::new(tool).arg("--version").output().is_err() {
            return skip(&format!("there is no `{tool}`; on Debian: apt-get install {package}"));
        }
    }
    Check::new(&library)?.all()
}

fn usage(why: &str) -> Failure {
    Failure::Usage(why.to_owned())
}

/// The library as it is installed.
struct Library {
    folder: PathBuf,
    /// Bytes of the shared one.
    shared: u64,
    /// Bytes of the static one.
    fixed: u64,
}

impl Library {
    fn build(folder: PathBuf) -> Result<Self, Failure> {
        let lib = folder.join("lib");
        fs::create_dir_all(lib.join("pkgconfig"))?;
        fs::create_dir_all(folder.join("include"))?;
        // The linker's name of a shared library is that of its file unless it is told.
        let soname = "link-arg=-Wl,-soname,libplanish.so.0";
        let shared = built("cdylib", &["-C", soname], "libplanish_c.so", &lib.join("libplanish.so.0"))?;
        let fixed = built("staticlib", &[], "libplanish_c.a", &lib.join("libplanish.a"))?;
        let link = lib.join("libplanish.so");
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink("libplanish.so.0", link)?;
        fs::copy(root().join("bindings/c/include/planish.h"), folder.join("include/planish.h"))?;
        let text = format!(
            "prefix=${{pcfiledir}}/../..\n\nName: planish\nDescription: Compiles shaders, WebAssembly and VL to what their next tool accepts\n\
             Version: {}\nCflags: -I${{prefix}}/include\nLibs: -L${{prefix}}/lib -lplanish\nLibs.private: {SYSTEM_LIBRARIES}\n",
            env!("CARGO_PKG_VERSION")
        );
        fs::write(lib.join("pkgconfig/planish.pc"), text)?;
        Ok(Library { folder, shared, fixed })
    }
}

/// Builds a kind of library in the release profile, and copies it; its size.
fn built(kind: &str, options: &[&str], from: &str, to: &Path) -> Result<u64, Failure> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["rustc", "--quiet", "--release", "--package", "planish-c", "--lib", "--crate-type", kind, "--"]);
    if !cargo.args(options).current_dir(root()).status()?.success() {
        return Err(Failure::Broken(format!("the library for C cannot be built as {kind}")));
    }
    Ok(fs::copy(target_folder().join("release").join(from), to)?)
}

/// Programs that use the library, in an empty folder.
struct Check {
    folder: PathBuf,
    /// Folder in which `pkg-config` finds the library.
    config: PathBuf,
    /// Folder in which the loader finds it.
    lib: PathBuf,
}

impl Check {
    fn new(library: &Library) -> Result<Self, Failure> {
        let folder = library.folder.join("check");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        fs::copy(first::C.source(), folder.join("wgsl.c"))?;
        for file in ["rings.cpp", "borders.c"] {
            fs::copy(root().join("bindings/c/examples").join(file), folder.join(file))?;
        }
        fs::copy(root().join("examples/shaders/caustics.frag"), folder.join("caustics.frag"))?;
        fs::write(folder.join("broken.frag"), "void main() { gl_FragColor = vec4(levle); }\n")?;
        let lib = fs::canonicalize(library.folder.join("lib"))?;
        Ok(Check { folder, config: lib.join("pkgconfig"), lib })
    }

    fn all(&self) -> Result<(), Failure> {
        let shared = &["--cflags", "--libs"][..];
        let c = ["-std=c11", "-O1"];
        let cpp = ["-std=c++17", "-O1"];
        self.compile("cc", &c, "wgsl.c", "wgsl", shared)?;
        self.compile("c++", &cpp, "rings.cpp", "rings", shared)?;
        // The static library, in a program that looks for leaks and accesses of freed memory.
        let sanitized = ["-std=c11", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
        self.compile("cc", &sanitized, "borders.c", "borders", &["--cflags", "--libs", "--static"])?;
        self.compile("cc", &c, "borders.c", "borders-shared", shared)?;

        let wgsl = self.run(&["./wgsl", "caustics.frag", "minify"])?;
        self.holds("wgsl caustics.frag", &wgsl, 0, "@fragment", "")?;
        let wrong = self.run(&["./wgsl", "caustics.frag", "minfy"])?;
        self.holds("wgsl with a setting that is none", &wrong, 1, "", "did you mean `minify`?")?;
        let broken = self.run(&["./wgsl", "broken.frag"])?;
        self.holds("wgsl broken.frag", &broken, 1, "", "broken.frag:1:35")?;
        let rings = self.run(&["./rings"])?;
        self.holds("rings", &rings, 0, "P2 64 48 255\n", "")?;
        let levels: std::collections::BTreeSet<&[u8]> = rings.stdout.split(|&byte| byte == b'\n').collect();
        if levels.len() < 20 {
            return Err(Failure::Broken("the picture of rings.cpp has no rings".into()));
        }
        let borders = self.run(&["./borders"])?;
        self.holds("borders, with sanitizers", &borders, 0, "all borders hold\n", "")?;
        // (Optimized Rust tests bytes that may not be initialized together with those that are: no errors, which Valgrind cannot know.)
        let leaks = ["--quiet", "--undef-value-errors=no", "--leak-check=full", "--errors-for-leak-kinds=definite"];
        let program = ["--show-leak-kinds=definite", "--error-exitcode=9", "./borders-shared", "no-machine-code"];
        let leaks = [&["valgrind"], &leaks[..], &program].concat();
        let borders = self.run(&leaks)?;
        self.holds("borders, in Valgrind", &borders, 0, "all borders hold\n", "")?;
        println!("programs in C and C++ compile without a warning, run, and leak nothing");
        Ok(())
    }

    /// Compiles a program with the flags of `pkg-config`; a warning is an error.
    fn compile(&self, compiler: &str, options: &[&str], file: &str, to: &str, of: &[&str]) -> Result<(), Failure> {
        let flags = Command::new("pkg-config").args(of).arg("planish").env("PKG_CONFIG_PATH", &self.config).output()?;
        let mut flags = String::from_utf8_lossy(&flags.stdout).into_owned();
        if of.contains(&"--static") {
            flags = flags.replace("-lplanish", "-l:libplanish.a");
        }
        let mut command = Command::new(compiler);
        command.args(options).args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", file, "-o", to]);
        let output = command.args(flags.split_whitespace()).current_dir(&self.folder).output()?;
        match output.status.success() && output.stderr.is_empty() {
            true => Ok(()),
            false => Err(Failure::Broken(format!("{compiler} {file}: {}", String::from_utf8_lossy(&output.stderr)))),
        }
    }

    fn run(&self, command: &[impl AsRef<OsStr>]) -> Result<Output, Failure> {
        let mut program = Command::new(&command[0]);
        Ok(program.args(&command[1..]).env("LD_LIBRARY_PATH", &self.lib).current_dir(&self.folder).output()?)
    }

    /// Checks the exit status, the begin or a part of the output, and a part of the messages; none of which may be there if `messages` is
    /// empty.
    fn holds(&self, what: &str, output: &Output, status: i32, text: &str, messages: &str) -> Result<(), Failure> {
        let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let said = if messages.is_empty() { err.is_empty() } else { err.contains(messages) };
        let is_right = output.status.code() == Some(status) && out.contains(text) && said;
        if is_right { Ok(()) } else { Err(Failure::Broken(format!("{what}: {:?}\n{out}\n{err}", output.status))) }
    }
}
