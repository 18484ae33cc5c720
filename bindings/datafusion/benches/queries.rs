//! Functions against the engine's own expressions, one thread, and against Polars: `cargo bench --bench queries -- 1000 1000000`.
//!
//! Each query is planned once and run in turn with its rival; a figure is the ratio of the medians, with the quartiles of the ratios of neighbours.
//! Polars runs in processes of its own (Python), on one thread and on all, from the same rows in Arrow files, and takes its own times.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use datafusion::arrow::array::{ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch};
use datafusion::arrow::ipc::writer::FileWriter;
use datafusion::datasource::MemTable;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::{SessionConfig, SessionContext};
use planish::stage::{Enum, In, Out, Rep, function, if_};
use planish_datafusion::{Aggregate, Udf};

#[allow(dead_code, reason = "tests need more of it")]
#[path = "../tests/common.rs"]
mod common;
#[allow(dead_code, reason = "tests need more of it")]
#[path = "../tests/tpch/data.rs"]
mod data;

use common::{Random, scalar};
use data::{Q6, Q6_BUILT_IN, functions, lineitem, q1, q1_built_in};

/// Rows of the tables, unless there are arguments.
const SIZES: [usize; 2] = [1000, 1_000_000];

/// Numbers `x` and `y`, one of 100 keys `k`, and times `t` in order.
fn numbers(rows: usize) -> RecordBatch {
    let random = &mut Random(3);
    let mut time = 0;
    let (mut x, mut y, mut k, mut t) = (vec![], vec![], vec![], vec![]);
    for _ in 0..rows {
        x.push(random.unit() - 0.5);
        y.push(random.unit());
        k.push(random.below(100) as i32);
        time += random.below(40) as i64;
        t.push(time);
    }
    let columns: [(&str, ArrayRef); 4] = [
        ("x", Arc::new(Float64Array::from(x))),
        ("y", Arc::new(Float64Array::from(y))),
        ("k", Arc::new(Int32Array::from(k))),
        ("t", Arc::new(Int64Array::from(t))),
    ];
    RecordBatch::try_from_iter(columns).expect("equal lengths")
}

fn all_functions() -> Vec<Udf> {
    let start = function("start", || Rep::new(0.0)).expect("valid").program();
    let merge = function("merge", |a: Rep<f64>, b: Rep<f64>| a + b).expect("valid").program();
    let roots = Aggregate {
        start,
        update: function("roots", |sum: Rep<f64>, x: Rep<f64>| if_(x.gt(0.0), || sum + x.sqrt(), || sum))
            .expect("valid")
            .program(),
        merge,
        evaluate: function("evaluate", |sum: Rep<f64>| {
            let sum: Enum<Option<Rep<f64>>> = Enum::new(Some(sum));
            sum
        })
        .expect("valid")
        .program(),
    };
    let sessions = function("sessions", |time: In<[i64]>, pause: Rep<i64>, session: Out<[i64]>| {
        let (_, last) =
            time.iter().enumerate().fold((0i64, 0i64), |(before, number): (Rep<i64>, Rep<i64>), (i, now)| {
                let number = if_(i.gt(0) & (now - before).gt(pause), || number + 1, || number);
                session.set(i, number);
                (now, number)
            });
        last
    });
    let mut all = functions();
    all.push(scalar("axpy", function("axpy", |a: Rep<f64>, x: Rep<f64>, y: Rep<f64>| a * x + y)));
    all.push(Udf::aggregate("roots", &roots).expect("they fit"));
    all.push(Udf::window("sessions", &sessions.expect("valid").program()).expect("it fits"));
    all
}

/// Name, query by functions, query by built-in expressions, table.
fn queries() -> Vec<(&'static str, String, String, bool)> {
    let owned = |(name, ours, theirs): (&'static str, &str, &str)| (name, ours.to_owned(), theirs.to_owned(), false);
    let mut all = vec![("Q1", q1(), q1_built_in(), true), ("Q6", Q6.to_owned(), Q6_BUILT_IN.to_owned(), true)];
    all.extend(
        [
            ("axpy", "SELECT axpy(2.5, x, y) FROM t", "SELECT 2.5 * x + y FROM t"),
            ("filter_map_sum", "SELECT roots(x) FROM t", "SELECT sum(sqrt(x)) FROM t WHERE x > 0"),
            ("group_sum", "SELECT k, total(x) FROM t GROUP BY k", "SELECT k, sum(x) FROM t GROUP BY k"),
            (
                "sessions",
                "SELECT sessions(t, 30) OVER () FROM t",
                "SELECT sum(CASE WHEN t - before > 30 THEN 1 ELSE 0 END) OVER (ROWS UNBOUNDED PRECEDING) FROM (SELECT t, lag(t) OVER () AS before FROM t)",
            ),
        ]
        .map(owned),
    );
    all
}

fn context(batch: &RecordBatch) -> SessionContext {
    let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(1));
    let rows = batch.num_rows();
    let parts = (0..rows).step_by(8192).map(|first| batch.slice(first, 8192.min(rows - first))).collect();
    context
        .register_table("t", Arc::new(MemTable::try_new(batch.schema(), vec![parts]).expect("a table")))
        .expect("no other");
    all_functions().iter().for_each(|function| function.register(&context));
    context
}

fn write(batch: &RecordBatch, path: &Path) {
    let mut writer = FileWriter::try_new(File::create(path).expect("a file"), &batch.schema()).expect("a file");
    writer.write(batch).and_then(|()| writer.finish()).expect("it is written");
}

fn quantile(sorted: &[f64], part: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * part).round() as usize]
}

fn sorted(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers
}

async fn time(plan: &Arc<dyn ExecutionPlan>, context: &SessionContext) -> f64 {
    let begin = Instant::now();
    collect(plan.clone(), context.task_ctx()).await.expect("it runs");
    begin.elapsed().as_secs_f64()
}

/// Median times of Polars by query, in seconds, on one thread or on all.
fn polars(folder: &Path, rows: usize, is_parallel: bool) -> HashMap<String, f64> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/polars_queries.py");
    let mut python = Command::new("python3");
    python.arg(script).arg(folder).arg(rows.to_string());
    if !is_parallel {
        python.env("POLARS_MAX_THREADS", "1");
    }
    match python.output() {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout)
            .lines()
            .filter_map(|line| line.split_once(' '))
            .filter_map(|(name, time)| Some((name.to_owned(), time.parse().ok()?)))
            .collect(),
        Ok(output) => {
            eprintln!("no Polars: {}", String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default());
            HashMap::new()
        }
        Err(error) => {
            eprintln!("no Python: {error}");
            HashMap::new()
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let folder = std::env::temp_dir().join(format!("planish-queries-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    println!(
        "| query | rows | function | built in | function / built in | function / Polars | function / Polars on all threads |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let given: Vec<usize> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    for &rows in if given.is_empty() { &SIZES[..] } else { &given } {
        let (items, numbers) = (lineitem(rows, 1), numbers(rows));
        write(&items, &folder.join(format!("lineitem{rows}.arrow")));
        write(&numbers, &folder.join(format!("numbers{rows}.arrow")));
        let polars = [false, true].map(|is_parallel| polars(&folder, rows, is_parallel));
        let contexts = [context(&numbers), context(&items)];
        for (name, ours, theirs, is_items) in queries() {
            let context = &contexts[usize::from(is_items)];
            let mut plans = Vec::new();
            for sql in [&ours, &theirs] {
                let frame = context.sql(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
                plans.push(frame.create_physical_plan().await.unwrap_or_else(|error| panic!("{sql}: {error}")));
            }
            let mut pairs = Vec::new();
            let rounds = if rows > 100_000 { 25 } else { 200 };
            for round in 0..rounds + 3 {
                let pair = (time(&plans[0], context).await, time(&plans[1], context).await);
                if round >= 3 {
                    pairs.push(pair);
                }
            }
            let mine = quantile(&sorted(pairs.iter().map(|pair| pair.0).collect()), 0.5);
            let built_in = quantile(&sorted(pairs.iter().map(|pair| pair.1).collect()), 0.5);
            let ratios = sorted(pairs.iter().map(|pair| pair.0 / pair.1).collect());
            let spread = (quantile(&ratios, 0.25), quantile(&ratios, 0.75));
            let per_row = |time: f64| time * 1e9 / rows as f64;
            let [one, all] = polars
                .each_ref()
                .map(|polars| polars.get(name).map_or("–".to_owned(), |time| format!("{:.2}", mine / time)));
            println!(
                "| {name} | {rows} | {:.2} ns | {:.2} ns | {:.2} ({:.2}–{:.2}) | {one} | {all} |",
                per_row(mine),
                per_row(built_in),
                mine / built_in,
                spread.0,
                spread.1
            );
        }
        if let Some(elements) = polars[0].get("axpy_map_elements") {
            println!("map_elements of Polars, a·x + y, {rows} rows: {:.2} ns a row", elements * 1e9 / rows as f64);
        }
    }
    std::fs::remove_dir_all(folder).expect("it is there");
}
