//! sqlite answers queries: tables, an index, a recursive query, text and doubles.

use planish_vm::{Caller, Engine, Error, Instance, Memory, Module, Store, Val};

use crate::host::{call, linker, memory, text, word, write};

const ROW: i32 = 100;
const DONE: i32 = 101;

/// "No such file", as Emscripten's functions give it.
const NO_ENTRY: i32 = -44;

/// What Emscripten's libraries ask for; there are no files.
fn known(caller: &mut Caller<'_, ()>, name: &str, args: &[Val]) -> Option<Result<Option<Val>, Error>> {
    let number = |index: usize| args.get(index).and_then(Val::i32).unwrap_or(0);
    let value = match name {
        "emscripten_date_now" | "emscripten_get_now" => Val::F64(1.0e12f64.to_bits()),
        "emscripten_get_heap_max" => Val::I32(i32::MIN),
        "emscripten_resize_heap" => return Some(grow(caller, number(0))),
        "environ_sizes_get" => {
            let zeros = memory(caller, "memory").and_then(|memory| {
                write(&mut *caller, memory, number(0), &[0; 4])?;
                write(&mut *caller, memory, number(1), &[0; 4])
            });
            return Some(zeros.map(|()| Some(Val::I32(0))));
        }
        "environ_get" | "fd_close" | "warnLegacyFunction" | "_tzset_js" | "__syscall_geteuid32" => Val::I32(0),
        "clock_time_get" => {
            let written = memory(caller, "memory").and_then(|memory| write(&mut *caller, memory, number(2), &[1; 8]));
            return Some(written.map(|()| Some(Val::I32(0))));
        }
        _ if name.starts_with("__syscall_") => Val::I32(NO_ENTRY),
        _ => return None,
    };
    Some(Ok(Some(value)))
}

fn grow(caller: &mut Caller<'_, ()>, bytes: i32) -> Result<Option<Val>, Error> {
    let memory = memory(caller, "memory")?;
    let wanted = (bytes as u32).div_ceil(1 << 16);
    let now = memory.size(&*caller);
    let grown = wanted <= now || memory.grow(&mut *caller, wanted - now).is_ok();
    Ok(Some(Val::I32(grown.into())))
}

struct Database {
    store: Store<()>,
    instance: Instance,
    memory: Memory,
    handle: i32,
}

impl Database {
    fn open(engine: &Engine, module: &Module) -> Result<Self, String> {
        let mut store = Store::new(engine, ());
        let linker = linker(&mut store, module, known);
        let instance = linker.instantiate(&mut store, module).map_err(|e| e.to_string())?;
        let memory = instance.get_memory(&store, "memory").ok_or("no memory")?;
        let mut database = Database { store, instance, memory, handle: 0 };
        database.call("emscripten_stack_init", &[])?;
        let (base, end) =
            (database.call("emscripten_stack_get_base", &[])?, database.call("emscripten_stack_get_end", &[])?);
        database.call("__set_stack_limits", &[base, end])?;
        database.call("__wasm_call_ctors", &[])?;
        let (name, place) = (database.put(":memory:")?, database.call("malloc", &[8])?);
        database.good("sqlite3_open", &[name, place])?;
        database.handle = word(&database.store, memory, place).map_err(|e| e.to_string())?;
        database.call("RegisterExtensionFunctions", &[database.handle])?;
        Ok(database)
    }

    fn call(&mut self, name: &str, args: &[i32]) -> Result<i32, String> {
        call(&mut self.store, &self.instance, name, args)
    }

    fn good(&mut self, name: &str, args: &[i32]) -> Result<(), String> {
        match self.call(name, args)? {
            0 => Ok(()),
            code => {
                let said = self.call("sqlite3_errmsg", &[self.handle])?;
                Err(format!("{name} gives {code}: {}", self.text(said)?))
            }
        }
    }

    fn put(&mut self, text: &str) -> Result<i32, String> {
        let place = self.call("malloc", &[text.len() as i32 + 1])?;
        let bytes = [text.as_bytes(), &[0]].concat();
        write(&mut self.store, self.memory, place, &bytes).map_err(|e| e.to_string())?;
        Ok(place)
    }

    fn text(&self, at: i32) -> Result<String, String> {
        text(&self.store, self.memory, at).map_err(|e| e.to_string())
    }

    /// All rows of a query, their columns with `|` between them.
    fn query(&mut self, sql: &str) -> Result<Vec<String>, String> {
        let (sql, place) = (self.put(sql)?, self.call("malloc", &[4])?);
        self.good("sqlite3_prepare_v2", &[self.handle, sql, -1, place, 0])?;
        let statement = word(&self.store, self.memory, place).map_err(|e| e.to_string())?;
        let mut rows = vec![];
        loop {
            match self.call("sqlite3_step", &[statement])? {
                ROW => {}
                DONE => break,
                code => return Err(format!("sqlite3_step gives {code}")),
            }
            let mut columns = vec![];
            for column in 0..self.call("sqlite3_column_count", &[statement])? {
                let at = self.call("sqlite3_column_text", &[statement, column])?;
                columns.push(if at == 0 { "null".into() } else { self.text(at)? });
            }
            rows.push(columns.join("|"));
        }
        self.good("sqlite3_finalize", &[statement])?;
        self.call("free", &[sql])?;
        self.call("free", &[place])?;
        Ok(rows)
    }
}

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
pub(crate) fn run(engine: &Engine, module: &Module) -> Result<String, String> {
    let mut database = Database::open(engine, module)?;
    for (sql, expected) in QUERIES {
        let rows = database.query(sql)?;
        if rows != *expected {
            return Err(format!("{sql}\n  gives   {rows:?}\n  and not {expected:?}"));
        }
    }
    Ok(format!("{} queries answered", QUERIES.len()))
}
