//! Sizes and times of the package, beside the native command and a module that has naga's reader of GLSL and writer of WGSL alone.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{BROWSER, Module};
use crate::{Failure, root, succeeds, target_folder};

/// Runs of each measurement, of which the shortest counts.
const RUNS: usize = 7;

/// naga's own module.
const NAGA: &str = r#"//! GLSL to WGSL by naga.
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// Room for a source.
#[unsafe(no_mangle)]
pub extern "C" fn room(size: usize) -> *mut u8 {
    vec![0; size].leak().as_mut_ptr()
}

/// Length of the output, or 0.
///
/// # Safety
/// There are so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn translate(text: *const u8, size: usize) -> usize {
    let Ok(text) = std::str::from_utf8(unsafe { std::slice::from_raw_parts(text, size) }) else { return 0 };
    let options = naga::front::glsl::Options::from(naga::ShaderStage::Fragment);
    let Ok(module) = naga::front::glsl::Frontend::default().parse(&options, text) else { return 0 };
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let Ok(info) = validator.validate(&module) else { return 0 };
    let written = naga::back::wgsl::write_string(&module, &info, naga::back::wgsl::WriterFlags::empty());
    written.map_or(0, |text| text.leak().len())
}
"#;

/// Prints them.
pub(super) fn measure(user: &Path, folder: &Path) -> Result<(), Failure> {
    naga(&folder.join("naga"))?;
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--release", "--package", "planish-cli"]).current_dir(root());
    succeeds(&mut cargo, "the command cannot be built")?;
    let command = fs::canonicalize(target_folder())?.join("release/planish");
    let shaders = root().join("examples/shaders");
    let mut names: Vec<_> =
        fs::read_dir(&shaders)?.map(|file| Ok(file?.file_name())).collect::<Result<_, Failure>>()?;
    names.retain(|name| Path::new(name).extension().is_some_and(|end| end == "frag"));
    let out = folder.join("native");
    let quiet = |args: &[&std::ffi::OsStr]| -> Result<Duration, Failure> {
        let mut shortest = Duration::MAX;
        for _ in 0..RUNS {
            let mut planish = Command::new(&command);
            planish.args(args).current_dir(&shaders).stdout(Stdio::null()).stderr(Stdio::null());
            let begin = Instant::now();
            succeeds(&mut planish, "the command fails")?;
            shortest = shortest.min(begin.elapsed());
        }
        Ok(shortest)
    };
    let start = quiet(&["--version".as_ref()])?;
    let mut args =
        vec!["compile".as_ref(), "--emit=wgsl".as_ref(), "--jobs=1".as_ref(), "--out-dir".as_ref(), out.as_os_str()];
    args.extend(names.iter().map(std::ffi::OsString::as_os_str));
    let all = quiet(&args)?.saturating_sub(start);
    let each = all.as_secs_f64() * 1e3 / names.len() as f64;
    println!(
        "native: {} shaders in {:.0} ms without the start, {each:.3} ms each",
        names.len(),
        all.as_secs_f64() * 1e3
    );
    let mut node = Command::new("node");
    node.arg("time.mjs").arg(&shaders).arg(each.to_string()).current_dir(user);
    succeeds(&mut node, "the package cannot be measured")
}

/// Builds naga's module in the same way, and prints its size. (The reader of GLSL does not compile without that of WGSL, which is not called.)
fn naga(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder.join("src"))?;
    let lock = fs::read_to_string(root().join("Cargo.lock"))?;
    let version = lock.split("name = \"naga\"\nversion = \"").nth(1).and_then(|rest| rest.split('"').next());
    let version = version.ok_or_else(|| Failure::Broken("Cargo.lock has no naga".into()))?;
    let manifest = format!(
        "[package]\nname = \"naga-module\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [profile.npm]\ninherits = \"release\"\nopt-level = \"s\"\nlto = \"fat\"\ncodegen-units = 1\npanic = \"abort\"\nstrip = true\n\n\
         [dependencies]\nnaga = {{ version = \"={version}\", default-features = false, features = [\"glsl-in\", \"wgsl-in\", \"wgsl-out\"] }}\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::write(folder.join("src/lib.rs"), NAGA)?;
    let manifest = folder.join("Cargo.toml");
    let select = ["--manifest-path", manifest.to_str().unwrap_or_default(), "--crate-type", "cdylib"];
    let module = Module {
        name: "naga.wasm",
        target: BROWSER,
        level: "z",
        select: &select,
        file: "naga_module.wasm",
        shrink: true,
        max: u64::MAX,
    };
    let file = folder.join(module.name);
    module.build(&file)?;
    let bytes = fs::read(&file)?;
    println!(
        "naga {version}, GLSL to WGSL alone: {} KiB, {} KiB by gzip",
        bytes.len() >> 10,
        super::gzip(&bytes)? >> 10
    );
    Ok(())
}
