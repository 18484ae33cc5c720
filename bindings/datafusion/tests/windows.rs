//! Window functions.

use datafusion::arrow::datatypes::{Int64Type, UInt32Type};
use planish::stage::{In, Out, Rep, function, if_};
use planish_datafusion::Udf;

use crate::common::{SIZES, context, query, rows, try_query, values};

/// The number of the session of each event: a new one begins after a pause.
pub(crate) fn sessions() -> Udf {
    let made = function("sessions", |time: In<[i64]>, pause: Rep<i64>, session: Out<[u32]>| {
        let (_, last) =
            time.iter().enumerate().fold((0i64, 0u32), |(before, number): (Rep<i64>, Rep<u32>), (i, now)| {
                let is_new = i.gt(0) & (now - before).gt(pause);
                let number = if_(is_new, || number + 1, || number);
                session.set(i, number);
                (now, number)
            });
        last
    });
    let program = made.unwrap_or_else(|errors| panic!("{errors}")).program();
    Udf::window("sessions", &program).unwrap_or_else(|error| panic!("{error}"))
}

#[tokio::test]
async fn a_window_function_gets_its_partition_in_order() {
    for count in SIZES {
        let context = context(&rows(count, 21), &[sessions()]);
        let sql = "SELECT k, n::BIGINT AS time, sessions(n::BIGINT, 30) OVER (PARTITION BY k ORDER BY n) FROM t WHERE n IS NOT NULL ORDER BY k, n";
        let result = query(&context, sql).await;
        let (times, found) = (values::<Int64Type>(&result, 1), values::<UInt32Type>(&result, 2));
        let keys = datafusion::arrow::compute::cast(result.column(0), &datafusion::arrow::datatypes::DataType::Utf8)
            .expect("texts");
        let keys: Vec<_> = datafusion::arrow::array::AsArray::as_string::<i32>(&keys).iter().collect();
        let mut number = 0;
        for row in 0..result.num_rows() {
            match row.checked_sub(1).filter(|&before| keys[before] == keys[row]) {
                None => number = 0,
                Some(before) => {
                    number += u32::from(times[row].expect("no null") - times[before].expect("no null") > 30)
                }
            }
            assert_eq!(found[row], Some(number), "row {row} of {count}");
        }
    }
}

#[tokio::test]
async fn nulls_stay_null_and_parameters_are_constants() {
    let context = context(&rows(100, 21), &[sessions()]);
    let sql = "SELECT sessions(n, 5) OVER (ORDER BY n), n FROM t";
    let result = query(&context, sql).await;
    assert_eq!(result.column(0).null_count(), result.column(1).null_count());
    let error =
        try_query(&context, "SELECT sessions(n, n) OVER () FROM t").await.expect_err("it is no constant").to_string();
    assert!(error.contains("argument 2 of sessions has to be the same in all rows"), "{error}");
}
