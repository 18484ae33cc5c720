//! `cargo xtask msl`: clang reads our Metal as C++ and runs functions in it, beside the evaluator; its size beside SPIRV-Cross.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Failure, build, built, skip, target_folder, tint};

/// Ways to write each shader in the newest version, beside those of all languages.
const WAYS: [&[&str]; 1] = [&["--msl-argument-buffers", "-O2", "--msl-version=3.2"]];

/// Writes the shaders of the repository, and of the corpus if it is there, as Metal, and checks them.
///
/// # Errors
/// If clang refuses one, or a function gives other bits; in continuous integration also if there is no clang or SPIRV-Cross.
pub fn run() -> Result<(), Failure> {
    for (tool, package) in [("clang++", "clang"), ("spirv-cross", "spirv-cross")] {
        if Command::new(tool).arg("--help").output().is_err() {
            return skip(&format!("there is no `{tool}`; on Debian: apt-get install {package}"));
        }
    }
    let folder = target_folder().join("msl");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let (ours, peers) = (folder.join("written"), folder.join("peers"));
    [&ours, &peers].into_iter().try_for_each(fs::create_dir_all)?;
    build(&["planish-cli", "msl-check"])?;
    let (mut files, mut sizes, mut compared) = (vec![], [0; 2], 0);
    for shader in tint::shaders()? {
        let written = tint::write(&shader, &ours, "metal", &tint::WAYS)?;
        if let Some(file) = written.iter().find(|f| f.to_string_lossy().contains("-O2."))
            && let Some(peer) = peer(&shader, &peers)?
        {
            let bytes = fs::read(file)?.len();
            (sizes[0], sizes[1], compared) = (sizes[0] + bytes, sizes[1] + peer, compared + 1);
        }
        files.extend(written);
        files.extend(tint::write(&shader, &ours, "metal", &WAYS)?);
    }
    println!("{} files are written", files.len());
    // Nine in ten shaders of the repository are Metal.
    if files.len() < 500 {
        return Err(Failure::Broken("too few of the shaders are Metal".into()));
    }
    println!("size of {compared} at -O2: {} bytes, {} by SPIRV-Cross of our SPIR-V", sizes[0], sizes[1]);
    let list = folder.join("list");
    fs::write(&list, files.iter().map(|f| format!("{}\n", f.display())).collect::<String>())?;
    let program = built("msl-check");
    match Command::new(program).arg(&folder).arg(&list).status()?.code() {
        Some(0) => Ok(()),
        _ => Err(Failure::Broken("Metal is refused, or gives other bits".into())),
    }
}

/// The size of what SPIRV-Cross makes of our SPIR-V; `None` if there is none.
fn peer(shader: &Path, folder: &Path) -> Result<Option<usize>, Failure> {
    let ways: [&[&str]; 1] = [&["-O2"]];
    let Some(file): Option<PathBuf> = tint::write(shader, folder, "spv", &ways)?.into_iter().next() else {
        return Ok(None);
    };
    let output = Command::new("spirv-cross").args(["--msl", "--msl-version", "20400"]).arg(&file).output()?;
    Ok(output.status.success().then_some(output.stdout.len()))
}
