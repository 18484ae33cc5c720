//! The nodes of the syntax tree.

use super::*;
use crate::symbol::Symbol;
use planish_ir::source::Span;

/// A name and its span.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub symbol: Symbol,
    /// Its span.
    pub span: Span,
}

// ---------------------------------------------------------------------------------------------- expressions

/// An expression.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Expr {
    /// The kind of expression.
    pub kind: ExprKind,
    /// All of it.
    pub span: Span,
}

/// A kind of expression.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ExprKind {
    /// Placeholder for a syntax error, which has been reported.
    Error,
    /// `name`, of a variable or, as a callee, of a function.
    Name(Symbol),
    /// `true`, `false`.
    Bool(bool),
    /// `1`, `0x1u`.
    Int {
        /// The 32 bits.
        bits: u32,
        /// Whether it has the suffix `u`.
        unsigned: bool,
    },
    /// `1s`, `0xfus`: 16 bits.
    Short {
        /// The bits.
        bits: u16,
        /// Whether it had the suffix `us`.
        unsigned: bool,
    },
    /// `1l`: 64 bits.
    Long(WideBits),
    /// `0xfUL`: 64 bits.
    UnsignedLong(WideBits),
    /// `1.0`, `1e3f`.
    Float(f32),
    /// `1.0hf`: its bits.
    Half(u16),
    /// `1.0lf`.
    Double(WideBits),
    /// `(inner)`.
    Paren(ExprId),
    /// `-operand`, `++operand`, …
    Prefix {
        /// The operator.
        op: PrefixOp,
        /// Its operand.
        operand: ExprId,
    },
    /// `operand++`, `operand--`.
    Postfix {
        /// The operator.
        op: PostfixOp,
        /// Its operand.
        operand: ExprId,
    },
    /// `lhs + rhs`, … ; left-associative, so chains lean to the left.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The left operand.
        lhs: ExprId,
        /// The right operand.
        rhs: ExprId,
    },
    /// `target = value`, `target += value`, …
    Assign {
        /// The operator of a compound assignment (never a comparison or a logical operator).
        op: Option<BinaryOp>,
        /// The place assigned to.
        target: ExprId,
        /// The value.
        value: ExprId,
    },
    /// `condition ? accept : reject`.
    Ternary {
        /// Before the `?`.
        condition: ExprId,
        /// Between `?` and `:`.
        accept: ExprId,
        /// Behind the `:`.
        reject: ExprId,
    },
    /// `lhs, rhs`; left-associative, so chains lean to the left.
    Comma {
        /// Evaluated first, value dropped.
        lhs: ExprId,
        /// The value.
        rhs: ExprId,
    },
    /// `callee(args)`: a function if `callee` is a [`ExprKind::Name`], a method (`a.length()`) if it is a
    /// [`ExprKind::Field`]. The parser has reported every other callee. A name that the parser has recognized as a type
    /// makes a [`ExprKind::Construct`] instead; `Name` may still be a type that the language predeclares.
    Call {
        /// The function or method.
        callee: ExprId,
        /// The arguments (`f(void)` has none).
        args: List<ExprId>,
    },
    /// `vec3(args)`, `S(args)`, `float[3](args)`, `S[](args)`.
    Construct {
        /// The type.
        ty: TypeId,
        /// The arguments.
        args: List<ExprId>,
    },
    /// `base.name`: a struct member, a swizzle, or the method in a [`ExprKind::Call`].
    Field {
        /// Before the dot.
        base: ExprId,
        /// Behind the dot.
        name: Name,
    },
    /// `base[index]`.
    Index {
        /// Before the bracket.
        base: ExprId,
        /// Within.
        index: ExprId,
    },
    /// `{ a, { b, c } }`, only as an initializer (desktop 4.20 and later).
    InitList(List<ExprId>),
}

/// 64 bits, in two halves so that an expression stays aligned to four bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WideBits {
    low: u32,
    high: u32,
}

impl WideBits {
    /// Takes them apart.
    pub fn new(bits: u64) -> Self {
        WideBits { low: bits as u32, high: (bits >> 32) as u32 }
    }

    /// The bits.
    pub fn bits(self) -> u64 {
        u64::from(self.high) << 32 | u64::from(self.low)
    }
}

/// An operator before its operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PrefixOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `!`
    Not,
    /// `~`
    BitNot,
    /// `++`
    Increment,
    /// `--`
    Decrement,
}

/// A postfix operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PostfixOp {
    /// `++`
    Increment,
    /// `--`
    Decrement,
}

/// An operator between two operands, assignments and the comma aside.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it; `as_str` gives the spelling")]
pub enum BinaryOp {
    Mul,
    Div,
    Mod,
    Add,
    Sub,
    Shl,
    Shr,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    LogicalAnd,
    LogicalXor,
    LogicalOr,
}

impl PrefixOp {
    /// The spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            PrefixOp::Plus => "+",
            PrefixOp::Minus => "-",
            PrefixOp::Not => "!",
            PrefixOp::BitNot => "~",
            PrefixOp::Increment => "++",
            PrefixOp::Decrement => "--",
        }
    }
}

impl PostfixOp {
    /// The spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            PostfixOp::Increment => "++",
            PostfixOp::Decrement => "--",
        }
    }
}

impl BinaryOp {
    /// The spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Mod => "%",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Less => "<",
            BinaryOp::Greater => ">",
            BinaryOp::LessEqual => "<=",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::BitOr => "|",
            BinaryOp::LogicalAnd => "&&",
            BinaryOp::LogicalXor => "^^",
            BinaryOp::LogicalOr => "||",
        }
    }
}

// ---------------------------------------------------------------------------------------------- statements

/// A statement.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stmt {
    /// The kind of statement.
    pub kind: StmtKind,
    /// All of it.
    pub span: Span,
}

/// A kind of statement.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum StmtKind {
    /// Placeholder for a syntax error, which has been reported.
    Error,
    /// `;`
    Empty,
    /// `{ … }`; opens a scope.
    Compound(List<StmtId>),
    /// `float x = 1.0;`, `precision highp float;`, `struct S { … };`, `float f();`
    Decl(DeclId),
    /// `a = b;`
    Expr(ExprId),
    /// `if (condition) accept else reject`. Ladders (`else if`) lean to the right: see [`Ast::if_ladder`].
    If {
        /// The condition.
        condition: ExprId,
        /// The first branch; a scope of its own, even without braces.
        accept: StmtId,
        /// The second branch.
        reject: Option<StmtId>,
    },
    /// `switch (selector) { … }`; the body is one scope, its labels are statements of the list.
    Switch {
        /// The value to select a case by.
        selector: ExprId,
        /// Statements and labels.
        body: List<StmtId>,
    },
    /// `case value:`, only directly in a switch body.
    Case(ExprId),
    /// `default:`, only directly in a switch body.
    Default,
    /// `while (condition) body`.
    While {
        /// An [`StmtKind::Expr`] or, as in `while (bool b = f())`, a [`StmtKind::Decl`] with one initialized variable.
        condition: StmtId,
        /// The body; shares the condition's scope.
        body: StmtId,
    },
    /// `do body while (condition);`
    DoWhile {
        /// The body; a scope of its own.
        body: StmtId,
        /// The condition.
        condition: ExprId,
    },
    /// `for (init; condition; step) body`.
    For {
        /// An [`StmtKind::Expr`], [`StmtKind::Decl`] or [`StmtKind::Empty`].
        init: StmtId,
        /// As in [`StmtKind::While`].
        condition: Option<StmtId>,
        /// The step.
        step: Option<ExprId>,
        /// The body; shares the scope of `init` and `condition`.
        body: StmtId,
    },
    /// `return;`, `return value;`
    Return(Option<ExprId>),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `discard;`
    Discard,
    /// `demote;` (`GL_EXT_demote_to_helper_invocation`)
    Demote,
    /// `ignoreIntersectionEXT;` (`GL_EXT_ray_tracing`)
    IgnoreIntersection,
    /// `terminateRayEXT;` (`GL_EXT_ray_tracing`)
    TerminateRay,
}

// ---------------------------------------------------------------------------------------------- declarations

/// A declaration, external or local.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Decl {
    /// The kind of declaration.
    pub kind: DeclKind,
    /// All of it, its `;` included.
    pub span: Span,
}

/// A kind of declaration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum DeclKind {
    /// Placeholder for a syntax error, which has been reported.
    Error,
    /// `;`
    Empty,
    /// `const float a = 1.0, b[2];`, and with no declarators `struct S { … };`.
    Variables {
        /// Before the type.
        qualifiers: List<Qualifier>,
        /// The type, its own dimensions included (`float[2] a`).
        ty: TypeId,
        /// The variables.
        declarators: List<Declarator>,
    },
    /// A prototype, or with a body a definition.
    Function {
        /// The prototype.
        function: FunctionId,
        /// The body, a [`StmtKind::Compound`]; parameters are in a scope around it.
        body: Option<StmtId>,
    },
    /// `uniform Name { … } instance[2];`
    Block(BlockId),
    /// `precision highp float;`
    Precision {
        /// The default precision.
        precision: Precision,
        /// For which type.
        ty: TypeId,
    },
    /// Qualifiers without a declaration (`layout(local_size_x = 8) in;`) or of existing names (`invariant
    /// gl_Position;`, `precise a, b;`).
    Qualifiers {
        /// The qualifiers, at least one.
        qualifiers: List<Qualifier>,
        /// The qualified variables; empty for the shader as a whole.
        names: List<Name>,
    },
    /// A `#pragma` in this place: its index in the list passed to the parser.
    Pragma(u32),
}

/// `name[2] = init` in a declaration of variables or members.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Declarator {
    /// The variable's name.
    pub name: Name,
    /// Dimensions after the name; in `float[2] a[3]` these come first: `a` is 3 arrays of 2.
    pub dims: List<Dim>,
    /// The initializer.
    pub init: Option<ExprId>,
    /// From the name to the end of the initializer.
    pub span: Span,
}

/// A type specifier, without qualifiers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TypeSpec {
    /// The type without its dimensions.
    pub base: TypeBase,
    /// The dimensions, outermost first.
    pub dims: List<Dim>,
    /// All of it.
    pub span: Span,
}

/// A type without its dimensions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeBase {
    /// Placeholder for a syntax error, which has been reported.
    Error,
    /// A keyword of the current version: `void`, `vec3`, `sampler2D`, …
    Builtin(Symbol),
    /// A struct's name; the type checker reports unknown ones.
    Named(Symbol),
    /// `struct S { … }` in place.
    Struct(StructId),
}

/// One `[size]` or `[]`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Dim {
    /// The size, if given.
    pub size: Option<ExprId>,
    /// The brackets and what is in them.
    pub span: Span,
}

/// `qualifiers type name(params)`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FunctionProto {
    /// Before the type: precision, `invariant`, `precise`, …
    pub qualifiers: List<Qualifier>,
    /// The type of the result.
    pub ty: TypeId,
    /// The name.
    pub name: Name,
    /// The parameters (`f(void)` has none).
    pub params: List<Param>,
    /// From the qualifiers to the closing parenthesis.
    pub span: Span,
}

/// A function's parameter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Param {
    /// `const`, `in`, `out`, `inout`, precision, memory.
    pub qualifiers: List<Qualifier>,
    /// The type, its own dimensions included.
    pub ty: TypeId,
    /// The name, if given.
    pub name: Option<Name>,
    /// Dimensions after the name.
    pub dims: List<Dim>,
    /// All of it.
    pub span: Span,
}

/// `struct name { members }`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StructSpec {
    /// The name, if given.
    pub name: Option<Name>,
    /// The members.
    pub members: List<Member>,
    /// From `struct` to `}`.
    pub span: Span,
}

/// `qualifiers type a, b[2];` in a struct or block.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Member {
    /// Precision, layout, memory, …
    pub qualifiers: List<Qualifier>,
    /// The type.
    pub ty: TypeId,
    /// The members; initializers have been reported, and are dropped.
    pub declarators: List<Declarator>,
    /// All of it.
    pub span: Span,
}

/// `layout(std140) uniform name { members } instance[2];`
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct InterfaceBlock {
    /// Storage, layout, memory.
    pub qualifiers: List<Qualifier>,
    /// The block's name.
    pub name: Name,
    /// The members.
    pub members: List<Member>,
    /// The instance's name, if given; without one, members are in the global scope.
    pub instance: Option<Name>,
    /// The instance's dimensions.
    pub dims: List<Dim>,
    /// From the qualifiers to the `;`.
    pub span: Span,
}

/// `lowp`, `mediump`, `highp`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Precision {
    Low,
    Medium,
    High,
}

/// A qualifier.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Qualifier {
    /// The qualifier.
    pub kind: QualifierKind,
    /// Its span; for a layout, up to its closing parenthesis.
    pub span: Span,
}

/// A qualifier. All that were written are kept in order, including duplicates and contradictions: the parser reports
/// only words that the version does not have.
#[derive(Clone, Copy, PartialEq, Debug)]
#[expect(missing_docs, reason = "each is the keyword of its name")]
pub enum QualifierKind {
    Const,
    Attribute,
    Varying,
    In,
    Out,
    InOut,
    Uniform,
    Buffer,
    Shared,
    Centroid,
    Sample,
    Patch,
    Flat,
    Smooth,
    NoPerspective,
    /// `pervertexEXT`
    PerVertex,
    /// `perprimitiveEXT`
    PerPrimitive,
    /// Storage of what shaders of a pipeline pass to each other.
    Passed(Passed),
    Precision(Precision),
    Invariant,
    Precise,
    Coherent,
    Volatile,
    Restrict,
    ReadOnly,
    WriteOnly,
    /// `nonuniformEXT`
    NonUniform,
    /// `nonprivate`
    NonPrivate,
    /// `subroutine`, `subroutine(…)`; the parser has reported it.
    Subroutine,
    Layout(List<LayoutItem>),
}

/// Memory that shaders of a pipeline pass to each other (`GL_EXT_ray_tracing`, `GL_EXT_mesh_shader`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passed {
    /// `rayPayloadEXT`
    RayPayload,
    /// `rayPayloadInEXT`
    RayPayloadIn,
    /// `hitAttributeEXT`
    HitAttribute,
    /// `callableDataEXT`
    CallableData,
    /// `callableDataInEXT`
    CallableDataIn,
    /// `taskPayloadSharedEXT`
    TaskPayload,
}

impl Passed {
    /// Its word.
    pub fn keyword(self) -> &'static str {
        match self {
            Passed::RayPayload => "rayPayloadEXT",
            Passed::RayPayloadIn => "rayPayloadInEXT",
            Passed::HitAttribute => "hitAttributeEXT",
            Passed::CallableData => "callableDataEXT",
            Passed::CallableDataIn => "callableDataInEXT",
            Passed::TaskPayload => "taskPayloadSharedEXT",
        }
    }
}

/// `name` or `name = value` in a layout.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LayoutItem {
    /// The identifier (`shared` is one here).
    pub name: Name,
    /// The constant expression.
    pub value: Option<ExprId>,
    /// All of it.
    pub span: Span,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hot_nodes_stay_small() {
        assert_eq!(size_of::<Option<ExprId>>(), 4);
        assert_eq!(size_of::<Expr>(), 28);
        assert_eq!(size_of::<Stmt>(), 28);
        assert_eq!(size_of::<Qualifier>(), 20);
        assert_eq!(size_of::<TypeSpec>(), 24);
    }
}
