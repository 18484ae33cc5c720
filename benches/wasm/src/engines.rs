//! The engines, behind a small interface.

mod planish;
mod wasmi;
#[cfg(feature = "wasmtime")]
mod wasmtime;

use sqlite_driver::Machine;

/// An engine's error.
pub type Error = Box<dyn std::error::Error>;

/// An engine in one configuration.
pub trait Engine {
    /// Its name in the tables.
    fn name(&self) -> &'static str;

    /// Loads a binary, as far as this configuration does before anything runs.
    ///
    /// # Errors
    /// If the engine rejects it.
    fn load(&self, wasm: &[u8]) -> Result<Box<dyn Program>, Error>;
}

/// A program that is ready to run.
pub trait Program {
    /// An instance of it, in a store of its own. Functions that it imports trap.
    ///
    /// # Errors
    /// If it has imports that are no functions, or its start function traps.
    fn instantiate(&self) -> Result<Box<dyn Instance>, Error>;

    /// An instance of it, if it is sqlite, with the imports that sqlite needs.
    ///
    /// # Errors
    /// If it is another program.
    fn sqlite(&self) -> Result<Box<dyn Machine>, Error>;
}

/// A program's memory and what belongs to it.
pub trait Instance {
    /// Calls the export `run`, from `i32` to `i64`.
    ///
    /// # Errors
    /// If there is none, or it traps.
    fn run(&mut self, size: i32) -> Result<i64, Error>;
}

/// The configurations for run time: everything is translated in advance.
pub fn for_running() -> Vec<Box<dyn Engine>> {
    let mut all: Vec<Box<dyn Engine>> = vec![
        Box::new(wasmi::Wasmi::eager()),
        Box::new(planish::Planish::eager("0")),
        Box::new(planish::Planish::eager("1")),
        Box::new(planish::Planish::eager("2")),
        Box::new(planish::Planish::native("0")),
        Box::new(planish::Planish::native("2")),
        Box::new(planish::Planish::tiered("0")),
        Box::new(planish::Planish::tiered("2")),
    ];
    #[cfg(feature = "wasmtime")]
    all.extend([Box::new(wasmtime::Wasmtime::pulley()) as Box<dyn Engine>, Box::new(wasmtime::Wasmtime::cranelift())]);
    all.shrink_to_fit();
    all
}

/// The configurations for totals: as users have them, on all processors.
pub fn for_totals() -> Vec<Box<dyn Engine>> {
    let ours = [planish::Planish::eager, planish::Planish::native, planish::Planish::tiered];
    let mut all: Vec<Box<dyn Engine>> = vec![Box::new(wasmi::Wasmi::lazy())];
    for engine in ours {
        all.extend(["0", "2"].map(|level| Box::new(engine(level).for_totals()) as Box<dyn Engine>));
    }
    #[cfg(feature = "wasmtime")]
    all.push(Box::new(wasmtime::Wasmtime::cranelift()));
    all.shrink_to_fit();
    all
}

/// The configurations for loading: the same, and those that translate lazily.
pub fn for_loading() -> Vec<Box<dyn Engine>> {
    let mut all = for_running();
    all.push(Box::new(wasmi::Wasmi::checked()));
    all.push(Box::new(planish::Planish::checked()));
    all.push(Box::new(wasmi::Wasmi::lazy()));
    all.push(Box::new(planish::Planish::lazy()));
    all
}
