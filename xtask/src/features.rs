//! `cargo xtask features`: the library with every combination of its features is free of warnings, and refuses exactly the
//! languages that are left out; features that are off by default compile too.

use std::process::Command;

use crate::{Failure, root};

/// A feature of the library.
struct Feature {
    name: &'static str,
    /// The inputs and targets that it brings, in the order of the tables.
    brings: &'static [&'static str],
    /// The feature that it implies.
    implies: Option<&'static str>,
}

const fn feature(name: &'static str, brings: &'static [&'static str], implies: Option<&'static str>) -> Feature {
    Feature { name, brings, implies }
}

const FEATURES: [Feature; 9] = [
    feature("shaders", &["glsl", "wgsl", "spirv", "glsl", "wgsl", "spirv", "msl", "hlsl"], None),
    feature("vl", &["vl", "analysis"], None),
    feature("wasm", &["wasm", "wasm", "wat"], None),
    feature("objects", &["object", "header"], Some("code")),
    feature("code", &["js", "asmjs", "dts", "c", "rust", "asm", "alloc"], None),
    feature("graphs", &["graph", "graph-text", "graph-dot", "graph-svg", "mtlx"], None),
    feature("spirv-naga", &["spirv-naga"], Some("shaders")),
    feature("native", &[], None),
    feature("stage", &[], Some("code")),
];

/// Features of which every combination is tried. Others are tried alone, and with all.
const COMBINED: usize = 4;

/// Checks all combinations of languages, each other feature alone, and all together; runs those of one feature or none.
pub fn run() -> Result<(), Failure> {
    compiled_once()?;
    for set in 0..1 << FEATURES.len() {
        let (on, mut off): (Vec<_>, Vec<_>) = (0..FEATURES.len()).partition(|i| set >> i & 1 == 1);
        let features = on.iter().map(|&i| FEATURES[i].name).collect::<Vec<_>>().join(",");
        if on.iter().any(|&i| i >= COMBINED) && on.len() > 1 && !off.is_empty() {
            continue;
        }
        println!("planish with [{features}]");
        off.retain(|&i| on.iter().all(|&on| FEATURES[on].implies != Some(FEATURES[i].name)));
        let selected = ["--quiet", "--no-default-features", "--features", &features];
        let mut clippy = Command::new(env!("CARGO"));
        clippy.args(["clippy", "--package", "planish", "--no-deps"]).args(selected).args(["--", "-D", "warnings"]);
        if !clippy.current_dir(root()).status()?.success() {
            return Err(Failure::Broken(format!("the library with [{features}] has errors or warnings")));
        }
        if on.len() > 1 {
            continue;
        }
        let mut user = Command::new(env!("CARGO"));
        let output = user.args(["run", "--package", "refused"]).args(selected).current_dir(root()).output()?;
        if !output.status.success() {
            return Err(Failure::Broken(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let mut found: Vec<&str> = text.lines().collect();
        let mut expected: Vec<&str> = off.iter().flat_map(|&i| FEATURES[i].brings).copied().collect();
        found.sort_unstable();
        expected.sort_unstable();
        if found != expected {
            return Err(Failure::Broken(format!("[{features}] refuses {found:?}, and should refuse {expected:?}")));
        }
    }
    engines()
}

/// Fails if the tests of the workspace compile one of its crates, or the compiler that it generates code with, more than once: with other
/// features for build scripts than for tests. `xtask/one-build` turns on for the former what the latter have.
fn compiled_once() -> Result<(), Failure> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--workspace", "--no-run", "--unit-graph", "-Z", "unstable-options"]);
    let output = cargo.env("RUSTC_BOOTSTRAP", "1").current_dir(root()).output()?;
    if !output.status.success() {
        return Err(Failure::Broken(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let graph: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|e| Failure::Broken(format!("no graph of units: {e}")))?;
    let units = graph["units"].as_array().map_or(&[][..], Vec::as_slice);
    let is_library = |unit: &&serde_json::Value| unit["mode"] == "build" && unit["target"]["kind"][0] == "lib";
    let mut names: Vec<&str> = units.iter().filter(is_library).filter_map(|unit| unit["pkg_id"].as_str()).collect();
    names.sort_unstable();
    // Two macros have other features of `syn`, which takes three seconds.
    let twice = names.windows(2).filter(|pair| pair[0] == pair[1] && !pair[0].contains("#syn@"));
    let twice: Vec<&str> = twice.map(|pair| pair[0].rsplit('/').next().unwrap_or(pair[0])).collect();
    if names.is_empty() || !twice.is_empty() {
        let message = format!("compiled twice, see `xtask/one-build`: {}", twice.join(", "));
        return Err(Failure::Broken(message));
    }
    println!("tests compile each of {} libraries once", names.len());
    Ok(())
}

/// The features that are off by default, which bring engines and windows rather than languages: by themselves and together.
fn engines() -> Result<(), Failure> {
    println!("planish-ir with [serde]");
    let mut test = Command::new(env!("CARGO"));
    test.args(["test", "--quiet", "--package", "planish-ir", "--lib", "--features", "serde", "--", "diagnostic::"]);
    if !test.current_dir(root()).status()?.success() {
        return Err(Failure::Broken("planish-ir with [serde] does not pass its tests".into()));
    }
    let sets = [
        ("planish", "serde", &["--no-default-features"][..]),
        // By themselves, as those who depend on them get them.
        ("planish-build", "shaders", &["--no-default-features"]),
        ("planish-macros", "shaders", &["--no-default-features"]),
        ("planish", "gpu", &["--no-default-features"]),
        ("planish", "gpu", &["--all-targets"]),
        ("planish-cli", "gpu", &["--all-targets"]),
        ("planish-cli", "window", &["--all-targets"]),
        ("planish-cli", "gpu,window", &["--all-targets"]),
    ];
    for (package, features, others) in sets {
        println!("{package} with [{features}]");
        let mut clippy = Command::new(env!("CARGO"));
        clippy.args(["clippy", "--package", package, "--no-deps", "--quiet", "--features", features]);
        if !clippy.args(others).args(["--", "-D", "warnings"]).current_dir(root()).status()?.success() {
            return Err(Failure::Broken(format!("{package} with [{features}] has errors or warnings")));
        }
    }
    Ok(())
}
