//! The spelling of a language: [`Syntax`], and its regular part as data ([`Style`]).

use planish_ir::entity::{Const, Func, Type};
use planish_ir::function::TrapKind;
use planish_ir::ops::Lanes;

use crate::dialect::Dialect;
use crate::lower::Written;
use crate::number::float32;
use crate::print::precedence;
use crate::tree::{Decl, Expr, ExprKind, Infix};

/// Spelling of constructs that is the same for all programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// `if (c)`, `while (c)`, `switch (x)`; without it, `if c`.
    pub parentheses: bool,
    /// Head of a loop without end, readable and minified.
    pub endless: [&'static str; 2],
    /// A body of one simple statement may go without braces.
    pub optional_braces: bool,
    /// Cases of a `switch`.
    pub cases: Cases,
    /// Conversions.
    pub casts: Casts,
    /// `c ? a : b`, or else `if c { a } else { b }`.
    pub question_mark: bool,
    /// `p->member` for the member behind a pointer, or else `(*p).member`.
    pub arrows: bool,
    /// `p.member` for the member behind a pointer: the language follows it by itself. Goes before `arrows`.
    pub implied_dereference: bool,
    /// The operator that takes the address of a place.
    pub address_of: &'static str,
    /// Text before a label: `'` in Rust.
    pub label: &'static str,
    /// A function ends in its result, without `return` and `;`.
    pub tail_results: bool,
    /// The statement that ends a fragment's invocation.
    pub discard: &'static str,
}

impl Style {
    /// C and GLSL.
    pub const C: Style = Style {
        parentheses: true,
        endless: ["while (true)", "for(;;)"],
        optional_braces: true,
        cases: Cases::Labels,
        casts: Casts::Prefix,
        question_mark: true,
        arrows: true,
        implied_dereference: false,
        address_of: "&",
        label: "",
        tail_results: false,
        discard: "discard",
    };

    /// WGSL.
    pub const WGSL: Style = Style {
        parentheses: false,
        endless: ["loop", "loop"],
        optional_braces: false,
        cases: Cases::Blocks,
        casts: Casts::Call,
        arrows: false,
        ..Style::C
    };

    /// Rust.
    pub const RUST: Style = Style {
        cases: Cases::Arms,
        casts: Casts::As,
        question_mark: false,
        implied_dereference: true,
        address_of: "&mut ",
        label: "'",
        tail_results: true,
        ..Style::WGSL
    };
}

/// Spelling of cases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cases {
    /// `case 1: case 2: …`, and `default: …`.
    Labels,
    /// `case 1, 2 { … }`, and `default { … }`, which is always there.
    Blocks,
    /// `1 | 2 => { … }`, and `_ => { … }`, which is always there.
    Arms,
}

/// Spelling of conversions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Casts {
    /// `(float)x`.
    Prefix,
    /// `x as f32`.
    As,
    /// `f32(x)`.
    Call,
}

/// The place of an expression in another, or in a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// All of a statement, or between brackets.
    Whole,
    /// An argument, an assigned value.
    Argument,
    /// Left of an operator.
    Left(Infix),
    /// Right of an operator.
    Right(Infix),
    /// After `-`, `!`, `&`, `*`, or `(float)`.
    Prefix,
    /// Before `[i]`, `.member`, `++`.
    Postfix,
    /// Before `as`.
    Cast,
    /// `c` of `c ? a : b`.
    Condition,
    /// `a` of `c ? a : b`.
    Then,
    /// `b` of `c ? a : b`.
    Else,
}

/// The spelling of a [`Dialect`]. Text goes to the end of `out`; minified ([`Text::minify`](crate::Text::minify)), without spaces
/// that separate nothing ([`squeeze`](crate::print::squeeze)).
pub trait Syntax<'m>: Dialect<'m> {
    /// The regular part.
    fn style(&self) -> &Style;

    /// Everything of a function before its `{`: `float f(float x)`, without a space after it.
    fn function_head(&self, function: &Written, out: &mut String);

    /// A type, as a conversion writes it.
    fn type_name(&self, ty: Type) -> String;

    /// Text of a declaration before the name, with a space at its end: `const float `, `let `.
    fn declaration_head(&self, decl: &Decl, out: &mut String);

    /// The name of a declared variable, with the text after it: `a`, `a[3]`, `a: f32`.
    fn declaration_name(&self, decl: &Decl, out: &mut String);

    /// A constant. `constructor` is the type whose constructor it is an argument of, if that converts its arguments or
    /// knows their types, so that a shorter literal will do.
    fn constant(&self, c: Const, constructor: Option<Type>, out: &mut String);

    /// A number that is in no constant table: [`ExprKind::Int`], [`ExprKind::Uint`], [`ExprKind::Float`].
    fn number(&self, kind: ExprKind, out: &mut String) {
        default_number(self.minify, kind, out);
    }

    /// Begins a constructor, and returns the text that ends it: `vec2(` and `)`, `(vec2){` and `}`, `[` and `]`.
    fn constructor(&self, ty: Type, out: &mut String) -> &'static str {
        out.push_str(&self.type_name(ty));
        out.push('(');
        ")"
    }

    /// Begins a vector of one number, and returns the place of the number and the text that ends it: a constructor with one
    /// argument, or `(float3)`.
    fn splat(&self, ty: Type, out: &mut String) -> (Place, &'static str) {
        (Place::Whole, self.constructor(ty, out))
    }

    /// Text before an argument of a constructor: `x: ` in the literal of a struct.
    fn before_argument(&self, _: Type, _: u32, _: &mut String) {}

    /// Text before an index, the place of that, and text after it: `[` and `]`, or `[` and ` as usize]`.
    fn index(&self, _: Expr) -> (&'static str, Place, &'static str) {
        ("[", Place::Whole, "]")
    }

    /// Components of a vector: `.xyz`.
    fn components(&self, lanes: Lanes, out: &mut String) {
        out.push('.');
        out.extend(lanes.iter().map(|l| ['x', 'y', 'z', 'w'][l as usize]));
    }

    /// Text before the name of a variable that holds all results of a function: `f_results `, `let `.
    fn results_head(&self, _: Func, _: &mut String) {}

    /// Begins the value that holds all results of a function, and returns the text that ends it: `(` and `)`.
    fn results(&self, _: Func, out: &mut String) -> &'static str {
        out.push('(');
        ")"
    }

    /// Reads one of all results: `.0`.
    fn result(&self, number: u32, out: &mut String) {
        out.push_str(&format!(".{number}"));
    }

    /// The statement of a trap, without `;`.
    fn trap(&self, _: TrapKind, _: &mut String) {}

    /// Precedence of an operator; higher binds tighter. [`Infix::precedence`] is that of C.
    fn infix_precedence(&self, op: Infix) -> u8 {
        op.precedence()
    }

    /// Whether an expression gets parentheses in a place.
    fn needs_parentheses(&self, place: Place, e: Expr) -> bool {
        precedence::needs_parentheses(self, place, e)
    }
}

/// A number that is in no constant table, as in C without a suffix for floats.
pub fn default_number(minify: bool, kind: ExprKind, out: &mut String) {
    match kind {
        ExprKind::Int(i) => out.push_str(&i.to_string()),
        ExprKind::Uint(u) => out.push_str(&format!("{u}u")),
        ExprKind::Float(f) => out.push_str(&float32(f, minify)),
        _ => {}
    }
}
