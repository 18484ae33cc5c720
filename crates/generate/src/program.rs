//! A generated program: a small syntax tree that can be printed and shrunk.

/// A component type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// `float`
    Float,
    /// `int`
    Int,
    /// `uint`
    Uint,
    /// `bool`
    Bool,
    /// `float16_t`
    Half,
    /// `int16_t`
    Short,
    /// `uint16_t`
    Ushort,
    /// `int8_t`
    Byte,
    /// `uint8_t`
    Ubyte,
}

impl Scalar {
    /// Whether it is `float` or `float16_t`.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Float | Scalar::Half)
    }

    /// Whether it is a signed integer.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::Int | Scalar::Short | Scalar::Byte)
    }

    /// Whether it is an integer.
    pub fn is_integer(self) -> bool {
        !self.is_float() && self != Scalar::Bool
    }
}

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ty {
    /// A scalar (1) or vector (2 to 4).
    Vec(Scalar, u8),
    /// Columns and rows of floats of 32 or 16 bits.
    Mat(Scalar, u8, u8),
    /// The struct of this number.
    Struct(usize),
    /// An array of scalars or vectors.
    Array(Scalar, u8, u8),
}

impl Ty {
    /// `float`
    pub const FLOAT: Ty = Ty::Vec(Scalar::Float, 1);
    /// `int`
    pub const INT: Ty = Ty::Vec(Scalar::Int, 1);
    /// `bool`
    pub const BOOL: Ty = Ty::Vec(Scalar::Bool, 1);
    /// `vec4`
    pub const VEC4: Ty = Ty::Vec(Scalar::Float, 4);
}

/// An expression. Each node has a type, so that the reducer can replace it by a literal.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// A literal, or a constructor of literals.
    Literal(Ty, String),
    /// A variable.
    Var(Ty, String),
    /// `(op x)`
    Prefix(Ty, &'static str, Box<Expr>),
    /// `(x op)`
    Postfix(Ty, &'static str, Box<Expr>),
    /// `(x op y)`; also assignments and the comma.
    Binary(Ty, &'static str, Box<Expr>, Box<Expr>),
    /// `(c ? x : y)`
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `f(…)`; also constructors.
    Call(Ty, String, Vec<Expr>),
    /// `x.name`: a member or a swizzle.
    Field(Ty, Box<Expr>, String),
    /// `x[i]`
    Index(Ty, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// Its type.
    pub fn ty(&self) -> Ty {
        match self {
            Expr::Literal(ty, _)
            | Expr::Var(ty, _)
            | Expr::Prefix(ty, ..)
            | Expr::Postfix(ty, ..)
            | Expr::Binary(ty, ..)
            | Expr::Call(ty, ..)
            | Expr::Field(ty, ..)
            | Expr::Index(ty, ..) => *ty,
            Expr::Ternary(_, x, _) => x.ty(),
        }
    }
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    /// `T name = value;`
    Declare(Ty, String, Option<Expr>),
    /// `value;`
    Expr(Expr),
    /// `if (c) { … } else { … }`
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `for (int name = 0; name < bound; ++name) { … }`
    For(String, u8, Vec<Stmt>),
    /// `int name = 0; while (name++ < bound) { … }`, in a block of its own.
    While(String, u8, Vec<Stmt>),
    /// `int name = 0; do { … } while (++name < bound);`, in a block of its own.
    DoWhile(String, u8, Vec<Stmt>),
    /// `switch (selector) { case 0: … }`; each case with whether it ends with `break`. The last is `default`.
    Switch(Expr, Vec<(Vec<Stmt>, bool)>),
    /// `if (c) break;`
    Break(Expr),
    /// `if (c) continue;`
    Continue(Expr),
    /// `if (c) return value;`
    Return(Expr, Option<Expr>),
    /// `if (c) discard;`
    Discard(Expr),
    /// `{ … }`
    Block(Vec<Stmt>),
}

/// Passing mode of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passing {
    /// `in`
    In,
    /// `out`
    Out,
    /// `inout`
    InOut,
}

/// A parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// Passing mode.
    pub passing: Passing,
    /// Its type.
    pub ty: Ty,
    /// Its name.
    pub name: String,
}

/// A function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its name; overloads share one.
    pub name: String,
    /// Return type; `None` for `void`.
    pub result: Option<Ty>,
    /// Parameters.
    pub params: Vec<Param>,
    /// Statements.
    pub body: Vec<Stmt>,
    /// Value returned at its end.
    pub value: Option<Expr>,
}

/// A fragment shader.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// Whether it may have numbers of 8 and 16 bits: GLSL 4.50 with extensions, else GLSL ES 3.00.
    pub narrow: bool,
    /// Members (type and name) of each struct.
    pub structs: Vec<Vec<(Ty, String)>>,
    /// Uniforms.
    pub uniforms: Vec<(Ty, String)>,
    /// Global variables.
    pub globals: Vec<(Ty, String, Option<Expr>)>,
    /// Functions; each calls only those before it. The last is `main`.
    pub functions: Vec<Function>,
}
