//! Functions of whole columns: window functions, and scalar functions of slices.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::buffer::MutableBuffer;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue, exec_err, plan_err};
use datafusion::logical_expr::function::{PartitionEvaluatorArgs, WindowUDFFieldArgs};
use datafusion::logical_expr::{ColumnarValue, LimitEffect, PartitionEvaluator, Signature, WindowUDFImpl};
use planish::ir::host::HostNumber;
use planish::stage::{Argument, ParamType, Program, Value};

use crate::arrays::{Data, Rows, all_valid, array, coerced, count, number_of, type_of_number, value_of};
use crate::kernel::Plain;
use crate::scalar::signature;
use crate::udf::Udf;

/// A program of slices, one of which it writes.
#[derive(Clone, Debug)]
pub(crate) struct Slices {
    program: Arc<Plain>,
    params: Vec<ParamType>,
}

/// An argument of a program of slices.
enum Given {
    Rows(Rows),
    Value(Value),
}

impl Slices {
    pub(crate) fn new(program: &Program) -> Self {
        Slices { params: program.signature().params, program: Arc::new(Plain::new(program)) }
    }

    fn inputs(&self) -> impl Iterator<Item = ParamType> {
        let is_written = |param: &ParamType| matches!(param, ParamType::Slice { is_written: true, .. });
        self.params.iter().copied().filter(move |param| !is_written(param))
    }

    /// The number of arguments.
    pub(crate) fn arguments(&self) -> usize {
        self.inputs().count()
    }

    fn out(&self) -> HostNumber {
        let out = self.params.iter().find_map(|param| match *param {
            ParamType::Slice { number, is_written: true, .. } => Some(number),
            _ => None,
        });
        out.expect("it was checked")
    }

    /// The type of the result.
    pub(crate) fn result(&self) -> DataType {
        type_of_number(self.out())
    }

    pub(crate) fn coerce(&self, name: &str, given: &[DataType]) -> Result<Vec<DataType>> {
        if given.len() != self.arguments() {
            return plan_err!("{name} takes {} arguments, not {}", self.arguments(), given.len());
        }
        let coerce = |(index, (given, param)): (usize, (&DataType, ParamType))| match param {
            ParamType::Scalar(scalar) => coerced(name, index, given, scalar),
            ParamType::Slice { number, .. } if number_of(given) == Some(number) => Ok(given.clone()),
            ParamType::Slice { number, .. } => {
                coerced(name, index, given, number.scalar()).map(|_| type_of_number(number))
            }
        };
        given.iter().zip(self.inputs()).enumerate().map(coerce).collect()
    }

    /// The results of all rows.
    pub(crate) fn call(&self, name: &str, args: &[ColumnarValue], rows: usize) -> Result<ArrayRef> {
        count(rows)?;
        let mut given = Vec::with_capacity(args.len());
        for (index, (arg, param)) in args.iter().zip(self.inputs()).enumerate() {
            given.push(match (arg, param) {
                (ColumnarValue::Array(array), ParamType::Slice { .. }) => Given::Rows(Rows::of(array)?),
                (ColumnarValue::Scalar(value), ParamType::Slice { .. }) => {
                    Given::Rows(Rows::of(&value.to_array_of_size(rows)?)?)
                }
                (ColumnarValue::Scalar(value), ParamType::Scalar(scalar)) if !value.is_null() => {
                    match Rows::constant(value, scalar)?.data {
                        Data::Constant(value) => Given::Value(value),
                        _ => unreachable!("it is a constant"),
                    }
                }
                (ColumnarValue::Array(array), ParamType::Scalar(scalar)) if is_same_everywhere(array) => {
                    let array = datafusion::arrow::compute::cast(&array.slice(0, 1), &crate::arrays::type_of(scalar))?;
                    Given::Value(value_of(&array, scalar, 0)?)
                }
                _ if rows == 0 => return Ok(datafusion::arrow::array::new_empty_array(&self.result())),
                _ => return exec_err!("argument {} of {name} has to be the same in all rows, and not null", index + 1),
            });
        }
        let nulls = all_valid(given.iter().map(|given| match given {
            Given::Rows(rows) => rows.nulls.as_ref(),
            Given::Value(_) => None,
        }));
        let number = self.out();
        let mut values = MutableBuffer::from_len_zeroed(rows * number.width().bytes() as usize);
        let (mut left, mut out) = (given.iter(), Some(values.as_slice_mut()));
        let args = self.params.iter().map(|param| match param {
            ParamType::Slice { is_written: true, .. } => Argument::Out(number, out.take().expect("there is one")),
            _ => match left.next().expect("as many as inputs") {
                Given::Value(value) => Argument::Value(*value),
                Given::Rows(Rows { data: Data::Numbers(number, bytes), .. }) => Argument::In(*number, bytes),
                Given::Rows(_) => unreachable!("the types were coerced to numbers"),
            },
        });
        let args: Vec<Argument<'_>> = args.collect();
        self.program.call(args)?;
        array(&self.result(), rows, values, nulls)
    }
}

/// Whether all rows have the same value, and none is null.
fn is_same_everywhere(array: &ArrayRef) -> bool {
    !array.is_empty()
        && array.null_count() == 0
        && match Rows::of(array).map(|rows| rows.data) {
            Ok(Data::Numbers(number, bytes)) => {
                let mut rows = bytes.chunks_exact(number.width().bytes() as usize);
                let first = rows.next();
                rows.all(|row| Some(row) == first)
            }
            Ok(Data::Bits(..)) => {
                let bits = array.as_boolean();
                bits.true_count() == 0 || bits.false_count() == 0
            }
            _ => false,
        }
}

/// A window function.
#[derive(Debug)]
pub struct WindowFunction {
    udf: Udf,
    signature: Signature,
    slices: Slices,
}

impl PartialEq for WindowFunction {
    fn eq(&self, other: &Self) -> bool {
        self.udf == other.udf
    }
}

impl Eq for WindowFunction {}

impl Hash for WindowFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.udf.hash(state);
    }
}

impl WindowFunction {
    pub(crate) fn new(udf: Udf) -> Self {
        let slices = Slices::new(&udf.definition().programs[0]);
        WindowFunction { signature: signature(slices.arguments()), udf, slices }
    }

    /// The function, with its bytes.
    pub fn udf(&self) -> &Udf {
        &self.udf
    }
}

impl WindowUDFImpl for WindowFunction {
    fn name(&self) -> &str {
        self.udf.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        self.slices.coerce(self.name(), given)
    }

    fn field(&self, args: WindowUDFFieldArgs<'_>) -> Result<FieldRef> {
        Ok(Arc::new(Field::new(args.name(), self.slices.result(), true)))
    }

    fn partition_evaluator(&self, _: PartitionEvaluatorArgs<'_>) -> Result<Box<dyn PartitionEvaluator>> {
        Ok(Box::new(Partition { name: self.name().to_owned(), slices: self.slices.clone() }))
    }

    fn limit_effect(&self, _: &[Arc<dyn datafusion::physical_plan::PhysicalExpr>]) -> LimitEffect {
        LimitEffect::Unknown
    }
}

/// A window function in a partition.
#[derive(Debug)]
struct Partition {
    name: String,
    slices: Slices,
}

impl PartitionEvaluator for Partition {
    fn evaluate_all(&mut self, values: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        let args: Vec<ColumnarValue> = values.iter().cloned().map(ColumnarValue::Array).collect();
        self.slices.call(&self.name, &args, rows)
    }

    fn evaluate(&mut self, _: &[ArrayRef], _: &std::ops::Range<usize>) -> Result<ScalarValue> {
        exec_err!("{} is a function of the whole partition", self.name)
    }
}
