//! The `cargo xtask` command: selects the chore and its options.

use std::process::ExitCode;

use xtask::{
    Failure, bless, bundler, c, c_library, conformance, datafusion, directions, dist, elementary, features, gpu, hlsl,
    materialx, miri, msl, nested, npm, optimizer, package, pages, python, rust, semver, tidy, tint, types, wasi, wasm,
    window, workloads,
};

const USAGE: &str = "\
Chores of the repository.

Usage: cargo xtask CHORE [OPTIONS]

  tidy                     check the repository's own invariants
  bundler                  build the package for JavaScript and the plugin for bundlers, and use both in builds of Vite, Rollup, webpack and
                           esbuild, in a development server, and in pages with WebGPU: three.js, a document of Shadertoy
  c                        compile what C out writes by gcc and clang, without warnings, and run it with sanitizers: every op,
                           shaders, random programs, the official WebAssembly suite; `--compiler NAME` by one of them, `--whole` all
                           programs
  c-library                build the library for C, shared and static, with its header; programs in C and C++ use it, with sanitizers
      --out-dir DIR        where it is put (default: target/c-library)
      --no-check           only build it
  conformance              compile the shaders of real packages, and write docs/conformance.md
      --only PACKAGE       this package only (may be given several times); the document is left alone
      --harvest-only       stop when the corpus stands in target/conformance/programs
      --fresh              harvest again, even if the scripts have not changed
      --jobs N             threads and processes at a time (default: the number of cores)
      --sample N           every package cut down to at most N programs; the document is left alone
  rust                     compile what Rust out writes without warnings, and run it: every op, shaders, random programs, the official
                           WebAssembly suite; `--suite` the suite only
  semver                   compare the interfaces of the published libraries with those of the last version, by cargo-semver-checks
      --baseline REV       with those of this revision of git
      --only CRATE         this library only (may be given several times)
  datafusion               build and test bindings/datafusion: functions of SQL in DataFusion, and on a Ballista cluster of processes
  directions               write the shaders of the repository as GLSL, WGSL, SPIR-V, MSL and HLSL, given as GLSL, WGSL and SPIR-V; the
                           targets' tools read them. No cell of docs/directions.md may get worse
      --bless              write docs/directions.md
      --only NAME          only shaders with this in their names
      --sample N           at most N shaders
  dist                     build the command for those without Rust: an archive with a static program, and a package of Debian
  elementary               compare the elementary functions of lanes with the exact ones on every f32 (minutes for each)
      --only NAME          only this function, as in sin (may be given several times)
      --every N            one in N chunks of 65,536 numbers
      --jobs N             threads (default: the number of cores)
  gpu                      compare the evaluator with a software GPU, and write docs/gpu.md; of examples/flatten the GPU
                           draws the flat twins as well
      --only NAME          only shaders with this in their names (may be given several times)
      --staged             only tests of staged functions on the GPU, which the whole check runs, too
      --time N             measure one shader in N: frames of 1024 x 768 on lanes, the evaluator, the GPU and SwiftShader
      --write DIR          keep the pictures: NAME.png of the evaluator, NAME.gpu.png, NAME.flat.gpu.png, NAME.fast.gpu.png
  optimize                 look over the corpus whether the optimizer keeps the meaning, and leaves nothing to do
      --only NAME          only programs with this in their names (may be given several times)
      --sample N           every package cut down to at most N programs
      --seeds N            orders of work besides the usual one (default: 3)
      --jobs N             threads at a time (default: the number of cores)
  size                     compare what the optimizer leaves with what spirv-opt leaves
      --bless              write docs/size.md
      --time               measure the time instead, process by process
      --show NAME          listings of both sides in target/conformance/size/show
      --only, --sample, --jobs   as above
  wgsl-size                compare bytes of WGSL with naga's writer and with wgsl-minifier
      --bless              write docs/size-wgsl.md
      --only, --sample, --jobs   as above
  spirv                    read what glslang and spirv-opt write of the corpus, write it again, and compare
      --bless              write docs/spirv-corpus.md
      --only, --sample, --jobs   as above
  flatten                  flatten the fragment shaders of the corpus, and compare with spirv-opt's if-conversion
      --bless              write docs/flattening-corpus.md
      --only, --sample, --jobs   as above
  matrix                   compile every input of the repository and a sample of the corpus to every target at every level,
                           and under drawn options: no panic, no internal error, nothing slow or large, every error with a place
      --only NAME          only inputs with this in their names (may be given several times)
      --sample N           at most N programs of each package of the corpus (default: 20; 0: none)
      --draws N            drawn settings for each input (default: 4)
      --seed N             another draw
      --jobs N             processes at a time (default: the number of cores)
  miri                     run the tests of unsafe code in Miri (a nightly toolchain with it)
  msl                      give the Metal of all examples, and of a part of the corpus, to clang with a header of ours for the
                           library; run functions in it beside the evaluator; compare its size with SPIRV-Cross
  nested                   time and memory of every stage on programs that are one construct in itself, n, 10n and 100n times:
                           what grows faster than the program, or does not end well
      --size N             the smallest n (default: 1000)
      --only NAME          only programs with this in their names
      --all                every stage
  npm                      build the package for JavaScript, install it in an empty folder, and run its tests in Node.js, TypeScript and
                           Chromium; compare its outputs with the command's
      --no-check           only build it: target/npm/planish-VERSION.tgz
      --sample N           at most N programs of each package of the corpus (default: 8)
      --all                all of them, and 100,000 compilations that leave no memory behind (default: 10,000)
      --time               measure sizes and times beside the native command and naga's module
  features                 the library with every combination of its features: compiles, and refuses what is left out
  package                  pack the crates that are published, check their contents and sizes, and build and run a user's program and the
                           command from the packages alone
  pages                    open the page of `--emit=alloc` in headless Chromium, and check that everything is where it should be
  python                   build the wheel for Python, install it in an environment of its own, and run its tests, types and notebook
  materialx                let the validator of MaterialX read the documents of all examples
  hlsl                     give the HLSL of the same shaders to glslang and to Slang's compiler
  tint                     give the WGSL of all examples, and of a part of the corpus, to the compiler of browsers: modules and pipelines
  types                    let the TypeScript compiler read the declarations of all examples, beside programs that use them
  wasi                     build programs in C and Rust for WASI (clang with wasi-libc; target wasm32-wasip1), and run them
  wasm                     translate, verify and run real WebAssembly modules: sqlite, esbuild, codecs of pictures, tree-sitter
      --only NAME          only modules with this in their names
      --level LEVEL        -O0 and this level (default: 2)
      --release            with the optimized compiler: its times are those of users
  window                   use the window of `planish run --window` on a virtual display: mouse, keys, resizing, errors, saving
  workloads                make examples/wasm/*.wat and the table of their sums, by clang, lld and wabt
  bless [CRATE…]           run the tests and rewrite the expected texts that differ

Exit: 0 done, 1 something does not hold, 2 wrong usage or a missing tool.
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.split_first() {
        Some((chore, rest)) => match chore.as_str() {
            "tidy" if rest.is_empty() => tidy::run(),
            "conformance" => conformance::Options::parse(rest).and_then(|options| conformance::run(&options)),
            "bundler" if rest.is_empty() => bundler::run(),
            "c" => c::run(rest),
            "c-library" => c_library::run(rest),
            "rust" => rust::run(rest),
            "semver" => semver::run(rest),
            "datafusion" if rest.is_empty() => datafusion::run(),
            "directions" => directions::run(rest),
            "dist" if rest.is_empty() => dist::run(),
            "gpu" => gpu::run(rest),
            "wasi" if rest.is_empty() => wasi::run(),
            "elementary" => elementary::run(rest),
            "features" if rest.is_empty() => features::run(),
            "package" if rest.is_empty() => package::run(),
            "pages" if rest.is_empty() => pages::run(),
            "python" if rest.is_empty() => python::run(),
            "hlsl" if rest.is_empty() => hlsl::run(),
            "tint" if rest.is_empty() => tint::run(),
            "msl" if rest.is_empty() => msl::run(),
            "types" if rest.is_empty() => types::run(),
            "materialx" if rest.is_empty() => materialx::run(),
            "size" => optimizer::run("size", rest),
            "wgsl-size" => optimizer::run("wgsl", rest),
            "spirv" => optimizer::run("spirv", rest),
            "optimize" => optimizer::run("meaning", rest),
            "flatten" => optimizer::run("flatten", rest),
            "matrix" => optimizer::matrix(rest),
            "miri" if rest.is_empty() => miri::run(),
            "nested" => nested::run(rest),
            "npm" => npm::run(rest),
            "wasm" => wasm::run(rest),
            "window" if rest.is_empty() => window::run(),
            "workloads" if rest.is_empty() => workloads::run(),
            "bless" => bless::run(rest),
            "help" | "-h" | "--help" => {
                print!("{USAGE}");
                Ok(())
            }
            _ => Err(Failure::Usage(format!("`{}` is not a chore, or takes no such argument", args.join(" ")))),
        },
        None => Err(Failure::Usage("which chore?".into())),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(why)) => {
            eprintln!("error: {why}\n\n{USAGE}");
            ExitCode::from(2)
        }
        Err(Failure::Missing(what)) => {
            eprintln!("error: {what}");
            ExitCode::from(2)
        }
        Err(Failure::Broken(what)) => {
            eprintln!("error: {what}");
            ExitCode::FAILURE
        }
    }
}
