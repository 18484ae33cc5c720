//! `cargo xtask package`: packs the crates that are published, and builds and runs programs from the packages alone, as a user
//! would that has no clone of the repository.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::{Failure, first, root, target_folder};

/// Limits of packed crates in KiB: all of them together, and the largest.
const LIMITS: [u64; 2] = [3072, 448];

/// Limit of a file in a package in KiB.
const LARGEST_FILE: u64 = 1024;

/// Features of the library that its users choose from.
const FEATURES: [&str; 13] = [
    "default",
    "code",
    "cross",
    "gpu",
    "graphs",
    "native",
    "objects",
    "serde",
    "shaders",
    "spirv-naga",
    "stage",
    "vl",
    "wasm",
];

/// A fragment shader for the packed command.
const SHADER: &str = "precision mediump float;\nvarying vec2 uv;\nvoid main() { gl_FragColor = vec4(uv, 0.5, 1.0); }\n";

/// A crate that is published.
struct Package {
    name: String,
    /// Name and version, as its file and folder are named.
    id: String,
    /// Bytes of the packed file.
    size: u64,
}

/// Packs all crates, checks their contents and sizes, and uses them from outside.
pub fn run() -> Result<(), Failure> {
    let folder = std::path::absolute(target_folder().join("outside"))?;
    let packages = pack()?;
    for package in &packages {
        unpack(package, &folder)?;
        contents(package, &folder.join(&package.id))?;
    }
    sizes(&packages)?;
    features(&folder, &packages)?;
    workspace(&folder, &packages)?;
    build(&folder)?;
    let page = said(Command::new(program(&folder, "package-user")).current_dir(&folder))?;
    print!("{page}");
    for program in &first::RUST {
        program.run(&mut Command::new(self::program(&folder, program.name())))?;
    }
    command(&folder)
}

/// The crates that are published, as Cargo describes them.
pub(crate) fn published() -> Result<Vec<Value>, Failure> {
    let mut metadata = Command::new(env!("CARGO"));
    metadata.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]).current_dir(root());
    let mut metadata: Value = serde_json::from_str(&said(&mut metadata)?).map_err(std::io::Error::from)?;
    let packages = metadata["packages"].as_array_mut().map(std::mem::take).unwrap_or_default();
    Ok(packages.into_iter().filter(|package| package["publish"].is_null()).collect())
}

/// Packs the crates in the folder that Cargo has for them.
fn pack() -> Result<Vec<Package>, Failure> {
    let mut packages: Vec<Package> = vec![];
    for package in published()? {
        let [Some(name), Some(version)] = [&package["name"], &package["version"]].map(Value::as_str) else { continue };
        packages.push(Package { name: name.into(), id: format!("{name}-{version}"), size: 0 });
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["package", "--quiet", "--no-verify"]).current_dir(root());
    // Only committed files are published; before a commit one would like to know whether they can be.
    if std::env::var_os("CI").is_none() {
        cargo.arg("--allow-dirty");
    }
    cargo.args(packages.iter().flat_map(|package| ["--package", &package.name]));
    said(&mut cargo)?;
    for package in &mut packages {
        package.size = fs::metadata(packed(package))?.len();
    }
    Ok(packages)
}

/// The packed file of a crate.
fn packed(package: &Package) -> PathBuf {
    target_folder().join("package").join(format!("{}.crate", package.id))
}

/// Unpacks a crate. Files that are there already keep their time, so that only crates that have changed are built again.
fn unpack(package: &Package, folder: &Path) -> Result<(), Failure> {
    let fresh = folder.join("fresh");
    let _ = fs::remove_dir_all(&fresh);
    fs::create_dir_all(&fresh)?;
    // Not with the time of the files: it is the same in all packages.
    said(Command::new("tar").arg("-xmzf").arg(packed(package)).arg("-C").arg(&fresh))?;
    let (from, to) = (fresh.join(&package.id), folder.join(&package.id));
    let (new, old) = (files(&from)?, files(&to).unwrap_or_default());
    for file in old.difference(&new) {
        fs::remove_file(to.join(file))?;
    }
    for file in &new {
        let (from, to) = (from.join(file), to.join(file));
        if fs::read(&from)? != fs::read(&to).unwrap_or_default() {
            fs::create_dir_all(to.parent().expect("a file is in a folder"))?;
            fs::rename(from, to)?;
        }
    }
    fs::remove_dir_all(fresh)?;
    Ok(())
}

/// All files below a folder, from there.
fn files(folder: &Path) -> Result<BTreeSet<PathBuf>, Failure> {
    let (mut found, mut folders) = (BTreeSet::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder).expect("it is below").to_owned());
            }
        }
    }
    Ok(found)
}

/// Each package has a README, both licences and a description, no tests, and no large file.
fn contents(package: &Package, folder: &Path) -> Result<(), Failure> {
    let files = files(folder)?;
    for name in ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
        if !files.contains(Path::new(name)) {
            return Err(Failure::Broken(format!("the package {} has no {name}", package.id)));
        }
    }
    let manifest = fs::read_to_string(folder.join("Cargo.toml"))?;
    for key in
        ["description = ", "readme = \"README.md\"", "keywords = ", "categories = ", "license = ", "rust-version = "]
    {
        if !manifest.lines().any(|line| line.starts_with(key)) {
            return Err(Failure::Broken(format!("the manifest of {} has no `{}`", package.id, key.trim_end())));
        }
    }
    for file in files {
        let size = fs::metadata(folder.join(&file))?.len();
        if size > LARGEST_FILE << 10 || file.starts_with("tests") {
            let file = file.display();
            return Err(Failure::Broken(format!("{file} ({} KiB) is in the package {}", size >> 10, package.id)));
        }
    }
    Ok(())
}

/// Prints the sizes, and compares them with the limits.
fn sizes(packages: &[Package]) -> Result<(), Failure> {
    let mut sorted: Vec<_> = packages.iter().collect();
    sorted.sort_by_key(|package| std::cmp::Reverse(package.size));
    for package in &sorted {
        println!("{:7.1} KiB {}", package.size as f64 / 1024.0, package.id);
    }
    let (sum, largest) = (packages.iter().map(|package| package.size).sum::<u64>(), sorted[0].size);
    println!("{:7.1} KiB in {} packages", sum as f64 / 1024.0, packages.len());
    for (what, size, limit) in [("the packages have", sum, LIMITS[0]), ("the largest has", largest, LIMITS[1])] {
        if size > limit << 10 {
            return Err(Failure::Broken(format!(
                "{what} {} KiB, and may have {limit} (xtask/src/package.rs)",
                size >> 10
            )));
        }
    }
    Ok(())
}

/// The packed library has its features.
fn features(folder: &Path, packages: &[Package]) -> Result<(), Failure> {
    let library = packages.iter().find(|package| package.name == "planish").expect("the library is published");
    let manifest = fs::read_to_string(folder.join(&library.id).join("Cargo.toml"))?;
    let lines =
        manifest.lines().skip_while(|line| *line != "[features]").skip(1).take_while(|line| !line.starts_with('['));
    let lines = lines.filter_map(|line| line.split_once(" = ").filter(|_| !line.starts_with(' ')));
    let found: BTreeSet<&str> = lines.map(|(name, _)| name).collect();
    match found == FEATURES.into() {
        true => Ok(()),
        false => Err(Failure::Broken(format!("the packed library has the features {found:?}"))),
    }
}

/// Makes a workspace of the packed command and of crates that use the packed library. Crates from elsewhere have the versions and
/// the profile of releases here, so that those which are compiled for other chores are not compiled again; ours are not optimized.
/// (For the build script nothing is optimized, which Cargo does by itself.)
fn workspace(folder: &Path, packages: &[Package]) -> Result<(), Failure> {
    let command = packages.iter().find(|package| package.name == "planish-cli").expect("the command is published");
    let patches = packages.iter().map(|package| format!("{} = {{ path = \"{}\" }}\n", package.name, package.id));
    let manifest = fs::read_to_string(root().join("Cargo.toml"))?;
    let release = manifest.lines().skip_while(|line| *line != "[profile.release]").take_while(|line| !line.is_empty());
    let release: String = release.flat_map(|line| [line, "\n"]).collect();
    let levels = packages.iter().map(|package| format!("{} = {{ opt-level = 0 }}\n", package.name));
    // Here naga has crates with other features than in the libraries that are built for other chores.
    let profile =
        format!("{release}\n[profile.release.package]\nnaga = {{ opt-level = 0 }}\n{}", levels.collect::<String>());
    let first = first::RUST.map(|program| format!(", \"{}\"", program.name())).concat();
    let members = format!("[workspace]\nresolver = \"3\"\nmembers = [\"user\", \"{}\"{first}]\n", command.id);
    let user = "[package]\nname = \"package-user\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n";
    let version = command.id.trim_start_matches("planish-cli-");
    let own = [
        ("Cargo.toml", format!("{members}\n[patch.crates-io]\n{}\n{profile}", patches.collect::<String>())),
        ("Cargo.lock", fs::read_to_string(root().join("Cargo.lock"))?),
        ("user/Cargo.toml", format!("{user}planish = \"{version}\"\n")),
        ("user/src/main.rs", fs::read_to_string(root().join("xtask/package/main.rs"))?),
        ("uv.frag", SHADER.into()),
    ];
    let mut all: Vec<_> = own.map(|(name, text)| (PathBuf::from(name), text)).into();
    for program in &first::RUST {
        let source = files(&program.source())?;
        // (What Cargo leaves beside them is not theirs.)
        for file in source.iter().filter(|file| !file.starts_with("target") && !file.ends_with("Cargo.lock")) {
            let text = fs::read_to_string(program.source().join(file))?;
            all.push((Path::new(program.name()).join(file), text));
        }
    }
    for (name, text) in all {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("it is in the folder"))?;
        if fs::read_to_string(&path).ok().as_ref() != Some(&text) {
            fs::write(path, text)?;
        }
    }
    Ok(())
}

/// Builds all programs. They stand in a folder of their own; the rest is in the workspace's, which has other crates compiled already.
fn build(folder: &Path) -> Result<(), Failure> {
    let [target, shared] = [folder.join("target"), target_folder()].map(std::path::absolute);
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--release", "--workspace"]).current_dir(folder);
    match cargo.env("CARGO_TARGET_DIR", target?).env("CARGO_BUILD_BUILD_DIR", shared?).status()?.success() {
        true => Ok(()),
        false => Err(Failure::Broken(format!("the packages cannot be built ({})", folder.display()))),
    }
}

/// A program that [`build`] has built.
fn program(folder: &Path, name: &str) -> PathBuf {
    folder.join("target/release").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// Uses the packed command.
fn command(folder: &Path) -> Result<(), Failure> {
    let planish = |args: &[&str]| said(Command::new(program(folder, "planish")).args(args).current_dir(folder));
    let uses: [(&[&str], &str); 3] = [
        (&["--version"], env!("CARGO_PKG_VERSION")),
        (&["explain", "E0301"], "unknown name"),
        (&["compile", "uv.frag", "--emit=wgsl"], "@fragment"),
    ];
    for (args, expected) in uses {
        let output = planish(args)?;
        if !output.contains(expected) {
            return Err(Failure::Broken(format!("the packed command `planish {}` prints: {output}", args.join(" "))));
        }
        println!("planish {}: {} bytes", args.join(" "), output.len());
    }
    Ok(())
}

/// Standard output of a command that succeeds.
fn said(command: &mut Command) -> Result<String, Failure> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let name = command.get_program().to_string_lossy().into_owned();
    Err(Failure::Broken(format!("{name}: {}", String::from_utf8_lossy(&output.stderr))))
}
