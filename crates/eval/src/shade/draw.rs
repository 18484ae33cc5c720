//! Drawing of fragment shaders.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use planish_ir::entity::Func;
use planish_ir::module::{EntryPoint, Module, Stage};
use planish_ir::ops::Effect;
use planish_ir::types::AddressSpace;

use super::fragments::{Input, inputs};
use super::names::to_bits;
use super::target::{RenderTarget, target};
use super::{DrawOptions, ShadeError, set_uniforms};
use crate::evaluator::Evaluator;
use crate::machine::watch::{Event, Watch};
use crate::mask::Mask;
use crate::program::Program;
use crate::stop::Stop;

/// A drawn picture, its top row first.
#[derive(Clone, PartialEq, Debug)]
pub struct Image {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Red, green, blue, alpha of each pixel, clamped to 0…1 and rounded to 8 bits.
    pub rgba8: Vec<u8>,
    /// Output values; zero for a discarded pixel.
    pub float: Vec<[f32; 4]>,
}

/// Width and height of the rectangles of fragments that a machine runs at once, in pixels.
const TILE: [u32; 2] = [16, 16];
/// The same for a shader that writes memory visible to other fragments, so that engines with fewer lanes run the fragments in the
/// same order: rows of such rectangles from the bottom, in each from the left.
const ORDERED_TILE: [u32; 2] = [ORDERED_LANES / 2, 2];
/// Number of fragments that run in lockstep where their order can be observed.
pub const ORDERED_LANES: u32 = 16;

/// Draws a fragment shader.
///
/// The first pixel of the result is the upper left one; `gl_FragCoord` counts from the lower left, through pixel
/// centers.
///
/// # Errors
/// If there is no fragment shader, an option has an unknown name, or the shader stops before its end.
pub fn draw(module: &Module, options: &DrawOptions<'_>) -> Result<Image, ShadeError> {
    let job = Job::new(module, options)?;
    Ok(Image::new([job.width, job.height], job.pixels(&|evaluator, origin| job.colours(evaluator, origin))?))
}

/// Number of nodes and blocks of the IR that each fragment of a drawing executes, the top row first: its cost.
///
/// # Errors
/// As [`draw`].
pub fn costs(module: &Module, options: &DrawOptions<'_>) -> Result<Vec<u32>, ShadeError> {
    let job = Job::new(module, options)?;
    job.pixels(&|evaluator, origin| job.costs(evaluator, origin))
}

/// The steps of one fragment.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// Its steps, in order; at most [`MAX_EVENTS`](crate::MAX_EVENTS).
    pub events: Vec<Event>,
    /// The pixel, unless it is discarded, or the reason why it stopped.
    pub end: Result<Option<[f32; 4]>, Stop>,
    /// Number of nodes and blocks of the IR that it executes.
    pub cost: u32,
}

/// Draws one pixel, counted from the upper left one, and what it does, statement by statement. (Its neighbours run too, for derivatives.)
///
/// # Errors
/// As [`draw`], but for what stops the shader.
///
/// # Panics
/// If the pixel is outside of the picture.
pub fn trace(module: &Module, options: &DrawOptions<'_>, [x, y]: [u32; 2]) -> Result<Trace, ShadeError> {
    let job = Job::new(module, options)?;
    assert!(x < job.width && y < job.height, "the pixel {x}, {y} is outside of {}x{}", job.width, job.height);
    let mut evaluator = Evaluator::on(Arc::clone(&job.program), options.limits, job.lanes())?;
    set_uniforms(&mut evaluator, options)?;
    let [width, height] = job.tile;
    let [px, py] = [x, job.height - 1 - y];
    let origin = [px / width * width, py / height * height];
    let within = [px - origin[0], py - origin[1]];
    let lane = (0..job.lanes()).find(|&lane| place(lane, width) == within).expect("tiles have a lane for each place");
    evaluator.machine().watch = Some(Box::new(Watch { lane: Some(lane), events: vec![], costs: vec![0; job.lanes()] }));
    let drawn = match job.colours(&mut evaluator, origin) {
        Ok(colours) => Ok(colours[lane]),
        Err(ShadeError::Stop(stop)) => Err(stop),
        Err(other) => return Err(other),
    };
    let watch = evaluator.machine().watch.take().expect("it was set");
    Ok(Trace { events: watch.events, end: drawn, cost: watch.costs[lane] })
}

impl Image {
    /// A picture of these pixels, its top row first.
    pub fn new([width, height]: [u32; 2], float: Vec<[f32; 4]>) -> Self {
        let mut rgba8 = vec![0; 4 * float.len()];
        to_bytes(&float, &mut rgba8);
        Image { width, height, rgba8, float }
    }
}

/// Clamps pixels to 0…1 and rounds them to 8 bits, halves up; a NaN becomes 0. `bytes` has four for each pixel.
pub fn to_bytes(pixels: &[[f32; 4]], bytes: &mut [u8]) {
    for (byte, &x) in bytes.iter_mut().zip(pixels.as_flattened()) {
        // (In this form the compiler converts several at a time. A NaN is the integer 0, and no fraction.)
        let scaled = x.clamp(0.0, 1.0) * 255.0;
        let whole = scaled as i32;
        *byte = (whole + i32::from(scaled - whole as f32 >= 0.5)) as u8;
    }
}

/// Whether invocations may write memory visible to others: storage buffers, storage images, atomic counters, shared variables.
pub fn writes_shared_memory(module: &Module) -> bool {
    module.funcs.values().filter_map(|func| func.body.as_ref()).any(|body| {
        body.nodes().any(|(node, data)| match data.op.info().effect {
            Effect::ImageStore | Effect::ImageModify => true,
            Effect::Store | Effect::Modify => {
                let pointer = body.args(node).first().map(|&pointer| module.type_of(body, pointer));
                let space = pointer.and_then(|ty| module.types.pointee(ty)).map(|(_, space)| space);
                !space.is_some_and(is_own)
            }
            _ => false,
        })
    })
}

/// Whether each invocation has its own memory of an address space.
fn is_own(space: AddressSpace) -> bool {
    matches!(space, AddressSpace::Function | AddressSpace::Private | AddressSpace::Input | AddressSpace::Output)
}

/// Rows of pixels with the index of their row of tiles.
type Rows<P> = Vec<(u32, Vec<P>)>;

/// The pixels of a tile from its lower left one, by lane; `None`: it stays what it is by default.
type Tile<P> = Result<Vec<Option<P>>, ShadeError>;

/// Runs the fragments of a tile.
type OnTile<'t, P> = dyn Fn(&mut Evaluator<'_>, [u32; 2]) -> Tile<P> + Sync + 't;

struct Job<'m, 'o> {
    options: &'o DrawOptions<'o>,
    width: u32,
    height: u32,
    tile: [u32; 2],
    entry: &'m EntryPoint,
    func: Func,
    inputs: Vec<Input>,
    output: Option<RenderTarget>,
    program: Arc<Program<'m>>,
    next_row: AtomicU32,
    rows_done: AtomicU32,
    failed: AtomicBool,
}

impl<'m, 'o> Job<'m, 'o> {
    fn new(module: &'m Module, options: &'o DrawOptions<'o>) -> Result<Self, ShadeError> {
        let entry = super::entry_of(module, Stage::Fragment)?;
        let [width, height] = options.size.map(|s| s.max(1));
        Ok(Job {
            options,
            width,
            height,
            tile: if writes_shared_memory(module) { ORDERED_TILE } else { TILE },
            entry,
            func: entry.func,
            inputs: inputs(module),
            output: target(module, options.output.as_deref())?,
            program: Arc::new(Program::new(module)?),
            next_row: AtomicU32::new(0),
            rows_done: AtomicU32::new(0),
            failed: AtomicBool::new(false),
        })
    }

    /// All pixels, the top row first.
    fn pixels<P: Copy + Default + Send>(&self, tile: &OnTile<'_, P>) -> Result<Vec<P>, ShadeError> {
        let rows = self.run(tile)?;
        let mut all = vec![P::default(); self.width as usize * self.height as usize];
        for (tile_row, pixels) in rows {
            for (i, pixel) in pixels.into_iter().enumerate() {
                let (x, y) = (i as u32 % self.width, tile_row * self.tile[1] + i as u32 / self.width);
                // Rows are counted from the bottom, those of pictures from the top.
                all[((self.height - 1 - y) * self.width + x) as usize] = pixel;
            }
        }
        Ok(all)
    }
}

impl Job<'_, '_> {
    #[cfg(all(feature = "parallel", not(target_family = "wasm")))]
    fn run<P: Copy + Default + Send>(&self, tile: &OnTile<'_, P>) -> Result<Rows<P>, ShadeError> {
        let rows = self.height.div_ceil(self.tile[1]) as usize;
        let threads = match self.options.threads {
            _ if self.tile == ORDERED_TILE => 1,
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        };
        if threads.min(rows) <= 1 {
            return self.work(tile);
        }
        let results: Vec<Result<Rows<P>, ShadeError>> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.min(rows)).map(|_| scope.spawn(|| self.work(tile))).collect();
            // A panic is propagated unchanged.
            workers.into_iter().map(|w| w.join().unwrap_or_else(|p| std::panic::resume_unwind(p))).collect()
        });
        let mut all = Vec::new();
        for result in results {
            all.extend(result?);
        }
        Ok(all)
    }

    #[cfg(not(all(feature = "parallel", not(target_family = "wasm"))))]
    fn run<P: Copy + Default + Send>(&self, tile: &OnTile<'_, P>) -> Result<Rows<P>, ShadeError> {
        self.work(tile)
    }

    /// Draws rows of squares until none is left.
    fn work<P: Copy + Default + Send>(&self, tile: &OnTile<'_, P>) -> Result<Rows<P>, ShadeError> {
        let result = self.rows(tile);
        if result.is_err() {
            self.failed.store(true, Ordering::Relaxed);
        }
        result
    }

    fn rows<P: Copy + Default + Send>(&self, tile: &OnTile<'_, P>) -> Result<Rows<P>, ShadeError> {
        let mut evaluator = Evaluator::on(Arc::clone(&self.program), self.options.limits, self.lanes())?;
        set_uniforms(&mut evaluator, self.options)?;
        let all = self.height.div_ceil(self.tile[1]);
        let mut rows = Vec::new();
        while !self.failed.load(Ordering::Relaxed) {
            let row = self.next_row.fetch_add(1, Ordering::Relaxed);
            if row >= all {
                break;
            }
            let [width, height] = self.tile;
            let lines = height.min(self.height - row * height);
            let mut pixels = vec![P::default(); (lines * self.width) as usize];
            for column in 0..self.width.div_ceil(width) {
                let origin = [column * width, row * height];
                for (lane, pixel) in tile(&mut evaluator, origin)?.into_iter().enumerate() {
                    let [x, y] = place(lane, width);
                    let x = origin[0] + x;
                    if let Some(pixel) = pixel.filter(|_| x < self.width && y < lines) {
                        pixels[(y * self.width + x) as usize] = pixel;
                    }
                }
            }
            rows.push((row, pixels));
            let done = self.rows_done.fetch_add(1, Ordering::Relaxed) + 1;
            if let Some(progress) = self.options.progress {
                progress((done * height).min(self.height), self.height);
            }
        }
        Ok(rows)
    }

    fn lanes(&self) -> usize {
        (self.tile[0] * self.tile[1]) as usize
    }

    /// The colours of a tile, but of fragments that are discarded.
    fn colours(&self, evaluator: &mut Evaluator<'_>, origin: [u32; 2]) -> Tile<[f32; 4]> {
        self.invoke(evaluator, origin)?;
        let machine = evaluator.machine();
        let survivors = machine.survivors(self.lanes());
        let colour = |lane: usize| match self.output {
            Some(output) => {
                output.pixel(|c| machine.lane_column(output.var, output.start + c).map(|column| column[lane]))
            }
            None => [0.0; 4],
        };
        Ok((0..self.lanes()).map(|lane| survivors.has(lane).then(|| colour(lane))).collect())
    }

    /// The costs of the fragments of a tile.
    fn costs(&self, evaluator: &mut Evaluator<'_>, origin: [u32; 2]) -> Tile<u32> {
        evaluator.machine().watch = Some(Box::new(Watch { costs: vec![0; self.lanes()], ..Watch::default() }));
        self.invoke(evaluator, origin)?;
        let watch = evaluator.machine().watch.take().expect("it was set");
        Ok(watch.costs.into_iter().map(Some).collect())
    }

    /// Runs the fragments of a tile, from its lower left pixel.
    fn invoke(&self, evaluator: &mut Evaluator<'_>, origin: [u32; 2]) -> Result<(), ShadeError> {
        let machine = evaluator.machine();
        machine.reset_invocation();
        let lanes = self.lanes();
        let at = |lane| {
            let [x, y] = place(lane, self.tile[0]);
            [origin[0] + x, origin[1] + y]
        };
        let places: Vec<[u32; 2]> = (0..lanes).map(at).collect();
        let mut outside = Mask::NONE;
        for (lane, [x, y]) in places.iter().enumerate() {
            if *x >= self.width || *y >= self.height {
                outside.insert(lane);
            }
        }
        machine.helpers_at_first = outside;
        machine.fragments.clone_from(&places);
        machine.steps = 0;
        for input in &self.inputs {
            self.feed(evaluator, input, &places);
        }
        let machine = evaluator.machine();
        machine.set_subgroups(lanes);
        machine.invoke(self.func, &[], lanes)?;
        Ok(())
    }

    /// Sets an input in every lane.
    fn feed(&self, evaluator: &mut Evaluator<'_>, input: &Input, places: &[[u32; 2]]) {
        let leaf = &input.leaf;
        for (lane, &pixel) in places.iter().enumerate() {
            let at = ([self.width, self.height], self.options.sample);
            let value = input.value(&self.entry.properties, at, pixel);
            for element in 0..leaf.count {
                for (c, &x) in value.iter().enumerate().take(leaf.element) {
                    let at = leaf.start + element * leaf.element + c;
                    let bits = to_bits(x, leaf.scalar);
                    let machine = evaluator.machine();
                    if let Some(column) = machine.lane_column_mut(leaf.var, at) {
                        column[lane] = bits;
                    } else if let Some(word) = machine.shared_mut(leaf.var).and_then(|w| w.get_mut(at)) {
                        *word = bits;
                    }
                }
            }
        }
    }
}

/// Position of a lane in a tile: quads in rows, in each `x0y0 x1y0 x0y1 x1y1`.
pub(super) fn place(lane: usize, width: u32) -> [u32; 2] {
    let (quad, within) = (lane as u32 / 4, lane as u32 % 4);
    let quads = width / 2;
    [2 * (quad % quads) + within % 2, 2 * (quad / quads) + within / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_fill_the_tile_and_form_quads() {
        for [width, height] in [TILE, ORDERED_TILE] {
            let lanes = (width * height) as usize;
            let places: std::collections::BTreeSet<[u32; 2]> = (0..lanes).map(|lane| place(lane, width)).collect();
            assert_eq!(places.len(), lanes);
            assert!(places.iter().all(|&[x, y]| x < width && y < height));
            for quad in 0..lanes / 4 {
                let [x, y] = place(4 * quad, width);
                let others = [1, 2, 3].map(|i| place(4 * quad + i, width));
                assert_eq!(others, [[x + 1, y], [x, y + 1], [x + 1, y + 1]]);
                assert!(x % 2 == 0 && y % 2 == 0);
            }
        }
    }
}
