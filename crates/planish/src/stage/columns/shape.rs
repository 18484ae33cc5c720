//! The parameters of a loop over rows.

use planish_ir::decoration::{Name, NameSource};
use planish_ir::entity::{self, Func};
use planish_ir::function::{Param, ResultType};
use planish_ir::host::{HostNumber, SliceParam};
use planish_ir::module::MemoryData;
use planish_ir::source::Span;
use planish_ir::types::Scalar;

use super::super::Program;
use super::{Batch, Column, Input, Nulls};

/// A slice of numbers.
pub(super) type Memory = (entity::Memory, HostNumber);

/// Bits, and the parameter that is the number of the first row's; without one it is 0.
#[derive(Clone, Copy)]
pub(super) struct Bits {
    pub(super) memory: entity::Memory,
    pub(super) first: Option<usize>,
}

/// The rows of an input.
#[derive(Clone, Copy)]
pub(super) enum Rows {
    Numbers(Memory),
    Bits(Bits),
    Bytes(Memory),
    Constant(usize),
}

/// An input, and the bits of its rows that are not null.
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub(super) rows: Rows,
    /// Types of the function's parameters: with nulls that are seen two.
    pub(super) scalar: Scalar,
    pub(super) nulls: Nulls,
    pub(super) valid: Option<Bits>,
}

/// The result of a row.
#[derive(Clone, Copy)]
pub(super) enum Result1 {
    Numbers(Memory),
    Bits(Bits),
}

/// The parameters of a loop over rows.
pub(super) struct Shape {
    params: Vec<(Scalar, &'static str)>,
    /// Parameter, number, whether it is written; of bits the parameter of the first one.
    slices: Vec<(usize, HostNumber, bool, Option<Option<usize>>)>,
    /// Whether the length of a slice is that of the groups.
    is_by_group: Vec<bool>,
    pub(super) batch: Batch,
    pub(super) mask: Option<Bits>,
    pub(super) groups: Option<Memory>,
    /// The parameters that the state begins with, of a fold.
    pub(super) state: Vec<usize>,
    /// The states of the groups.
    pub(super) states: Vec<(Memory, Scalar)>,
    pub(super) sources: Vec<Source>,
    pub(super) result: Option<Result1>,
    pub(super) valid: Option<Bits>,
    results: Vec<Scalar>,
}

/// The numbers that a scalar is kept as in memory; a truth value is a byte.
fn number_of(scalar: Scalar) -> HostNumber {
    match scalar {
        Scalar::Bool => HostNumber::U8,
        Scalar::I8 | Scalar::I16 | Scalar::I32 => HostNumber::I32,
        Scalar::U8 | Scalar::U16 | Scalar::U32 => HostNumber::U32,
        Scalar::I64 => HostNumber::I64,
        Scalar::U64 => HostNumber::U64,
        Scalar::F16 | Scalar::F32 => HostNumber::F32,
        Scalar::F64 => HostNumber::F64,
    }
}

/// Whether every number of a type has one of another type, or the nearest one of a float.
pub(super) fn widens(from: Scalar, to: Scalar) -> bool {
    use Scalar::{Bool, F32, F64, I32, I64, U32, U64};
    from == to
        || match to {
            F64 => from != Bool,
            F32 => matches!(from, I32 | U32),
            I64 => matches!(from, I32 | U32),
            U64 => from == U32,
            _ => false,
        }
}

impl Shape {
    /// # Errors
    /// Why the function has no such loop.
    pub(super) fn new(
        program: &Program,
        (params, results): &(Vec<Scalar>, Vec<Scalar>),
        batch: Batch,
        masked: bool,
        inputs: &[Input],
    ) -> Result<Self, String> {
        let mut shape = Shape {
            params: vec![(Scalar::U32, "rows")],
            slices: Vec::new(),
            is_by_group: Vec::new(),
            batch,
            mask: None,
            groups: None,
            state: Vec::new(),
            states: Vec::new(),
            sources: Vec::new(),
            result: None,
            valid: None,
            results: Vec::new(),
        };
        let taken = if batch == Batch::Rows { 0 } else { results.len() };
        if params.get(..taken) != Some(&results[..taken]) {
            return Err(format!("{} does not begin with the state that it gives", program.signature()));
        }
        if masked {
            shape.mask = Some(shape.bits("counts", false));
        }
        if batch == Batch::Groups {
            shape.groups = Some(shape.slice(HostNumber::U64, "group", false));
        }
        if batch == Batch::Fold {
            shape.state = results.iter().map(|&scalar| shape.param(scalar, "state")).collect();
            shape.results = results.clone();
        }
        shape.add_inputs(&params[taken..], inputs)?;
        match batch {
            Batch::Rows => shape.add_result(results)?,
            Batch::Fold => {}
            Batch::Groups => {
                for &scalar in results {
                    let memory = shape.slice(number_of(scalar), "state", true);
                    *shape.is_by_group.last_mut().expect("it was added") = true;
                    shape.states.push((memory, scalar));
                }
            }
        }
        Ok(shape)
    }

    fn add_inputs(&mut self, params: &[Scalar], inputs: &[Input]) -> Result<(), String> {
        let mut left = params.iter();
        for (index, &Input { column, nulls }) in inputs.iter().enumerate() {
            let mut next = || left.next().copied().ok_or(format!("it has no parameter for column {index}"));
            if nulls != Nulls::Unseen && next()? != Scalar::U32 {
                return Err(format!("its parameter for column {index} is no `Option`"));
            }
            let scalar = next()?;
            let rows = match column {
                Column::Numbers(number) if widens(number.scalar(), scalar) => {
                    Rows::Numbers(self.slice(number, "x", false))
                }
                Column::Bits if scalar == Scalar::Bool => Rows::Bits(self.bits("x", false)),
                Column::Bytes if scalar == Scalar::Bool => Rows::Bytes(self.slice(HostNumber::U8, "x", false)),
                Column::Constant => Rows::Constant(self.param(scalar, "x")),
                _ => return Err(format!("its parameter for column {index} is a {}", scalar.name())),
            };
            let valid = (nulls == Nulls::Some).then(|| self.bits("valid", false));
            self.sources.push(Source { rows, scalar, nulls, valid });
        }
        match left.next() {
            None => Ok(()),
            Some(_) => Err(format!("it has more parameters than the {} columns", inputs.len())),
        }
    }

    fn add_result(&mut self, results: &[Scalar]) -> Result<(), String> {
        let (scalar, is_option) = match *results {
            [scalar] => (scalar, false),
            [Scalar::U32, scalar] => (scalar, true),
            _ => return Err("its result is not a scalar, and not an `Option` of one".into()),
        };
        self.result = Some(match scalar {
            Scalar::Bool => Result1::Bits(self.bits("out", true)),
            _ => Result1::Numbers(self.slice(number_of(scalar), "out", true)),
        });
        self.valid = is_option.then(|| self.bits("out_valid", true));
        Ok(())
    }

    fn param(&mut self, scalar: Scalar, name: &'static str) -> usize {
        self.params.push((scalar, name));
        self.params.len() - 1
    }

    fn slice(&mut self, number: HostNumber, name: &'static str, is_written: bool) -> Memory {
        let len = self.param(Scalar::U32, name);
        let memory = entity::Memory::from_u32(self.slices.len() as u32);
        self.slices.push((len, number, is_written, None));
        self.is_by_group.push(false);
        (memory, number)
    }

    fn bits(&mut self, name: &'static str, is_written: bool) -> Bits {
        let (memory, _) = self.slice(HostNumber::U8, name, is_written);
        let first = (!is_written).then(|| self.param(Scalar::U32, "first"));
        self.slices.last_mut().expect("it was added").3 = Some(first);
        Bits { memory, first }
    }

    /// Whether results are bits, which are written a byte at a time.
    pub(super) fn writes_bits(&self) -> bool {
        matches!(self.result, Some(Result1::Bits(_))) || self.valid.is_some()
    }

    /// The parameters that are the lengths of slices with an element for each row; of bits the parameter of the first one.
    pub(super) fn lengths(&self) -> Vec<(usize, Option<Option<usize>>)> {
        let by_row = self.slices.iter().zip(&self.is_by_group).filter(|(_, is_by_group)| !**is_by_group);
        by_row.map(|(&(len, _, _, bits), _)| (len, bits)).collect()
    }

    /// Adds the function and its slices to the program.
    pub(super) fn declare(&self, program: &mut Program, span: Span) -> Func {
        let types = &mut program.module.types;
        let param = |(index, &(scalar, name)): (usize, &(Scalar, &str))| {
            let ty = types.scalar(scalar);
            Param { span, ..Param::new(Name::temporary(format!("{name}{index}")), ty) }
        };
        let params = self.params.iter().enumerate().map(param).collect();
        let result = |&scalar: &Scalar| ResultType::new(program.module.types.scalar(scalar));
        let results = self.results.iter().map(result).collect();
        let name = Name::new(format!("{}_of_columns", program.name), NameSource::Temporary);
        let func = program.module.add_func(name, params, results, span);
        for (index, &(param, number, is_written, _)) in self.slices.iter().enumerate() {
            let exports = vec![format!("slice{index}").into()];
            let data = MemoryData { min_pages: 0, max_pages: Some(0), import: None, exports };
            let memory = program.module.memories.push(data);
            program.slices.push(SliceParam { func, param, memory, number, count: 1, is_written });
        }
        func
    }
}
