//! `cargo xtask npm`: the package for JavaScript, packed as it is published, installed in an empty folder, and tested there: in Node.js, by
//! the TypeScript compiler, and in headless Chromium.

mod time;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Failure, build, built, conformance_folder, corpus, root, skip, succeeds, target_folder, types};

/// A program of WebAssembly in the package.
struct Module<'m> {
    /// Its file in the package.
    name: &'m str,
    target: &'m str,
    /// The package that Cargo builds.
    select: &'m [&'m str],
    /// The name of its file in the package.
    file: &'m str,
    /// `opt-level`: what is loaded by pages is small; the command runs from a file.
    level: &'m str,
    /// Whether `wasm-opt` goes over it. It takes a minute, and 4 % off what is sent.
    shrink: bool,
    /// Bytes of the file, compressed by gzip: a gate, so that growth is noticed.
    max: u64,
}

const BROWSER: &str = "wasm32-unknown-unknown";
const WASI: &str = "wasm32-wasip1";

const MODULES: [Module<'_>; 3] = [
    Module {
        name: "shaders.wasm",
        target: BROWSER,
        select: &["--package", "planish-js", "--no-default-features", "--crate-type", "cdylib"],
        file: "planish_js.wasm",
        level: "z",
        shrink: true,
        max: 2144 << 10,
    },
    Module {
        name: "planish.wasm",
        target: BROWSER,
        select: &["--package", "planish-js", "--crate-type", "cdylib"],
        file: "planish_js.wasm",
        level: "z",
        shrink: false,
        max: 3648 << 10,
    },
    Module {
        name: "command.wasm",
        target: WASI,
        select: &["--package", "planish-cli", "--bin", "planish"],
        file: "planish.wasm",
        level: "s",
        shrink: false,
        max: 5 << 20,
    },
];

/// Options for the features of WebAssembly that the code of Rust uses.
const FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// Bytes of the stack in the modules' own memory. (Engines have another one, for calls.)
const STACK: usize = 8 << 20;

/// The user's options.
#[derive(Debug, Default, PartialEq)]
struct Options {
    /// Only build and pack.
    no_check: bool,
    /// At most so many programs of each package of the corpus; `None`: all.
    sample: Option<usize>,
    /// Measure times and sizes, for docs/performance.md.
    time: bool,
}

impl Options {
    fn parse(args: &[String]) -> Result<Self, Failure> {
        let mut options = Options { sample: Some(8), ..Options::default() };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--no-check" => options.no_check = true,
                "--time" => options.time = true,
                "--all" => options.sample = None,
                "--sample" => {
                    let number = args.next().and_then(|number| number.parse().ok());
                    options.sample = Some(number.ok_or_else(|| Failure::Usage("`--sample` wants a number".into()))?);
                }
                _ => return Err(Failure::Usage(format!("`npm` takes no `{arg}`"))),
            }
        }
        Ok(options)
    }
}

/// Builds and packs the package to `target/npm`, and tests it.
///
/// # Errors
/// If it cannot be built, is larger than it should be, or a test fails; in continuous integration also if a tool is missing.
pub fn run(args: &[String]) -> Result<(), Failure> {
    let options = Options::parse(args)?;
    let Some(archive) = packed()? else { return Ok(()) };
    if options.no_check {
        return Ok(());
    }
    let folder = target_folder().join("npm");
    let user = install(&archive, &folder.join("user"))?;
    build(&["planish-cli"])?;
    check(&user, if options.sample.is_none() { 100_000 } else { 10_000 })?;
    compare(&user, &folder.join("corpus"), options.sample)?;
    if options.time { time::measure(&user, &folder) } else { Ok(()) }
}

/// Builds and packs the package: the file that npm would publish. `None` if a tool is missing, which has been said.
pub(crate) fn packed() -> Result<Option<PathBuf>, Failure> {
    let missing = |why: &str| skip(why).map(|()| None);
    for (tool, package) in [("node", "nodejs"), ("npm", "npm"), ("wasm-opt", "binaryen")] {
        if Command::new(tool).arg("--version").stdout(Stdio::null()).status().is_err() {
            return missing(&format!("there is no `{tool}`; on Debian: apt-get install {package}"));
        }
    }
    for target in [BROWSER, WASI] {
        if !has_target(target)? {
            return missing(&format!("Rust cannot build for {target}; rustup target add {target}"));
        }
    }
    pack(&target_folder().join("npm")).map(Some)
}

/// Whether Rust's standard library is there for a target.
fn has_target(target: &str) -> Result<bool, Failure> {
    let library = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output()?;
    Ok(library.status.success() && Path::new(String::from_utf8_lossy(&library.stdout).trim()).exists())
}

/// Makes the package, and checks its sizes. The file that npm would publish.
fn pack(folder: &Path) -> Result<PathBuf, Failure> {
    let (package, sources) = (folder.join("package"), root().join("bindings/js/package"));
    if package.exists() {
        fs::remove_dir_all(&package)?;
    }
    copy(&sources, &package)?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(root().join(licence), package.join(licence))?;
    }
    let about = fs::read_to_string(package.join("package.json"))?;
    if !about.contains(&format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"))) {
        return Err(Failure::Broken("bindings/js/package/package.json has another version than the workspace".into()));
    }
    for module in &MODULES {
        let file = package.join(module.name);
        module.build(&file)?;
        let bytes = fs::read(&file)?;
        let small = gzip(&bytes)?;
        println!("{}: {} KiB, {} KiB by gzip", module.name, bytes.len() >> 10, small >> 10);
        if small > module.max {
            let max = module.max;
            return Err(Failure::Broken(format!("{} has {small} bytes by gzip, and {max} are enough", module.name)));
        }
    }
    let mut npm = Command::new("npm");
    npm.args(["pack", "--silent", "--pack-destination"]).arg(folder).arg(&package);
    succeeds(npm.stdout(Stdio::null()), "npm cannot pack the package")?;
    let archive = folder.join(format!("planish-{}.tgz", env!("CARGO_PKG_VERSION")));
    println!("{}: {} KiB", archive.display(), fs::metadata(&archive)?.len() >> 10);
    Ok(fs::canonicalize(archive)?)
}

impl Module<'_> {
    fn build(&self, to: &Path) -> Result<(), Failure> {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["rustc", "--quiet", "--profile", "npm", "--target", self.target]).args(self.select);
        cargo.env("CARGO_PROFILE_NPM_OPT_LEVEL", self.level);
        cargo.args(["--", "-C", &format!("link-arg=-zstack-size={STACK}")]).current_dir(root());
        succeeds(&mut cargo, &format!("{} cannot be built", self.name))?;
        let from = target_folder().join(self.target).join("npm").join(self.file);
        if !self.shrink {
            fs::copy(from, to)?;
            return Ok(());
        }
        let mut optimizer = Command::new("wasm-opt");
        optimizer.arg("-Oz").args(FEATURES).arg(from).arg("-o").arg(to);
        succeeds(&mut optimizer, &format!("{} cannot be optimized", self.name))
    }
}

/// Number of bytes that servers send.
fn gzip(bytes: &[u8]) -> Result<u64, Failure> {
    use std::io::Write as _;
    let mut gzip = Command::new("gzip");
    let mut gzip = gzip.args(["-9", "--stdout"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = gzip.stdin.take().expect("it is piped");
    let bytes = bytes.to_vec();
    let writer = std::thread::spawn(move || input.write_all(&bytes));
    let output = gzip.wait_with_output()?;
    writer.join().expect("it does not panic")?;
    Ok(output.stdout.len() as u64)
}

/// Installs the package in an empty folder, with the tests beside it.
fn install(archive: &Path, user: &Path) -> Result<PathBuf, Failure> {
    if user.exists() {
        fs::remove_dir_all(user)?;
    }
    copy(&root().join("bindings/js/tests/package"), user)?;
    fs::write(user.join("package.json"), "{ \"private\": true, \"type\": \"module\" }\n")?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--offline", "--no-audit", "--no-fund"]).arg(archive).current_dir(user);
    succeeds(&mut npm, "npm does not install the package")?;
    Ok(fs::canonicalize(user)?)
}

/// Uses the installed package.
fn check(user: &Path, compilations: usize) -> Result<(), Failure> {
    let mut npx = Command::new("npx");
    succeeds(npx.args(["--offline", "planish", "--version"]).current_dir(user), "`npx planish` does not run")?;
    let mut node = node(user)?;
    node.env("PLANISH_COMPILATIONS", compilations.to_string());
    if has_chromium() {
        node.env("PLANISH_CHROMIUM", "chromium");
    } else {
        skip("there is no `chromium` that starts; on Debian: apt-get install chromium")?;
    }
    succeeds(node.args(["--expose-gc", "--test", "--test-reporter=dot"]), "a test of the package fails")?;
    let folder = target_folder().join("types");
    match types::install(&folder, &root().join("xtask/types"), "the TypeScript compiler")? {
        Err(why) => skip(&why)?,
        Ok(()) => {
            let mut tsc = Command::new("node");
            tsc.arg(fs::canonicalize(folder)?.join("node_modules/typescript/bin/tsc"));
            tsc.args(["--project", "."]).current_dir(user);
            succeeds(&mut tsc, "the declarations are not those of the package")?;
        }
    }
    println!("the package passes its tests in Node.js, TypeScript and Chromium");
    Ok(())
}

/// Whether there is a browser for the tests.
pub(crate) fn has_chromium() -> bool {
    let browser = Command::new("chromium").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    browser.is_ok_and(|status| status.success())
}

fn node(user: &Path) -> Result<Command, Failure> {
    let mut node = Command::new("node");
    node.current_dir(user).env("PLANISH_COMMAND", fs::canonicalize(built("planish"))?);
    node.env("PLANISH_EXAMPLES", root().join("examples"));
    Ok(node)
}

/// Compares the outputs of real shaders with those of the command, byte for byte.
fn compare(user: &Path, folder: &Path, sample: Option<usize>) -> Result<(), Failure> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let programs = folder.join("programs");
    fs::create_dir_all(&programs)?;
    let corpus_folder = conformance_folder();
    match corpus::read(&corpus_folder) {
        Ok(all) => {
            for program in corpus::choose(all, &[], sample)? {
                let name = format!("{}-{}", program.package.replace(['/', '@'], "-"), program.file.replace('/', "-"));
                fs::copy(program.path(&corpus_folder.join("programs")), programs.join(name))?;
            }
        }
        Err(Failure::Missing(why)) => skip(&why)?,
        Err(other) => return Err(other),
    }
    for shader in fs::read_dir(root().join("examples/shaders"))? {
        let shader = shader?;
        if shader.path().extension().is_some_and(|end| end == "frag") {
            fs::copy(shader.path(), programs.join(shader.file_name()))?;
        }
    }
    let mut names = fs::read_dir(&programs)?.map(|file| Ok(file?.file_name())).collect::<Result<Vec<_>, Failure>>()?;
    names.sort();
    let command = fs::canonicalize(built("planish"))?;
    for target in ["wgsl", "glsl", "spirv"] {
        let mut planish = Command::new(&command);
        planish
            .arg("compile")
            .args(&names)
            .arg(format!("--emit={target}"))
            .arg("--out-dir")
            .arg(format!("../{target}"));
        // (It fails where a program is refused.)
        planish.current_dir(&programs).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    }
    succeeds(
        node(user)?.arg("corpus.mjs").arg(fs::canonicalize(folder)?),
        "the package writes other outputs than the command",
    )
}

/// Copies a folder.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &to)?,
            false => drop(fs::copy(entry.path(), to)?),
        }
    }
    Ok(())
}
