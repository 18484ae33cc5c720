//! `cargo xtask types`: the TypeScript compiler reads the declarations of all examples, beside programs that use them; and messages in the
//! form of SARIF as values of its types, which others have declared.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Failure, build, built, root, skip, target_folder};

/// Folders of the programs whose declarations are checked, and their extensions.
const EXAMPLES: [(&str, &str); 4] =
    [("examples/vl", "vl"), ("examples/wasm", "wat"), ("examples/shaders", "frag"), ("tests/vl/io", "vl")];

/// Folders of programs that are wrong, and their extensions.
const WRONG: [(&str, &str); 3] =
    [("tests/invalid/semantics", ""), ("crates/front/naga/tests/bad", "wgsl"), ("tests/vl/bad", "vl")];

/// Constructs that JavaScript does not support: vectors of 128 bits, textures, and derivatives.
const REFUSED: [&str; 3] = ["error[E0602]", "error[E0604]", "error[E0605]"];

/// Writes every program as an ES module with declarations, generates with Node.js a user of each from its exports, and
/// type-checks all of it.
///
/// # Errors
/// If a declaration says something else than the module is; in continuous integration, too, if there is no Node.js or npm.
pub fn run() -> Result<(), Failure> {
    let folder = target_folder().join("types");
    let sources = root().join("xtask/types");
    if let Err(why) = install(&folder, &sources, "the TypeScript compiler")? {
        return skip(&why);
    }
    let programs = folder.join("programs");
    if programs.exists() {
        fs::remove_dir_all(&programs)?;
    }
    fs::create_dir_all(&programs)?;
    fs::write(programs.join("package.json"), "{ \"type\": \"module\" }\n")?;
    build(&["planish-cli"])?;
    let (mut written, mut refused) = (0, 0);
    for (from, end) in EXAMPLES {
        for program in files(&root().join(from), end)? {
            if write(&program, &programs.join(from.replace('/', "-")))? { written += 1 } else { refused += 1 }
        }
    }
    println!("{written} programs are JavaScript, {refused} cannot be");
    let Ok(output) = Command::new("node").arg(sources.join("consume.mjs")).arg(&programs).output() else {
        return skip("there is no `node`; on Debian: apt-get install nodejs");
    };
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() || !messages.starts_with(&format!("CONSUMED {written} ")) {
        return Err(Failure::Broken(format!("{messages}{}", String::from_utf8_lossy(&output.stderr))));
    }
    check(&folder, &files(&programs, "consumer.ts")?)?;
    let [modules, exports, results] =
        [1, 2, 3].map(|word| messages.split_whitespace().nth(word).unwrap_or("?").to_owned());
    println!("the declarations of {modules} modules are what the modules are: {exports} exports, {results} results");
    // Checks that the type checker does find errors.
    let mut spoiled: Vec<PathBuf> = files(&programs, "d.ts")?;
    spoiled.retain(|file| file.to_string_lossy().ends_with("black-scholes.d.ts"));
    for file in &spoiled {
        fs::write(file, fs::read_to_string(file)?.replace("number]", "boolean]"))?;
    }
    match check(&folder, &files(&programs, "black-scholes.consumer.ts")?) {
        Err(Failure::Broken(_)) => {}
        _ => return Err(Failure::Broken("a declaration that is wrong is taken for right".into())),
    }
    sarif(&folder)
}

/// Messages about all programs that are wrong, as logs of SARIF.
fn sarif(folder: &Path) -> Result<(), Failure> {
    let logs = folder.join("logs");
    if logs.exists() {
        fs::remove_dir_all(&logs)?;
    }
    fs::create_dir_all(&logs)?;
    let mut results = 0;
    for (from, end) in WRONG {
        let mut planish = Command::new(built("planish"));
        planish.args(["check", "--message-format=sarif"]).args(files(&root().join(from), end)?);
        let output = planish.current_dir(root()).output()?;
        let log = String::from_utf8_lossy(&output.stderr);
        results += log.matches("\"ruleId\"").count();
        let name = logs.join(format!("{}.ts", from.replace('/', "-")));
        fs::write(&name, format!("import type {{ Log }} from 'sarif';\nexport const log: Log = {log};\n"))?;
    }
    check(folder, &files(&logs, "ts")?)?;
    println!("{results} messages are SARIF");
    if results < 500 {
        return Err(Failure::Broken("SARIF has fewer messages than there are wrong programs".into()));
    }
    // Checks that the type checker does find errors.
    let first = &files(&logs, "ts")?[0];
    fs::write(first, fs::read_to_string(first)?.replace("\"level\"", "\"severity\""))?;
    match check(folder, std::slice::from_ref(first)) {
        Err(Failure::Broken(_)) => Ok(()),
        _ => Err(Failure::Broken("a log of SARIF that is wrong is taken for right".into())),
    }
}

/// Runs `npm ci`, unless it has run for this lock file; returns the reason if it cannot.
pub(crate) fn install(folder: &Path, sources: &Path, what: &str) -> Result<Result<(), String>, Failure> {
    let lock = fs::read_to_string(sources.join("package-lock.json"))?;
    let stamp = folder.join("install.stamp");
    if fs::read_to_string(&stamp).is_ok_and(|old| old == lock) && folder.join("node_modules").exists() {
        return Ok(Ok(()));
    }
    fs::create_dir_all(folder)?;
    for file in ["package.json", "package-lock.json"] {
        fs::copy(sources.join(file), folder.join(file))?;
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder);
    match npm.status() {
        Ok(status) if status.success() => {}
        Ok(_) => return Ok(Err(format!("npm could not install {what}; is there a network?"))),
        Err(_) => return Ok(Err("there is no `npm`; on Debian: apt-get install npm".into())),
    }
    fs::write(stamp, lock)?;
    Ok(Ok(()))
}

/// The files of a folder with this extension, sorted.
fn files(folder: &Path, end: &str) -> Result<Vec<PathBuf>, Failure> {
    let all = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    let mut files: Vec<_> = all.into_iter().filter(|path| path.to_string_lossy().ends_with(end)).collect();
    files.sort();
    Ok(files)
}

/// Writes a program's module and declarations; `false` if it uses a construct that JavaScript does not have.
fn write(program: &Path, before: &Path) -> Result<bool, Failure> {
    let name = program.file_stem().unwrap_or_default().to_string_lossy();
    let at = |end: &str| format!("{}-{name}.{end}", before.display());
    let mut planish = Command::new(built("planish"));
    planish.args(["compile", "-O2"]).arg(program);
    let output = planish.args(["-o", &at("js"), "-o", &at("d.ts")]).current_dir(root()).output()?;
    let messages = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        Ok(true)
    } else if REFUSED.iter().any(|error| messages.contains(error)) {
        Ok(false)
    } else {
        Err(Failure::Broken(format!("{}: {messages}", program.display())))
    }
}

/// Has the compiler read them, strictly.
fn check(folder: &Path, files: &[PathBuf]) -> Result<(), Failure> {
    let mut tsc = Command::new("node");
    tsc.arg(folder.join("node_modules/typescript/bin/tsc"));
    tsc.args(["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext"]).args(files);
    let output = tsc.output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(Failure::Broken(String::from_utf8_lossy(&output.stdout).into_owned()))
}
