//! Scalar functions.

use std::hash::{Hash, Hasher};

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::buffer::{BooleanBuffer, MutableBuffer, NullBuffer};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility};
use planish::ir::types::Scalar;
use planish::stage::{Argument, Batch};

use crate::arrays::{Rows, array, coerced, type_of, width_of};
use crate::kernel::{Call, Kernel};
use crate::udf::{Udf, has_slices, value_type};
use crate::window::Slices;

/// A scalar function.
#[derive(Debug)]
pub struct ScalarFunction {
    udf: Udf,
    signature: Signature,
    body: Body,
}

#[derive(Debug)]
enum Body {
    /// A function of scalars.
    Rows { kernel: Kernel, params: Vec<Scalar>, result: Scalar, gives_option: bool, is_total: bool },
    /// A function of slices.
    Slices(Slices),
}

impl PartialEq for ScalarFunction {
    fn eq(&self, other: &Self) -> bool {
        self.udf == other.udf
    }
}

impl Eq for ScalarFunction {}

impl Hash for ScalarFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.udf.hash(state);
    }
}

/// The signature of a function that coerces the types of its arguments itself.
pub(crate) fn signature(params: usize) -> Signature {
    match params {
        0 => Signature::nullary(Volatility::Immutable),
        _ => Signature::user_defined(Volatility::Immutable),
    }
}

/// The types that arguments are cast to.
pub(crate) fn coerce(name: &str, params: &[Scalar], given: &[DataType]) -> Result<Vec<DataType>> {
    if params.len() != given.len() {
        return plan_err!("{name} takes {} arguments, not {}", params.len(), given.len());
    }
    given.iter().zip(params).enumerate().map(|(index, (given, &param))| coerced(name, index, given, param)).collect()
}

impl ScalarFunction {
    pub(crate) fn new(udf: Udf) -> Self {
        let definition = udf.definition();
        let program = &definition.programs[0];
        let body = if has_slices(program) {
            Body::Slices(Slices::new(program))
        } else {
            let results = program.signature().results;
            Body::Rows {
                kernel: Kernel::new(program, Batch::Rows, definition.sees_nulls),
                params: definition.arguments(),
                result: value_type(&results).expect("it was checked"),
                gives_option: results.len() == 2,
                is_total: program.is_total(),
            }
        };
        let params = match &body {
            Body::Rows { params, .. } => params.len(),
            Body::Slices(slices) => slices.arguments(),
        };
        let signature = signature(params);
        ScalarFunction { udf, signature, body }
    }

    /// The function, with its bytes.
    pub fn udf(&self) -> &Udf {
        &self.udf
    }
}

impl ScalarUDFImpl for ScalarFunction {
    fn name(&self) -> &str {
        self.udf.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        match &self.body {
            Body::Rows { params, .. } => coerce(self.name(), params, given),
            Body::Slices(slices) => slices.coerce(self.name(), given),
        }
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(match &self.body {
            Body::Rows { result, .. } => type_of(*result),
            Body::Slices(slices) => slices.result(),
        })
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let is_constant = |arg: &ColumnarValue| matches!(arg, ColumnarValue::Scalar(_));
        match &self.body {
            Body::Slices(slices) => slices.call(self.name(), &args.args, args.number_rows).map(ColumnarValue::Array),
            Body::Rows { .. } if args.args.iter().all(is_constant) => {
                let array = self.over_rows(&args.args, 1)?;
                Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?))
            }
            Body::Rows { .. } => self.over_rows(&args.args, args.number_rows).map(ColumnarValue::Array),
        }
    }
}

impl ScalarFunction {
    fn over_rows(&self, args: &[ColumnarValue], rows: usize) -> Result<ArrayRef> {
        let Body::Rows { kernel, params, result, gives_option, is_total } = &self.body else {
            unreachable!("the caller has seen it")
        };
        let sees_nulls = self.udf.definition().sees_nulls;
        let mut columns = Vec::with_capacity(args.len());
        for (arg, &param) in args.iter().zip(params) {
            columns.push(match arg {
                ColumnarValue::Array(array) => Rows::of(array)?,
                ColumnarValue::Scalar(value) if !value.is_null() => Rows::constant(value, param)?,
                ColumnarValue::Scalar(_) if !sees_nulls => {
                    return Ok(datafusion::arrow::array::new_null_array(&type_of(*result), rows));
                }
                ColumnarValue::Scalar(_) => Rows::of(&ScalarValue::try_from(type_of(param))?.to_array_of_size(rows)?)?,
            });
        }
        let nulls = kernel.nulls(&columns);
        // A function that always ends may be called for rows that are null, too.
        let mask = nulls.as_ref().filter(|_| !is_total).map(NullBuffer::inner);
        let bits = rows.div_ceil(8);
        let size = if *result == Scalar::Bool { bits } else { rows * width_of(*result) };
        let mut values = MutableBuffer::from_len_zeroed(size);
        let mut valid = MutableBuffer::from_len_zeroed(if *gives_option { bits } else { 0 });
        let mut out = vec![match result {
            Scalar::Bool => Argument::from(values.as_slice_mut()),
            _ => Argument::Out(crate::arrays::number_of(&type_of(*result)).expect("a number"), values.as_slice_mut()),
        }];
        if *gives_option {
            out.push(Argument::from(valid.as_slice_mut()));
        }
        kernel.call(Call { rows, mask, before: Vec::new(), columns: &columns, out })?;
        let given = gives_option.then(|| NullBuffer::new(BooleanBuffer::new(valid.into(), 0, rows)));
        let nulls = NullBuffer::union(nulls.as_ref(), given.as_ref());
        array(&type_of(*result), rows, values, nulls)
    }
}
