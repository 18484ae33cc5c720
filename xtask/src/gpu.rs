//! `cargo xtask gpu`: starts the comparison of the evaluator with a software GPU, and the tests of staged functions and of shaders that build scripts compile on it.

use std::path::Path;
use std::process::Command;

use crate::{Failure, built, root, with_devices};

/// Descriptions of SwiftShader's driver, where browsers have it.
const SWIFTSHADER: [&str; 3] = [
    "/usr/lib/chromium/vk_swiftshader_icd.json",
    "/usr/lib64/chromium-browser/vk_swiftshader_icd.json",
    "/opt/google/chrome/vk_swiftshader_icd.json",
];

/// Runs the comparison with the user's options. Without `--device`, Mesa is set to draw in software, even if the machine has a graphics
/// card.
pub fn run(options: &[String]) -> Result<(), Failure> {
    if options == ["--staged"] {
        return staged();
    }
    let measures = options.iter().any(|option| option == "--time");
    let mut check = if measures {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["run", "--quiet", "--release", "--package", "gpu-check", "--features", "device", "--"]);
        cargo
    } else {
        if !with_devices("build", &[])? {
            return Err(Failure::Broken("what draws on devices cannot be built".into()));
        }
        Command::new(built("gpu-check"))
    };
    check.args(options).current_dir(root());
    if !options.iter().any(|option| option == "--device") {
        check.env("LIBGL_ALWAYS_SOFTWARE", "1");
    }
    if measures {
        // One thread, as the other engines have, and the widest vectors that all x86-64 processors of today share.
        let width = std::env::var("LP_NATIVE_VECTOR_WIDTH").unwrap_or_else(|_| "256".into());
        check.env("LP_NUM_THREADS", "1").env("LP_NATIVE_VECTOR_WIDTH", width);
        // With Mesa's cache, code compiled for another width is run: a frame at 128 bits took the time of one at 256.
        check.env("MESA_SHADER_CACHE_DISABLE", "true");
    }
    if measures {
        match SWIFTSHADER.iter().find(|file| Path::new(file).exists()) {
            // (Beside the drivers of the system.)
            Some(file) => drop(check.env("VK_ADD_DRIVER_FILES", file)),
            None => eprintln!("SKIPPED: no SwiftShader; on Debian it is in the package chromium"),
        }
        if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
            check.env("XDG_RUNTIME_DIR", std::env::temp_dir());
        }
    }
    match check.status()?.code() {
        Some(0) if options.is_empty() => staged(),
        Some(0) => Ok(()),
        Some(2) => Err(Failure::Missing("the check did not run".into())),
        _ => Err(Failure::Broken("the evaluator and the GPU draw different pictures".into())),
    }
}

/// Tests of the library with a feature that is off by default.
fn staged() -> Result<(), Failure> {
    if with_devices("test", &["--", "stage_gpu", "examples_run", "a_device_draws_the_same_picture"])? {
        return Ok(());
    }
    Err(Failure::Broken("staged functions compute something else on the GPU".into()))
}
