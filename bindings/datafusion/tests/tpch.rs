//! Queries 1 and 6 of TPC-H by functions and by built-in expressions.

pub(crate) mod data;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};

use crate::common::{context, query, values};
use data::{Q6, Q6_BUILT_IN, Q6_CONDITION, functions, lineitem, q1, q1_built_in};

/// Sums in another order differ in their last bits.
pub(crate) fn assert_close(found: &RecordBatch, expected: &RecordBatch) {
    assert_eq!((found.num_rows(), found.num_columns()), (expected.num_rows(), expected.num_columns()));
    for column in 0..found.num_columns() {
        if *found.column(column).data_type() != DataType::Float64 {
            assert_eq!(found.column(column), expected.column(column));
            continue;
        }
        for (a, b) in values::<Float64Type>(found, column).into_iter().zip(values::<Float64Type>(expected, column)) {
            let is_close = a == b || a.zip(b).is_some_and(|(a, b)| (a - b).abs() <= 1e-10 * b.abs());
            assert!(is_close, "column {column}: {a:?} {b:?}");
        }
    }
}

#[tokio::test]
async fn query_1_is_that_of_built_in_expressions() {
    for rows in [0, 1, 1000, 50_000] {
        let context = context(&lineitem(rows, 1), &functions());
        let (found, expected) = (query(&context, &q1()).await, query(&context, &q1_built_in()).await);
        assert_close(&found, &expected);
        assert!(rows < 1000 || values::<Int64Type>(&found, 9).len() == 4);
    }
}

#[tokio::test]
async fn query_6_is_that_of_built_in_expressions() {
    for rows in [0, 1, 1000, 50_000] {
        let context = context(&lineitem(rows, 2), &functions());
        let expected = query(&context, Q6_BUILT_IN).await;
        assert_close(&query(&context, Q6).await, &expected);
        assert_close(&query(&context, Q6_CONDITION).await, &expected);
    }
}
