//! The command line's grammar.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use planish::module::Stage;
use planish::{INPUTS, TARGETS};

use crate::files::Output;
use crate::limits;

/// Hammers programs flat: compiles shaders to what their next tool accepts.
#[derive(Parser, Debug)]
#[command(name = "planish", version, about, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Format of messages
    #[arg(long, global = true, value_enum, default_value_t = Format::Human, value_name = "FORMAT")]
    pub(crate) message_format: Format,
    /// Show these warnings: names, codes or `all`. A warning that is named is treated as it says, whatever holds for all
    #[arg(long, global = true, value_name = "NAME,…", value_delimiter = ',', help_heading = "Warnings")]
    pub(crate) warn: Vec<String>,
    /// Do not show these warnings: names, as `unused-variable`, codes, as `W0101`, or `all`
    #[arg(long, global = true, value_name = "NAME,…", value_delimiter = ',', help_heading = "Warnings")]
    pub(crate) allow: Vec<String>,
    /// Make these warnings errors: names, codes or `all`
    #[arg(long, global = true, value_name = "NAME,…", value_delimiter = ',', help_heading = "Warnings")]
    pub(crate) deny: Vec<String>,
    /// Colours in messages and pages
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Compile a program to one or more targets
    Compile(Compile),
    /// Run a program; draw a shader, in a window if that is asked for
    Run(Run),
    /// Check programs and print what is wrong
    Check(Check),
    /// Print the IR of a program
    Print(Print),
    /// Make a program smaller for as long as a command succeeds, to find what makes it do so
    Reduce(Reduce),
    /// Enter programs in VL piece by piece, and see their values
    Repl(Repl),
    /// List the input languages and the targets
    Targets,
    /// List the optimization levels, the passes, and their limits
    Passes,
    /// Explain a diagnostic code such as E0301
    Explain {
        /// The code
        code: String,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write manual pages, as `man` shows them
    Man(ManPages),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Format {
    /// Several lines, with the source
    Human,
    /// One line each
    Short,
    /// One JSON object a line
    Json,
    /// One document in SARIF 2.1.0 at the end, without remarks, counts and times
    Sarif,
    /// Workflow commands of GitHub Actions, which annotate lines
    Github,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Color {
    /// If they go to a terminal
    Auto,
    /// Yes
    Always,
    /// No
    Never,
}

/// Options of every command that reads a program.
#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
pub(crate) struct Input {
    #[arg(long, value_name = "LANGUAGE", help = languages())]
    pub(crate) from: Option<String>,
    /// Name of standard input: messages show it, its extension selects language and stage, and its folder is that of its includes
    #[arg(long, value_name = "FILE")]
    pub(crate) stdin_name: Option<String>,
    /// Stage of a GLSL shader [default: by extension, then by content]
    #[arg(long, value_parser = stages(), value_name = "STAGE")]
    pub(crate) stage: Option<Stage>,
    /// Define a macro before the first line
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    pub(crate) defines: Vec<String>,
    /// Directory searched by `#include`, after the including file's own
    #[arg(short = 'I', long = "include-path", value_name = "DIR")]
    pub(crate) include_paths: Vec<PathBuf>,
    /// GLSL that is read before the program, after `#version` and `#extension`: a file, or one of those that are there, three (what
    /// three.js declares for a ShaderMaterial) and shadertoy; or WGSL for a program in it, FILE.wgsl. May be given several times
    #[arg(long = "prelude", value_name = "FILE|NAME")]
    pub(crate) preludes: Vec<PathBuf>,
    /// Hold the restrictions of WebGL; with a version also its least limits of uniforms and varyings
    #[arg(long, value_name = "VERSION", num_args = 0..=1, require_equals = true, default_missing_value = "any")]
    pub(crate) webgl: Option<WebGlVersion>,
    /// Version of a GLSL shader without #version, as `300es` or `450`
    #[arg(long, value_name = "VERSION")]
    pub(crate) default_version: Option<String>,
    /// Final value of a specialization constant (GLSL and SPIR-V) or of an override (WGSL): its name or number, and a number, `true` or
    /// `false`. May be given several times
    #[arg(long = "override", value_name = "NAME=VALUE")]
    pub(crate) overrides: Vec<String>,
    /// A function that the target provides: calls of it stay, and it needs no body. Its result depends on its arguments
    /// only; a barrier is called for each pixel even if they are uniform
    #[arg(long = "leaf", value_name = "FUNCTION[:barrier]", help_heading = "Flattening")]
    pub(crate) leaves: Vec<String>,
}

/// The stages that a program in GLSL may be of, by their names or by the ends of the names of their files.
fn stages() -> impl TypedValueParser<Value = Stage> {
    let of_glsl = || Stage::ALL.into_iter().filter(|stage| stage.file_extension().is_some());
    let values = of_glsl().map(|stage| PossibleValue::new(stage.name()).aliases(stage.file_extension()));
    PossibleValuesParser::new(values).map(move |text| {
        let is_it = |stage: &Stage| stage.name() == text || stage.file_extension() == Some(&text);
        of_glsl().find(is_it).expect("it is one of the values")
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum WebGlVersion {
    /// That of the shader's own version, without limits
    Any,
    /// WebGL 1
    #[value(name = "1")]
    One,
    /// WebGL 2
    #[value(name = "2")]
    Two,
}

/// Optimization options, and options that report on the optimizer.
#[derive(Args, Debug)]
#[command(next_help_heading = "Optimization")]
pub(crate) struct Passes {
    /// Optimization level: 0 changes nothing, 1 does what every target needs, 2 optimizes for speed, s for size; see
    /// `planish passes`
    #[arg(short = 'O', value_name = "LEVEL", default_value = "1")]
    pub(crate) level: String,
    /// Run these passes instead, in this order
    #[arg(long, value_name = "PASS,…", value_delimiter = ',')]
    pub(crate) passes: Option<Vec<String>>,
    /// Let float values change by the laws of real numbers
    #[arg(long, overrides_with = "no_fast_math")]
    pub(crate) fast_math: bool,
    /// Keep float values to the bit (the default)
    #[arg(long, overrides_with = "fast_math")]
    pub(crate) no_fast_math: bool,
    /// Inline every call that can be, whatever it costs
    #[arg(long)]
    pub(crate) inline_all: bool,
    /// Run several iterations of a loop at once where they are independent, on 128-bit values
    #[arg(long)]
    pub(crate) vectorize: bool,
    /// Write functions without branches, loops and calls: all entry points, or the functions that are named
    #[arg(long, value_name = "FUNCTION,…", num_args = 0..=1, require_equals = true, default_missing_value = "",
        value_delimiter = ',', help_heading = "Flattening")]
    pub(crate) flatten: Option<Vec<String>>,
    /// Report on standard error the users of each node of a flat function, and their number
    #[arg(long, help_heading = "Flattening")]
    pub(crate) log_cse: bool,
    /// Expand `mix`, for a target that has no such instruction
    #[arg(long, help_heading = "Flattening")]
    pub(crate) expand_lerp: bool,
    /// The fused operations of the target, of mad, lerp, dot, hadd, hmin and hmax; pack if one on a vector costs no more than one
    /// on a scalar [default: all in a graph, else dot]
    #[arg(long, value_name = "OP,…", value_delimiter = ',', help_heading = "Flattening")]
    pub(crate) fused: Option<Vec<String>>,
    /// The ops that a graph may hold, by name, or a file of names: `--ops=add,mul,min,max,dot,select`; `materialx` for those of its library.
    /// Other ops are expanded
    #[arg(long, value_name = "OP,…|FILE", help_heading = "Flattening")]
    pub(crate) ops: Option<String>,
    /// A bound of the optimizer, as `unroll_iterations=8`; `planish passes` lists them
    #[arg(long = "limit", value_name = "NAME=VALUE")]
    pub(crate) limits: Vec<String>,
    /// Seed of work lists and heuristics: no seed may change the meaning
    #[arg(long, value_name = "N", default_value_t = 0, hide = true)]
    pub(crate) chaos_seed: u64,
    /// Report what the passes did and could not do: all of it, or only these kinds (passed, missed, limit) or passes
    #[arg(long, value_name = "KIND|PASS,…", num_args = 0..=1, require_equals = true, default_missing_value = "all",
        value_delimiter = ',')]
    pub(crate) remarks: Option<Vec<String>>,
    /// Write the remarks as LLVM's optimization records, in YAML
    #[arg(long, value_name = "FILE")]
    pub(crate) remarks_yaml: Option<PathBuf>,
    /// Say how often each pass did what
    #[arg(long)]
    pub(crate) stats: bool,
    /// Say how long reading, each pass and writing took
    #[arg(long)]
    pub(crate) time_passes: bool,
}

impl Passes {
    /// The files that are written besides the results.
    pub(crate) fn outputs(&self) -> Option<Output> {
        self.remarks_yaml.as_ref().map(|file| Output::new("the remarks", Some(file)))
    }
}

#[derive(Args, Debug)]
pub(crate) struct Compile {
    /// The program; `-` is standard input. Several files are the stages of one program, whose varyings get the same locations, but
    /// with --out-dir each is a program of its own
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Output file; its extension selects the target. May be given several times: one program to several targets, or
    /// several files, one output each
    #[arg(short, long = "output", value_name = "FILE")]
    pub(crate) outputs: Vec<PathBuf>,
    #[arg(long, value_name = "TARGET,…", value_delimiter = ',', help = targets())]
    pub(crate) emit: Vec<String>,
    /// Write the files that were read, as Make and Ninja take dependencies
    #[arg(long, value_name = "FILE")]
    pub(crate) depfile: Option<PathBuf>,
    /// Compile many programs, on all cores, each to all targets: FILE to DIR/FILE.EXTENSION, for example `sky.frag` to
    /// `DIR/sky.frag.wgsl`. Folders below the one that all files are in are made in DIR too. What compiles is written; the exit
    /// status is 1 if a program has errors
    #[arg(long, value_name = "DIR", conflicts_with = "outputs", help_heading = "Many programs")]
    pub(crate) out_dir: Option<PathBuf>,
    /// The folder whose tree DIR has [default: the one that all files are in]. It keeps the names when files are added
    #[arg(long, value_name = "DIR", requires = "out_dir", help_heading = "Many programs")]
    pub(crate) out_base: Option<PathBuf>,
    /// Files of one folder and name, such as `sky.vert` and `sky.frag`, are the stages of one program
    #[arg(long, requires = "out_dir", help_heading = "Many programs")]
    pub(crate) group_stages: bool,
    /// Compile each program for every combination of the values of macros and specialization constants that a file in TOML lists, on all
    /// cores. Equal results are stored once; `DIR/FILE.variants.json` has the files of each combination
    #[arg(long, value_name = "FILE", requires = "out_dir", help_heading = "Many programs",
        conflicts_with_all = ["watch", "verify", "log_cse", "remarks", "remarks_yaml", "stats", "time_passes"])]
    pub(crate) variants: Option<PathBuf>,
    /// With --variants: take results from a folder or an HTTP cache (`http://HOST/PATH`, as build systems have), and keep them there
    #[arg(long, value_name = "DIR|URL", requires = "variants", help_heading = "Many programs")]
    pub(crate) cache: Option<String>,
    /// Compile again whenever one of the files changes that were read, until it is interrupted. Errors do not end it
    #[arg(long)]
    pub(crate) watch: bool,
    /// Number of threads [default: one for each core]. The results are the same
    #[arg(short, long, value_name = "N", help_heading = "Many programs")]
    pub(crate) jobs: Option<NonZero<usize>>,
    /// Version of GLSL output, as `300es` or `450` [default: that of the input]
    #[arg(long, value_name = "VERSION")]
    pub(crate) glsl_version: Option<String>,
    /// Short names and no spaces (GLSL, WGSL, MSL, HLSL); no names (WebAssembly)
    #[arg(long)]
    pub(crate) minify: bool,
    /// Keep the comments of functions, structs and variables (GLSL, WGSL, MSL, HLSL, C, Rust)
    #[arg(long)]
    pub(crate) comments: bool,
    /// GLSL for Vulkan: sets and bindings, no loose uniforms (with --glsl-version 450 or 460)
    #[arg(long)]
    pub(crate) vulkan: bool,
    /// Default value of a uniform, in place of that of the source: numbers separated by commas. May be given several times (graphs)
    #[arg(long = "uniform", value_name = "NAME=VALUE,…")]
    pub(crate) defaults: Vec<String>,
    /// A uniform is a colour, as a comment `@color` on the line of its declaration says too. May be given several times (graphs)
    #[arg(long = "hint", value_name = "NAME=color")]
    pub(crate) hints: Vec<String>,
    /// Negate the y of gl_Position (WGSL, SPIR-V, MSL, HLSL)
    #[arg(long)]
    pub(crate) flip_y: bool,
    /// Count rows of fragments from the top, as devices do: gl_FragCoord.y becomes the height less it, and dFdy changes its sign. HEIGHT
    /// is a number, a float in a uniform (`resolution.y`), or the name of a uniform to add (shading languages)
    #[arg(long, value_name = "HEIGHT", value_parser = str::parse::<planish::FrameHeight>)]
    pub(crate) flip_frag_coord: Option<planish::FrameHeight>,
    /// Map depth from OpenGL's range -w..w to 0..w (WGSL, SPIR-V, MSL, HLSL)
    #[arg(long)]
    pub(crate) adjust_depth: bool,
    /// Group (descriptor set) of resources whose declaration gives none [default: 1 for fragment shaders, else 0; one block for the
    /// uniforms that several stages share is in 0] (WGSL, SPIR-V, MSL, HLSL)
    #[arg(long, value_name = "N")]
    pub(crate) group: Option<u32>,
    /// Group and binding of a resource by the name that --emit=reflect gives it: `albedo=0:3`, `albedo_sampler=0:4`,
    /// `planish_uniforms=1:0`. May be given several times (WGSL, SPIR-V, MSL, HLSL)
    #[arg(long = "bind", value_name = "NAME=GROUP:BINDING", value_parser = planish::parse_place)]
    pub(crate) bindings: Vec<(String, (u32, u32))>,
    /// Location of a varying or attribute whose declaration gives none, by name: `position=0`. May be given several times (WGSL,
    /// SPIR-V, MSL, HLSL)
    #[arg(long = "location", value_name = "NAME=N", value_parser = planish::parse_location)]
    pub(crate) locations: Vec<(String, u32)>,
    /// Version of SPIR-V output, 1.0 to 1.6 [default: 1.3]
    #[arg(long, value_name = "VERSION")]
    pub(crate) spirv_version: Option<String>,
    /// Version of MSL output, 2.0 to 3.2 [default: 2.4]
    #[arg(long, value_name = "VERSION")]
    pub(crate) msl_version: Option<String>,
    /// Metal's number of a buffer, texture or sampler, by its name in the reflection; may be repeated (MSL)
    #[arg(long, value_name = "NAME=NUMBER")]
    pub(crate) msl_index: Vec<String>,
    /// Make the resources of each group members of one argument buffer, `group_0` and so on (MSL)
    #[arg(long)]
    pub(crate) msl_argument_buffers: bool,
    /// Shader model of HLSL output, 5.0 to 6.6 [default: 6.0]
    #[arg(long, value_name = "VERSION")]
    pub(crate) shader_model: Option<String>,
    /// Put the source and the lines of its instructions into the output (SPIR-V), the lines of its nodes (graphs); keep names
    /// at -Os (WebAssembly)
    #[arg(long)]
    pub(crate) debug_info: bool,
    /// Processor and system of object files, as in `aarch64-unknown-linux-gnu` [default: those of this machine]
    #[arg(long, value_name = "TRIPLE")]
    pub(crate) target: Option<String>,
    /// First part of the names in an object file, or in C, followed by `_`; may be empty [default: the output file's name]
    #[arg(long, value_name = "NAME")]
    pub(crate) prefix: Option<String>,
    /// Invocations in a batch of the shaders in an object file: 4, 8 or 16 [default: 8, or functions of one invocation for shaders
    /// that run alone]
    #[arg(long, value_name = "N", value_parser = planish::parse_lanes)]
    pub(crate) lanes: Option<u8>,
    /// Let shaders in batches compute elementary functions (sin, pow, …) on all lanes at once, within a few units in the last place
    /// (object files)
    #[arg(long)]
    pub(crate) approximate: bool,
    /// Check that the machine's code has every value at its uses (asm, alloc)
    #[arg(long)]
    pub(crate) verify: bool,
    #[command(flatten)]
    pub(crate) passes: Passes,
    #[command(flatten)]
    pub(crate) input: Input,
}

#[derive(Args, Debug)]
pub(crate) struct Run {
    /// The shader or program; `-` is standard input
    pub(crate) file: PathBuf,
    /// The picture to write (PNG); of a compute shader all buffers (JSON), or the bytes of one (any other extension)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The output to draw, if the shader has several: its name, with an index if it is an array; the buffer to write
    #[arg(long, value_name = "NAME")]
    pub(crate) target: Option<String>,
    /// Size of the picture in pixels
    #[arg(long, value_name = "WxH", default_value = "512x512")]
    pub(crate) size: String,
    /// Seconds since the beginning, for time uniforms
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
    pub(crate) time: f32,
    /// Draw these frames, FIRST..END without END: to an animated PNG, or to a file each, as -o out%04d.png. Time uniforms
    /// advance by 1 / fps, frame numbers by 1
    #[arg(long, value_name = "FIRST..END")]
    pub(crate) frames: Option<String>,
    /// Frames in a second [default: 60]
    #[arg(long, value_name = "N")]
    pub(crate) fps: Option<f32>,
    /// Samples of each pixel, each shaded: 1, or 4 at the standard places, of which the pixel is the mean
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = samples)]
    pub(crate) samples: u8,
    /// Engine that runs the program [default: native where the host has it, else vm, or eval for shaders]. What native and vm cannot
    /// run of shaders, eval does
    #[arg(long, value_enum)]
    pub(crate) engine: Option<EngineName>,
    /// Keep machine code in this directory, which its owner alone may write to, and take it from there in later runs
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,
    /// Invocations of a shader that native and vm run at a time: 4, 8 or 16 [default: 8; 16 as machine code with vectors of 256 bits, for 2^20 pixels and more]
    #[arg(long, value_name = "N", value_parser = planish::parse_lanes)]
    pub(crate) lanes: Option<u8>,
    /// Let native compute elementary functions (sin, pow, …) of shaders as eval and vm do, bit for bit; without it, on all lanes at
    /// once, within a few units in the last place
    #[arg(long)]
    pub(crate) exact: bool,
    /// Draw on a device (Vulkan, Metal, Direct3D 12 or OpenGL), or on the one whose name contains NAME; run a compute shader there. Needs
    /// a build with the feature `gpu`
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "", conflicts_with = "engine")]
    pub(crate) gpu: Option<String>,
    /// With --gpu: draw on the CPU too, and report how much the pictures differ. Exit status 1 if fewer than 99.9 % of the pixels
    /// are within 1/255
    #[arg(long, requires = "gpu")]
    pub(crate) compare: bool,
    /// Print the value of one pixel, counted from the upper left, on the evaluator
    #[arg(long, value_name = "X,Y", value_parser = crate::trace::pixel, help_heading = "Looking for mistakes",
        conflicts_with_all = ["gpu", "frames", "window", "engine", "invoke", "heat"])]
    pub(crate) pixel: Option<[u32; 2]>,
    /// With --pixel: print what it does before, with the lines of the source: values that are stored, conditions, calls and their results,
    /// textures
    #[arg(long, requires = "pixel", help_heading = "Looking for mistakes")]
    pub(crate) trace: bool,
    /// Draw the cost of each pixel instead: the number of nodes of the IR that it executes, from black to white
    #[arg(long, help_heading = "Looking for mistakes", conflicts_with_all = ["gpu", "frames", "window", "engine", "invoke"])]
    pub(crate) heat: bool,
    /// Show the picture in a window, drawn again and again as time passes and whenever the program is saved. Escape closes it, space
    /// pauses, r restarts the time, s saves a picture (to -o FILE, or beside the program). Needs a build with the feature `window`
    #[arg(long, conflicts_with_all = ["frames", "compare"])]
    pub(crate) window: bool,
    /// Stop the program after this many instructions, about; a shader, when a batch of its invocations, which run together, has taken this
    /// many for each batch [default: no limit, of shaders 50,000,000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "gpu", help_heading = "Limits")]
    pub(crate) fuel: Option<u64>,
    /// Stop the program after this time, which begins when it is compiled to IR and optimized
    #[arg(long, value_name = "SECONDS", value_parser = limits::seconds, conflicts_with_all = ["gpu", "window"], help_heading = "Limits")]
    pub(crate) timeout: Option<Duration>,
    /// Bytes that each memory and table of a program may have, and its stack of calls, as 65536, 64KiB, 16MiB or 1GiB; of a shader the
    /// memory of each thread [default: what a WebAssembly program may ask for, 4 GiB; of shaders 1 GiB]
    #[arg(long, value_name = "BYTES", value_parser = limits::bytes, conflicts_with = "gpu", help_heading = "Limits")]
    pub(crate) memory_limit: Option<u64>,
    /// Value of a uniform: numbers separated by commas; -D does the same if there is a uniform of the name
    #[arg(long = "uniform", short = 'U', value_name = "NAME=VALUE,…")]
    pub(crate) uniforms: Vec<String>,
    /// Call this function instead, with the arguments that follow, and print its results
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) invoke: Option<String>,
    /// Arguments of the function, a vector's components separated by commas (after `--`, if the first is negative); or
    /// of a WebAssembly program
    #[arg(allow_negative_numbers = true)]
    pub(crate) arguments: Vec<String>,
    /// Work groups of a compute shader along each axis
    #[arg(long, value_name = "X,Y,Z", default_value = "1")]
    pub(crate) groups: String,
    /// Contents of a storage buffer: numbers with commas between them, or @FILE with JSON or bytes; of all: @FILE.json
    #[arg(long = "buffer", value_name = "NAME=NUMBERS", allow_hyphen_values = true)]
    pub(crate) buffers: Vec<String>,
    /// Picture (PNG) of a texture
    #[arg(long = "texture", value_name = "NAME=FILE.png")]
    pub(crate) textures: Vec<String>,
    /// A directory that a WebAssembly program may use, and its name for the program [default: the same]
    #[arg(long = "dir", value_name = "HOST[::GUEST]", help_heading = "WebAssembly programs")]
    pub(crate) dirs: Vec<String>,
    /// A variable of the environment for a WebAssembly program; without a value, the command's own
    #[arg(long, value_name = "NAME[=VALUE]", help_heading = "WebAssembly programs")]
    pub(crate) env: Vec<String>,
    /// First check that the virtual machine's code has every value at its uses
    #[arg(long, help_heading = "WebAssembly programs")]
    pub(crate) verify: bool,
    #[command(flatten)]
    pub(crate) passes: Passes,
    #[command(flatten)]
    pub(crate) input: Input,
}

/// An engine, for `--engine`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum EngineName {
    /// Machine code of the processor, compiled before the program starts
    Native,
    /// The virtual machine, until other threads have compiled machine code; for shaders as native
    Tiered,
    /// The virtual machine
    Vm,
    /// The evaluator, the reference; for shaders
    Eval,
}

#[derive(Args, Debug)]
pub(crate) struct Reduce {
    /// The program: a text in any language, WebAssembly or SPIR-V
    pub(crate) file: PathBuf,
    /// The command for `sh` that succeeds (status 0) for what is to be kept. `{}` in it, or `$1`, is the path of the candidate, a file with
    /// the name of the program in a folder of its own; if it has neither, the path is its last argument
    #[arg(long = "while", value_name = "COMMAND")]
    pub(crate) command: String,
    /// The smallest program so far [default: beside the program, `x.reduced.frag` for `x.frag`]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct ManPages {
    /// The folder of the pages, which is made if it is not there
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct Repl {
    /// Programs whose definitions are loaded at the start
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) passes: Passes,
    #[command(flatten)]
    pub(crate) input: Input,
}

#[derive(Args, Debug)]
pub(crate) struct Check {
    /// The programs; `-` is standard input
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Number of threads [default: one for each core]
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZero<usize>>,
    /// Warnings are errors
    #[arg(long)]
    pub(crate) deny_warnings: bool,
    #[command(flatten)]
    pub(crate) input: Input,
}

#[derive(Args, Debug)]
pub(crate) struct Print {
    /// The program; `-` is standard input
    pub(crate) file: PathBuf,
    /// As a listing for people
    #[arg(long)]
    pub(crate) dump: bool,
    /// After this pass; if it runs more than once, PASS is the last run and PASS:2 the second
    #[arg(long, value_name = "PASS", conflicts_with_all = ["after_all", "changed"])]
    pub(crate) after: Option<String>,
    /// After every pass
    #[arg(long, conflicts_with = "changed")]
    pub(crate) after_all: bool,
    /// Before the first pass, and the changes of each pass, as a diff
    #[arg(long)]
    pub(crate) changed: bool,
    /// With the entry points widened to 4, 8 or 16 invocations
    #[arg(long, value_name = "N", value_parser = planish::parse_lanes, conflicts_with_all = ["after_all", "changed"])]
    pub(crate) lanes: Option<u8>,
    #[command(flatten)]
    pub(crate) passes: Passes,
    #[command(flatten)]
    pub(crate) input: Input,
}

fn samples(text: &str) -> Result<u8, String> {
    text.parse().ok().filter(|n| matches!(n, 1 | 4)).ok_or_else(|| "1 or 4 are possible".into())
}

fn languages() -> String {
    format!("Language of the input: {} [default: by extension, then by content]", names(INPUTS.iter().map(|i| i.name)))
}

fn targets() -> String {
    format!("Targets: {} [default: by the extension of each output]", names(TARGETS.iter().map(|t| t.name)))
}

fn names(names: impl Iterator<Item = &'static str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
