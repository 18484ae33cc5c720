//! The program of a drawing: the widened shader in a loop over the fragments of two rows, and the records in memory through which the
//! host passes inputs and reads outputs.
//!
//! ```text
//! rows(batches, columns, row, out): for each batch of lanes
//!     load the inputs that depend on the column   from columns, a record for each batch
//!     load the other inputs                       from row, one record
//!     call the widened shader
//!     store its outputs                           to out, a record for each batch
//! ```
//!
//! A batch is a row of quads. A record has the lanes of each component, one after the other; a truth value is a word of ones or zeros.

use planish_eval::shade::{Dependence, Fragments, InputComponent};
use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::decoration::{Name, NameSource, Precision};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Memory, Type, Value, Var};
use planish_ir::function::{Direction, Param};
use planish_ir::host::{FuncType, ValType};
use planish_ir::module::{EntryPoint, MemoryData, Module, Stage, StageProperties};
use planish_ir::ops::{MemArg, Op, Width};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, ImageKind, Scalar, TypeKind};
use planish_opt::widen::{WidenOptions, Widened, widen};
use planish_opt::{Context, approximate_functions, cost, fold_uniforms, lower_to_scalars};
use planish_target::legal::TargetInfo;
use planish_vm::Val;

use super::{DrawError, LaneOptions};
use crate::Optimizer;

/// The exported function that draws two rows.
pub(super) const ROWS: &str = "rows";
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

/// Bytes of a scalar in a lane.
fn bytes(scalar: Scalar) -> u32 {
    if scalar.bits() == 64 { 8 } else { 4 }
}

/// An operation that the host runs.
#[derive(Clone, Debug)]
pub(super) struct Outside {
    pub(super) name: String,
    /// The function over one invocation, in the widened module.
    pub(super) func: Func,
    pub(super) ty: FuncType,
    /// Scalars of the lanes that are parameters, the mask first, and results.
    pub(super) params: Vec<Scalar>,
    pub(super) results: Vec<Scalar>,
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
    /// Field of `out` with component 0 of the variable that is drawn.
    first: Option<usize>,
    /// Field of `out` with the mask of helper invocations.
    helpers: Option<usize>,
}

fn unsupported(span: Span, text: &str) -> DrawError {
    DrawError::Unsupported(vec![Diagnostic::error(Code::E0604, span, text)])
}

/// A variable by which fragments may change what others read.
fn shared(module: &Module) -> Option<Var> {
    let writes = |kind: &TypeKind| match kind {
        TypeKind::Image(image) => matches!(image.kind, ImageKind::Storage(_)),
        TypeKind::AtomicCounter => true,
        _ => false,
    };
    let is = |&(_, data): &(Var, &planish_ir::module::VarData)| {
        data.space == AddressSpace::Storage || module.types.contains(data.ty, &mut |kind| writes(kind))
    };
    module.vars.iter().find(is).map(|(var, _)| var)
}

impl Program {
    pub(super) fn new(
        module: &Module,
        fragments: &Fragments<'_>,
        uniforms: &[(Var, Vec<u64>)],
        options: &LaneOptions,
    ) -> Result<Self, DrawError> {
        let lanes = options.lanes;
        if let Some(var) = shared(module) {
            return Err(unsupported(module.vars[var].span, "memory that fragments share cannot be drawn on lanes"));
        }
        let mut widened = module.clone();
        let entry = module.entry_point(Some(Stage::Fragment)).expect("the interface is that of one");
        widened.entry_points = vec![entry.clone()];
        let mut known = Vec::new();
        for (var, bits) in uniforms {
            let ty = widened.vars[*var].ty;
            let value = widened.consts.unflatten(&mut widened.types, ty, &mut bits.iter().copied());
            known.extend(value.map(|value| (*var, value)));
        }
        fold_uniforms::run(&mut widened, &known);
        let optimizer = optimizer(true);
        optimizer.run(&mut widened, &mut |_, _| {});
        let shader = widened.entry_points[0].func;
        let size = fragments.size();
        let helpers = size[0] % u32::from(lanes / 2) != 0 || size[1] % 2 != 0;
        let widening = WidenOptions { lanes, all_active: true, helpers, interface: true };
        let made = widen(&mut widened, shader, &widening).map_err(DrawError::Unsupported)?;
        let names = vec![SHADER.into()];
        widened.entry_points =
            vec![EntryPoint { names, func: made.func, stage: None, properties: StageProperties::default() }];
        let mut lowered = widened.clone();
        optimizer.run(&mut lowered, &mut |_, _| {});
        let mut program = Program {
            lanes,
            lowered,
            outside: Vec::new(),
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
        program.outside(&made);
        if !options.exact {
            approximate_functions::run(&mut program.lowered, lanes);
        }
        let mut context = Context::default();
        lower_to_scalars::run_on_lanes(&mut program.lowered, &TargetInfo::EVERYTHING, &mut context, lanes)
            .map_err(DrawError::Unsupported)?;
        program.write_rows(&params);
        let mut last = optimizer;
        last.options.inline_all = false;
        last.run(&mut program.lowered, &mut |_, _| {});
        Ok(program)
    }

    /// Finds the fields of all records; the record and offset of each parameter of the shader.
    fn fields(
        &mut self,
        module: &Module,
        fragments: &Fragments<'_>,
        made: &Widened,
        helpers: bool,
    ) -> Result<Vec<(bool, u32, Scalar)>, DrawError> {
        let mut params = Vec::new();
        if helpers {
            self.columns.varies_by_row = true;
            params.push((true, self.columns.add(Scalar::Bool, Source::Helper, self.lanes), Scalar::Bool));
        }
        for &var in &made.inputs {
            let data = &module.vars[var];
            for component in fragments.components(var) {
                let source = Source::Input(component);
                let by_column = matches!(component.dependence, Dependence::X | Dependence::Both);
                self.columns.varies_by_row |= component.dependence == Dependence::Both;
                let record = if by_column { &mut self.columns } else { &mut self.row };
                params.push((by_column, record.add(component.scalar, source, self.lanes), component.scalar));
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
        Ok(params)
    }

    /// The operations that the host runs, by the module before lowering.
    fn outside(&mut self, made: &Widened) {
        let types = &self.widened.types;
        let used: Vec<&str> = self.lowered.func_imports.iter().map(|(_, import)| &*import.name).collect();
        for outlined in made.outlined.iter().filter(|outlined| used.contains(&&*outlined.name)) {
            let import = &self.widened.funcs[outlined.import];
            let scalar = |ty: Type| types.scalar_of(ty).expect("lanes");
            let params: Vec<Scalar> = import.params.iter().map(|p| scalar(p.ty)).collect();
            let results: Vec<Scalar> = import.results.iter().map(|r| scalar(r.ty)).collect();
            let wide = |scalars: &[Scalar]| -> Vec<ValType> {
                let parts = scalars.iter().map(|&s| u32::from(self.lanes) * bytes(s) / 16).sum::<u32>();
                vec![ValType::V128; parts as usize]
            };
            let ty = FuncType::new(wide(&params), wide(&results));
            self.outside.push(Outside { name: outlined.name.clone(), func: outlined.func, ty, params, results });
        }
    }

    /// Adds [`ROWS`], and the records to memory.
    fn write_rows(&mut self, params: &[(bool, u32, Scalar)]) {
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
        take(&mut self.out, self.batches);
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
        self::rows(&mut b, (shader, self.lanes), memory, params, [self.columns.size, self.out.size]);
        b.finish();
        let names = vec![ROWS.into()];
        module.entry_points =
            vec![EntryPoint { names, func: rows, stage: None, properties: StageProperties::default() }];
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

    /// Calls `put` with the place of every fragment in the pair of rows that was not discarded, and its pixel.
    pub(super) fn read(&self, fragments: &Fragments<'_>, memory: &[u8], put: &mut dyn FnMut([u32; 2], [f32; 4])) {
        if self.first.is_none() && fragments.output().is_some() {
            // Nothing writes it.
            let zero = fragments.pixel(|_| Some(0));
            return (0..self.batches * u32::from(self.lanes)).for_each(|i| {
                let [x, y] = place(i % u32::from(self.lanes));
                put([x + i / u32::from(self.lanes) * u32::from(self.lanes / 2), y], zero);
            });
        }
        let Some(first) = self.first else { return };
        for batch in 0..self.batches {
            let at = (self.out.address + batch * self.out.size) as usize;
            let word = |field: usize, lane: u32| {
                let field = self.out.fields.get(field)?;
                let size = bytes(field.scalar) as usize;
                let at = at + field.offset as usize + lane as usize * size;
                let mut word = [0; 8];
                word[..size].copy_from_slice(&memory[at..at + size]);
                let word = u64::from_le_bytes(word);
                Some(if field.scalar == Scalar::Bool { word & 1 } else { word })
            };
            for lane in 0..u32::from(self.lanes) {
                if self.helpers.is_some_and(|helpers| word(helpers, lane) != Some(0)) {
                    continue;
                }
                let [x, y] = place(lane);
                put([batch * u32::from(self.lanes / 2) + x, y], fragments.pixel(|c| word(first + c, lane)));
            }
        }
    }
}

/// Position of a lane in its batch: quads in a row, in each `x0y0 x1y0 x0y1 x1y1`.
fn place(lane: u32) -> [u32; 2] {
    [lane / 4 * 2 + lane % 2, lane % 4 / 2]
}

/// The passes before widening and after; before, every call is inlined.
pub(super) fn optimizer(inline_all: bool) -> Optimizer {
    let mut optimizer = Optimizer::level("2").expect("it is a level");
    optimizer.options.inline_all = inline_all;
    optimizer.options.costs = Some((&cost::MACHINE).into());
    optimizer
}

/// Writes the body of [`ROWS`]; `steps` are the sizes of the records of a batch, of inputs and of outputs.
fn rows(
    b: &mut Builder<'_, '_>,
    (shader, lanes): (Func, u8),
    memory: Memory,
    params: &[(bool, u32, Scalar)],
    steps: [u32; 2],
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
    for &(by_column, offset, scalar) in params {
        let address = [if by_column { columns } else { row }];
        for part in (0..u32::from(lanes) * bytes(scalar)).step_by(16) {
            args.push(b.make(Request::new(Op::MemoryLoad, &address).imm(access(offset + part)).ty(wide)));
        }
    }
    let results: Results = b.call(shader.into(), &args);
    for (i, &result) in results.iter().enumerate() {
        b.make_all(Request::new(Op::MemoryStore, &[out, result]).imm(access(16 * i as u32)));
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

/// The lanes of 128-bit values, by component.
pub(super) fn unpack(values: &[Val], scalars: &[Scalar], lanes: usize) -> Vec<Vec<u64>> {
    let mut values = values.iter();
    let column = |&scalar: &Scalar| {
        let width = 16 / bytes(scalar) as usize;
        let mut column = Vec::with_capacity(lanes);
        while column.len() < lanes {
            let Some(&Val::V128(word)) = values.next() else { break };
            column.extend((0..width).map(|i| (word >> (128 / width * i)) as u64 & (u64::MAX >> (64 - 128 / width))));
        }
        column
    };
    scalars.iter().map(column).collect()
}

/// The reverse of [`unpack`].
pub(super) fn pack(columns: &[Vec<u64>], scalars: &[Scalar], values: &mut [Val]) {
    let mut values = values.iter_mut();
    for (column, &scalar) in columns.iter().zip(scalars) {
        let width = 16 / bytes(scalar) as usize;
        for chunk in column.chunks(width) {
            let lane = |bits: u64| if scalar == Scalar::Bool && bits != 0 { 0xffff_ffff } else { u128::from(bits) };
            let word = chunk.iter().rev().fold(0, |word, &bits| word << (128 / width) | lane(bits));
            if let Some(value) = values.next() {
                *value = Val::V128(word);
            }
        }
    }
}
