//! `cargo xtask tint`: Tint, the compiler of browsers, reads our WGSL, and Dawn makes pipelines of it, without a GPU.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::validators::Verdict;
use crate::{Failure, build, built, conformance_folder, corpus, root, skip, target_folder, types};

/// Folders of shaders that are written.
const FOLDERS: [&str; 5] = [
    "examples/shaders",
    "examples/flatten",
    "crates/back/naga/tests/cases",
    "crates/back/glsl/tests/cases",
    "crates/front/glsl/tests/accept",
];

/// Ways to write each shader.
pub(crate) const WAYS: [&[&str]; 3] = [&["-O0"], &["-O2"], &["-Os", "--minify"]];

/// Programs of each package of the corpus.
const SAMPLE: usize = 20;

/// Writes the shaders of the repository, and of the corpus if it is there, as WGSL, and gives them to Dawn.
///
/// # Errors
/// If it refuses one; in continuous integration also if there is no Node.js or npm.
pub fn run() -> Result<(), Failure> {
    let folder = target_folder().join("tint");
    let sources = root().join("xtask/tint");
    if let Err(why) = types::install(&folder, &sources, "Dawn")? {
        return skip(&why);
    }
    let written = folder.join("written");
    if written.exists() {
        fs::remove_dir_all(&written)?;
    }
    fs::create_dir_all(&written)?;
    build(&["planish-cli"])?;
    let mut files = vec![];
    for shader in shaders()? {
        files.extend(write(&shader, &written, "wgsl", &WAYS)?);
    }
    println!("{} files are written", files.len());
    // Nine in ten shaders of the repository are WGSL.
    if files.len() < 500 {
        return Err(Failure::Broken("too few of the shaders are WGSL".into()));
    }
    let mut faults = 0;
    for (file, verdict) in files.iter().zip(verdicts(&folder, &files)?) {
        if let Some(message) = verdict {
            println!("{}\n    {message}", file.display());
            faults += 1;
        }
    }
    match faults {
        0 => Ok(()),
        _ => Err(Failure::Broken(format!("Dawn refuses {faults} files"))),
    }
}

/// Dawn, in this folder, about WGSL files, in their order.
pub(crate) fn verdicts(folder: &Path, files: &[PathBuf]) -> Result<Vec<Verdict>, Failure> {
    let mut verdicts = vec![];
    // Command lines have an end.
    for files in files.chunks(200) {
        let output = Command::new("node")
            .arg(root().join("xtask/tint/check.mjs"))
            .arg(folder)
            .args(files)
            .env("XDG_RUNTIME_DIR", folder)
            .output()
            .map_err(|_| Failure::Missing("there is no `node`; on Debian: apt-get install nodejs".into()))?;
        let messages = String::from_utf8_lossy(&output.stdout);
        let Some(summary) = messages.lines().find(|line| line.starts_with("TINT ")) else {
            return Err(Failure::Broken(format!("{messages}{}", String::from_utf8_lossy(&output.stderr))));
        };
        println!("{summary}");
        let about = |file: &PathBuf| {
            let name = file.to_string_lossy();
            let mut lines = messages.lines().skip_while(|line| *line != name);
            lines.nth(1).map(|line| line.trim().to_owned())
        };
        verdicts.extend(files.iter().map(about));
    }
    Ok(verdicts)
}

/// Shaders of the repository, in the order of their paths.
pub(crate) fn repository() -> Result<Vec<PathBuf>, Failure> {
    let mut all = vec![];
    for folder in FOLDERS {
        for entry in fs::read_dir(root().join(folder))? {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == "frag" || e == "vert" || e == "comp") {
                all.push(path);
            }
        }
    }
    all.sort();
    Ok(all)
}

/// The path of a shader of the repository, from its root.
pub(crate) fn name(shader: &Path) -> String {
    shader.strip_prefix(root()).unwrap_or(shader).to_string_lossy().replace('\\', "/")
}

/// Shaders of the repository, and a part of the corpus if it is there.
pub(crate) fn shaders() -> Result<Vec<PathBuf>, Failure> {
    let mut all = repository()?;
    let programs = conformance_folder().join("programs");
    match programs.is_dir() {
        true => {
            let chosen = corpus::choose(corpus::read_harvest(&programs)?, &[], Some(SAMPLE))?;
            all.extend(chosen.iter().map(|program| program.path(&programs)));
        }
        false => println!("there is no corpus: `cargo xtask conformance --harvest-only` makes it"),
    }
    all.sort();
    Ok(all)
}

/// Writes a shader in each way in the language of an extension; none, if it is not valid or holds what the language does not.
pub(crate) fn write(shader: &Path, folder: &Path, extension: &str, ways: &[&[&str]]) -> Result<Vec<PathBuf>, Failure> {
    let name = shader.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let parent = shader.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
    let mut files = vec![];
    for way in ways {
        let file = folder.join(format!("{parent}-{name}{}.{extension}", way[0]));
        let mut planish = Command::new(built("planish"));
        planish.arg("compile").args(*way).arg(shader).arg("-o").arg(&file);
        let output = planish.current_dir(root()).output()?;
        let messages = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            files.push(file);
        } else if output.status.code() != Some(1) || messages.contains("E0699") {
            return Err(Failure::Broken(format!("{}: {messages}", shader.display())));
        }
    }
    Ok(files)
}
