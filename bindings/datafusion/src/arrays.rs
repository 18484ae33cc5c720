//! Arrow arrays as columns of programs, without copies of their values.

use datafusion::arrow::array::{Array, ArrayData, ArrayRef, AsArray, make_array};
use datafusion::arrow::buffer::{BooleanBuffer, Buffer, MutableBuffer, NullBuffer};
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, exec_datafusion_err, plan_err};
use planish::ir::host::HostNumber;
use planish::ir::types::Scalar;
use planish::stage::Value;

/// The rows of an argument, without the nulls.
pub(crate) enum Data {
    Numbers(HostNumber, Buffer),
    /// Bits, and the number of the first row's in the first byte.
    Bits(Buffer, u32),
    Constant(Value),
}

/// An argument.
pub(crate) struct Rows {
    pub(crate) data: Data,
    pub(crate) nulls: Option<NullBuffer>,
}

/// The numbers in memory of an Arrow type.
pub(crate) fn number_of(ty: &DataType) -> Option<HostNumber> {
    Some(match ty {
        DataType::Int8 => HostNumber::I8,
        DataType::UInt8 => HostNumber::U8,
        DataType::Int16 => HostNumber::I16,
        DataType::UInt16 => HostNumber::U16,
        DataType::Int32 | DataType::Date32 | DataType::Time32(_) => HostNumber::I32,
        DataType::UInt32 => HostNumber::U32,
        DataType::Int64 | DataType::Date64 | DataType::Time64(_) | DataType::Timestamp(..) | DataType::Duration(_) => {
            HostNumber::I64
        }
        DataType::UInt64 => HostNumber::U64,
        DataType::Float32 => HostNumber::F32,
        DataType::Float64 => HostNumber::F64,
        _ => return None,
    })
}

/// The Arrow type of a scalar.
pub(crate) fn type_of(scalar: Scalar) -> DataType {
    match scalar {
        Scalar::Bool => DataType::Boolean,
        Scalar::I8 | Scalar::I16 | Scalar::I32 => DataType::Int32,
        Scalar::U8 | Scalar::U16 | Scalar::U32 => DataType::UInt32,
        Scalar::I64 => DataType::Int64,
        Scalar::U64 => DataType::UInt64,
        // The engine computes with 32 bits, rounded.
        Scalar::F16 | Scalar::F32 => DataType::Float32,
        Scalar::F64 => DataType::Float64,
    }
}

/// The Arrow type of numbers in memory.
pub(crate) fn type_of_number(number: HostNumber) -> DataType {
    match number {
        HostNumber::I8 => DataType::Int8,
        HostNumber::U8 => DataType::UInt8,
        HostNumber::I16 => DataType::Int16,
        HostNumber::U16 => DataType::UInt16,
        _ => type_of(number.scalar()),
    }
}

/// The type that the engine casts an argument to before a parameter takes it: its own, if the program's loop converts it.
pub(crate) fn coerced(function: &str, index: usize, given: &DataType, param: Scalar) -> Result<DataType> {
    use DataType::{Boolean, Float16, Null};
    let wanted = type_of(param);
    let is_time = number_of(given).is_some_and(|number| type_of_number(number) != *given);
    let stays = match number_of(given) {
        // A day is a number, but not a float.
        Some(number) if is_time => number.scalar() == param,
        Some(number) => widens(number.scalar(), param),
        None => *given == Boolean && param == Scalar::Bool,
    };
    let is_float = matches!(given, Float16 | DataType::Float32 | DataType::Float64) || is_decimal(given);
    let is_cast = *given == Null
        || param != Scalar::Bool
            && !is_time
            && (given.is_numeric() || *given == Float16)
            && (!is_float || param.is_float());
    match (stays, is_cast) {
        (true, _) => Ok(given.clone()),
        (_, true) => Ok(wanted),
        _ => plan_err!("argument {} of {function} is {given}, and has to be {wanted}: CAST it", index + 1),
    }
}

fn is_decimal(ty: &DataType) -> bool {
    matches!(
        ty,
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) | DataType::Decimal256(..)
    )
}

/// Whether the loop over the rows converts numbers of a type exactly, or to the nearest float.
fn widens(from: Scalar, to: Scalar) -> bool {
    use Scalar::{Bool, F32, F64, I32, I64, U32, U64};
    from == to
        || match to {
            F64 => from != Bool,
            F32 | I64 => matches!(from, I32 | U32),
            U64 => from == U32,
            _ => false,
        }
}

impl Rows {
    /// The rows of an array of numbers or truth values.
    pub(crate) fn of(array: &dyn Array) -> Result<Rows> {
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0).cloned();
        if let Some(array) = array.as_boolean_opt() {
            let bits = array.values();
            let (first, buffer) = (bits.offset(), bits.inner());
            return Ok(Rows { data: Data::Bits(buffer.slice(first / 8), (first % 8) as u32), nulls });
        }
        let Some(number) = number_of(array.data_type()) else {
            return plan_err!("a column of {} cannot be passed to a program", array.data_type());
        };
        let (data, width) = (array.to_data(), number.width().bytes() as usize);
        let values = data.buffers()[0].slice_with_length(data.offset() * width, data.len() * width);
        Ok(Rows { data: Data::Numbers(number, values), nulls })
    }

    /// The same value in each row.
    pub(crate) fn constant(value: &ScalarValue, scalar: Scalar) -> Result<Rows> {
        let array = cast_with_options(&value.to_array()?, &type_of(scalar), &STRICT)?;
        Ok(Rows { data: Data::Constant(value_of(&array, scalar, 0)?), nulls: None })
    }
}

const STRICT: CastOptions<'static> =
    CastOptions { safe: false, format_options: datafusion::arrow::util::display::FormatOptions::new() };

/// The value of a row, which is not null.
pub(crate) fn value_of(array: &dyn Array, scalar: Scalar, row: usize) -> Result<Value> {
    let bits = match Rows::of(array)?.data {
        Data::Bits(bits, first) => {
            let at = first as usize + row;
            u64::from(bits[at / 8] >> (at % 8) & 1)
        }
        Data::Numbers(number, bytes) => {
            let width = number.width().bytes() as usize;
            let mut bits = [0; 8];
            bits[..width].copy_from_slice(&bytes[row * width..][..width]);
            u64::from_le_bytes(bits)
        }
        Data::Constant(value) => value.bits,
    };
    Ok(Value { scalar, bits })
}

/// A scalar of the engine.
pub(crate) fn scalar_of(value: Value) -> ScalarValue {
    match value.scalar {
        Scalar::Bool => ScalarValue::Boolean(value.get()),
        Scalar::I8 | Scalar::I16 | Scalar::I32 => ScalarValue::Int32(value.get()),
        Scalar::U8 | Scalar::U16 | Scalar::U32 => ScalarValue::UInt32(value.get()),
        Scalar::I64 => ScalarValue::Int64(value.get()),
        Scalar::U64 => ScalarValue::UInt64(value.get()),
        Scalar::F16 | Scalar::F32 => ScalarValue::Float32(value.get()),
        Scalar::F64 => ScalarValue::Float64(value.get()),
    }
}

/// Bytes of a value in memory; a truth value is one.
pub(crate) fn width_of(scalar: Scalar) -> usize {
    match scalar {
        Scalar::Bool => 1,
        _ => scalar.bits() as usize / 8,
    }
}

/// An array of values that a program has written: numbers, or bits.
pub(crate) fn array(ty: &DataType, rows: usize, values: MutableBuffer, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let data = ArrayData::builder(ty.clone()).len(rows).add_buffer(values.into()).nulls(nulls);
    Ok(make_array(data.build()?))
}

/// The rows that are null in none of some arrays.
pub(crate) fn all_valid<'a>(nulls: impl IntoIterator<Item = Option<&'a NullBuffer>>) -> Option<NullBuffer> {
    let all = nulls.into_iter().fold(None, |all: Option<NullBuffer>, next| NullBuffer::union(all.as_ref(), next));
    all.filter(|nulls| nulls.null_count() > 0)
}

/// Bits as a column: the bytes, and the number of the first row's bit.
pub(crate) fn bits(buffer: &BooleanBuffer) -> (&[u8], u32) {
    let first = buffer.offset();
    (&buffer.inner().as_slice()[first / 8..], (first % 8) as u32)
}

/// The number of rows, which programs count in 32 bits.
pub(crate) fn count(rows: usize) -> Result<u32> {
    u32::try_from(rows)
        .ok()
        .filter(|&rows| rows < 1 << 28)
        .ok_or_else(|| exec_datafusion_err!("a batch has less than 268,435,456 rows"))
}
