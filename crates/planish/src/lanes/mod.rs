//! Fragment shaders on lanes: widened to several invocations ([`planish_opt::widen`]), lowered to 128-bit values, compiled for the
//! virtual machine. The pictures are those of [`planish_eval::shade::draw`].
//!
//! ```
//! use planish::eval::shade::{DrawOptions, draw};
//! use planish::{Compiler, lanes};
//!
//! let source = "#version 300 es
//!     precision highp float;
//!     in vec2 uv;
//!     out vec4 color;
//!     void main() { color = vec4(fract(uv * 4.0), uv.x > uv.y ? 1.0 : 0.0, 1.0); }";
//! let module = Compiler::default().compile("uv.frag", source).module.expect("the shader is valid");
//! let options = DrawOptions { size: [32, 16], ..DrawOptions::default() };
//! let picture = lanes::draw(&module, &options, &lanes::LaneOptions::default()).expect("it can be widened");
//! assert_eq!(picture, draw(&module, &options).expect("it can be drawn"));
//! ```

mod compute;
mod memory;
#[cfg(all(feature = "objects", not(target_family = "wasm")))]
pub(crate) mod objects;
mod pixels;
mod program;
mod stage;
mod textures;
mod vertex;

use std::borrow::Cow;
use std::iter::{Enumerate, Zip};
use std::slice::RChunksMut;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use planish_eval::shade::{
    DrawOptions, Fragments, Image, ShadeError, TextureBinding, all_textures, bind, to_bytes, uniforms,
};
use planish_eval::{Evaluator, Limits, Stop};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::Var;
use planish_ir::module::{EntryPoint, Module, StageProperties};
use planish_opt::widen::WidenOptions;
use planish_opt::{Context, lower_small};
use planish_vm::{Config, Engine, Error, Linker, Store, Val};

pub use compute::dispatch_on;
pub use vertex::run_vertex_on;

use program::{Program, Record};
use stage::Host;

/// Error of a drawing.
#[derive(Debug)]
pub enum DrawError {
    /// As of the evaluator.
    Shade(ShadeError),
    /// The shader cannot be widened, or has an operation that the machine lacks.
    Unsupported(Vec<Diagnostic>),
    /// The machine stopped.
    Machine(Error),
}

impl From<ShadeError> for DrawError {
    fn from(error: ShadeError) -> Self {
        DrawError::Shade(error)
    }
}

impl From<Error> for DrawError {
    fn from(error: Error) -> Self {
        DrawError::Machine(error)
    }
}

impl std::fmt::Display for DrawError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DrawError::Shade(error) => error.fmt(f),
            DrawError::Machine(error) => error.fmt(f),
            DrawError::Unsupported(diagnostics) => match diagnostics.first() {
                Some(first) => f.write_str(&first.message),
                None => f.write_str("the shader cannot be widened"),
            },
        }
    }
}

impl std::error::Error for DrawError {}

/// Options of lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneOptions {
    /// Number of invocations that run at a time: 4, 8 or 16. A fragment shader that writes memory which fragments share runs on 16,
    /// as on the evaluator, so that the order is the same.
    pub lanes: u8,
    /// Whether elementary functions (`sin`, `pow`, …) are computed as by the evaluator, bit for bit, one lane after the other; or on all
    /// lanes, within a few units in the last place ([`planish_opt::approximate_functions`]). `planish run` has the latter as machine
    /// code.
    pub exact: bool,
}

impl Default for LaneOptions {
    fn default() -> Self {
        LaneOptions { lanes: 8, exact: true }
    }
}

/// Draws a fragment shader on lanes.
///
/// # Errors
/// If there is no fragment shader, an option has an unknown name, the shader has a construct that cannot be widened (E0604), or it
/// stops before its end.
///
/// # Panics
/// If the number of lanes is another one.
pub fn draw(module: &Module, options: &DrawOptions<'_>, lanes: &LaneOptions) -> Result<Image, DrawError> {
    let mut config = Config::default();
    config.consume_fuel(true);
    draw_on(&Engine::new(&config), module, options, lanes)
}

/// As [`draw`], on an engine of the caller's. If it does not consume fuel, nothing stops a shader that does not end.
///
/// # Errors
/// As [`draw`].
///
/// # Panics
/// As [`draw`].
pub fn draw_on(
    engine: &Engine,
    module: &Module,
    options: &DrawOptions<'_>,
    lanes: &LaneOptions,
) -> Result<Image, DrawError> {
    Drawing::new(engine, module, lanes).draw(options)
}

/// A fragment shader that is drawn more than once. Uniforms are constants of its code until they change; then it is compiled once more.
/// Texels are read when it is compiled: a texture that changes must be another object.
pub struct Drawing<'m> {
    engine: Engine,
    module: Cow<'m, Module>,
    /// The reasons why it cannot run on lanes.
    refused: Vec<Diagnostic>,
    lanes: LaneOptions,
    compiled: Option<Compiled>,
    /// Uniforms that have changed.
    changing: Vec<Var>,
}

/// Code for a size and an output.
struct Compiled {
    size: [u32; 2],
    output: Option<String>,
    /// Uniforms that are constants.
    constant: Vec<(Var, Vec<u64>)>,
    textures: Vec<textures::Source>,
    /// All textures, if the host samples some.
    bindings: Option<Vec<TextureBinding>>,
    program: Program,
    code: planish_vm::Module,
}

impl<'m> Drawing<'m> {
    /// A drawing, of which nothing is compiled yet.
    pub fn new(engine: &Engine, module: &'m Module, lanes: &LaneOptions) -> Self {
        let (module, refused) = match without_small(module) {
            Ok(module) => (module, Vec::new()),
            Err(refused) => (Cow::Borrowed(module), refused),
        };
        Drawing { engine: engine.clone(), module, refused, lanes: *lanes, compiled: None, changing: Vec::new() }
    }

    /// As [`planish_vm::Module::wide_pairs`], of the code that drew last; 0 before.
    ///
    /// # Errors
    /// As there.
    pub fn wide_pairs(&self) -> Result<usize, &str> {
        self.compiled.as_ref().map_or(Ok(0), |compiled| compiled.code.wide_pairs())
    }

    /// Draws one picture.
    ///
    /// # Errors
    /// As [`draw`].
    ///
    /// # Panics
    /// As [`draw`].
    pub fn draw(&mut self, options: &DrawOptions<'_>) -> Result<Image, DrawError> {
        if !self.refused.is_empty() {
            return Err(DrawError::Unsupported(self.refused.clone()));
        }
        let module = &*self.module;
        let fragments = Fragments::new(module, options)?;
        let uniforms = uniforms(module, options)?;
        let textures = textures::sources(module, options);
        if let Some(compiled) = &self.compiled {
            let changed = compiled.constant.iter().filter(|constant| !uniforms.contains(constant));
            let changed: Vec<Var> = changed.map(|(var, _)| *var).collect();
            let is_same = compiled.size == fragments.size()
                && compiled.output == options.output
                && textures::is_same(&compiled.textures, &textures);
            if !changed.is_empty() || !is_same {
                self.changing.extend(changed);
                self.compiled = None;
            }
        }
        let compiled = match &mut self.compiled {
            Some(compiled) => compiled,
            none => none.insert(compile(
                &self.engine,
                module,
                &fragments,
                (&uniforms, &self.changing),
                options,
                &self.lanes,
            )?),
        };
        compiled.textures = textures;
        if compiled.bindings.is_none() && !compiled.program.outside.is_empty() {
            compiled.bindings = Some(all_textures(module, options));
        }
        let job = Job {
            options,
            textures: compiled.bindings.as_deref().unwrap_or_default(),
            uniforms: &uniforms,
            fragments: &fragments,
            program: &compiled.program,
            engine: &self.engine,
            code: &compiled.code,
            done: AtomicU32::new(0),
            failed: AtomicBool::new(false),
        };
        let [width, height] = fragments.size();
        let pixels = width as usize * height as usize;
        let mut image = Image { width, height, rgba8: vec![0; 4 * pixels], float: vec![[0.0; 4]; pixels] };
        // Rows are counted from the bottom, those of pictures from the top.
        let width = width as usize;
        let pairs = image.float.rchunks_mut(2 * width).zip(image.rgba8.rchunks_mut(8 * width)).enumerate();
        job.run(&Mutex::new(pairs))?;
        Ok(image)
    }
}

/// The module with numbers of 32 bits in place of those of 8 and 16, which no machine here has.
fn without_small(module: &Module) -> Result<Cow<'_, Module>, Vec<Diagnostic>> {
    if !lower_small::is_needed(module, lower_small::NONE) {
        return Ok(Cow::Borrowed(module));
    }
    let mut lowered = module.clone();
    lower_small::run(&mut lowered, "the machine", lower_small::NONE, &mut Context::default())?;
    Ok(Cow::Owned(lowered))
}

fn compile(
    engine: &Engine,
    module: &Module,
    fragments: &Fragments<'_>,
    (uniforms, changing): (&[(Var, Vec<u64>)], &[Var]),
    options: &DrawOptions<'_>,
    lanes: &LaneOptions,
) -> Result<Compiled, DrawError> {
    let program = Program::new(module, fragments, (uniforms, changing), options, lanes)?;
    let code = planish_vm::Module::new(engine, program.lowered.clone())?;
    let constant = uniforms.iter().filter(|(var, _)| !changing.contains(var)).cloned().collect();
    let textures = Vec::new();
    let output = options.output.clone();
    Ok(Compiled { size: fragments.size(), output, constant, textures, bindings: None, program, code })
}

/// Widens every entry point, for inspection: a stage with its inputs as parameters and its outputs as results. What only the functions
/// over one invocation need is removed.
///
/// # Errors
/// Constructs that cannot be widened (E0604), each with its place. The module then is in no good state.
pub fn widen(module: &mut Module, lanes: u8) -> Result<(), Vec<Diagnostic>> {
    if let Cow::Owned(lowered) = without_small(module)? {
        *module = lowered;
    }
    let optimizer = stage::optimizer(module.entry_points.iter().any(|entry| entry.stage.is_some()));
    optimizer.run(module, &mut |_, _| {});
    for at in 0..module.entry_points.len() {
        let EntryPoint { func, stage, .. } = module.entry_points[at];
        let is_stage = stage.is_some();
        let options = WidenOptions { lanes, all_active: is_stage, helpers: false, interface: is_stage };
        let widened = planish_opt::widen::widen(module, func, &options)?;
        let entry = &mut module.entry_points[at];
        (entry.func, entry.stage, entry.properties) = (widened.func, None, StageProperties::default());
    }
    optimizer.run(module, &mut |_, _| {});
    Ok(())
}

/// Pairs of rows of pixels that are not drawn yet, from the bottom: their number, pixels, and bytes.
type Rows<'r> = Mutex<Enumerate<Zip<RChunksMut<'r, [f32; 4]>, RChunksMut<'r, u8>>>>;

struct Job<'a, 'o> {
    options: &'a DrawOptions<'o>,
    /// All textures, if the host samples some.
    textures: &'a [TextureBinding],
    uniforms: &'a [(Var, Vec<u64>)],
    fragments: &'a Fragments<'a>,
    program: &'a Program,
    engine: &'a Engine,
    code: &'a planish_vm::Module,
    done: AtomicU32,
    failed: AtomicBool,
}

impl Job<'_, '_> {
    fn run(&self, rows: &Rows<'_>) -> Result<(), DrawError> {
        let threads = match self.options.threads {
            _ if self.program.is_ordered || cfg!(target_family = "wasm") => 1,
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        };
        let pairs_of_rows = self.fragments.size()[1].div_ceil(2);
        let threads = threads.min(pairs_of_rows as usize);
        if threads <= 1 {
            return self.work(rows);
        }
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| self.work(rows))).collect();
            // A panic is propagated unchanged.
            workers.into_iter().try_for_each(|w| w.join().unwrap_or_else(|p| std::panic::resume_unwind(p)))
        })
    }

    /// Draws pairs of rows until none is left.
    fn work(&self, rows: &Rows<'_>) -> Result<(), DrawError> {
        let result = self.rows(rows);
        if result.is_err() {
            self.failed.store(true, Ordering::Relaxed);
        }
        result
    }

    fn rows(&self, left: &Rows<'_>) -> Result<(), DrawError> {
        let limits = Limits { ..self.options.limits };
        let lanes = usize::from(self.program.lanes);
        let mut evaluator = Evaluator::with_lanes(&self.program.widened, limits, lanes).map_err(ShadeError::from)?;
        if !self.program.outside.is_empty() {
            bind(&mut evaluator, &DrawOptions { textures: self.textures.to_vec(), ..self.options.clone() })?;
        }
        let mut store = Store::new(self.engine, Host { evaluator });
        let mut linker = Linker::new();
        stage::provide(&mut linker, &self.program.outside, self.program.lanes);
        let instance = linker.instantiate(&mut store, self.code)?;
        let rows = instance.get_func(&store, program::ROWS).expect("the program has it");
        let memory = instance.get_memory(&store, &self.program.memory).expect("the program has it");
        let [width, height] = self.fragments.size();
        let program = self.program;
        for (var, words) in self.uniforms {
            if let Some(shared) = program.shared.get(*var) {
                shared.write(&program.widened, words, memory.data_mut(&mut store));
            }
        }
        for copied in &program.textures {
            if let Some(shared) = program.shared.get(copied.texels) {
                shared.put(&copied.bytes, memory.data_mut(&mut store));
            }
        }
        program.write_columns(self.fragments, 0, memory.data_mut(&mut store));
        while !self.failed.load(Ordering::Relaxed) {
            let next = left.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((pair, (pixels, rgba8))) = next else { break };
            let pair = pair as u32;
            let bytes = memory.data_mut(&mut store);
            if program.columns.varies_by_row {
                program.write_columns(self.fragments, 2 * pair, bytes);
            }
            program.write_row(self.fragments, 2 * pair, bytes);
            store.set_fuel(self.options.limits.steps.saturating_mul(u64::from(program.batches)));
            let address = |record: &Record| Val::I32(record.address as i32);
            let args = [
                Val::I32(program.batches as i32),
                address(&program.columns),
                address(&program.row),
                Val::I32(program.outputs() as i32),
            ];
            rows.call(&mut store, &args, &mut []).map_err(|error| match error {
                Error::OutOfFuel => ShadeError::Stop(Stop::StepLimit).into(),
                error => DrawError::Machine(error),
            })?;
            let (upper, lower) = pixels.split_at_mut(pixels.len() - width as usize);
            if let Some(found) = program.pixels {
                let (upper_bytes, lower_bytes) = rgba8.split_at_mut(4 * upper.len());
                found.read(memory.data(&store), [(lower, lower_bytes), (upper, upper_bytes)]);
            } else {
                program.read(self.fragments, memory.data(&store), [lower, upper]);
                to_bytes(pixels, rgba8);
            }
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            if let Some(progress) = self.options.progress {
                progress((2 * done).min(height), height);
            }
        }
        Ok(())
    }
}
