//! `cargo xtask python`: the wheel for Python, built as it is published, installed in an environment of its own, and tested from an empty
//! folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Failure, build, built, first, root, skip, succeeds, target_folder};

/// The package that builds the wheel.
const BUILDER: &[&str] = &["maturin==1.16.0"];

/// Packages beside the wheel. Notebooks need the last two.
const USERS: &[&str] = &["numpy==2.4.6", "pytest==9.2.0", "mypy==2.4.1", "nbclient==0.11.0", "ipykernel==7.4.0"];

/// Bytes of the wheel: a gate, so that growth is noticed.
const MAX_WHEEL: u64 = 16 << 20;

/// Builds the wheel to `target/python/wheels`, and tests it.
///
/// # Errors
/// If it cannot be built, is larger than it should be, or a test fails; in continuous integration also if there is no Python.
pub fn run() -> Result<(), Failure> {
    let folder = target_folder().join("python");
    let environments = [("builder", BUILDER), ("user", USERS)].map(|(name, packages)| (folder.join(name), packages));
    for (environment, packages) in &environments {
        if let Some(why) = environment_lacks(environment, packages)? {
            return skip(&why);
        }
    }
    let [builder, user] = environments.map(|(environment, _)| environment.join("bin/python3"));
    let mut clippy = Command::new(env!("CARGO"));
    clippy.args([
        "clippy",
        "--quiet",
        "--package",
        "planish-python",
        "--features",
        "extension",
        "--",
        "-D",
        "warnings",
    ]);
    succeeds(clippy.current_dir(root()).env("PYO3_PYTHON", &builder), "the module has errors or warnings")?;
    let wheel = wheel(&builder, &folder.join("wheels"))?;
    let size = fs::metadata(&wheel)?.len();
    println!("{}: {} KiB", wheel.display(), size >> 10);
    if size > MAX_WHEEL {
        return Err(Failure::Broken(format!("the wheel has {size} bytes, and {MAX_WHEEL} are enough")));
    }
    let install = ["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps"];
    succeeds(Command::new(&user).args(install).arg(&wheel), "pip does not install the wheel")?;
    build(&["planish-cli"])?;
    check(&user, &folder)
}

/// Makes an environment with packages, unless it is there. Returns the reason why that is not possible.
fn environment_lacks(environment: &Path, packages: &[&str]) -> Result<Option<String>, Failure> {
    // Written last, so that an environment that is half made is made again.
    let (stamp, wanted) = (environment.join("packages.txt"), packages.join("\n"));
    if fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
        return Ok(None);
    }
    let made = Command::new("python3").args(["-m", "venv", "--clear"]).arg(environment).status();
    if !made.is_ok_and(|status| status.success()) {
        return Ok(Some("there is no `python3` with `venv`; on Debian: apt-get install python3-venv".into()));
    }
    let python = environment.join("bin/python3");
    let installed = Command::new(python).args(["-m", "pip", "install", "--quiet"]).args(packages).status()?;
    if !installed.success() {
        return Ok(Some(format!("pip could not install {}; is there a network?", packages.join(", "))));
    }
    fs::write(stamp, wanted)?;
    Ok(None)
}

/// Builds the wheel in the release profile, with what other chores have built in it.
fn wheel(python: &Path, out: &Path) -> Result<PathBuf, Failure> {
    if out.exists() {
        fs::remove_dir_all(out)?;
    }
    let mut maturin = Command::new(python);
    maturin.args(["-m", "maturin", "build", "--quiet", "--release", "--locked", "--compatibility", "linux"]);
    maturin.arg("--interpreter").arg(python).arg("--out").arg(out).arg("--target-dir").arg(target_folder());
    maturin.current_dir(root().join("bindings/python"));
    succeeds(&mut maturin, "the wheel cannot be built")?;
    let files = fs::read_dir(out)?.collect::<Result<Vec<_>, _>>()?;
    match &files[..] {
        [wheel] => Ok(wheel.path()),
        _ => Err(Failure::Broken(format!("there are {} wheels in {}", files.len(), out.display()))),
    }
}

/// Uses the installed wheel in an empty folder.
fn check(python: &Path, folder: &Path) -> Result<(), Failure> {
    let empty = folder.join("empty");
    if empty.exists() {
        fs::remove_dir_all(&empty)?;
    }
    fs::create_dir_all(&empty)?;
    let sources = root().join("bindings/python");
    let run = || {
        let mut python = Command::new(python);
        python.current_dir(&empty).env("PYTHONDONTWRITEBYTECODE", "1").env_remove("PYTHONPATH");
        python.env("PLANISH_COMMAND", fs::canonicalize(built("planish"))?);
        python.env("PLANISH_EXAMPLES", root().join("examples"));
        Ok::<_, Failure>(python)
    };
    let tests = ["-m", "pytest", "--quiet", "-p", "no:cacheprovider"];
    succeeds(run()?.args(tests).arg(sources.join("tests")), "a test of the wheel fails")?;
    let types = ["-m", "mypy", "--strict", "--cache-dir"];
    let typed = sources.join("tests/typed.py");
    succeeds(run()?.args(types).arg(folder.join("mypy")).arg(typed), "the types are not those of the wheel")?;
    let notebook = sources.join("examples/planish.ipynb");
    succeeds(run()?.arg(sources.join("tests/notebook.py")).arg(notebook), "the notebook does not run")?;
    first::PYTHON.run(run()?.arg(first::PYTHON.source()))?;
    println!("the wheel passes its tests, its types are right, and the notebook runs");
    Ok(())
}
