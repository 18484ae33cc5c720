//! Queries that take sqlite some time, in parts that restore the database, so that each can be repeated.

use crate::{Database, Machine};

/// A piece of work.
pub struct Work {
    /// Its name.
    pub name: &'static str,
    /// Its queries, and their answers.
    queries: &'static [(&'static str, &'static [&'static str])],
}

impl Work {
    /// Runs its queries, and compares the results.
    ///
    /// # Errors
    /// As [`Database::ask`].
    pub fn run<M: Machine>(&self, database: &mut Database<M>) -> Result<(), String> {
        self.queries.iter().try_for_each(|(sql, expected)| database.ask(sql, expected))
    }

    /// Creates the tables that the others read.
    ///
    /// # Errors
    /// As [`Database::ask`].
    pub fn prepare<M: Machine>(database: &mut Database<M>) -> Result<(), String> {
        Work { name: "tables", queries: TABLES }.run(database)
    }
}

/// 20,000 rows of numbers, unordered text and halves; 2,000 others that refer to keys of the first ones.
const TABLES: &[(&str, &[&str])] = &[
    ("create table t (n integer primary key, square integer, name text, half real)", &[]),
    ("create table s (k integer primary key, of integer, word text)", &[]),
    ("begin", &[]),
    (
        "with recursive c(n) as (select 1 union all select n + 1 from c where n < 20000) \
         insert into t select n, n * n, 'name ' || (n * 7919 % 20011), n / 2.0 from c",
        &[],
    ),
    (
        "with recursive c(n) as (select 1 union all select n + 1 from c where n < 2000) \
         insert into s select n, n * 7 % 20000 + 1, 'word ' || (n % 13) from c",
        &[],
    ),
    ("commit", &[]),
    ("create index by_name on t (name)", &[]),
    ("select count(*), sum(square), avg(half) from t", &["20000|2666866670000|5000.25"]),
];

/// All of it. The expected results are closed forms, or were computed by other means.
pub const WORK: &[Work] = &[
    Work {
        name: "insert 20,000 rows",
        queries: &[
            ("begin", &[]),
            ("create table u (n integer primary key, square integer, name text, half real)", &[]),
            (
                "with recursive c(n) as (select 1 union all select n + 1 from c where n < 20000) \
                 insert into u select n, n * n, 'name ' || (n * 7919 % 20011), n / 2.0 from c",
                &[],
            ),
            ("commit", &[]),
            ("select max(n), count(*) from u", &["20000|20000"]),
            ("drop table u", &[]),
        ],
    },
    Work {
        name: "index on text",
        queries: &[
            ("create index again on t (name, n)", &[]),
            ("select count(*) from t indexed by again where name >= 'name'", &["20000"]),
            ("drop index again", &[]),
        ],
    },
    Work {
        name: "aggregate, by group",
        queries: &[
            ("select count(*), sum(square), avg(half) from t", &["20000|2666866670000|5000.25"]),
            (
                "select n % 3 as rest, count(*), sum(n), max(half) from t group by rest order by rest",
                &["0|6666|66663333|9999.0", "1|6667|66670000|9999.5", "2|6667|66676667|10000.0"],
            ),
        ],
    },
    Work {
        name: "join, by key and by index",
        queries: &[
            (
                "select count(*), sum(t.square) from s join t on t.n = s.of where s.word <> 'word 0'",
                &["1847|120807072196"],
            ),
            (
                "select count(*) from s join t a on a.n = s.of join t b on b.name = 'name ' || (a.n * 7919 % 20011)",
                &["2000"],
            ),
        ],
    },
    Work {
        name: "order by",
        queries: &[(
            "select n, name from t order by substr(name, 1), n limit 3",
            &["1031|name 1", "10310|name 10", "3045|name 100"],
        )],
    },
    Work {
        name: "text",
        queries: &[(
            "select count(*), sum(length(upper(name) || substr(name, 3, 4))) from t where name like '%99%'",
            &["560|7540"],
        )],
    },
    Work {
        name: "update and roll back",
        queries: &[
            ("begin", &[]),
            ("update t set square = square + 1, name = name || '!' where n % 4 = 0", &[]),
            ("select sum(square), count(*) from t where name >= 'name'", &["2666866675000|20000"]),
            ("rollback", &[]),
        ],
    },
];
