//! The stages of compilation, in order.

use planish_ir::diagnostic::{Code as ErrorCode, Diagnostic};
use planish_ir::entity::Func;
use planish_ir::function::Body;
use planish_ir::module::Module;

use crate::allocate::Allocation;
use crate::asm::{FunctionAsm, Spans};
use crate::code::Code;
use crate::fuse::fuse;
use crate::isa::{Isa, Machine};
use crate::linear::{Origins, Tables, linear};
use crate::liveness::Liveness;
use crate::lower::{self, Lower};

/// Code, and the origin of each directive if requested.
pub(crate) type Staged<D> = Result<(FunctionAsm<D>, Option<Origins>), Box<Diagnostic>>;

/// Compiles functions of one module; its tables are reused from function to function. Several compilers may share one
/// module.
pub struct Compiler<'m, I: Isa> {
    isa: &'m I,
    module: &'m Module,
    pub(crate) lower: Lower<'m, I>,
    pub(crate) live: Liveness,
    pub(crate) allocation: Allocation,
    tables: Tables,
    listing: Listing<I::Directive>,
}

/// Directives and their spans.
pub(crate) type Listing<D> = (Vec<D>, Spans);

/// Facts of a module and scratch tables for the next compiler of the same module, to which types may have been added,
/// but no functions.
#[derive(Debug)]
pub struct Scratch<D> {
    lower: lower::Room,
    live: Liveness,
    allocation: Allocation,
    tables: Tables,
    listing: Listing<D>,
}

impl<D> Default for Scratch<D> {
    fn default() -> Self {
        let (lower, live, allocation, tables) = Default::default();
        Scratch { lower, live, allocation, tables, listing: (vec![], Spans::default()) }
    }
}

impl<D> Scratch<D> {
    /// Takes back the memory of code that was copied elsewhere.
    pub fn reuse(&mut self, asm: FunctionAsm<D>) {
        let FunctionAsm { mut directives, mut spans, .. } = asm;
        directives.clear();
        spans.truncate(0);
        self.listing = (directives, spans);
    }
}

impl<'m, I: Isa> Compiler<'m, I> {
    /// A compiler for functions of `module`.
    pub fn new(isa: &'m I, module: &'m Module) -> Self {
        Self::with_scratch(isa, module, Scratch::default())
    }

    /// Like [`Compiler::new`], with the scratch memory of another compiler of the module: for callers that cannot keep
    /// a compiler, because functions are added to the module one by one. Without it, each would cost time linear in the
    /// module.
    pub fn with_scratch(isa: &'m I, module: &'m Module, scratch: Scratch<I::Directive>) -> Self {
        let Scratch { lower, live, allocation, tables, listing } = scratch;
        Compiler { isa, module, lower: Lower::new(isa, module, lower), live, allocation, tables, listing }
    }

    /// The scratch memory for the next compiler of the module.
    pub fn into_scratch(self) -> Scratch<I::Directive> {
        let Compiler { lower, live, allocation, tables, listing, .. } = self;
        Scratch { lower: lower.room, live, allocation, tables, listing }
    }

    /// Compiles a function that has a placed body. Linear in its length.
    ///
    /// # Errors
    /// E0604 if the function has no body, or an operation that the machine does not support.
    pub fn compile(&mut self, func: Func) -> Result<FunctionAsm<I::Directive>, Box<Diagnostic>> {
        self.compile_body(func, body_of(self.module, func)?)
    }

    /// Like [`Compiler::compile`], with a body that is not in the module (yet).
    ///
    /// # Errors
    /// See [`Compiler::compile`].
    pub fn compile_body(&mut self, func: Func, body: &Body) -> Result<FunctionAsm<I::Directive>, Box<Diagnostic>> {
        self.stages(func, body, false).map(|(asm, _)| asm)
    }

    pub(crate) fn stages(&mut self, func: Func, body: &Body, origins: bool) -> Staged<I::Directive> {
        self.lower.lower(func, body)?;
        let code = &mut self.lower.room.code;
        self.live.mark(code);
        fuse(self.isa, code, &self.live.uses);
        self.live.find_numbers(code);
        self.live.intervals(code, |arg| code.kind_of(arg).words(I::WORD_BITS));
        self.allocation.run(self.isa, code, &self.live);
        let listing = std::mem::take(&mut self.listing);
        Ok(linear(self.isa, func, code, &self.live, &self.allocation, &mut self.tables, listing, origins))
    }
}

/// The first stages alone: functions as lists of nodes.
pub struct Lowering<'m, M> {
    module: &'m Module,
    lower: Lower<'m, M>,
    live: Liveness,
}

/// A function as a list of nodes, and facts about its values.
#[derive(Clone, Copy)]
pub struct Nodes<'l> {
    /// The list.
    pub code: &'l Code,
    live: &'l Liveness,
}

impl Nodes<'_> {
    /// Whether a value has readers.
    #[inline]
    pub fn is_read(&self, value: u32) -> bool {
        self.live.uses[value as usize] > 0
    }

    /// Whether no reader of a float observes the bits of a NaN, so that it may be any.
    #[inline]
    pub fn is_only_number(&self, value: u32) -> bool {
        self.live.numbers.get(value as usize).copied().unwrap_or(false)
    }
}

impl<'m, M: Machine> Lowering<'m, M> {
    /// A lowering of functions of `module`.
    pub fn new(machine: &'m M, module: &'m Module) -> Self {
        Lowering { module, lower: Lower::new(machine, module, lower::Room::default()), live: Liveness::default() }
    }

    /// Lowers a function that has a placed body.
    ///
    /// # Errors
    /// E0604 if the function has no body, or an operation that the machine does not support.
    pub fn nodes(&mut self, func: Func) -> Result<Nodes<'_>, Box<Diagnostic>> {
        self.lower.lower(func, body_of(self.module, func)?)?;
        let code = &mut self.lower.room.code;
        self.live.mark(code);
        self.live.find_numbers(code);
        Ok(Nodes { code, live: &self.live })
    }
}

fn body_of(module: &Module, func: Func) -> Result<&Body, Box<Diagnostic>> {
    let function = &module.funcs[func];
    function.body.as_ref().ok_or_else(|| {
        let message = format!("`{}` comes from outside and has no code", function.name.text);
        Box::new(Diagnostic::error(ErrorCode::E0604, function.span, message))
    })
}

/// Compiles one function; see [`Compiler`] for several.
///
/// # Errors
/// See [`Compiler::compile`].
pub fn compile<I: Isa>(isa: &I, module: &Module, func: Func) -> Result<FunctionAsm<I::Directive>, Box<Diagnostic>> {
    Compiler::new(isa, module).compile(func)
}
