//! Scopes and name resolution.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Value};
use planish_ir::source::Span;

use super::{Checked, Checker, Reported, builtin_variables};
use crate::ast::Name;
use crate::symbol::Symbol;

/// Write access to a variable, or the reason why it is read-only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// It may be written.
    ReadWrite,
    /// Declared `const`.
    Const,
    /// An input of the stage.
    Input,
    /// A uniform, or a member of a uniform block.
    Uniform,
    /// A buffer declared `readonly`.
    ReadOnly,
    /// A buffer declared `writeonly`: not to be read.
    WriteOnly,
    /// A built-in variable that the stage only reads.
    BuiltIn,
    /// A sampler, image or atomic counter.
    Opaque,
}

/// The meaning of a name.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Entity {
    /// Something that was in error.
    Error,
    /// A variable: the address of what the name means.
    Variable { address: Value, ty: Type, access: Access },
    /// A value: a constant, or a parameter that the function does not write.
    Value { value: Value, ty: Type },
    /// A member of a block without instance name.
    Member { block: Value, index: u32, ty: Type, access: Access },
    /// A struct.
    Struct(Type),
    /// Functions: an index of the checker's overload sets.
    Functions(u32),
    /// A block, which is named for other stages and the host only.
    Block,
}

/// A name in a scope.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) symbol: Symbol,
    pub(crate) entity: Entity,
    pub(crate) span: Span,
    /// Index + 1 of what the name stood for outside.
    previous: u32,
    depth: u32,
    /// Whether the name has been used.
    pub(crate) used: bool,
    /// Whether to warn if it is unused.
    pub(crate) warn: bool,
}

/// All scopes around the place where we are.
pub(crate) struct Scopes {
    /// By symbol: index + 1 of the innermost binding.
    heads: Vec<u32>,
    bindings: Vec<Binding>,
    /// Number of bindings where each scope began.
    marks: Vec<u32>,
    /// Bindings of the module's own scope from this index on are not in sight.
    pub(crate) horizon: usize,
}

impl Scopes {
    pub(crate) fn new(symbols: usize) -> Self {
        Scopes { heads: vec![0; symbols], bindings: Vec::with_capacity(256), marks: vec![], horizon: usize::MAX }
    }

    /// Depth of the scope: 0 is the module's own.
    pub(crate) fn depth(&self) -> u32 {
        self.marks.len() as u32
    }

    pub(crate) fn push(&mut self) {
        self.marks.push(self.bindings.len() as u32);
    }

    /// Ends the innermost scope and returns its bindings.
    pub(crate) fn pop(&mut self) -> std::vec::Drain<'_, Binding> {
        let mark = self.marks.pop().unwrap_or(0) as usize;
        for binding in self.bindings[mark..].iter().rev() {
            self.heads[binding.symbol.index()] = binding.previous;
        }
        self.bindings.drain(mark..)
    }

    /// The binding of a name.
    pub(crate) fn lookup(&mut self, symbol: Symbol) -> Option<&mut Binding> {
        let index = (*self.heads.get(symbol.index())? as usize).checked_sub(1)?;
        let horizon = self.horizon;
        self.bindings.get_mut(index).filter(|b| index < horizon || b.depth > 0)
    }

    /// Number of bindings.
    pub(crate) fn len(&self) -> usize {
        self.bindings.len()
    }

    /// The binding of a name in the innermost scope.
    pub(crate) fn lookup_here(&mut self, symbol: Symbol) -> Option<&mut Binding> {
        let depth = self.depth();
        self.lookup(symbol).filter(|b| b.depth == depth)
    }

    /// The binding of a name in the global scope, even if it is shadowed.
    pub(crate) fn lookup_global(&mut self, symbol: Symbol) -> Option<&mut Binding> {
        let mut index = *self.heads.get(symbol.index())?;
        loop {
            let at = (index as usize).checked_sub(1)?;
            if self.bindings[at].depth == 0 {
                return self.bindings.get_mut(at);
            }
            index = self.bindings[at].previous;
        }
    }

    pub(crate) fn insert(&mut self, symbol: Symbol, entity: Entity, span: Span, warn: bool) {
        let depth = self.depth();
        let Some(head) = self.heads.get_mut(symbol.index()) else { return };
        let previous = std::mem::replace(head, self.bindings.len() as u32 + 1);
        self.bindings.push(Binding { symbol, entity, span, previous, depth, used: false, warn });
    }

    /// Every name that is in scope.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Binding> {
        self.bindings.iter()
    }
}

impl Checker<'_, '_> {
    /// Resolves a name and marks it as used; built-in variables are created here.
    pub(super) fn resolve(&mut self, symbol: Symbol, span: Span) -> Checked<Entity> {
        if let Some(binding) = self.scopes.lookup(symbol) {
            binding.used = true;
            return if binding.entity == Entity::Error { Err(Reported) } else { Ok(binding.entity) };
        }
        if let Some(&entity) = self.builtins.get(&symbol) {
            self.program_facts.note_first_use(symbol, span);
            return Ok(entity);
        }
        if let Some(found) = builtin_variables::resolve(self, symbol, span) {
            let entity = found?;
            self.builtins.insert(symbol, entity);
            return Ok(entity);
        }
        Err(self.unknown_name(symbol, span))
    }

    /// Declares a name in the innermost scope; reports a second declaration.
    pub(super) fn declare_name(&mut self, name: Name, entity: Entity, warn: bool) {
        self.check_name(name);
        if let Some(earlier) = self.scopes.lookup_here(name.symbol) {
            let span = earlier.span;
            // Of inputs and of outputs, say.
            if earlier.entity == Entity::Block && entity == Entity::Block {
                return;
            }
            let before = std::mem::replace(&mut earlier.entity, entity);
            if before != Entity::Block {
                earlier.entity = before;
            }
            if before != Entity::Error {
                self.defined_twice(name, span);
            }
            return;
        }
        self.scopes.insert(name.symbol, entity, name.span, warn);
    }

    #[cold]
    pub(super) fn defined_twice(&mut self, name: Name, earlier: Span) -> Reported {
        let text = self.text(name.symbol);
        self.error(
            Diagnostic::error(Code::E0304, name.span, format!("`{text}` is declared twice"))
                .label("declared again here")
                .also(earlier, "declared first here"),
        )
    }

    /// Reports names reserved by the language.
    fn check_name(&mut self, name: Name) {
        let text = self.text(name.symbol);
        if text.starts_with("gl_") {
            self.error(
                Diagnostic::error(Code::E0412, name.span, format!("`{text}` begins with `gl_`"))
                    .note("names that begin with `gl_` are reserved for GLSL itself"),
            );
        } else if self.settings.webgl.is_on() && (text.starts_with("webgl_") || text.starts_with("_webgl_")) {
            self.error(
                Diagnostic::error(Code::E0412, name.span, format!("`{text}` begins like a name of WebGL"))
                    .note("names that begin with `webgl_` or `_webgl_` are reserved"),
            );
        }
    }
}
