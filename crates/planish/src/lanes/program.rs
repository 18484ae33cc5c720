//! The program of a drawing: the widened shader in a loop over the fragments of two rows, and the records in memory through which the
//! host passes inputs and reads outputs.
//!
//! ```text
//! rows(batches, columns, row, out): for each batch of lanes
//!     load the inputs that depend on the column   from columns, a record for each batch
//!     load the other inputs                       from row, one record
//!     call the widened shader
//!     store its outputs                           to out, as pixels, or a record for each batch
//! ```
//!
//! A batch is a row of quads. A record has the lanes of each component, one after the other; a truth value is a word of ones or zeros.

use planish_eval::shade::{
    Channel, Dependence, DrawOptions, Fragments, InputComponent, ORDERED_LANES, writes_shared_memory,
};
use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::decoration::{Name, NameSource, Precision};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Memory, Type, Value, Var};
use planish_ir::function::{Direction, Param};
use planish_ir::meaning::convert;
use planish_ir::module::{MemoryData, Module, Stage};
use planish_ir::ops::{MemArg, Op, Width};
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};
use planish_opt::lower_to_scalars;
use planish_opt::widen::{WidenOptions, Widened, widen_with};

use super::memory::SharedMemory;
use super::pixels::{self, Pixels};
use super::stage::{self, Outside, bytes};
use super::textures::{self, Copied};
use super::{DrawError, LaneOptions};

/// The exported function that draws two rows.
pub(super) const ROWS: &str = "rows";
/// The greatest number of lanes.
const MAX_LANES: usize = 16;
const SHADER: &str = "shader";
/// Bytes of a page of memory.
const PAGE: u64 = MemoryData::PAGE as u64;

/// A component in a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    /// Bytes from the beginning of the record.
    offset: u32,
    scalar: Scalar,
    source: Source,
}

/// The value of a component that the host passes.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// An input.
    Input(InputComponent),
    /// Whether the fragment is outside the picture.
    Helper,
    /// An output.
    Output,
}

/// A parameter of the shader.
#[derive(Clone, Copy, Debug)]
struct Input {
    /// Whether it is in the record of the column, or in that of the row.
    by_column: bool,
    /// Bytes from the beginning of the record.
    offset: u32,
    scalar: Scalar,
    /// The greatest magnitude; infinite if it is not known.
    most: f64,
}

/// Fields in memory, once or for each batch.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    pub(super) address: u32,
    /// Bytes.
    size: u32,
    fields: Vec<Field>,
    /// Whether a field differs from one pair of rows to the next.
    pub(super) varies_by_row: bool,
}

impl Record {
    fn add(&mut self, scalar: Scalar, source: Source, lanes: u8) -> u32 {
        let offset = self.size;
        self.fields.push(Field { offset, scalar, source });
        self.size += u32::from(lanes) * bytes(scalar);
        offset
    }
}

/// See the module's documentation.
pub(super) struct Program {
    pub(super) lanes: u8,
    /// The module before it is lowered, with the functions that the host runs.
    pub(super) widened: Module,
    /// The module for the machine.
    pub(super) lowered: Module,
    pub(super) outside: Vec<Outside>,
    /// Export name of the memory.
    pub(super) memory: String,
    pub(super) columns: Record,
    pub(super) row: Record,
    pub(super) out: Record,
    /// Batches in a pair of rows.
    pub(super) batches: u32,
    /// Whether fragments must be drawn in order: they write memory that they share.
    pub(super) is_ordered: bool,
    /// Variables that invocations share.
    pub(super) shared: SharedMemory,
    pub(super) textures: Vec<Copied>,
    /// Pixels that the machine writes; `None`: its outputs are in `out`.
    pub(super) pixels: Option<Pixels>,
    results: Option<pixels::Results>,
    /// Field of `out` with component 0 of the variable that is drawn.
    first: Option<usize>,
    /// Field of `out` with the mask of helper invocations.
    helpers: Option<usize>,
}

pub(super) fn unsupported(span: Span, text: &str) -> DrawError {
    DrawError::Unsupported(vec![Diagnostic::error(Code::E0604, span, text)])
}

impl Program {
    pub(super) fn new(
        module: &Module,
        fragments: &Fragments<'_>,
        (uniforms, changing): (&[(Var, Vec<u64>)], &[Var]),
        draw: &DrawOptions<'_>,
        options: &LaneOptions,
    ) -> Result<Self, DrawError> {
        // The order of fragments is that of the evaluator, if it can be observed.
        let is_ordered = writes_shared_memory(module);
        let lanes = if is_ordered { ORDERED_LANES as u8 } else { options.lanes };
        let entry = module.entry_point(Some(Stage::Fragment)).expect("the interface is that of one");
        let known = uniforms.iter().filter(|(var, _)| !changing.contains(var));
        let mut textures = Vec::new();
        let mut widened = stage::prepare(module, entry, known, |prepared| {
            textures = textures::copy(prepared, module, draw, (options.exact, Stage::Fragment));
            !textures.is_empty()
        });
        let shader = widened.entry_points[0].func;
        let in_memory: Vec<Var> = changing.iter().copied().chain(textures.iter().map(|copied| copied.texels)).collect();
        let shared = SharedMemory::new(&mut widened, &in_memory, &|_| None)?;
        let size = fragments.size();
        let helpers = size[0] % u32::from(lanes / 2) != 0 || size[1] % 2 != 0;
        let widening = WidenOptions { lanes, all_active: true, helpers, interface: true };
        let made =
            widen_with(&mut widened, shader, &widening, &shared.replacements()).map_err(DrawError::Unsupported)?;
        stage::export(&mut widened, made.func, SHADER);
        let lowered = stage::optimized(&widened);
        let outside = stage::outside(&widened, &lowered, &made.outlined, lanes);
        let mut program = Program {
            lanes,
            lowered,
            outside,
            shared,
            textures,
            pixels: None,
            results: None,
            is_ordered,
            memory: lower_to_scalars::MEMORY.into(),
            columns: Record::default(),
            row: Record::default(),
            out: Record::default(),
            batches: size[0].div_ceil(u32::from(lanes / 2)),
            first: None,
            helpers: None,
            widened,
        };
        let params = program.fields(module, fragments, &made, helpers)?;
        let magnitudes: Vec<f64> = params.iter().map(|param| param.most).collect();
        let shader = program.lowered.entry_points[0].func;
        let addresses = stage::lower(&mut program.lowered, lanes, options, Some((shader, &magnitudes)))?;
        program.shared.place(&addresses);
        program.write_rows(&params);
        stage::finish(&mut program.lowered);
        Ok(program)
    }

    /// Finds the fields of all records, and the parameters of the shader.
    fn fields(
        &mut self,
        module: &Module,
        fragments: &Fragments<'_>,
        made: &Widened,
        helpers: bool,
    ) -> Result<Vec<Input>, DrawError> {
        let mut params = Vec::new();
        let end = [self.batches * u32::from(self.lanes / 2), fragments.size()[1].next_multiple_of(2)];
        if helpers {
            self.columns.varies_by_row = true;
            let offset = self.columns.add(Scalar::Bool, Source::Helper, self.lanes);
            params.push(Input { by_column: true, offset, scalar: Scalar::Bool, most: f64::INFINITY });
        }
        for &var in &made.inputs {
            let data = &module.vars[var];
            for component in fragments.components(var) {
                let source = Source::Input(component);
                let by_column = matches!(component.dependence, Dependence::X | Dependence::Both);
                self.columns.varies_by_row |= component.dependence == Dependence::Both;
                let record = if by_column { &mut self.columns } else { &mut self.row };
                let offset = record.add(component.scalar, source, self.lanes);
                let most = greatest(fragments, &component, end);
                params.push(Input { by_column, offset, scalar: component.scalar, most });
            }
            if fragments.components(var).is_empty() {
                return Err(unsupported(data.span, "an input of this type cannot be drawn on lanes"));
            }
        }
        let drawn = fragments.output().map(|(var, _)| var);
        for &var in &made.outputs {
            if Some(var) == drawn {
                self.first = Some(self.out.fields.len());
            }
            let mut scalars = Vec::new();
            planish_ir::meaning::Shape::for_each_run(&module.types, module.vars[var].ty, &mut |scalar, count| {
                scalars.extend(std::iter::repeat_n(scalar, count));
            });
            for scalar in scalars {
                self.out.add(scalar, Source::Output, self.lanes);
            }
        }
        if made.has_helpers {
            self.helpers = Some(self.out.fields.len());
            self.out.add(Scalar::Bool, Source::Output, self.lanes);
        }
        if let Some(first) = self.first {
            let first = first + fragments.output().map_or(0, |(_, start)| start);
            let field = |c: usize| self.out.fields.get(first + c).map(|field| (field.scalar, field.offset));
            let helpers = self.helpers.map(|helpers| self.out.fields[helpers].offset);
            self.results = pixels::Results::new(fragments, field, helpers);
        }
        Ok(params)
    }

    /// Adds [`ROWS`], and the records to memory.
    fn write_rows(&mut self, params: &[Input]) {
        let module = &mut self.lowered;
        let shader = module.entry_points[0].func;
        if module.memories.is_empty() {
            let exports = vec![lower_to_scalars::MEMORY.into()];
            module.memories.push(MemoryData { min_pages: 0, max_pages: None, import: None, exports });
        }
        let memory = module.memories.keys().next().expect("there is one");
        let data = &mut module.memories[memory];
        self.memory = data.exports.first().expect("it has a name").to_string();
        let mut next = u64::from(data.min_pages) * PAGE;
        let mut take = |record: &mut Record, count: u32| {
            record.address = next as u32;
            next += u64::from(record.size) * u64::from(count);
        };
        take(&mut self.columns, self.batches);
        take(&mut self.row, 1);
        if self.results.is_some() {
            self.pixels = Some(Pixels::new(self.batches * u32::from(self.lanes / 2), &mut next));
        } else {
            take(&mut self.out, self.batches);
        }
        data.min_pages = next.div_ceil(PAGE) as u32;
        let param = |name: &str| Param {
            name: Name::new(name, NameSource::Internal),
            ty: Type::I32,
            precision: Precision::None,
            direction: Direction::In,
            span: Span::NONE,
        };
        let names = ["batches", "columns", "row", "out"];
        let rows =
            module.add_func(Name::new(ROWS, NameSource::Internal), names.map(param).to_vec(), vec![], Span::NONE);
        let mut b = Builder::new(module, rows, Policy::PLAIN);
        let outputs = self.pixels.zip(self.results);
        self::rows(&mut b, (shader, self.lanes), memory, params, ([self.columns.size, self.out.size], outputs));
        b.finish();
        stage::export(module, rows, ROWS);
    }

    /// Writes the fields that depend on the column, for the pair of rows that begins with `y`.
    pub(super) fn write_columns(&self, fragments: &Fragments<'_>, y: u32, memory: &mut [u8]) {
        let quads = u32::from(self.lanes / 4);
        for batch in 0..self.batches {
            let at = self.columns.address + batch * self.columns.size;
            self.write(&self.columns, at, [2 * quads * batch, y], fragments, memory);
        }
    }

    /// Writes the fields that do not, for the pair of rows that begins with `y`.
    pub(super) fn write_row(&self, fragments: &Fragments<'_>, y: u32, memory: &mut [u8]) {
        self.write(&self.row, self.row.address, [0, y], fragments, memory);
    }

    /// Writes the lanes of a record, whose first fragment is at `origin`.
    fn write(&self, record: &Record, at: u32, origin: [u32; 2], fragments: &Fragments<'_>, memory: &mut [u8]) {
        for field in &record.fields {
            for lane in 0..u32::from(self.lanes) {
                let [x, y] = place(lane);
                let pixel = [origin[0] + x, origin[1] + y];
                let bits = match &field.source {
                    Source::Input(component) => fragments.bits(component, pixel),
                    Source::Helper => u64::from(pixel[0] >= fragments.size()[0] || pixel[1] >= fragments.size()[1]),
                    Source::Output => 0,
                };
                let bits = if field.scalar == Scalar::Bool { bits.wrapping_neg() } else { bits };
                let size = bytes(field.scalar) as usize;
                let at = (at + field.offset) as usize + lane as usize * size;
                memory[at..at + size].copy_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
    }

    /// Address of the outputs of the first batch.
    pub(super) fn outputs(&self) -> u32 {
        self.pixels.map_or(self.out.address, |pixels| pixels.floats)
    }

    /// Reads the pixels of a pair of rows, `rows` the lower one and the upper one, which is empty beyond the picture; those of discarded
    /// fragments are left as they are.
    pub(super) fn read(&self, fragments: &Fragments<'_>, memory: &[u8], rows: [&mut [[f32; 4]]; 2]) {
        let Some(channels) = fragments.channels() else { return };
        let zero = fragments.pixel(|_| Some(0));
        let start = fragments.output().map_or(0, |(_, start)| start);
        let [lower, upper] = rows;
        let half = usize::from(self.lanes / 2);
        for batch in 0..self.batches {
            let at = (self.out.address + batch * self.out.size) as usize;
            let record = &memory[at..at + self.out.size as usize];
            let values = match self.first {
                Some(first) => channels.map(|channel| match channel {
                    Channel::Component(c) => self.floats(record, first + start + c),
                    Channel::Constant(value) => [value; MAX_LANES],
                }),
                // Nothing writes it.
                None => zero.map(|value| [value; MAX_LANES]),
            };
            let helpers = self.helpers.map(|helpers| self.floats(record, helpers));
            let x = batch as usize * half;
            for (y, row) in [&mut *lower, &mut *upper].into_iter().enumerate() {
                let pixels = row.iter_mut().skip(x).take(half);
                for (i, pixel) in pixels.enumerate() {
                    let lane = (i / 2 * 4 + 2 * y + i % 2) % MAX_LANES;
                    if helpers.is_none_or(|helpers| helpers[lane] == 0.0) {
                        *pixel = [values[0][lane], values[1][lane], values[2][lane], values[3][lane]];
                    }
                }
            }
        }
    }

    /// The lanes of a field of a record, as numbers; 0 if there is no such field.
    fn floats(&self, record: &[u8], field: usize) -> [f32; MAX_LANES] {
        let mut values = [0.0; MAX_LANES];
        let Some(field) = self.out.fields.get(field) else { return values };
        let size = bytes(field.scalar) as usize;
        let words = record[field.offset as usize..].chunks_exact(size).take(usize::from(self.lanes));
        if field.scalar == Scalar::F32 {
            for (value, word) in values.iter_mut().zip(words) {
                *value = f32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            }
            return values;
        }
        for (value, bytes) in values.iter_mut().zip(words) {
            let mut word = [0; 8];
            word[..size].copy_from_slice(bytes);
            let word = u64::from_le_bytes(word);
            let word = if field.scalar == Scalar::Bool { word & 1 } else { word };
            *value = f32::from_bits(convert(word, field.scalar, Scalar::F32) as u32);
        }
        values
    }
}

/// The greatest magnitude of an input in the pixels before `end`; infinite where it depends on both row and column.
fn greatest(fragments: &Fragments<'_>, component: &InputComponent, [columns, rows]: [u32; 2]) -> f64 {
    let of = |pixel: [u32; 2]| f64::from(f32::from_bits(fragments.bits(component, pixel) as u32)).abs();
    let most = |all: &mut dyn Iterator<Item = [u32; 2]>| all.map(of).fold(0.0, f64::max);
    match component.dependence {
        _ if component.scalar != Scalar::F32 => f64::INFINITY,
        Dependence::X => most(&mut (0..columns).map(|x| [x, 0])),
        Dependence::Y => most(&mut (0..rows).map(|y| [0, y])),
        Dependence::Both => f64::INFINITY,
        Dependence::None => of([0, 0]),
    }
}

/// Position of a lane in its batch: quads in a row, in each `x0y0 x1y0 x0y1 x1y1`.
fn place(lane: u32) -> [u32; 2] {
    [lane / 4 * 2 + lane % 2, lane % 4 / 2]
}

/// Writes the body of [`ROWS`]; `steps` are the sizes of the records of a batch, of inputs and of outputs.
fn rows(
    b: &mut Builder<'_, '_>,
    (shader, lanes): (Func, u8),
    memory: Memory,
    params: &[Input],
    (mut steps, pixels): ([u32; 2], Option<(Pixels, pixels::Results)>),
) {
    let [count, columns, row, out] = [0, 1, 2, 3].map(|i| b.param(i));
    let zero = b.i32(0);
    let blocks = b.loop_(&[zero, columns, out], false);
    let [at, columns, out] = [0; 3].map(|_| b.add_input(blocks.condition, Type::I32, Precision::None));
    b.switch_to(blocks.condition);
    let more = b.op(Op::LessThan, &[at, count]);
    b.loop_if(more);
    b.switch_to(blocks.body);
    let wide = b.module.types.intern(TypeKind::V128);
    let access = |offset: u32| MemArg { memory, offset, width: Width::B128, signed: false, in_bounds: false };
    let mut args: Vec<Value> = Vec::new();
    for &Input { by_column, offset, scalar, .. } in params {
        let address = [if by_column { columns } else { row }];
        for part in (0..u32::from(lanes) * bytes(scalar)).step_by(16) {
            args.push(b.make(Request::new(Op::MemoryLoad, &address).imm(access(offset + part)).ty(wide)));
        }
    }
    let results: Results = b.call(shader.into(), &args);
    if let Some((pixels, of)) = pixels {
        steps[1] = Pixels::step(lanes);
        pixels.write(b, memory, (&results, &of), (out, lanes));
    } else {
        for (i, &result) in results.iter().enumerate() {
            b.make_all(Request::new(Op::MemoryStore, &[out, result]).imm(access(16 * i as u32)));
        }
    }
    let one = b.i32(1);
    let next = b.op(Op::Add, &[at, one]);
    let [by_columns, by_out] = steps.map(|step| b.i32(step as i32));
    let next_columns = b.op(Op::Add, &[columns, by_columns]);
    let next_out = b.op(Op::Add, &[out, by_out]);
    b.continue_(blocks.owner, &[next, next_columns, next_out]);
    b.switch_to(blocks.merge);
    b.ret(&[]);
}
