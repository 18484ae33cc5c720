//! Checks of the optimizer, over the corpus of real shaders: `size` compares its output with spirv-opt's for the same
//! shaders, `meaning` checks that it preserves the meaning, `flatten` checks the shaders' flat twins, `wgsl` compares
//! bytes of WGSL, `spirv` reads what other compilers write of them.
//!
//! Started by `cargo xtask size`, `optimize`, `flatten`, `wgsl-size` and `spirv`.

mod flat;
mod meaning;
mod options;
mod size;
mod spirv;
mod subject;
mod wgsl;

use std::process::ExitCode;

use xtask::Failure;

use options::Options;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (check, rest) = args.split_first().map_or(("", &[][..]), |(check, rest)| (check.as_str(), rest));
    let result = Options::parse(rest).and_then(|options| match check {
        "size" => size::run(&options),
        "meaning" => meaning::run(&options),
        "flatten" => flat::run(&options),
        "wgsl" => wgsl::run(&options),
        "spirv" => spirv::run(&options),
        _ => Err(Failure::Usage(format!("there is no check `{check}`"))),
    });
    Failure::exit_code(result)
}
