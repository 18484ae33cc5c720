//! Drives sqlite's module of the package `sql.js` in any engine: its imports, and the exchange of queries and rows.
//! Shared by the check of real modules and the benchmarks.
//!
//! ```text
//! Database::open ── Machine::call ──► the module, in an engine ── imports ──► answer ── Memory ──► its bytes
//! ```

mod host;
mod planish;
mod work;

pub use host::{Answer, Value, answer};
pub use planish::instantiate;
pub use work::{WORK, Work};

/// The module's memory, as its host sees it.
pub trait Memory {
    /// Reads bytes from an address on.
    ///
    /// # Errors
    /// If some of them are outside.
    fn read(&self, at: u32, bytes: &mut [u8]) -> Result<(), String>;

    /// Writes bytes from an address on.
    ///
    /// # Errors
    /// If some of them would be out of bounds.
    fn write(&mut self, at: u32, bytes: &[u8]) -> Result<(), String>;

    /// Pages of 64 KiB.
    fn pages(&self) -> u32;

    /// Grows it by `pages`; `false` if they are not available.
    fn grow(&mut self, pages: u32) -> bool;
}

/// A running instance, whose imported functions are implemented by [`answer`].
pub trait Machine {
    /// Its memory.
    fn memory(&mut self) -> &mut dyn Memory;

    /// Calls an exported function of numbers of 32 bits; its result, or 0.
    ///
    /// # Errors
    /// If there is none, or it traps.
    fn call(&mut self, name: &str, args: &[i32]) -> Result<i32, String>;
}

impl<M: Machine + ?Sized> Machine for Box<M> {
    fn memory(&mut self) -> &mut dyn Memory {
        (**self).memory()
    }

    fn call(&mut self, name: &str, args: &[i32]) -> Result<i32, String> {
        (**self).call(name, args)
    }
}

const ROW: i32 = 100;
const DONE: i32 = 101;

/// A database in memory.
pub struct Database<M> {
    machine: M,
    handle: i32,
}

impl<M: Machine> Database<M> {
    /// Starts the program, and opens an empty database.
    ///
    /// # Errors
    /// Errors of the engine, or of sqlite.
    pub fn open(machine: M) -> Result<Self, String> {
        let mut database = Database { machine, handle: 0 };
        database.machine.call("emscripten_stack_init", &[])?;
        let stack = ["emscripten_stack_get_base", "emscripten_stack_get_end"];
        let [base, end] = stack.map(|name| database.machine.call(name, &[]));
        database.machine.call("__set_stack_limits", &[base?, end?])?;
        database.machine.call("__wasm_call_ctors", &[])?;
        let (name, place) = (database.put(":memory:")?, database.machine.call("malloc", &[8])?);
        database.good("sqlite3_open", &[name, place])?;
        database.handle = word(database.machine.memory(), place)?;
        database.machine.call("RegisterExtensionFunctions", &[database.handle])?;
        Ok(database)
    }

    /// All rows of a query, with columns separated by `|`.
    ///
    /// # Errors
    /// Errors of the engine, or of sqlite.
    pub fn query(&mut self, sql: &str) -> Result<Vec<String>, String> {
        let (sql, place) = (self.put(sql)?, self.machine.call("malloc", &[4])?);
        self.good("sqlite3_prepare_v2", &[self.handle, sql, -1, place, 0])?;
        let statement = word(self.machine.memory(), place)?;
        let mut rows = vec![];
        loop {
            match self.machine.call("sqlite3_step", &[statement])? {
                ROW => {}
                DONE => break,
                code => return Err(format!("sqlite3_step gives {code}: {}", self.error_message()?)),
            }
            let mut columns = vec![];
            for column in 0..self.machine.call("sqlite3_column_count", &[statement])? {
                let at = self.machine.call("sqlite3_column_text", &[statement, column])?;
                columns.push(if at == 0 { "null".into() } else { text(self.machine.memory(), at)? });
            }
            rows.push(columns.join("|"));
        }
        self.good("sqlite3_finalize", &[statement])?;
        self.machine.call("free", &[sql])?;
        self.machine.call("free", &[place])?;
        Ok(rows)
    }

    /// Runs a query, whose rows must be these.
    ///
    /// # Errors
    /// As [`Database::query`], or both answers.
    pub fn ask(&mut self, sql: &str, expected: &[&str]) -> Result<(), String> {
        let rows = self.query(sql)?;
        if rows == expected {
            return Ok(());
        }
        Err(format!("{sql}\n  gives   {rows:?}\n  and not {expected:?}"))
    }

    fn good(&mut self, name: &str, args: &[i32]) -> Result<(), String> {
        match self.machine.call(name, args)? {
            0 => Ok(()),
            code => Err(format!("{name} gives {code}: {}", self.error_message()?)),
        }
    }

    fn error_message(&mut self) -> Result<String, String> {
        let at = self.machine.call("sqlite3_errmsg", &[self.handle])?;
        text(self.machine.memory(), at)
    }

    fn put(&mut self, text: &str) -> Result<i32, String> {
        let place = self.machine.call("malloc", &[text.len() as i32 + 1])?;
        self.machine.memory().write(place as u32, &[text.as_bytes(), &[0]].concat())?;
        Ok(place)
    }
}

fn word(memory: &dyn Memory, at: i32) -> Result<i32, String> {
    let mut bytes = [0; 4];
    memory.read(at as u32, &mut bytes)?;
    Ok(i32::from_le_bytes(bytes))
}

/// A text that ends with a zero.
fn text(memory: &dyn Memory, at: i32) -> Result<String, String> {
    let mut found = vec![];
    loop {
        let mut byte = [0];
        memory.read(at as u32 + found.len() as u32, &mut byte)?;
        match byte[0] {
            0 => return String::from_utf8(found).map_err(|e| e.to_string()),
            byte => found.push(byte),
        }
    }
}
