//! The state of one output.

use std::ops::{Deref, DerefMut};

use planish_back_header::{Interface, Shaders};
use planish_back_text::nan;
use planish_back_text::tree::{Expr, Symbol};
use planish_back_text::{Abilities, Text};
use planish_ir::entity::{Data, Elem, Func, Table, Type};
use planish_ir::module::Module;
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Options;
use crate::seen::Seen;
use crate::state::State;

/// The constructs of C that are used. Compilers take 256 levels of brackets; falling through to the next case is a warning.
const ABILITIES: Abilities = Abilities { fallthrough: false, nesting: 200, ..Abilities::C };

/// C, as the text back end knows it.
pub(crate) struct Writer<'m> {
    pub(crate) text: Text<'m>,
    pub(crate) state: &'m State,
    pub(crate) interface: &'m Interface,
    pub(crate) options: &'m Options<'m>,
    pub(crate) shaders: &'m Shaders,
    pub(crate) names: &'m FxHashSet<String>,
    /// Types by scalar.
    pub(crate) scalars: &'m FxHashMap<Scalar, Type>,
    /// The type of an instance; empty if there is none.
    pub(crate) instance: &'m str,
    /// The name in C of functions whose code is that of the interface.
    pub(crate) direct: &'m FxHashMap<Func, String>,
    /// Helpers that are called.
    pub(crate) needs: FxHashSet<&'static str>,
    /// Structures of several results.
    pub(crate) result_types: Vec<Box<[Type]>>,
    /// Indirect calls.
    pub(crate) indirect: Vec<(Table, Type)>,
    /// Functions that references are made of.
    pub(crate) references: Vec<Func>,
    /// Segments that are read.
    pub(crate) data: FxHashSet<Data>,
    pub(crate) elems: FxHashSet<Elem>,
    /// Texts that mention the instance.
    pub(crate) of_instance: FxHashSet<Symbol>,
    /// Casts of unsigned integers to signed ones of the same size.
    pub(crate) wrapped: FxHashSet<Expr>,
    /// Places of vectors in an instance, which are bytes.
    pub(crate) vectors: FxHashSet<Expr>,
    /// Vectors whose NaNs are canonical.
    pub(crate) seen: Seen,
    /// Whether all that is computed has the canonical NaN ([`planish_back_text::nan`]).
    pub(crate) sees_bits: bool,
    fixed: FxHashMap<String, Symbol>,
}

/// All that a writer only reads.
pub(crate) struct Given<'m> {
    pub(crate) module: &'m Module,
    pub(crate) state: &'m State,
    pub(crate) interface: &'m Interface,
    pub(crate) options: &'m Options<'m>,
    pub(crate) shaders: &'m Shaders,
    pub(crate) names: &'m FxHashSet<String>,
    pub(crate) scalars: &'m FxHashMap<Scalar, Type>,
    pub(crate) instance: &'m str,
    pub(crate) direct: &'m FxHashMap<Func, String>,
}

impl<'m> Writer<'m> {
    pub(crate) fn new(given: Given<'m>) -> Self {
        Writer {
            text: Text::new(given.module, "C", "C".to_owned(), ABILITIES),
            state: given.state,
            interface: given.interface,
            options: given.options,
            shaders: given.shaders,
            names: given.names,
            scalars: given.scalars,
            instance: given.instance,
            direct: given.direct,
            needs: FxHashSet::default(),
            result_types: Vec::new(),
            indirect: Vec::new(),
            references: Vec::new(),
            data: FxHashSet::default(),
            elems: FxHashSet::default(),
            of_instance: FxHashSet::default(),
            wrapped: FxHashSet::default(),
            vectors: FxHashSet::default(),
            seen: Seen::of(given.module),
            // WebAssembly leaves the bits open.
            sees_bits: !given.module.facts.nan_bits && nan::sees_bits(given.module),
            fixed: FxHashMap::default(),
        }
    }

    /// Whether functions take an instance.
    pub(crate) fn has_instance(&self) -> bool {
        !self.instance.is_empty()
    }

    /// A text as an expression.
    pub(crate) fn fixed(&mut self, text: &str) -> Expr {
        let symbol = match self.fixed.get(text) {
            Some(&symbol) => symbol,
            None => {
                let symbol = self.tree.add_named(text);
                self.fixed.insert(text.to_owned(), symbol);
                symbol
            }
        };
        if text == "self" || text.contains("self->") {
            self.of_instance.insert(symbol);
        }
        self.tree.name(symbol)
    }

    /// A call of a helper.
    pub(crate) fn helper(&mut self, name: &'static str, args: &[Expr]) -> Expr {
        self.needs.insert(name);
        self.tree.builtin(name, args)
    }

    /// The place of a trap: function, line, column.
    pub(crate) fn place(&mut self, func: Func, span: Span) -> [Expr; 3] {
        let module = self.module;
        let name = crate::number::string(&module.funcs[func].name.text);
        let (line, column) = (self.options.place)(span);
        [self.fixed(&name), self.fixed(&format!("{line}u")), self.fixed(&format!("{column}u"))]
    }

    /// The type of numbers.
    pub(crate) fn scalar_type(&self, scalar: Scalar) -> Type {
        self.scalars[&scalar]
    }

    /// The scalar that values of a type are; `None` for references and tokens.
    pub(crate) fn scalar(&self, ty: Type) -> Option<Scalar> {
        match self.module.types[ty] {
            TypeKind::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The name of the structure of several results.
    pub(crate) fn results_name(&self, types: &[Type]) -> String {
        let names: Vec<&str> = types.iter().map(|&ty| short_name(&self.module.types[ty])).collect();
        format!("results_{}", names.join("_"))
    }

    /// The types of several results get a structure.
    pub(crate) fn need_results(&mut self, types: &[Type]) {
        let name = self.results_name(types);
        if !self.result_types.iter().any(|known| self.results_name(known) == name) {
            self.result_types.push(types.into());
        }
    }

    /// The constant that references to a function point to.
    pub(crate) fn reference(&mut self, func: Func) -> String {
        self.needs.insert("reference");
        if !self.references.contains(&func) {
            self.references.push(func);
        }
        format!("reference_{}", func.as_u32())
    }

    /// The text of a result or return type.
    pub(crate) fn return_type(&self, types: &[Type]) -> String {
        match types {
            [] => "void".to_owned(),
            [ty] => crate::syntax::type_text(&self.module.types[*ty]).to_owned(),
            several => self.results_name(several),
        }
    }

    /// Types of the results of a function.
    pub(crate) fn results_of(&self, func: Func) -> Vec<Type> {
        self.module.funcs[func].results.iter().map(|result| result.ty).collect()
    }
}

fn short_name(kind: &TypeKind) -> &'static str {
    match kind {
        TypeKind::Scalar(scalar) => scalar.name(),
        TypeKind::FuncRef => "func",
        TypeKind::Token => "token",
        TypeKind::V128 => "v128",
        _ => "ref",
    }
}

impl<'m> Deref for Writer<'m> {
    type Target = Text<'m>;

    fn deref(&self) -> &Text<'m> {
        &self.text
    }
}

impl<'m> DerefMut for Writer<'m> {
    fn deref_mut(&mut self) -> &mut Text<'m> {
        &mut self.text
    }
}
