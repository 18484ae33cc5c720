//! The table `lineitem` of TPC-H with the columns of queries 1 and 6, made of a seed, and the queries by functions and by built-in expressions.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Date32Array, Float64Array, RecordBatch, StringArray};
use planish::stage::{Enum, Errors, Function, Params, Program, Rep, Staged, function, if_};
use planish_datafusion::{Aggregate, Udf};

use crate::common::Random;

/// Days since 1970 of 1992-01-01, the first day on which anything is ordered.
const FIRST_DAY: i32 = 8035;
/// Days from the first order to the last.
const DAYS: u64 = 2406;

/// Rows of `lineitem`.
pub(crate) fn lineitem(rows: usize, seed: u64) -> RecordBatch {
    let random = &mut Random(seed);
    let (mut quantity, mut price, mut discount, mut tax) = (vec![], vec![], vec![], vec![]);
    let (mut flag, mut status, mut shipped) = (vec![], vec![], vec![]);
    for _ in 0..rows {
        let pieces = random.below(50) + 1;
        let day = FIRST_DAY + (random.below(DAYS) + 1 + random.below(121)) as i32;
        // Received until 1995-06-17: returned or not; shipped until then: closed.
        let is_old = day + (random.below(30) as i32) < 9298;
        quantity.push(pieces as f64);
        price.push(pieces as f64 * (90_000 + random.below(110_000)) as f64 / 100.0);
        discount.push(random.below(11) as f64 / 100.0);
        tax.push(random.below(9) as f64 / 100.0);
        flag.push(if !is_old {
            "N"
        } else if random.below(2) == 0 {
            "R"
        } else {
            "A"
        });
        status.push(if day > 9298 { "O" } else { "F" });
        shipped.push(day);
    }
    let columns: [(&str, ArrayRef); 7] = [
        ("l_quantity", Arc::new(Float64Array::from(quantity))),
        ("l_extendedprice", Arc::new(Float64Array::from(price))),
        ("l_discount", Arc::new(Float64Array::from(discount))),
        ("l_tax", Arc::new(Float64Array::from(tax))),
        ("l_returnflag", Arc::new(StringArray::from(flag))),
        ("l_linestatus", Arc::new(StringArray::from(status))),
        ("l_shipdate", Arc::new(Date32Array::from(shipped))),
    ];
    RecordBatch::try_from_iter(columns).expect("equal lengths")
}

fn program<A: Params, R: Staged>(made: Result<Function<A, R>, Errors>) -> Program {
    made.unwrap_or_else(|errors| panic!("{errors}")).program()
}

/// A sum; null of no rows.
fn sum(name: &str, update: Program) -> Udf {
    let aggregate = Aggregate {
        start: program(function("start", || (Rep::new(0.0), Rep::new(false)))),
        update,
        merge: program(function("merge", |a: Rep<f64>, any: Rep<bool>, b: Rep<f64>, other: Rep<bool>| {
            (a + b, any | other)
        })),
        evaluate: program(function("evaluate", |sum: Rep<f64>, any: Rep<bool>| {
            let value: Enum<Option<Rep<f64>>> = if_(any, || Some(sum), || None);
            value
        })),
    };
    Udf::aggregate(name, &aggregate).unwrap_or_else(|error| panic!("{error}"))
}

/// The functions of the queries.
pub(crate) fn functions() -> Vec<Udf> {
    let average = Aggregate {
        start: program(function("start", || (Rep::new(0.0), Rep::new(0u64)))),
        update: program(function("update", |sum: Rep<f64>, n: Rep<u64>, x: Rep<f64>| (sum + x, n + 1))),
        merge: program(function("merge", |a: Rep<f64>, n: Rep<u64>, b: Rep<f64>, m: Rep<u64>| (a + b, n + m))),
        evaluate: program(function("evaluate", |sum: Rep<f64>, n: Rep<u64>| {
            let value: Enum<Option<Rep<f64>>> = if_(n.gt(0), || Some(sum / n.as_::<f64>()), || None);
            value
        })),
    };
    vec![
        sum("total", program(function("total", |sum: Rep<f64>, _: Rep<bool>, x: Rep<f64>| (sum + x, true)))),
        sum(
            "total_discounted",
            program(function(
                "total_discounted",
                |sum: Rep<f64>, _: Rep<bool>, price: Rep<f64>, discount: Rep<f64>| {
                    (sum + price * (1.0 - discount), true)
                },
            )),
        ),
        sum(
            "total_charge",
            program(function(
                "total_charge",
                |sum: Rep<f64>, _: Rep<bool>, price: Rep<f64>, discount: Rep<f64>, tax: Rep<f64>| {
                    (sum + price * (1.0 - discount) * (1.0 + tax), true)
                },
            )),
        ),
        Udf::aggregate("average", &average).unwrap_or_else(|error| panic!("{error}")),
        // All of query 6: its condition is a part of the step. 1994 begins with day 8766 and ends before day 9131.
        sum(
            "forecast",
            program(function(
                "forecast",
                |sum: Rep<f64>,
                 any: Rep<bool>,
                 price: Rep<f64>,
                 discount: Rep<f64>,
                 quantity: Rep<f64>,
                 shipped: Rep<i32>| {
                    let counts =
                        shipped.ge(8766) & shipped.lt(9131) & discount.ge(0.05) & discount.le(0.07) & quantity.lt(24.0);
                    (if_(counts, || sum + price * discount, || sum), any | counts)
                },
            )),
        ),
        Udf::scalar(
            "counts",
            &program(function("counts", |discount: Rep<f64>, quantity: Rep<f64>, shipped: Rep<i32>| {
                shipped.ge(8766) & shipped.lt(9131) & discount.ge(0.05) & discount.le(0.07) & quantity.lt(24.0)
            })),
        )
        .unwrap_or_else(|error| panic!("{error}")),
    ]
}

const FROM: &str = "FROM t WHERE l_shipdate <= DATE '1998-09-02' GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus";

/// Query 1 by built-in expressions.
pub(crate) fn q1_built_in() -> String {
    format!(
        "SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice), sum(l_extendedprice * (1 - l_discount)),
        sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*) {FROM}"
    )
}

/// Query 1 by functions.
pub(crate) fn q1() -> String {
    format!(
        "SELECT l_returnflag, l_linestatus, total(l_quantity), total(l_extendedprice), total_discounted(l_extendedprice, l_discount),
        total_charge(l_extendedprice, l_discount, l_tax), average(l_quantity), average(l_extendedprice), average(l_discount), count(*) {FROM}"
    )
}

/// Query 6 by built-in expressions.
pub(crate) const Q6_BUILT_IN: &str =
    "SELECT sum(l_extendedprice * l_discount) FROM t WHERE l_shipdate >= DATE '1994-01-01'
    AND l_shipdate < DATE '1995-01-01' AND l_discount >= 0.05 AND l_discount <= 0.07 AND l_quantity < 24";

/// Query 6 by one function.
pub(crate) const Q6: &str = "SELECT forecast(l_extendedprice, l_discount, l_quantity, l_shipdate) FROM t";

/// Query 6 with a function as its condition.
pub(crate) const Q6_CONDITION: &str =
    "SELECT total(l_extendedprice * l_discount) FROM t WHERE counts(l_discount, l_quantity, l_shipdate)";
