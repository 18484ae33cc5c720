//! The function that the build script has made draws the picture of the evaluator, and of a device.

use build_shader::{SPIRV, WGSL, difference, draw};
use planish::eval::shade::draw as evaluate;

#[path = "../src/options.rs"]
mod options;
use options::options;

const SIZE: [u32; 2] = [80, 45];

/// From the source, and from each of the files that the build script has written.
#[test]
fn the_function_draws_the_evaluators_picture() {
    let mut compiler = planish::Compiler::default();
    let source = compiler.compile("rings.wgsl", include_str!("../src/rings.wgsl")).module.expect("valid");
    let wgsl = compiler.compile("written.wgsl", WGSL).module.expect("valid");
    let spirv: Vec<u8> = SPIRV.iter().flat_map(|word| word.to_le_bytes()).collect();
    let spirv = compiler.compile("written.spv", spirv).module.expect("valid");
    for time in [0.0, 2.75] {
        let picture = draw(SIZE, time);
        let expected = evaluate(&source, &options(SIZE, time)).expect("it is drawn").float;
        assert_eq!(picture, expected, "{time}");
        for module in [&wgsl, &spirv] {
            let expected = evaluate(module, &options(SIZE, time)).expect("it is drawn").float;
            assert!(difference(&picture, &expected) < 1e-5, "{time}");
        }
    }
    assert!(difference(&draw(SIZE, 0.0), &draw(SIZE, 2.75)) > 0.1, "it moves");
}

#[cfg(feature = "gpu")]
#[test]
fn a_device_draws_the_same_picture() {
    let name = std::env::var("PLANISH_GPU").unwrap_or_else(|_| "llvmpipe".into());
    match build_shader::draw_on_device(Some(&name), SIZE, 2.75) {
        Ok(picture) => {
            let most = difference(&picture, &draw(SIZE, 2.75));
            assert!(most < 1e-3, "{most}");
        }
        Err(why) => {
            assert!(std::env::var_os("CI").is_none(), "CI has a software device, but {why}");
            eprintln!("SKIPPED: {why}");
        }
    }
}
