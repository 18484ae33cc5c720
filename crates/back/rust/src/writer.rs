//! The state of one output.

use std::ops::{Deref, DerefMut};

use planish_back_text::tree::{Callee, Expr, ExprKind, Symbol};
use planish_back_text::{Abilities, Text};
use planish_ir::entity::{Data, Elem, Func, Table, Type};
use planish_ir::function::TrapKind;
use planish_ir::host::SliceParam;
use planish_ir::module::Module;
use planish_ir::types::{Scalar, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::number::literal;
use crate::state::{State, value_type};

/// Rust, as the text back end knows it.
pub(crate) struct Writer<'m> {
    pub(crate) text: Text<'m>,
    /// Types by scalar.
    pub(crate) scalars: &'m FxHashMap<Scalar, Type>,
    /// Functions that the host calls as they are, with their names there.
    pub(crate) direct: &'m FxHashMap<Func, String>,
    /// Functions that may trap.
    pub(crate) trapping: &'m FxHashSet<Func>,
    /// The state of the program.
    pub(crate) state: &'m State,
    /// Slices of the host.
    pub(crate) slices: &'m [SliceParam],
    /// Helpers that are called.
    pub(crate) needs: FxHashSet<&'static str>,
    /// Methods of memories and tables that are called.
    pub(crate) methods: FxHashSet<&'static str>,
    /// Indirect calls.
    pub(crate) indirect: Vec<(Table, Type)>,
    /// Functions that there are references to.
    pub(crate) references: FxHashSet<Func>,
    /// Segments that are read.
    pub(crate) data: FxHashSet<Data>,
    pub(crate) elems: FxHashSet<Elem>,
    /// Fields of the state that are read.
    pub(crate) read_fields: FxHashSet<String>,
    /// Whether functions see to the stack.
    pub(crate) sees_stack: bool,
    /// Kinds of traps.
    pub(crate) traps: FxHashSet<TrapKind>,
    /// Values of `Result`s, which are returned as they are.
    pub(crate) errors_out: FxHashSet<Expr>,
    /// Functions with stores that nothing reads.
    pub(crate) with_dead_stores: FxHashSet<Func>,
    /// Functions that call themselves whatever their arguments are, or may seem to.
    pub(crate) calling_themselves: FxHashSet<Func>,
    /// Whether computed floats have the canonical NaN.
    pub(crate) sees_bits: bool,
    fixed: FxHashMap<String, Symbol>,
}

impl<'m> Writer<'m> {
    pub(crate) fn new(
        module: &'m Module,
        scalars: &'m FxHashMap<Scalar, Type>,
        direct: &'m FxHashMap<Func, String>,
        (trapping, state): (&'m FxHashSet<Func>, &'m State),
        slices: &'m [SliceParam],
    ) -> Self {
        Writer {
            text: Text::new(module, "Rust", "Rust".to_owned(), Abilities { nesting: 100, ..Abilities::RUST }),
            scalars,
            direct,
            trapping,
            state,
            slices,
            methods: FxHashSet::default(),
            indirect: Vec::new(),
            references: FxHashSet::default(),
            data: FxHashSet::default(),
            elems: FxHashSet::default(),
            read_fields: FxHashSet::default(),
            sees_stack: false,
            needs: FxHashSet::default(),
            traps: FxHashSet::default(),
            errors_out: FxHashSet::default(),
            with_dead_stores: FxHashSet::default(),
            calling_themselves: FxHashSet::default(),
            sees_bits: false,
            fixed: FxHashMap::default(),
        }
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
        self.tree.name(symbol)
    }

    /// A call of a helper.
    pub(crate) fn helper(&mut self, name: &'static str, args: &[Expr]) -> Expr {
        self.needs.insert(name);
        self.tree.builtin(name, args)
    }

    /// `receiver.name(args)`.
    pub(crate) fn method(&mut self, name: &'static str, receiver: Expr, args: &[Expr]) -> Expr {
        let mut all = vec![self.typed_receiver(receiver)];
        all.extend(args);
        self.tree.call(Callee::Method(name), &all)
    }

    fn typed_receiver(&mut self, e: Expr) -> Expr {
        match self.literal_text(e) {
            Some(text) if text.starts_with('-') => self.fixed(&format!("({text})")),
            _ => self.typed(e),
        }
    }

    /// The text of a literal with its type.
    fn literal_text(&self, e: Expr) -> Option<String> {
        let ExprKind::Literal(c) = self.tree.kind(e) else { return None };
        let scalar = self.scalar(self.module.consts[c].ty)?;
        Some(literal(scalar, self.module.consts.as_bits(c)?, true))
    }

    /// An expression whose type is known without its place: literals say theirs.
    /// Recursion: over the expression, whose depth lowering bounds (`MOST_DEPTH`).
    pub(crate) fn typed(&mut self, e: Expr) -> Expr {
        if let Some(text) = self.literal_text(e) {
            return self.fixed(&text);
        }
        if let ExprKind::Ternary(c, a, b) = self.tree.kind(e) {
            let a = self.typed(a);
            return self.tree.add(ExprKind::Ternary(c, a, b));
        }
        e
    }

    /// A NaN by its bits, and any other expression as it is.
    pub(crate) fn without_nan(&mut self, e: Expr) -> Expr {
        match self.literal_text(e) {
            Some(text) if text == "f32::NAN" => self.fixed("f32::from_bits(0x7fc00000)"),
            Some(text) if text == "f64::NAN" => self.fixed("f64::from_bits(0x7ff8000000000000)"),
            _ => e,
        }
    }

    /// Whether an expression has its type without its place.
    /// Recursion: see [`Writer::typed`].
    pub(crate) fn is_typed(&self, e: Expr) -> bool {
        match self.tree.kind(e) {
            ExprKind::Literal(c) => self.module.consts[c].ty == Type::BOOL,
            ExprKind::Int(_) | ExprKind::Uint(_) | ExprKind::Float(_) => false,
            ExprKind::Ternary(_, a, b) => self.is_typed(a) || self.is_typed(b),
            _ => true,
        }
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

    /// Whether an expression changes the state, so that no argument of one of its methods may be it.
    pub(crate) fn changes_state(&self, e: Expr) -> bool {
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            if let ExprKind::Call(callee, _) = self.tree.kind(e)
                && matches!(
                    callee,
                    Callee::User(_) | Callee::Method("grow") | Callee::BuiltIn("self.new_token" | "core::mem::take")
                )
            {
                return true;
            }
            self.tree.children(e, |child| stack.push(child));
        }
        false
    }

    /// The type of the results of a function; empty if there are none.
    pub(crate) fn results_text(&self, func: Func) -> String {
        let results = &self.module.funcs[func].results;
        let types: Vec<&str> = results.iter().filter_map(|r| value_type(&self.module.types[r.ty])).collect();
        let plain = match &types[..] {
            [] => String::new(),
            [one] => (*one).to_owned(),
            several => format!("({})", several.join(", ")),
        };
        match (self.trapping.contains(&func), plain.is_empty()) {
            (false, _) => plain,
            (true, true) => "Result<(), Trap>".to_owned(),
            (true, false) => format!("Result<{plain}, Trap>"),
        }
    }
}

/// The variant of a kind of trap: `DivisionByZero`.
pub(crate) fn variant(kind: TrapKind) -> String {
    let word = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    kind.name().split('_').map(word).collect()
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
