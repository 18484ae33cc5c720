//! Programs over batches, compiled once for each form of their columns.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::buffer::{BooleanBuffer, NullBuffer};
use datafusion::common::{DataFusionError, Result};
use planish::stage::{Argument, Batch, Column, CompiledProgram, Errors, Input, Nulls, Program, Stopped, Value};

use crate::arrays::{Data, Rows, bits, count};

/// The error of a program that has stopped, with the place in the user's Rust or VL.
pub(crate) fn stopped(name: &str, stopped: &Stopped) -> DataFusionError {
    DataFusionError::Execution(format!("{name}: {stopped}"))
}

/// The errors of a program that cannot be made.
pub(crate) fn invalid(errors: &Errors) -> DataFusionError {
    DataFusionError::Plan(errors.to_string())
}

type Compiled = HashMap<(bool, Vec<Input>), Arc<CompiledProgram>>;

/// A function of scalars with the loops around it.
pub(crate) struct Kernel {
    pub(crate) program: Program,
    batch: Batch,
    sees_nulls: bool,
    compiled: Mutex<Compiled>,
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.program.fmt(f)
    }
}

/// The rows of a call.
pub(crate) struct Call<'a> {
    pub(crate) rows: usize,
    /// The rows that count, if not all do.
    pub(crate) mask: Option<&'a BooleanBuffer>,
    /// Values between the mask and the columns: the groups, or a state.
    pub(crate) before: Vec<Argument<'a>>,
    pub(crate) columns: &'a [Rows],
    /// Columns that are written.
    pub(crate) out: Vec<Argument<'a>>,
}

impl Kernel {
    pub(crate) fn new(program: &Program, batch: Batch, sees_nulls: bool) -> Self {
        Kernel { program: program.clone(), batch, sees_nulls, compiled: Mutex::default() }
    }

    /// The rows to skip because a column is null there; `None` if the function sees nulls.
    pub(crate) fn nulls(&self, columns: &[Rows]) -> Option<NullBuffer> {
        let nulls = columns.iter().map(|column| column.nulls.as_ref());
        (!self.sees_nulls).then(|| crate::arrays::all_valid(nulls)).flatten()
    }

    pub(crate) fn call(&self, call: Call<'_>) -> Result<Vec<Value>> {
        let Call { rows, mask, before, columns, out } = call;
        let inputs = columns.iter().map(|column| self.input(column)).collect();
        let compiled = self.compiled((mask.is_some(), inputs))?;
        let mut args = vec![Argument::from(count(rows)?)];
        if let Some(mask) = mask {
            let (bytes, first) = bits(mask);
            args.extend([Argument::from(bytes), Argument::from(first)]);
        }
        args.extend(before);
        for column in columns {
            match &column.data {
                Data::Numbers(number, bytes) => args.push(Argument::In(*number, bytes)),
                Data::Bits(bytes, first) => args.extend([Argument::from(bytes.as_slice()), Argument::from(*first)]),
                Data::Constant(value) => args.push(Argument::Value(*value)),
            }
            if let (true, Some(nulls)) = (self.sees_nulls, &column.nulls) {
                let (bytes, first) = bits(nulls.inner());
                args.extend([Argument::from(bytes), Argument::from(first)]);
            }
        }
        args.extend(out);
        compiled.call_columns(args).map_err(|error| stopped(self.program.name(), &error))
    }

    fn input(&self, rows: &Rows) -> Input {
        let column = match &rows.data {
            Data::Numbers(number, _) => Column::Numbers(*number),
            Data::Bits(..) => Column::Bits,
            Data::Constant(_) => Column::Constant,
        };
        let nulls = match (self.sees_nulls, &rows.nulls) {
            (false, _) => Nulls::Unseen,
            (true, None) => Nulls::None,
            (true, Some(_)) => Nulls::Some,
        };
        Input { column, nulls }
    }

    fn compiled(&self, key: (bool, Vec<Input>)) -> Result<Arc<CompiledProgram>> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = compiled.get(&key) {
            return Ok(known.clone());
        }
        let program = self.program.over(self.batch, key.0, &key.1).and_then(|program| program.compile());
        let program = Arc::new(program.map_err(|errors| invalid(&errors))?);
        compiled.insert(key, program.clone());
        Ok(program)
    }
}

/// A program that is called as it is.
pub(crate) struct Plain {
    pub(crate) program: Program,
    compiled: Mutex<Option<Arc<CompiledProgram>>>,
}

impl fmt::Debug for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.program.fmt(f)
    }
}

impl Plain {
    pub(crate) fn new(program: &Program) -> Self {
        Plain { program: program.clone(), compiled: Mutex::default() }
    }

    pub(crate) fn call<'a>(&self, args: impl IntoIterator<Item = Argument<'a>>) -> Result<Vec<Value>> {
        let compiled = {
            let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
            match &*compiled {
                Some(known) => known.clone(),
                None => {
                    let program = Arc::new(self.program.compile().map_err(|errors| invalid(&errors))?);
                    compiled.insert(program).clone()
                }
            }
        };
        compiled.call_columns(args).map_err(|error| stopped(self.program.name(), &error))
    }
}
