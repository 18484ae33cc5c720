//! `cargo xtask bundler`: the plugin for bundlers and the package for JavaScript, packed as they are published, in builds of Vite, Rollup,
//! webpack and esbuild; in a development server; and the pages of the examples in headless Chromium with WebGPU.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Failure, build, built, first, npm, root, skip, succeeds, target_folder, types};

/// Folders that the tests read, and their names beside the tests.
const FOLDERS: [(&str, &str); 4] = [
    ("bindings/js/plugin/test", ""),
    (first::BUNDLER.path, "first"),
    ("examples/three", "three"),
    ("examples/shadertoy", "shadertoy"),
];

/// Packs both packages, installs them, and runs the tests.
///
/// # Errors
/// If a test fails; in continuous integration also if a tool is missing.
pub fn run() -> Result<(), Failure> {
    let folder = target_folder().join("bundler");
    let Some(archive) = npm::packed()? else { return Ok(()) };
    if let Err(why) = types::install(&folder, &root().join("xtask/bundler"), "the bundlers")? {
        return skip(&why);
    }
    if !npm::has_chromium() {
        skip("there is no `chromium` that starts; on Debian: apt-get install chromium")?;
    }
    let folder = fs::canonicalize(folder)?;
    let plugin = pack(&folder)?;
    for old in ["planish", "unplugin-planish"] {
        // npm keeps what has the same version.
        let old = folder.join("node_modules").join(old);
        if old.exists() {
            fs::remove_dir_all(old)?;
        }
    }
    let mut install = Command::new("npm");
    install.args(["install", "--no-save", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]);
    succeeds(install.args([archive, plugin]).current_dir(&folder), "npm does not install the packages")?;
    build(&["planish-cli"])?;
    // Below the folder of the packages, so that they are found.
    let user = folder.join("user");
    if user.exists() {
        fs::remove_dir_all(&user)?;
    }
    for (from, to) in FOLDERS {
        npm::copy(&root().join(from), &user.join(to))?;
    }
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter=spec"])
        .current_dir(&user)
        .env("PLANISH", fs::canonicalize(built("planish"))?);
    succeeds(&mut node, "a test of the plugin fails")
}

/// The file that npm would publish, of the plugin.
fn pack(folder: &Path) -> Result<PathBuf, Failure> {
    let sources = root().join("bindings/js/plugin");
    let about = fs::read_to_string(sources.join("package.json"))?;
    if !about.contains(&format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"))) {
        return Err(Failure::Broken("bindings/js/plugin/package.json has another version than the workspace".into()));
    }
    let mut npm = Command::new("npm");
    npm.args(["pack", "--silent", "--pack-destination"]).arg(folder).arg(sources).stdout(Stdio::null());
    succeeds(&mut npm, "npm cannot pack the plugin")?;
    Ok(folder.join(format!("unplugin-planish-{}.tgz", env!("CARGO_PKG_VERSION"))))
}
