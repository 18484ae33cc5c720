//! Aggregate functions.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, GroupsAccumulator, Signature};
use planish::ir::types::Scalar;
use planish::stage::{Argument, Batch, Value};

use crate::arrays::{Rows, scalar_of, type_of};
use crate::groups::Groups;
use crate::kernel::{Call, Kernel, Plain};
use crate::scalar::{coerce, signature};
use crate::udf::{Udf, value_type};

/// An aggregate function.
#[derive(Debug)]
pub struct AggregateFunction {
    udf: Udf,
    signature: Signature,
    programs: Arc<Programs>,
}

/// The programs, which accumulators share.
#[derive(Debug)]
pub(crate) struct Programs {
    pub(crate) start: Plain,
    pub(crate) update: [Kernel; 2],
    pub(crate) merge: [Kernel; 2],
    /// Of the state of one group, and of the states of many.
    evaluate: Plain,
    pub(crate) evaluate_rows: Kernel,
    pub(crate) state: Vec<Scalar>,
    pub(crate) params: Vec<Scalar>,
    pub(crate) result: Scalar,
    pub(crate) gives_option: bool,
}

impl PartialEq for AggregateFunction {
    fn eq(&self, other: &Self) -> bool {
        self.udf == other.udf
    }
}

impl Eq for AggregateFunction {}

impl Hash for AggregateFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.udf.hash(state);
    }
}

impl AggregateFunction {
    pub(crate) fn new(udf: Udf) -> Self {
        let definition = udf.definition();
        let [start, update, merge, evaluate] = &definition.programs[..] else { unreachable!("it was checked") };
        let results = evaluate.signature().results;
        let both = |program, sees| [Batch::Fold, Batch::Groups].map(|batch| Kernel::new(program, batch, sees));
        let programs = Programs {
            start: Plain::new(start),
            update: both(update, definition.sees_nulls),
            merge: both(merge, false),
            evaluate: Plain::new(evaluate),
            evaluate_rows: Kernel::new(evaluate, Batch::Rows, false),
            state: definition.state(),
            params: definition.arguments(),
            result: value_type(&results).expect("it was checked"),
            gives_option: results.len() == 2,
        };
        AggregateFunction { signature: signature(programs.params.len()), programs: Arc::new(programs), udf }
    }

    /// The function, with its bytes.
    pub fn udf(&self) -> &Udf {
        &self.udf
    }
}

impl Programs {
    /// The state before any row.
    pub(crate) fn start(&self) -> Result<Vec<Value>> {
        self.start.call([])
    }
}

impl AggregateUDFImpl for AggregateFunction {
    fn name(&self) -> &str {
        self.udf.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        coerce(self.name(), &self.programs.params, given)
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(type_of(self.programs.result))
    }

    fn is_nullable(&self) -> bool {
        self.programs.gives_option
    }

    fn default_value(&self, _: &DataType) -> Result<ScalarValue> {
        One { state: self.programs.start()?, programs: self.programs.clone() }.evaluate()
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let field = |(index, &scalar)| Arc::new(Field::new(format!("{}[{index}]", args.name), type_of(scalar), false));
        Ok(self.programs.state.iter().enumerate().map(field).collect())
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        if args.is_distinct {
            return datafusion::common::not_impl_err!("{}(DISTINCT …)", self.name());
        }
        Ok(Box::new(One { state: self.programs.start()?, programs: self.programs.clone() }))
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        !args.is_distinct
    }

    fn create_groups_accumulator(&self, _: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(Groups::new(self.programs.clone())?))
    }
}

/// The state of one group.
#[derive(Debug)]
struct One {
    state: Vec<Value>,
    programs: Arc<Programs>,
}

impl One {
    fn fold(&mut self, kernel: impl Fn(&Programs) -> &Kernel, columns: &[ArrayRef]) -> Result<()> {
        let rows = columns.first().map_or(0, |column| column.len());
        let columns = columns.iter().map(|column| Rows::of(column)).collect::<Result<Vec<_>>>()?;
        let kernel = kernel(&self.programs);
        let nulls = kernel.nulls(&columns);
        let before = self.state.iter().map(|&value| Argument::Value(value)).collect();
        let mask = nulls.as_ref().map(NullBuffer::inner);
        self.state = kernel.call(Call { rows, mask, before, columns: &columns, out: Vec::new() })?;
        Ok(())
    }
}

impl Accumulator for One {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.fold(|programs| &programs.update[0], values)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.fold(|programs| &programs.merge[0], states)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(self.state.iter().map(|&value| scalar_of(value)).collect())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let results = self.programs.evaluate.call(self.state.iter().map(|&value| Argument::Value(value)))?;
        match results[..] {
            [variant, _] if variant.bits == 0 => ScalarValue::try_from(type_of(self.programs.result)),
            _ => Ok(scalar_of(results[results.len() - 1])),
        }
    }

    fn size(&self) -> usize {
        size_of_val(self) + size_of_val(&self.state[..])
    }
}
