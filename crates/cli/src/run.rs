//! `planish run`: draws a fragment shader, prints the outputs of a vertex shader, runs a compute shader, calls a
//! function.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use planish::eval::shade::{DrawOptions, TextureBinding, VertexOptions, run_vertex};
use planish::eval::texture::{SamplerState, TextureData};
use planish::eval::{EvalValue, Evaluator, Limits};
use planish::ir::entity::{Func, Type};
use planish::ir::types::{Scalar, TypeKind};
use planish::lanes::run_vertex_on;
use planish::module::{Module, Stage};
use planish::source::{SourceMap, Span};
use planish::{Compiler, InputKind, parse_scalar};

use crate::Stop;
use crate::args::Run;
use crate::compute;
use crate::draw::{self, Shader};
use crate::engine;
use crate::files::{self, Output};
use crate::input::{self, Program};
use crate::limits;
use crate::optimize::Work;
use crate::output;
use crate::report::Reporter;
use crate::run_vl;
use crate::run_wasm;
use crate::values::show_scalar;

pub(crate) fn run(args: &Run, reporter: &Reporter) -> Result<(), Stop> {
    let outputs = outputs(args);
    files::check(files_read(args), &outputs)?;
    let Prepared { kind, map, module, answer, uniforms, mut work } = prepare(args, &outputs, reporter, &mut vec![])?;
    let is_program = kind == InputKind::Wasm || (kind == InputKind::Vl && args.output.is_none());
    if is_program && args.gpu.is_some() {
        return Err(Stop::usage("--gpu is for shaders, and for images in VL with -o FILE.png"));
    }
    let watchdog = limits::watch(args, reporter)?;
    let result = match kind {
        InputKind::Wasm => run_wasm::run(args, module, &map, reporter),
        InputKind::Vl if args.output.is_none() => {
            run_vl::run(args, module, &answer.unwrap_or_default(), &map, reporter)
        }
        _ => execute(args, Shader { module: &module, map: &map, reporter }, uniforms),
    };
    drop(watchdog);
    work.times.lap("run");
    work.report(&map, reporter)?;
    result
}

/// A program that is ready to run.
pub(crate) struct Prepared<'a> {
    kind: InputKind,
    pub(crate) map: SourceMap,
    pub(crate) module: Module,
    answer: Option<planish::vl::Answer>,
    /// Uniforms that `-D` sets.
    pub(crate) uniforms: Uniforms,
    work: Work<'a>,
}

/// Reads, compiles and optimizes the program, and shows its errors and warnings. The files that were read are added to `sources`.
pub(crate) fn prepare<'a>(
    args: &'a Run,
    outputs: &[Output],
    reporter: &Reporter,
    sources: &mut Vec<PathBuf>,
) -> Result<Prepared<'a>, Stop> {
    let mut work = Work::new(&args.passes, &args.input)?;
    let (program, uniforms) = read(args)?;
    let Program { compiler: Compiler { map, .. }, compilation, kind } = program;
    sources.extend(map.files().iter().map(|file| PathBuf::from(&*file.name)));
    files::check_sources(&map, outputs)?;
    work.times.lap("front end");
    reporter.show(&compilation.diagnostics, &map);
    if reporter.errors() > 0 {
        return Err(reporter.finish(false).err().unwrap_or(Stop::Errors));
    }
    let Some(mut module) = compilation.module else { return Err(reporter.finish(false).err().unwrap_or(Stop::Errors)) };
    work.optimizer.options.costs = engine::costs(args, &module);
    if let Err(diagnostics) = work.run(&mut module, &mut |_, _| {}) {
        reporter.show(&diagnostics, &map);
        return Err(reporter.finish(false).err().unwrap_or(Stop::Errors));
    }
    Ok(Prepared { kind, map, module, answer: compilation.answer, uniforms, work })
}

/// The files that are written.
pub(crate) fn outputs(args: &Run) -> Vec<Output> {
    let files: Vec<Option<PathBuf>> = match draw::files(args) {
        Some(files) => files.into_iter().map(Some).collect(),
        None => vec![args.output.clone()],
    };
    let outputs = files.iter().map(|file| Output::new("the output", file.as_deref()));
    outputs.chain(args.passes.outputs()).collect()
}

/// The files that the command line names to be read: the program, pictures, and contents of buffers.
fn files_read(args: &Run) -> impl Iterator<Item = &Path> {
    let textures = args.textures.iter().filter_map(|text| Some(text.split_once('=')?.1));
    let buffers = args.buffers.iter().filter_map(|text| {
        text.strip_prefix('@').or_else(|| text.split_once('=').and_then(|(_, value)| value.strip_prefix('@')))
    });
    [&*args.file].into_iter().chain(textures.chain(buffers).map(Path::new))
}

/// Runs the module as configured by the command line.
fn execute(args: &Run, shader: Shader<'_>, uniforms: Uniforms) -> Result<(), Stop> {
    let Shader { module, .. } = shader;
    if args.verify {
        return Err(Stop::usage("--verify checks the code of a WebAssembly program; leave it out to run a shader"));
    }
    if let Some(name) = &args.invoke {
        return invoke(args, shader, name);
    }
    if let Some(argument) = args.arguments.first() {
        return Err(Stop::usage(format!(
            "a shader has no arguments, such as `{argument}`; --invoke NAME calls a function"
        )));
    }
    let options = options(args, uniforms)?;
    if module.entry_point(Some(Stage::Fragment)).is_some() {
        draw::run(args, shader, &options)
    } else if let Some(what) = draw::options_of_pictures(args) {
        Err(Stop::usage(format!("{what} is for fragment shaders")))
    } else if module.entry_point(Some(Stage::Vertex)).is_some() {
        print_vertices(args, shader, options)
    } else if module.entry_point(Some(Stage::Compute)).is_some() {
        compute::run(args, shader, &options)
    } else {
        Err(Stop::usage("there is no shader to run; --invoke NAME calls a function"))
    }
}

/// Options of a drawing, from the command line.
pub(crate) fn options(args: &Run, uniforms: Uniforms) -> Result<DrawOptions<'static>, Stop> {
    let mut options = DrawOptions {
        size: draw::size(&args.size)?,
        time: args.time,
        uniforms,
        output: args.target.clone(),
        frame_rate: draw::frame_rate(args)?,
        limits: limits::of_evaluator(args, DrawOptions::default().limits),
        ..DrawOptions::default()
    };
    for text in &args.uniforms {
        let (name, value) = text.split_once('=').ok_or_else(|| Stop::usage(format!("`{text}` is not NAME=VALUE")))?;
        options.uniforms.push((name.into(), numbers(value).ok_or_else(|| not_numbers(text))?));
    }
    for text in &args.textures {
        options.textures.push(texture(text)?);
    }
    Ok(options)
}

/// Values of uniforms by name.
pub(crate) type Uniforms = Vec<(String, Vec<f64>)>;

/// Compiles the program. A `-D NAME=VALUE` sets the uniform of this name if there is one, and is a macro if there is not.
fn read(args: &Run) -> Result<(Program, Uniforms), Stop> {
    let (name, bytes) = input::read_bytes(&args.file, &args.input)?;
    let options = input::options(&args.input)?;
    if options.defines.is_empty() {
        return Ok((input::compile(&name, &bytes, options, &args.input)?, vec![]));
    }
    let mut plain = options.clone();
    plain.defines.clear();
    let first = input::compile(&name, &bytes, plain, &args.input)?;
    let is_uniform = |name: &str| {
        first.compilation.module.as_ref().is_some_and(|m| {
            m.vars.values().any(|v| &*v.name.text == name && v.space == planish::ir::types::AddressSpace::Uniform)
        })
    };
    let (uniforms, macros): (Vec<_>, Vec<_>) = options.defines.clone().into_iter().partition(|(n, _)| is_uniform(n));
    let values = uniforms
        .into_iter()
        .map(|(name, text)| Ok((name.clone(), numbers(&text).ok_or_else(|| not_numbers(&format!("{name}={text}")))?)))
        .collect::<Result<_, Stop>>()?;
    let program = if macros.is_empty() {
        first
    } else {
        input::compile(&name, &bytes, planish::Options { defines: macros, ..options }, &args.input)?
    };
    Ok((program, values))
}

fn not_numbers(text: &str) -> Stop {
    Stop::usage(format!("`{text}`: the value must be numbers with commas between them"))
}

/// `1,2.5,true`
fn numbers(text: &str) -> Option<Vec<f64>> {
    let number = |part: &str| match part.trim() {
        "true" => Some(1.0),
        "false" => Some(0.0),
        other => other.parse().ok(),
    };
    text.split(',').map(number).collect()
}

/// `NAME=FILE.png`
fn texture(text: &str) -> Result<TextureBinding, Stop> {
    let (name, file) = text.split_once('=').ok_or_else(|| Stop::usage(format!("`{text}` is not NAME=FILE.png")))?;
    let bad = |why: String| Stop::usage(format!("cannot read the picture {file}: {why}"));
    let data = std::fs::File::open(file).map_err(|e| bad(e.to_string()))?;
    let mut decoder = png::Decoder::new(std::io::BufReader::new(data));
    decoder.set_transformations(png::Transformations::ALPHA | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(|e| bad(e.to_string()))?;
    let len = reader.output_buffer_size().ok_or_else(|| bad("it is too large".into()))?;
    let mut bytes = vec![0; len];
    let info = reader.next_frame(&mut bytes).map_err(|e| bad(e.to_string()))?;
    let rgba: Vec<u8> = match info.color_type {
        png::ColorType::GrayscaleAlpha => bytes.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect(),
        _ => bytes,
    };
    // A PNG begins with its top row, a texture with the row of the smallest v.
    let row = info.width as usize * 4;
    let flipped: Vec<u8> = rgba.chunks_exact(row).rev().flatten().copied().collect();
    let texture =
        TextureData::from_rgba8(info.width, info.height, &flipped).ok_or_else(|| bad("it is damaged".into()))?;
    Ok(TextureBinding {
        name: name.into(),
        texture: Arc::new(texture.with_mipmaps(false)),
        sampler: SamplerState::default(),
    })
}

fn print_vertices(args: &Run, shader: Shader<'_>, common: DrawOptions<'_>) -> Result<(), Stop> {
    let Shader { module, map, reporter } = shader;
    if args.gpu.is_some() {
        return Err(Stop::usage("--gpu is for fragment and compute shaders; leave it out to run a vertex shader"));
    }
    let options = VertexOptions { common, count: 3, ..VertexOptions::default() };
    let vertices = engine::shade(
        args,
        (map, reporter),
        |engine, lanes| run_vertex_on(engine, module, &options, lanes),
        || run_vertex(module, &options),
    )?;
    let mut text = String::new();
    for (index, outputs) in vertices.iter().enumerate() {
        writeln!(text, "vertex {index}").expect("a string takes all");
        for output in outputs {
            writeln!(text, "  {} = {}", output.name, show(module, &output.value)).expect("a string takes all");
        }
    }
    output::write_stdout(text.as_bytes(), false)
}

fn show(module: &Module, value: &EvalValue) -> String {
    let scalar = module.types.scalar_of(value.ty).unwrap_or(Scalar::F32);
    let parts: Vec<String> = value.bits.iter().map(|&bits| show_scalar(scalar, bits)).collect();
    parts.join(", ")
}

/// Calls a function by name with numbers, and prints its results.
fn invoke(args: &Run, Shader { module, map, reporter }: Shader<'_>, name: &str) -> Result<(), Stop> {
    let arguments = &args.arguments;
    let func = function(module, name)?;
    let params: Vec<Type> = module.funcs[func].params.iter().map(|p| p.ty).collect();
    if params.len() != arguments.len() {
        return Err(Stop::usage(format!("`{name}` takes {} arguments, not {}", params.len(), arguments.len())));
    }
    let values = params
        .iter()
        .zip(arguments)
        .map(|(&ty, text)| {
            argument(module, ty, text)
                .ok_or_else(|| Stop::usage(format!("`{text}` does not fit the parameter of `{name}`")))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let stop = |stop: planish::eval::Stop| {
        limits::stop_evaluator(args, &stop, reporter, || format!("{stop}{}", place(&stop, map)))
    };
    let limits = limits::of_evaluator(args, Limits::default());
    let mut evaluator = Evaluator::new(module, limits).map_err(stop)?;
    for value in evaluator.call(func, &values).map_err(stop)? {
        output::write_stdout(format!("{}\n", show(module, &value)).as_bytes(), false)?;
    }
    Ok(())
}

/// The location of a trap.
fn place(stop: &planish::eval::Stop, map: &SourceMap) -> String {
    if let planish::eval::Stop::Trap { span, .. } = *stop { place_of(span, map) } else { String::new() }
}

/// A location to append to a message: the line, or for a binary the offset and the function.
pub(crate) fn place_of(span: Span, map: &SourceMap) -> String {
    map.place(span).map_or_else(String::new, |place| format!("\n  --> {place}"))
}

fn function(module: &Module, name: &str) -> Result<Func, Stop> {
    let exported = module.entry_points.iter().find(|e| e.names.iter().any(|n| &**n == name)).map(|e| e.func);
    let named = || module.funcs.iter().find(|(_, f)| &*f.name.text == name).map(|(func, _)| func);
    exported.or_else(named).ok_or_else(|| Stop::usage(format!("there is no function `{name}`")))
}

/// A scalar or vector from numbers with commas between them.
fn argument(module: &Module, ty: Type, text: &str) -> Option<EvalValue> {
    let (TypeKind::Scalar(scalar) | TypeKind::Vector(scalar, _)) = module.types[ty] else { return None };
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let bits = parts.iter().map(|part| parse_scalar(scalar, part)).collect::<Option<Vec<u64>>>()?;
    (bits.len() == usize::from(module.types.vector_size(ty)?)).then_some(EvalValue { ty, bits })
}
