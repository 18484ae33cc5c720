//! State of one output that all languages have: the module, the tree, messages, and the symbols of globals, functions
//! and structs.

use std::sync::Arc;

use planish_ir::arena::SideTable;
use planish_ir::comments::Comments;
use planish_ir::constant::ConstValue;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Func, Type, Var};
use planish_ir::module::Module;
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::abilities::Abilities;
use crate::dialect::Words;
use crate::effects::Effects;
use crate::tree::{Symbol, Tree};

/// Maximum number of messages.
const MOST_ERRORS: usize = 50;

/// The state of one output; a [`Dialect`](crate::Dialect) has one and adds its own.
pub struct Text<'m> {
    /// The module that is written.
    pub module: &'m Module,
    /// The language, for messages: `GLSL`.
    pub language: &'static str,
    /// The language with its version, for messages: `GLSL ES 3.00`.
    pub target_name: String,
    /// The constructs that the language has.
    pub abilities: Abilities,
    /// Short names, no spaces.
    pub minify: bool,
    /// The output.
    pub tree: Tree,
    /// Errors found.
    pub errors: Vec<Diagnostic>,
    /// Warnings found.
    pub warnings: Vec<Diagnostic>,
    /// Effects of each function, from [`effects::summaries`](crate::effects::summaries), before any function is written.
    pub summaries: SideTable<Func, Effects>,
    /// Struct types in the order in which they were first seen, parts first.
    pub structs: Vec<(Type, Symbol)>,
    /// Constants that have a name of their own, in the order in which they were first seen.
    pub tables: Vec<(Const, Symbol)>,
    globals: SideTable<Var, Option<Symbol>>,
    funcs: SideTable<Func, Option<Symbol>>,
    struct_symbols: FxHashMap<Type, Symbol>,
    /// Members of structs and blocks.
    members: FxHashMap<(Type, u32), Symbol>,
    table_symbols: FxHashMap<Const, Symbol>,
    /// Constants that a global of the source names.
    const_globals: FxHashMap<Const, Var>,
    checked: FxHashSet<Type>,
}

impl<'m> Text<'m> {
    /// An empty output of a module, in a language and version of it.
    pub fn new(module: &'m Module, language: &'static str, target_name: String, abilities: Abilities) -> Self {
        let is_const = |v: &Var| module.vars[*v].is_const && module.vars[*v].space == AddressSpace::Private;
        let const_globals = module.globals.iter().copied().filter(is_const);
        Text {
            const_globals: const_globals.filter_map(|v| Some((module.vars[v].initializer?, v))).collect(),
            module,
            language,
            target_name,
            abilities,
            minify: false,
            tree: Tree::default(),
            errors: Vec::new(),
            warnings: Vec::new(),
            summaries: SideTable::new(),
            structs: Vec::new(),
            tables: Vec::new(),
            globals: SideTable::new(),
            funcs: SideTable::new(),
            struct_symbols: FxHashMap::default(),
            members: FxHashMap::default(),
            table_symbols: FxHashMap::default(),
            checked: FxHashSet::default(),
        }
    }

    // Messages.

    /// Reports a construct that the target cannot hold, in the words of the source.
    pub fn unsupported(&mut self, what: &str, span: Span) {
        let message = format!("{} has no {what}", self.target_name);
        self.error(Code::E0604, span, message);
    }

    /// Reports a type that the target cannot hold.
    pub fn lacks_type(&mut self, what: &str, span: Span) {
        let message = format!("{} has no {what}", self.target_name);
        self.error(Code::E0602, span, message);
    }

    /// Reports a module that no front end and no pass should make, unless that follows from an error that was reported.
    pub fn internal(&mut self, what: &str, span: Span) {
        if !self.errors.is_empty() {
            return;
        }
        self.error(Code::E0699, span, format!("the {} printer cannot go on: {what}", self.language));
    }

    /// Reports an error, once a place.
    pub fn error(&mut self, code: Code, span: Span, message: String) {
        let known = self.errors.iter().any(|e| e.span == span && e.message == message);
        if !known && self.errors.len() < MOST_ERRORS {
            self.errors.push(Diagnostic::error(code, span, message));
        }
    }

    // Comments of the source, as lines. There are none in a minified output.

    /// The comment of a function or variable.
    pub fn comment(&self, span: Span) -> Vec<String> {
        self.comment_lines("", |comments| comments.of(span))
    }

    /// The comment of a struct.
    pub fn struct_comment(&self, ty: Type) -> Vec<String> {
        let Some(structure) = self.module.types.as_struct(ty) else { return vec![] };
        self.comment_lines("", |comments| comments.of_struct(&structure.name))
    }

    /// The comment of a member.
    pub fn member_comment(&self, ty: Type, member: u32) -> Vec<String> {
        let Some(structure) = self.module.types.as_struct(ty) else { return vec![] };
        let name = &structure.members[member as usize].name;
        self.comment_lines("    ", |comments| comments.of_member(&structure.name, name))
    }

    fn comment_lines<'c>(&'c self, indent: &str, of: impl Fn(&'c Comments) -> &'c [String]) -> Vec<String> {
        let Some(comments) = self.module.comments.as_deref().filter(|_| !self.minify) else { return vec![] };
        of(comments).iter().map(|line| format!("{indent}// {line}").trim_end().to_owned()).collect()
    }

    // Symbols.

    /// The assigned name of a symbol; what it would like to be called before names are assigned.
    #[inline]
    pub fn name(&self, symbol: Symbol) -> Arc<str> {
        let data = self.tree.symbol(symbol);
        data.name.clone().unwrap_or_else(|| data.hint.clone())
    }

    /// The symbol of a function that has one.
    #[inline]
    pub fn known_func(&self, func: Func) -> Option<Symbol> {
        self.funcs[func]
    }

    /// Gives a function its symbol.
    pub fn set_func(&mut self, func: Func, symbol: Symbol) {
        self.funcs[func] = Some(symbol);
    }

    /// The symbol of a global that is written as it is; `None` if nothing mentioned it.
    #[inline]
    pub fn known_global(&self, var: Var) -> Option<Symbol> {
        self.globals[var]
    }

    /// Gives a global its symbol.
    pub fn set_global(&mut self, var: Var, symbol: Symbol) {
        self.globals[var] = Some(symbol);
    }

    // Constants.

    /// The global of the source that names a constant.
    #[inline]
    pub fn const_global(&self, c: Const) -> Option<Var> {
        self.const_globals.get(&c).copied()
    }

    /// The symbol of a constant that has a name of its own from here on.
    pub fn table_symbol(&mut self, c: Const) -> Symbol {
        if let Some(&symbol) = self.table_symbols.get(&c) {
            return symbol;
        }
        let symbol = self.tree.add_symbol("table");
        self.table_symbols.insert(c, symbol);
        self.tables.push((c, symbol));
        symbol
    }

    /// The component of a vector constant that has only one value.
    #[inline]
    pub fn splat_part(&self, c: Const) -> Option<Const> {
        let data = &self.module.consts[c];
        let ConstValue::Composite(parts) = &data.value else { return None };
        let vector = matches!(self.module.types[data.ty], TypeKind::Vector(..));
        (vector && parts.iter().all(|p| *p == parts[0])).then(|| parts[0])
    }

    // Types.

    /// Whether a type is asked about for the first time.
    pub(crate) fn first_check(&mut self, ty: Type) -> bool {
        self.checked.insert(ty)
    }

    /// The symbol of a struct that has one.
    #[inline]
    pub fn known_struct(&self, ty: Type) -> Option<Symbol> {
        self.struct_symbols.get(&ty).copied()
    }

    /// The symbol of a struct or block type; its members get theirs. Members of a struct have their names at once, those
    /// of a block ([`Struct::is_block`](planish_ir::types::Struct::is_block)) when names are assigned.
    pub(crate) fn add_struct(&mut self, ty: Type, words: &impl Words) -> Symbol {
        if let Some(&symbol) = self.struct_symbols.get(&ty) {
            return symbol;
        }
        let module = self.module;
        let Some(structure) = module.types.as_struct(ty) else { return Symbol(0) };
        let mut names: FxHashSet<String> = FxHashSet::default();
        for (i, member) in structure.members.iter().enumerate() {
            let base = if words.is_reserved(&member.name) || member.name.is_empty() {
                format!("{}_m", words.sanitize(&member.name).trim_end_matches('_'))
            } else if member.name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                member.name.to_string()
            } else {
                words.sanitize(&member.name)
            };
            let mut name = base.clone();
            let mut n = 1;
            while !names.insert(name.clone()) {
                name = format!("{base}_{n}");
                n += 1;
            }
            let symbol = self.tree.add_symbol(name);
            // The members of a block without an instance are global names, assigned with the others.
            if !structure.is_block {
                let data = self.tree.symbol_mut(symbol);
                data.name = Some(data.hint.clone());
            }
            self.members.insert((ty, i as u32), symbol);
        }
        let symbol = match words.fixed_struct(&structure.name) {
            true => self.tree.add_named(structure.name.clone()),
            false => self.tree.add_symbol(structure.name.clone()),
        };
        self.struct_symbols.insert(ty, symbol);
        self.structs.push((ty, symbol));
        symbol
    }

    /// Between the parts of a list.
    pub fn comma(&self) -> &'static str {
        if self.minify { "," } else { ", " }
    }

    /// The symbol of a member of a struct that has symbols.
    #[inline]
    pub fn known_member(&self, ty: Type, index: u32) -> Option<Symbol> {
        self.members.get(&(ty, index)).copied()
    }

    /// The name of a member.
    #[inline]
    pub fn member_name(&self, ty: Type, index: u32) -> Arc<str> {
        match self.known_member(ty, index) {
            Some(symbol) => self.name(symbol),
            None => match self.module.types.as_struct(ty).and_then(|s| s.members.get(index as usize)) {
                Some(member) => member.name.clone(),
                None => "missing".into(),
            },
        }
    }

    /// The struct of a block, or of an array of blocks.
    pub fn is_block(&self, mut ty: Type) -> bool {
        while let TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } = self.module.types[ty] {
            ty = element;
        }
        self.module.types.as_struct(ty).is_some_and(|s| s.is_block)
    }
}
