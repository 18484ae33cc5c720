//! Drawing of fragment shaders.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use planish_ir::entity::Func;
use planish_ir::module::{EntryPoint, Module, Stage};
use planish_ir::types::{AddressSpace, ImageKind, TypeKind};

use super::fragments::{Input, inputs};
use super::names::to_bits;
use super::target::{RenderTarget, target};
use super::{DrawOptions, ShadeError, set_uniforms};
use crate::evaluator::Evaluator;
use crate::mask::Mask;
use crate::program::Program;

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

/// Side of the squares of fragments that a machine runs at once.
const SIDE: u32 = 16;
/// Number of lanes.
const LANES: usize = (SIDE * SIDE) as usize;

/// Draws a fragment shader.
///
/// The first pixel of the result is the upper left one; `gl_FragCoord` counts from the lower left, through pixel
/// centers.
///
/// # Errors
/// If there is no fragment shader, an option has an unknown name, or the shader stops before its end.
pub fn draw(module: &Module, options: &DrawOptions<'_>) -> Result<Image, ShadeError> {
    let entry = module.entry_point(Some(Stage::Fragment)).ok_or(ShadeError::NoEntryPoint)?;
    let [width, height] = options.size.map(|s| s.max(1));
    let program = Arc::new(Program::new(module)?);
    let job = Job {
        options,
        width,
        height,
        entry,
        func: entry.func,
        inputs: inputs(module),
        output: target(module, options.output.as_deref())?,
        program,
        next_row: AtomicU32::new(0),
        rows_done: AtomicU32::new(0),
        failed: AtomicBool::new(false),
    };
    let rows = job.run()?;
    let mut float = vec![[0.0; 4]; width as usize * height as usize];
    for (tile_row, pixels) in rows {
        for (i, pixel) in pixels.into_iter().enumerate() {
            let (x, y) = (i as u32 % width, tile_row * SIDE + i as u32 / width);
            // Rows are counted from the bottom, those of pictures from the top.
            float[((height - 1 - y) * width + x) as usize] = pixel;
        }
    }
    Ok(Image::new([width, height], float))
}

impl Image {
    /// A picture of these pixels, its top row first.
    pub fn new([width, height]: [u32; 2], float: Vec<[f32; 4]>) -> Self {
        let byte = |x: f32| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
        let rgba8 = float.iter().flatten().map(|&x| byte(x)).collect();
        Image { width, height, rgba8, float }
    }
}

/// Whether fragments may write memory visible to others.
fn shares_memory(module: &Module) -> bool {
    module.vars.values().any(|v| {
        v.space == AddressSpace::Storage
            || module.types.contains(v.ty, &mut |k| match k {
                TypeKind::Image(i) => matches!(i.kind, ImageKind::Storage(_)),
                TypeKind::AtomicCounter => true,
                _ => false,
            })
    })
}

/// Rows of pixels with the index of their row of squares.
type Rows = Vec<(u32, Vec<[f32; 4]>)>;

struct Job<'m, 'o> {
    options: &'o DrawOptions<'o>,
    width: u32,
    height: u32,
    entry: &'m EntryPoint,
    func: Func,
    inputs: Vec<Input>,
    output: Option<RenderTarget>,
    program: Arc<Program<'m>>,
    next_row: AtomicU32,
    rows_done: AtomicU32,
    failed: AtomicBool,
}

impl Job<'_, '_> {
    #[cfg(all(feature = "parallel", not(target_family = "wasm")))]
    fn run(&self) -> Result<Rows, ShadeError> {
        let rows = self.height.div_ceil(SIDE) as usize;
        let threads = match self.options.threads {
            _ if shares_memory(self.program.module) => 1,
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        };
        if threads.min(rows) <= 1 {
            return self.work();
        }
        let results: Vec<Result<Rows, ShadeError>> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.min(rows)).map(|_| scope.spawn(|| self.work())).collect();
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
    fn run(&self) -> Result<Rows, ShadeError> {
        let _ = shares_memory(self.program.module);
        self.work()
    }

    /// Draws rows of squares until none is left.
    fn work(&self) -> Result<Rows, ShadeError> {
        let result = self.rows();
        if result.is_err() {
            self.failed.store(true, Ordering::Relaxed);
        }
        result
    }

    fn rows(&self) -> Result<Rows, ShadeError> {
        let mut evaluator = Evaluator::on(Arc::clone(&self.program), self.options.limits, LANES)?;
        set_uniforms(&mut evaluator, self.options)?;
        let all = self.height.div_ceil(SIDE);
        let mut rows = Vec::new();
        while !self.failed.load(Ordering::Relaxed) {
            let row = self.next_row.fetch_add(1, Ordering::Relaxed);
            if row >= all {
                break;
            }
            let lines = SIDE.min(self.height - row * SIDE);
            let mut pixels = vec![[0.0; 4]; (lines * self.width) as usize];
            for column in 0..self.width.div_ceil(SIDE) {
                self.square(&mut evaluator, [column * SIDE, row * SIDE], &mut pixels)?;
            }
            rows.push((row, pixels));
            let done = self.rows_done.fetch_add(1, Ordering::Relaxed) + 1;
            if let Some(progress) = self.options.progress {
                progress((done * SIDE).min(self.height), self.height);
            }
        }
        Ok(rows)
    }

    /// Draws one square, from its lower left pixel.
    fn square(
        &self,
        evaluator: &mut Evaluator<'_>,
        origin: [u32; 2],
        pixels: &mut [[f32; 4]],
    ) -> Result<(), ShadeError> {
        let machine = evaluator.machine();
        machine.reset_invocation();
        let places: [[u32; 2]; LANES] = std::array::from_fn(|lane| {
            let [x, y] = place(lane);
            [origin[0] + x, origin[1] + y]
        });
        let mut outside = Mask::NONE;
        for (lane, [x, y]) in places.iter().enumerate() {
            if *x >= self.width || *y >= self.height {
                outside.insert(lane);
            }
        }
        machine.helpers_at_first = outside;
        machine.fragments = places.to_vec();
        machine.steps = 0;
        for input in &self.inputs {
            self.feed(evaluator, input, &places);
        }
        let machine = evaluator.machine();
        machine.invoke(self.func, &[], LANES)?;
        let survivors = machine.survivors(LANES);
        let Some(output) = self.output else { return Ok(()) };
        for (lane, [x, y]) in places.into_iter().enumerate() {
            if !survivors.has(lane) {
                continue;
            }
            let at = (y - origin[1]) * self.width + x;
            pixels[at as usize] =
                output.pixel(|c| machine.lane_column(output.var, output.start + c).map(|column| column[lane]));
        }
        Ok(())
    }

    /// Sets an input in every lane.
    fn feed(&self, evaluator: &mut Evaluator<'_>, input: &Input, places: &[[u32; 2]; LANES]) {
        let leaf = &input.leaf;
        for (lane, &pixel) in places.iter().enumerate() {
            let value = input.value(&self.entry.properties, [self.width, self.height], pixel);
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

/// Position of a lane in the square: quads in rows, in each `x0y0 x1y0 x0y1 x1y1`.
fn place(lane: usize) -> [u32; 2] {
    let (quad, within) = (lane as u32 / 4, lane as u32 % 4);
    let quads = SIDE / 2;
    [2 * (quad % quads) + within % 2, 2 * (quad / quads) + within / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_fill_the_square_and_form_quads() {
        let places: std::collections::BTreeSet<[u32; 2]> = (0..LANES).map(place).collect();
        assert_eq!(places.len(), LANES);
        for quad in 0..LANES / 4 {
            let [x, y] = place(4 * quad);
            assert_eq!([1, 2, 3].map(|i| place(4 * quad + i)), [[x + 1, y], [x, y + 1], [x + 1, y + 1]]);
            assert!(x % 2 == 0 && y % 2 == 0);
        }
    }
}
