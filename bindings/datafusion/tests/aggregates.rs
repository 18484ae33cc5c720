//! Aggregate functions.

use std::sync::Arc;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use datafusion::datasource::MemTable;
use datafusion::prelude::{SessionConfig, SessionContext};
use planish::stage::{Enum, Function, Params, Program, Rep, Staged, function, if_};
use planish_datafusion::{Aggregate, Udf};

use crate::common::{SIZES, context, floats, query, rows, values};

fn program<A: Params, R: Staged>(made: Result<Function<A, R>, planish::stage::Errors>) -> Program {
    made.unwrap_or_else(|errors| panic!("{errors}")).program()
}

/// The sum, null of no rows.
pub(crate) fn sum() -> Udf {
    let aggregate = Aggregate {
        start: program(function("start", || (Rep::new(0.0), Rep::new(false)))),
        update: program(function("update", |sum: Rep<f64>, _: Rep<bool>, x: Rep<f64>| (sum + x, true))),
        merge: program(function("merge", |a: Rep<f64>, any: Rep<bool>, b: Rep<f64>, other: Rep<bool>| {
            (a + b, any | other)
        })),
        evaluate: program(function("evaluate", |sum: Rep<f64>, any: Rep<bool>| {
            let value: Enum<Option<Rep<f64>>> = if_(any, || Some(sum), || None);
            value
        })),
    };
    Udf::aggregate("my_sum", &aggregate).unwrap_or_else(|error| panic!("{error}"))
}

/// The number of rows, and of those the number that are null.
fn nulls() -> Udf {
    let aggregate = Aggregate {
        start: program(function("start", || Rep::new(0i64))),
        update: program(function("update", |n: Rep<i64>, x: Enum<Option<Rep<i32>>>| {
            n + if_(x.is(Option::is_none), || 1, || 1000)
        })),
        merge: program(function("merge", |a: Rep<i64>, b: Rep<i64>| a + b)),
        evaluate: program(function("evaluate", |n: Rep<i64>| n)),
    };
    Udf::aggregate_with_nulls("nulls", &aggregate).unwrap_or_else(|error| panic!("{error}"))
}

/// Whether all are true.
fn every() -> Udf {
    let aggregate = Aggregate {
        start: program(function("start", || Rep::new(true))),
        update: program(function("update", |all: Rep<bool>, b: Rep<bool>| all & b)),
        merge: program(function("merge", |a: Rep<bool>, b: Rep<bool>| a & b)),
        evaluate: program(function("evaluate", |all: Rep<bool>| all)),
    };
    Udf::aggregate("every", &aggregate).unwrap_or_else(|error| panic!("{error}"))
}

const SQL: &str = "SELECT my_sum(n), sum(n)::DOUBLE, my_sum(x) FILTER (WHERE b), sum(x) FILTER (WHERE b),
    nulls(n), count(n) * 1000 + count(*) - count(n), every(b), coalesce(bool_and(b), true)";

fn check(result: &RecordBatch, first: usize) {
    assert_eq!(floats(result, first), floats(result, first + 1));
    let close = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-9 * a.abs().max(1.0),
        (a, b) => a == b,
    };
    let sums = values::<Float64Type>(result, first + 2).into_iter().zip(values::<Float64Type>(result, first + 3));
    sums.for_each(|(a, b)| assert!(close(a, b), "{a:?} {b:?}"));
    assert_eq!(values::<Int64Type>(result, first + 4), values::<Int64Type>(result, first + 5));
    assert_eq!(result.column(first + 6).as_boolean(), result.column(first + 7).as_boolean());
}

#[tokio::test]
async fn aggregates_are_those_of_the_engine() {
    for (seed, count) in SIZES.into_iter().enumerate() {
        let context = context(&rows(count, 100 + seed as u64), &[sum(), nulls(), every()]);
        check(&query(&context, &format!("{SQL} FROM t")).await, 0);
        let groups =
            query(&context, &format!("{} FROM t GROUP BY k ORDER BY k", SQL.replace("SELECT", "SELECT k,"))).await;
        check(&groups, 1);
    }
}

#[tokio::test]
async fn states_of_partitions_are_merged() {
    let parts: Vec<Vec<RecordBatch>> =
        (0..4).map(|part| (0..3).map(|i| rows(500 + i, 40 + part * 3 + i as u64)).collect()).collect();
    let table = MemTable::try_new(parts[0][0].schema(), parts).expect("equal schemas");
    let config = SessionConfig::new().with_target_partitions(4).with_batch_size(128);
    let context = SessionContext::new_with_config(config);
    context.register_table("t", Arc::new(table)).expect("there is no other");
    [sum(), nulls(), every()].iter().for_each(|function| function.register(&context));
    check(&query(&context, &format!("{SQL} FROM t")).await, 0);
    check(&query(&context, &format!("{} FROM t GROUP BY k, n", SQL.replace("SELECT", "SELECT k, n,"))).await, 2);
    let plan = query(&context, "EXPLAIN SELECT k, my_sum(x) FROM t GROUP BY k").await;
    let text = format!(
        "{:?}",
        plan.column(1).as_string_view_opt().map_or_else(|| format!("{:?}", plan.column(1)), |a| format!("{a:?}"))
    );
    assert!(text.contains("Partial") && text.contains("FinalPartitioned"), "{text}");
}

#[tokio::test]
async fn an_aggregate_is_a_window_function() {
    let context = context(&rows(300, 9), &[sum()]);
    let sql = "SELECT my_sum(n) OVER w, (sum(n) OVER w)::DOUBLE FROM t WINDOW w AS (PARTITION BY k ORDER BY x, y, n ROWS UNBOUNDED PRECEDING)";
    let result = query(&context, sql).await;
    assert_eq!(floats(&result, 0), floats(&result, 1));
}

#[tokio::test]
async fn an_aggregate_with_a_trap_is_an_error_with_its_place() {
    let aggregate = Aggregate {
        start: program(function("start", || Rep::new(1i64))),
        update: program(function("update", |product: Rep<i64>, x: Rep<i64>| product * (1000 / x))),
        merge: program(function("merge", |a: Rep<i64>, b: Rep<i64>| a * b)),
        evaluate: program(function("evaluate", |product: Rep<i64>| product)),
    };
    let product = Udf::aggregate("product", &aggregate).expect("they fit");
    let context = context(&rows(1000, 3), &[product]);
    for sql in ["SELECT product(n - n) FROM t", "SELECT product(n - n) FROM t GROUP BY k"] {
        let error = crate::common::try_query(&context, sql).await.expect_err("it divides by zero").to_string();
        assert!(error.contains("aggregates.rs:") && error.contains("zero"), "{error}");
    }
    let wrong = Aggregate { merge: program(function("merge", |a: Rep<i64>| a)), ..aggregate };
    assert!(
        Udf::aggregate("product", &wrong).expect_err("they do not fit").to_string().contains("merge (i64) -> (i64)")
    );
}
