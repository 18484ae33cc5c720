//! Interface of the engines that run the suite. Each of our engines implements [`Engine`] once, and is tested by the
//! same scripts.

use planish_ir::function::TrapKind;
use planish_ir::module::Module;

/// A value as the scripts write it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    I32(u32),
    I64(u64),
    F32(u32),
    F64(u64),
    V128(u128),
    /// Whether it is a reference to a function or none; which one it is, scripts cannot say.
    Func(bool),
    /// A reference of the host, or none.
    Extern(Option<u32>),
}

/// Why something did not go on.
#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// A trap.
    Trap(TrapKind),
    /// An import is not there, or is something else.
    Unlinkable(String),
    /// The engine cannot do this yet.
    Skipped(String),
    /// Anything else: a bug of the engine or of the test.
    Broken(String),
}

pub type Outcome<T> = Result<T, Failure>;

/// Something that runs modules: many instances that import from each other. The host's module `spectest` is there from the
/// beginning.
pub trait Engine {
    /// Its name in lists and messages.
    const NAME: &'static str;

    /// An engine without instances, for one script. Modules live as long as the process.
    fn new() -> Self;

    /// Instantiates a module with the registered instances; returns the number of the instance.
    fn instantiate(&mut self, module: &'static Module) -> Outcome<usize>;

    /// From now on an instance's exports can be imported under this name.
    fn register(&mut self, name: &str, instance: usize);

    /// Calls an exported function.
    fn invoke(&mut self, instance: usize, name: &str, args: &[Value]) -> Outcome<Vec<Value>>;

    /// Value of an exported global.
    fn global(&mut self, instance: usize, name: &str) -> Outcome<Value>;
}
