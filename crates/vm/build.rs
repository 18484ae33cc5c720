//! Enables threaded dispatch (`planish_threaded`) if the compiler turns calls at the end of handlers into jumps: only
//! in optimized code for these machines. Enables machine code (`planish_native`) where the feature `native` is on and the
//! host has code that enters and leaves it.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(planish_threaded)");
    println!("cargo::rustc-check-cfg=cfg(planish_native)");
    println!("cargo::rustc-check-cfg=cfg(fuzzing)");
    let is = |name: &str, values: &[&str]| std::env::var(name).is_ok_and(|v| values.contains(&&*v));
    // With assertions a handler may have code after its last call.
    let asserts = std::env::var_os("CARGO_CFG_DEBUG_ASSERTIONS").is_some();
    // There only four parameters are in registers.
    let windows = is("CARGO_CFG_TARGET_OS", &["windows"]);
    if !asserts && !windows && is("OPT_LEVEL", &["2", "3"]) && is("CARGO_CFG_TARGET_ARCH", &["x86_64", "aarch64"]) {
        println!("cargo::rustc-cfg=planish_threaded");
    }
    // As the dependencies in Cargo.toml.
    let unix = std::env::var_os("CARGO_CFG_UNIX").is_some();
    let feature = std::env::var_os("CARGO_FEATURE_NATIVE").is_some();
    if feature && unix && is("CARGO_CFG_TARGET_ARCH", &["x86_64", "aarch64"]) {
        println!("cargo::rustc-cfg=planish_native");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
