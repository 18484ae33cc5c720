//! The program that is being made on this thread: its module, the functions that have been begun, and the scopes that are open.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::Location;

use planish_ir::builder::{Builder, Paused, Policy};
use planish_ir::decoration::{Name, NameSource};
use planish_ir::derivative::Derivatives;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Memory, Type, Value};
use planish_ir::facts::Facts;
use planish_ir::function::{Param, ResultType};
use planish_ir::host::HostNumber;
use planish_ir::module::{Language, MemoryData, Module};
use planish_ir::source::{SourceFile, SourceMap, Span};
use planish_ir::types::Types;
use rustc_hash::FxHashMap;

use crate::host::HostFunction;
use crate::rep::Part;
use crate::staged::{Staged, kinds_of};

/// A place in the user's Rust.
pub(crate) type Place = &'static Location<'static>;

/// Functions that are made for static arguments: more are taken to be without end.
const MAX_FUNCTIONS: usize = 10_000;
/// Functions that are nested in each other while they are made.
const MAX_DEPTH: usize = if cfg!(target_family = "wasm") { 200 } else { MAX_FUNCTIONS };
/// Errors that are kept.
const MAX_ERRORS: usize = 20;
/// Bytes of stack that a function is made on at least, and bytes of each further stack.
#[cfg(not(target_family = "wasm"))]
const STACK: (usize, usize) = (256 << 10, 4 << 20);

thread_local! {
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
    /// The last number of a scope or a session.
    static LAST: Cell<u64> = const { Cell::new(0) };
}

/// A number that no scope and no session of this thread has.
fn next_number() -> u64 {
    LAST.with(|last| {
        last.set(last.get() + 1);
        last.get()
    })
}

/// A program that is being made.
pub(crate) struct Session {
    /// Told apart from those of other sessions.
    number: u64,
    pub(crate) module: Module,
    /// Functions of the host that it calls.
    pub(crate) hosts: Vec<HostFunction>,
    /// Slices of the host that it works on.
    pub(crate) slices: Vec<BegunSlice>,
    /// Derivatives that it asks for.
    pub(crate) derivatives: Derivatives,
    map: SourceMap,
    files: FxHashMap<&'static str, Option<SourceFile>>,
    errors: Vec<Diagnostic>,
    frames: Vec<Frame>,
    /// Functions by a place in the user's Rust and the hash of their static arguments.
    specialized: FxHashMap<(Location<'static>, u64), Vec<Specialized>>,
    specializations: usize,
}

/// A function that was made for static arguments.
struct Specialized {
    key: Box<dyn Any>,
    func: Func,
}

/// A slice among the parameters of the function that the host calls ([`planish_ir::host::SliceParam`]).
pub(crate) struct BegunSlice {
    pub(crate) memory: Memory,
    /// The parameter that is the number of its elements.
    pub(crate) len: Value,
    pub(crate) number: HostNumber,
    pub(crate) count: u32,
    pub(crate) is_written: bool,
}

/// A program that was made.
pub(crate) struct Made {
    pub(crate) module: Module,
    pub(crate) map: SourceMap,
    pub(crate) hosts: Vec<HostFunction>,
    pub(crate) slices: Vec<BegunSlice>,
    pub(crate) derivatives: Derivatives,
    pub(crate) errors: Vec<Diagnostic>,
}

/// A function that is being made.
struct Frame {
    paused: Option<Paused>,
    /// Its name, with its static arguments.
    label: String,
    place: Place,
    results: Vec<Type>,
    /// Open scopes, by ascending numbers.
    scopes: Vec<u64>,
    /// The construct that opened each.
    constructs: Vec<Place>,
    /// Whether sums of floats may be computed in another order.
    reassociates: bool,
}

/// The facts about programs in staged Rust.
fn facts() -> Facts {
    Facts { precisions: false, processor: true, ..Language::Ir.facts() }
}

/// Makes a program in a session of its own; the session around it, if there is one, waits.
pub(crate) fn in_session<R>(work: impl FnOnce() -> R) -> (R, Made) {
    /// Restores the outer session, also if the user's closure panics.
    struct Outer(Option<Session>);
    impl Drop for Outer {
        fn drop(&mut self) {
            let outer = self.0.take();
            SESSION.with(|session| *session.borrow_mut() = outer);
        }
    }
    let mut module = Module::new(Language::Ir);
    module.facts = facts();
    let session = Session {
        number: next_number(),
        module,
        hosts: Vec::new(),
        slices: Vec::new(),
        derivatives: Derivatives::default(),
        map: SourceMap::new(),
        files: FxHashMap::default(),
        errors: Vec::new(),
        frames: Vec::new(),
        specialized: FxHashMap::default(),
        specializations: 0,
    };
    let outer = Outer(SESSION.with(|current| current.borrow_mut().replace(session)));
    let result = work();
    let session = SESSION.with(|current| current.borrow_mut().take()).expect("it was begun above");
    drop(outer);
    let Session { module, map, hosts, slices, derivatives, errors, .. } = session;
    (result, Made { module, map, hosts, slices, derivatives, errors })
}

/// The session of this thread, for a moment in which no code of the user runs.
///
/// # Panics
/// If no program is being made: values of a generated program exist only while it is made.
#[track_caller]
pub(crate) fn with<R>(work: impl FnOnce(&mut Session) -> R) -> R {
    let found = SESSION.with(|session| session.borrow_mut().as_mut().map(work));
    found.unwrap_or_else(|| {
        panic!("there is no program that is being made: use staged values inside of `function` only")
    })
}

/// The session of this thread, if a program is being made and no panic ends it.
pub(crate) fn if_any(work: impl FnOnce(&mut Session)) {
    if std::thread::panicking() {
        return;
    }
    SESSION.with(|session| {
        if let Some(session) = session.borrow_mut().as_mut().filter(|session| !session.frames.is_empty()) {
            work(session);
        }
    });
}

/// Runs code that writes sums of floats which may be computed in another order, or may not.
pub(crate) fn reassociating<R>(is_free: bool, work: impl FnOnce() -> R) -> R {
    let outer = with(|session| std::mem::replace(&mut session.frame().reassociates, is_free));
    let result = work();
    if_any(|session| session.frame().reassociates = outer);
    result
}

/// Whether a program is being made.
pub(crate) fn is_any() -> bool {
    SESSION.with(|session| session.borrow().is_some())
}

/// The number of scopes that are open; 0 if no program is being made.
pub(crate) fn depth_if_any() -> usize {
    SESSION.with(|session| session.borrow_mut().as_mut().map_or(0, Session::depth))
}

impl Session {
    /// The number of scopes of the innermost function that are open.
    pub(crate) fn depth(&mut self) -> usize {
        self.frames.last().map_or(0, |frame| frame.scopes.len())
    }

    /// Whether sums of floats that are written now may be computed in another order.
    pub(crate) fn reassociates(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.reassociates)
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a function is being made")
    }

    pub(crate) fn build<R>(&mut self, place: Place, work: impl FnOnce(&mut Builder<'_, '_>) -> R) -> R {
        let span = self.span(place);
        let paused = self.frame().paused.take().expect("no code of the user runs in between");
        let mut b = Builder::go_on(&mut self.module, paused, Policy::PLAIN);
        b.at(span);
        let result = work(&mut b);
        let paused = b.pause();
        self.frame().paused = Some(paused);
        result
    }

    /// The span of a place; of one in this crate, or in the standard library, which calls a function of this crate that was passed as
    /// a closure (`when(c, trap)`), that of the construct around it.
    pub(crate) fn span(&mut self, place: Place) -> Span {
        // (Without the sources of the library, its files are below `/rustc/`.)
        let is_of_library = place.file().starts_with("/rustc/") || place.file().contains("/library/core/src/");
        let own = file!().trim_end_matches("session.rs");
        let is_passed = is_of_library || place.file().starts_with(own);
        let construct = self.frames.last().and_then(|frame| frame.constructs.last());
        let place = construct.copied().filter(|_| is_passed).unwrap_or(place);
        let map = &mut self.map;
        let file = self.files.entry(place.file()).or_insert_with(|| map.add_lines(place.file()).ok());
        file.as_ref().map_or(Span::NONE, |file| file.at_line(place.line(), place.column()))
    }

    pub(crate) fn error(&mut self, error: Diagnostic) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    /// The value of a part, if it may be used here; else a zero of its type, and an error.
    pub(crate) fn used(&mut self, part: Part, place: Place) -> Value {
        let is_constant = part.value.as_const().is_some() && part.session == self.number;
        if is_constant || self.is_open(part.scope) {
            return part.value;
        }
        let error = self.out_of_scope(part, place);
        self.error(error);
        let ty = (part.ty)(&mut self.module.types);
        self.zero(ty)
    }

    fn out_of_scope(&mut self, part: Part, place: Place) -> Diagnostic {
        let (here, there) = (self.span(place), self.span(part.place));
        let elsewhere = self.frames.iter().find(|frame| frame.scopes.binary_search(&part.scope).is_ok());
        let (message, help) = match elsewhere {
            Some(frame) => (
                format!("this value belongs to the function `{}`", frame.label),
                "pass it to the inner function as an argument",
            ),
            None => (
                "this value is used outside of the block that computes it".to_owned(),
                "give it back as the result of `if_`, `while_`, `block` or the function, or keep it in a `Cell` that is made outside",
            ),
        };
        Diagnostic::error(Code::E1401, here, message).also(there, "it is computed here").help(help)
    }

    /// A zero of a type.
    pub(crate) fn zero(&mut self, ty: Type) -> Value {
        let Module { types, consts, .. } = &mut self.module;
        consts.zero(types, ty).expect("values have a zero").into()
    }

    /// A part for a value that is computed here.
    pub(crate) fn part(&self, value: Value, place: Place, ty: fn(&mut Types) -> Type) -> Part {
        Part { value, scope: self.scope(), session: self.number, place, ty }
    }

    /// The innermost scope.
    pub(crate) fn scope(&self) -> u64 {
        self.frames.last().and_then(|frame| frame.scopes.last()).copied().expect("a function has a scope")
    }

    /// Whether a scope of the innermost function is open.
    pub(crate) fn is_open(&self, scope: u64) -> bool {
        self.frames.last().is_some_and(|frame| frame.scopes.binary_search(&scope).is_ok())
    }

    /// Its number, which no other session of this thread has.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The address of a variable, if it may be used here; else an error.
    pub(crate) fn used_pointer(&mut self, pointer: Part, place: Place) -> Option<Value> {
        if self.is_open(pointer.scope) {
            return Some(pointer.value);
        }
        let error = self.out_of_scope(pointer, place);
        self.error(error);
        None
    }

    /// The result types of the innermost function.
    pub(crate) fn results(&mut self) -> &[Type] {
        &self.frame().results
    }

    /// A memory that holds a slice of the host's while the function runs.
    pub(crate) fn slice_memory(&mut self, slice: impl FnOnce(Memory) -> BegunSlice) -> Memory {
        let memories = &mut self.module.memories;
        let name = format!("slice{}", memories.len()).into();
        let memory = memories.push(MemoryData { min_pages: 0, max_pages: Some(0), import: None, exports: vec![name] });
        self.slices.push(slice(memory));
        memory
    }

    /// Declares a function.
    pub(crate) fn declare(&mut self, name: &str, params: Vec<Type>, results: &[Type], place: Place) -> Func {
        let span = self.span(place);
        let params = params.into_iter().enumerate().map(|(index, ty)| param(index, ty, span)).collect();
        let results = results.iter().map(|&ty| ResultType::new(ty)).collect();
        self.module.add_func(Name::new(name, NameSource::Temporary), params, results, span)
    }

    /// Looks for the function that was made at a place for static arguments.
    pub(crate) fn find_specialized<K: PartialEq + 'static>(&self, place: Place, hash: u64, key: &K) -> Option<Func> {
        let found = self.specialized.get(&(*place, hash))?;
        found.iter().find(|made| made.key.downcast_ref::<K>() == Some(key)).map(|made| made.func)
    }

    /// Notes the function for static arguments; an error if there are too many.
    pub(crate) fn note_specialized<K: 'static>(&mut self, place: Place, hash: u64, key: K, func: Func) {
        self.specialized.entry((*place, hash)).or_default().push(Specialized { key: Box::new(key), func });
        self.specializations += 1;
    }

    /// Whether another function may be begun. If not, there is an error with the chain of functions that are being made.
    pub(crate) fn may_begin(&mut self, label: &str, place: Place) -> bool {
        if self.frames.len() < MAX_DEPTH && self.specializations < MAX_FUNCTIONS {
            return true;
        }
        if !self.errors.iter().any(|error| error.code == Code::E1402) {
            let span = self.span(place);
            let mut error = Diagnostic::error(
                Code::E1402,
                span,
                format!(
                    "{} functions are made of one: `{label}` is the next",
                    self.frames.len().max(self.specializations)
                ),
            );
            let last: Vec<(String, Place)> =
                self.frames.iter().rev().take(4).map(|frame| (frame.label.clone(), frame.place)).collect();
            for (label, place) in last {
                error = error.also(self.span(place), format!("`{label}` is being made"));
            }
            let help = "pass what grows as a staged argument, so that one function serves for all its values";
            self.error(error.help(help));
        }
        false
    }
}

/// The types of the values of a group.
pub(crate) fn types_of<S: Staged>(types: &mut Types) -> Vec<Type> {
    kinds_of::<S>(types).iter().map(|kind| kind.ty).collect()
}

/// Parameter number `index` of a function.
pub(crate) fn param(index: usize, ty: Type, span: Span) -> Param {
    Param { span, ..Param::new(Name::temporary(format!("x{index}")), ty) }
}

/// Opens a scope; values that are computed in it may be used until it is closed.
pub(crate) fn open_scope(session: &mut Session, construct: Place) {
    let frame = session.frame();
    frame.scopes.push(next_number());
    frame.constructs.push(construct);
}

/// Does work whose code without a place of the user's is that of a construct.
pub(crate) fn at_construct<R>(construct: Place, work: impl FnOnce() -> R) -> R {
    with(|session| session.frame().constructs.push(construct));
    let result = work();
    with(|session| session.frame().constructs.pop());
    result
}

pub(crate) fn close_scope(session: &mut Session) {
    let frame = session.frame();
    frame.scopes.pop();
    frame.constructs.pop();
}

/// Runs code of the user that makes a function: what it computes belongs to the function.
pub(crate) fn in_function<R>(
    func: Func,
    label: String,
    results: Vec<Type>,
    place: Place,
    work: impl FnOnce() -> R,
) -> R {
    with(|session| {
        let paused = Builder::new(&mut session.module, func, Policy::PLAIN).pause();
        session.frames.push(Frame {
            paused: Some(paused),
            label,
            place,
            results,
            scopes: Vec::new(),
            constructs: Vec::new(),
            reassociates: false,
        });
        open_scope(session, place);
    });
    let result = on_large_stack(work);
    with(|session| {
        let frame = session.frames.pop().expect("it was pushed above");
        let paused = frame.paused.expect("no code of the user runs in between");
        Builder::go_on(&mut session.module, paused, Policy::PLAIN).finish();
    });
    result
}

#[cfg(not(target_family = "wasm"))]
fn on_large_stack<R>(work: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(STACK.0, STACK.1, work)
}

/// (There is one stack, whose size the host chooses.)
#[cfg(target_family = "wasm")]
fn on_large_stack<R>(work: impl FnOnce() -> R) -> R {
    work()
}
