//! Scalar functions.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int32Array, Int64Array, RecordBatch};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use planish::Compiler;
use planish::stage::{Enum, In, Out, Program, Rep, function, if_};
use planish_datafusion::Udf;

use crate::common::{SIZES, context, floats, query, rows, scalar, try_query, values};

fn axpy() -> Udf {
    scalar("axpy", function("axpy", |a: Rep<f64>, x: Rep<f64>, y: Rep<f64>| a * x + y))
}

#[tokio::test]
async fn a_function_gives_what_expressions_give() {
    for (seed, count) in SIZES.into_iter().enumerate() {
        let context = context(&rows(count, seed as u64), &[axpy()]);
        let both = query(&context, "SELECT axpy(2.5, x, y), 2.5 * x + y, axpy(x, n, y), x * n + y FROM t").await;
        assert_eq!(floats(&both, 0), floats(&both, 1), "{count}");
        assert_eq!(floats(&both, 2), floats(&both, 3), "{count}");
        let constant = query(&context, "SELECT axpy(2, 3, 4), axpy(NULL, 1, 2)").await;
        assert_eq!(
            (values::<Float64Type>(&constant, 0), values::<Float64Type>(&constant, 1)),
            (vec![Some(10.0)], vec![None])
        );
    }
}

#[tokio::test]
async fn values_under_nulls_do_not_stop_a_program() {
    let divide = scalar("divide", function("divide", |x: Rep<i64>, y: Rep<i64>| x / y));
    let y = Int64Array::new(vec![2, 0, 5, 0].into(), Some(NullBuffer::from(vec![true, false, true, false])));
    let columns: [(&str, ArrayRef); 2] = [("x", Arc::new(Int64Array::from(vec![10, 20, 30, 40]))), ("y", Arc::new(y))];
    let context = context(&RecordBatch::try_from_iter(columns).expect("equal lengths"), &[divide]);
    let result = query(&context, "SELECT divide(x, y) FROM t").await;
    assert_eq!(values::<Int64Type>(&result, 0), [Some(5), None, Some(6), None]);
    // A real zero does, and the error has the place in the Rust.
    let error =
        try_query(&context, "SELECT divide(x, x - 20) FROM t").await.expect_err("it divides by zero").to_string();
    assert!(error.contains("divide") && error.contains("scalars.rs:35:"), "{error}");
}

#[tokio::test]
async fn truth_values_are_bits() {
    let both = scalar("agree", function("agree", |b: Rep<bool>, x: Rep<f64>| b.eq(x.gt(0.0))));
    for count in SIZES {
        let context = context(&rows(count, 7), std::slice::from_ref(&both));
        let result = query(
            &context,
            "SELECT agree(b, x), b = (x > 0 AND NOT isnan(x)), count(*) FILTER (WHERE agree(b, x)) OVER () FROM t",
        )
        .await;
        assert_eq!(result.column(0).as_boolean(), result.column(1).as_boolean(), "{count}");
        let kept = query(&context, "SELECT count(*) FROM t WHERE agree(b, x)").await;
        assert_eq!(values::<Int64Type>(&kept, 0), [Some(result.column(0).as_boolean().true_count() as i64)]);
    }
}

#[tokio::test]
async fn a_function_may_see_nulls() {
    let made = function("either", |x: Enum<Option<Rep<f64>>>, y: Enum<Option<Rep<f64>>>| {
        let result: Enum<Option<Rep<f64>>> = if_(x.is(Option::is_some), || x, || y);
        result
    });
    let program = made.unwrap_or_else(|errors| panic!("{errors}")).program();
    let either = Udf::scalar_with_nulls("either", &program).expect("its parameters are options");
    let made = function("count_nulls", |x: Enum<Option<Rep<f64>>>, b: Enum<Option<Rep<bool>>>| {
        let one = |is_null: Rep<bool>| if_(is_null, || 1, || 0);
        let sum: Rep<i32> = one(x.is(Option::is_none)) + one(b.is(Option::is_none));
        sum
    });
    let program = made.unwrap_or_else(|errors| panic!("{errors}")).program();
    let nulls = Udf::scalar_with_nulls("nulls", &program).expect("its parameters are options");
    for count in SIZES {
        let context = context(&rows(count, 11), &[either.clone(), nulls.clone()]);
        let sql = "SELECT either(x, y), coalesce(x, y), nulls(x, b), (x IS NULL)::INT + (b IS NULL)::INT, either(NULL, y), y FROM t";
        let result = query(&context, sql).await;
        assert_eq!(floats(&result, 0), floats(&result, 1), "{count}");
        assert_eq!(result.column(2), result.column(3), "{count}");
        assert_eq!(floats(&result, 4), floats(&result, 5), "{count}");
    }
}

#[tokio::test]
async fn numbers_of_all_types_are_arguments() {
    let twice = scalar("twice", function("twice", |x: Rep<i64>| x * 2));
    let half = scalar("half", function("half", |x: Rep<f64>| x / 2.0));
    let small = scalar("small", function("small", |x: Rep<i32>| x + 1));
    let unsigned = scalar("unsigned", function("unsigned", |x: Rep<u64>| x + 1));
    let single = scalar("single", function("single", |x: Rep<f32>| x * 3.0));
    let context = context(&rows(100, 3), &[twice, half, small, unsigned, single]);
    for ty in ["TINYINT", "SMALLINT", "INT", "BIGINT", "TINYINT UNSIGNED", "SMALLINT UNSIGNED", "INT UNSIGNED"] {
        let sql = format!(
            "SELECT twice(c), c::BIGINT * 2, half(c), c::DOUBLE / 2, small(c), c::INT + 1 FROM (SELECT arrow_cast(abs(n) % 100, '{}') AS c FROM t)",
            arrow_name(ty)
        );
        let result = query(&context, &sql).await;
        assert_eq!(values::<Int64Type>(&result, 0), values::<Int64Type>(&result, 1), "{ty}");
        assert_eq!(floats(&result, 2), floats(&result, 3), "{ty}");
        let small = result.column(4).as_primitive::<datafusion::arrow::datatypes::Int32Type>();
        assert_eq!(small.iter().map(|x| x.map(i64::from)).collect::<Vec<_>>(), as_i64(result.column(5)), "{ty}");
    }
    let result = query(&context, "SELECT unsigned(n) FROM t WHERE n > 0").await;
    assert!(result.num_rows() > 10);
    let error = try_query(&context, "SELECT unsigned(n) FROM t").await.expect_err("some are negative").to_string();
    assert!(error.contains("Can't cast") || error.contains("cast"), "{error}");
    let result = query(&context, "SELECT half(1.5::DECIMAL(5, 2)), single(0.5), twice('2000-01-01'::DATE::INT)").await;
    assert_eq!(values::<Float64Type>(&result, 0), [Some(0.75)]);
}

fn arrow_name(sql: &str) -> &'static str {
    match sql {
        "TINYINT" => "Int8",
        "SMALLINT" => "Int16",
        "INT" => "Int32",
        "BIGINT" => "Int64",
        "TINYINT UNSIGNED" => "UInt8",
        "SMALLINT UNSIGNED" => "UInt16",
        _ => "UInt32",
    }
}

fn as_i64(array: &ArrayRef) -> Vec<Option<i64>> {
    let array = datafusion::arrow::compute::cast(array, &datafusion::arrow::datatypes::DataType::Int64)
        .expect("it is a number");
    array.as_primitive::<Int64Type>().iter().collect()
}

#[tokio::test]
async fn a_function_of_slices_gets_whole_batches() {
    // The difference to the row before, times a constant.
    let made = function("steps", |x: In<[i32]>, factor: Rep<i32>, out: Out<[i16]>| {
        out.set(0, x.at(0) * factor);
        planish::stage::for_(1u32, x.len(), |i| out.set(i, (x.at(i) - x.at(i - 1)) * factor));
    });
    let x = Int32Array::from(vec![3, 5, 4, 10]);
    let batch = RecordBatch::try_from_iter([("x", Arc::new(x) as ArrayRef)]).expect("one column");
    let context = context(&batch, &[scalar("steps", made)]);
    let result = query(&context, "SELECT steps(x, 10) FROM t").await;
    assert_eq!(as_i64(result.column(0)), [Some(30), Some(20), Some(-10), Some(60)]);
    let error = try_query(&context, "SELECT steps(x, x) FROM t").await.expect_err("it is no constant").to_string();
    assert!(error.contains("argument 2 of steps has to be the same in all rows"), "{error}");
}

#[tokio::test]
async fn vl_is_a_function_of_sql() {
    let text = "(define (f x)\n  (if (< x 0) (error \"negative\") ((derivative (lambda (x) (* x (* x x)))) x)))\n(export f (real)) f";
    let mut compiler = Compiler::default();
    let module = compiler.compile("slope.vl", text).module.expect("it is valid");
    let program = Program::of_export(&module, &compiler.map, "f").unwrap_or_else(|errors| panic!("{errors}"));
    let f = Udf::scalar("slope", &program).expect("a function of a number");
    let context = context(&rows(1000, 5), &[f]);
    let result = query(&context, "SELECT slope(abs(n)), 3.0 * n * n FROM t").await;
    assert_eq!(floats(&result, 0), floats(&result, 1));
    let error = try_query(&context, "SELECT slope(n) FROM t").await.expect_err("some are negative").to_string();
    assert!(error.contains("slope.vl:2:15"), "{error}");
}

#[tokio::test]
async fn what_does_not_fit_is_an_error_of_the_plan() {
    let context = context(&rows(3, 5), &[axpy()]);
    let error = async |sql: &str| try_query(&context, sql).await.expect_err("it does not fit").to_string();
    assert!(error("SELECT axpy(k, x, y) FROM t").await.contains("argument 1 of axpy is Utf8"));
    assert!(error("SELECT axpy(b, x, y) FROM t").await.contains("argument 1 of axpy is Boolean"));
    assert!(error("SELECT axpy(x, y) FROM t").await.contains("axpy takes 3 arguments, not 2"));
    let pair = function("pair", |x: Rep<f64>| (x, x)).unwrap_or_else(|errors| panic!("{errors}")).program();
    let error = Udf::scalar("pair", &pair).expect_err("it has two results").to_string();
    assert!(error.contains("(f64) -> (f64, f64)"), "{error}");
}
