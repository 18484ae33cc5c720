//! Tables of random rows, and queries.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Float64Array, Int32Array, RecordBatch, StringArray,
};
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::{ArrowPrimitiveType, Float64Type};
use datafusion::error::DataFusionError;
use datafusion::prelude::{SessionConfig, SessionContext};
use planish::stage::{Function, Params, Staged};
use planish_datafusion::Udf;

/// Numbers of rows: bytes of bits, batches and more.
pub(crate) const SIZES: [usize; 7] = [0, 1, 7, 8, 9, 1000, 8193];

/// A small generator of random numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn float(&mut self) -> f64 {
        match self.below(12) {
            0 => f64::NAN,
            1 => -0.0,
            2 => f64::INFINITY,
            3 => 0.0,
            _ => (self.unit() - 0.5) * 100.0,
        }
    }
}

/// Rows of floats `x` and `y`, integers `n`, truth values `b` and texts `k`, each null in one of five rows. All arrays begin in the middle of
/// longer ones, so that bits do not begin with a byte.
pub(crate) fn rows(count: usize, seed: u64) -> RecordBatch {
    let random = &mut Random(seed);
    let all = count + 5;
    let mut some = |make: &mut dyn FnMut(&mut Random)| (0..all).for_each(|_| make(random));
    let (mut x, mut y, mut n, mut b, mut k) = (vec![], vec![], vec![], vec![], vec![]);
    some(&mut |random| x.push((random.below(5) > 0).then(|| random.float())));
    some(&mut |random| y.push((random.below(5) > 0).then(|| random.float())));
    some(&mut |random| n.push((random.below(5) > 0).then(|| random.below(2001) as i32 - 1000)));
    some(&mut |random| b.push((random.below(5) > 0).then(|| random.below(2) == 1)));
    some(&mut |random| k.push((random.below(5) > 0).then(|| format!("key {}", random.below(7)))));
    let columns: [(&str, ArrayRef); 5] = [
        ("x", Arc::new(Float64Array::from(x))),
        ("y", Arc::new(Float64Array::from(y))),
        ("n", Arc::new(Int32Array::from(n))),
        ("b", Arc::new(BooleanArray::from(b))),
        ("k", Arc::new(StringArray::from(k))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
        .expect("equal lengths")
        .slice(3, count)
}

/// A context with a table `t` in one batch, and functions.
pub(crate) fn context(batch: &RecordBatch, functions: &[Udf]) -> SessionContext {
    let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(1));
    context.register_batch("t", batch.clone()).expect("there is no other");
    functions.iter().for_each(|function| function.register(&context));
    context
}

pub(crate) async fn try_query(context: &SessionContext, sql: &str) -> Result<RecordBatch, DataFusionError> {
    let frame = context.sql(sql).await?;
    let schema = Arc::new(frame.schema().as_arrow().clone());
    let batches = frame.collect().await?;
    Ok(concat_batches(&batches.first().map_or(schema, |batch| batch.schema()), &batches)?)
}

pub(crate) async fn query(context: &SessionContext, sql: &str) -> RecordBatch {
    try_query(context, sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// The values of a column.
pub(crate) fn values<T: ArrowPrimitiveType>(batch: &RecordBatch, column: usize) -> Vec<Option<T::Native>> {
    let array = batch.column(column).as_primitive::<T>();
    (0..array.len()).map(|row| array.is_valid(row).then(|| array.value(row))).collect()
}

/// Bits of floats: a NaN is one NaN.
pub(crate) fn floats(batch: &RecordBatch, column: usize) -> Vec<Option<u64>> {
    let bits = |x: f64| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() };
    values::<Float64Type>(batch, column).into_iter().map(|x| x.map(bits)).collect()
}

pub(crate) fn scalar<A: Params, R: Staged>(
    name: &str,
    function: Result<Function<A, R>, planish::stage::Errors>,
) -> Udf {
    let program = function.unwrap_or_else(|errors| panic!("{errors}")).program();
    Udf::scalar(name, &program).unwrap_or_else(|error| panic!("{error}"))
}
