//! sqlite runs queries: tables, an index, a recursive query, text and doubles; then those of the benchmark.

use planish_vm::{Engine, Module};
use sqlite_driver::{Database, WORK, Work};

/// The queries, and their answers: sqlite's own arithmetic is checked against closed forms.
const QUERIES: &[(&str, &[&str])] = &[
    ("create table t (n integer primary key, square integer, name text, half real)", &[]),
    (
        "with recursive c(n) as (select 1 union all select n + 1 from c where n < 20000) \
         insert into t select n, n * n, 'name ' || (n * 7919 % 20011), n / 2.0 from c",
        &[],
    ),
    ("create index by_name on t (name)", &[]),
    ("select count(*), sum(square), avg(half) from t", &["20000|2666866670000|5000.25"]),
    ("select n from t where name = 'name 7919'", &["1"]),
    ("select name from t where n between 3 and 4 order by n desc", &["name 11665", "name 3746"]),
    (
        "select group_concat(n, '+') from (select n from t where square % 1000 = 1 order by n limit 5)",
        &["1+249+251+499+501"],
    ),
    (
        "select a.n, b.n from t a join t b on a.n = b.square where a.n < 30 order by 1",
        &["1|1", "4|2", "9|3", "16|4", "25|5"],
    ),
    (
        "select upper(substr('planish', 2, 3)), round(sqrt(2), 6), null, typeof(half) from t limit 1",
        &["LAN|1.414214|null|real"],
    ),
    ("delete from t where n > 10", &[]),
    ("select total(square), max(name), min(name like 'NAME%') from t", &["385.0|name 7919|1"]),
];

/// Asks all queries.
pub(crate) fn run(_: &Engine, module: &Module) -> Result<String, String> {
    let mut database = Database::open(sqlite_driver::instantiate(module)?)?;
    QUERIES.iter().try_for_each(|(sql, expected)| database.ask(sql, expected))?;
    let mut database = Database::open(sqlite_driver::instantiate(module)?)?;
    Work::prepare(&mut database)?;
    // Twice, since each leaves the database as it was.
    for work in WORK.iter().chain(WORK) {
        work.run(&mut database).map_err(|why| format!("{}: {why}", work.name))?;
    }
    Ok(format!("{} queries answered, {} pieces of work done", QUERIES.len(), WORK.len()))
}
