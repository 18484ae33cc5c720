//! A program as GLSL.

use std::fmt::{Display, Formatter, Result};

use crate::program::{Expr, Function, Passing, Program, Scalar, Stmt, Ty};

/// Names of scalars, in the order of [`Scalar`].
const NAMES: [&str; 9] = ["float", "int", "uint", "bool", "float16_t", "int16_t", "uint16_t", "int8_t", "uint8_t"];
/// Prefixes of the names of their vectors and matrices.
const PREFIXES: [&str; 9] = ["", "i", "u", "b", "f16", "i16", "u16", "i8", "u8"];

impl Display for Ty {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match *self {
            Ty::Vec(s, 1) => f.write_str(NAMES[s as usize]),
            Ty::Vec(s, n) => write!(f, "{}vec{n}", PREFIXES[s as usize]),
            Ty::Mat(s, c, r) if c == r => write!(f, "{}mat{c}", PREFIXES[s as usize]),
            Ty::Mat(s, c, r) => write!(f, "{}mat{c}x{r}", PREFIXES[s as usize]),
            Ty::Struct(i) => write!(f, "S{i}"),
            Ty::Array(s, n, len) => write!(f, "{}[{len}]", Ty::Vec(s, n)),
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Expr::Literal(_, text) | Expr::Var(_, text) => f.write_str(text),
            // The space keeps `- -1.0` from being a decrement.
            Expr::Prefix(_, op, x) => write!(f, "({op} {x})"),
            Expr::Postfix(_, op, x) => write!(f, "({x}{op})"),
            Expr::Binary(_, op, x, y) => write!(f, "({x} {op} {y})"),
            Expr::Ternary(c, x, y) => write!(f, "({c} ? {x} : {y})"),
            Expr::Call(_, name, args) => {
                write!(f, "{name}(")?;
                for (i, arg) in args.iter().enumerate() {
                    write!(f, "{}{arg}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str(")")
            }
            Expr::Field(_, x, name) => write!(f, "{x}.{name}"),
            Expr::Index(_, x, i) => write!(f, "{x}[{i}]"),
        }
    }
}

/// Recursion: as deep as statements nest, at most `MAX_NESTING`.
fn block(f: &mut Formatter<'_>, stmts: &[Stmt], depth: usize) -> Result {
    f.write_str("{\n")?;
    for stmt in stmts {
        write_stmt(f, stmt, depth + 1)?;
    }
    write!(f, "{:1$}}}", "", 4 * depth)
}

fn write_stmt(f: &mut Formatter<'_>, stmt: &Stmt, depth: usize) -> Result {
    let pad = 4 * depth;
    write!(f, "{:pad$}", "")?;
    match stmt {
        Stmt::Declare(ty, name, None) => write!(f, "{ty} {name};")?,
        Stmt::Declare(ty, name, Some(value)) => write!(f, "{ty} {name} = {value};")?,
        Stmt::Expr(e) => write!(f, "{e};")?,
        Stmt::If(c, then, otherwise) => {
            write!(f, "if ({c}) ")?;
            block(f, then, depth)?;
            if !otherwise.is_empty() {
                f.write_str(" else ")?;
                block(f, otherwise, depth)?;
            }
        }
        Stmt::For(name, bound, body) => {
            write!(f, "for (int {name} = 0; {name} < {bound}; ++{name}) ")?;
            block(f, body, depth)?;
        }
        Stmt::While(name, bound, body) => {
            write!(f, "{{ int {name} = 0; while ({name}++ < {bound}) ")?;
            block(f, body, depth)?;
            f.write_str(" }")?;
        }
        Stmt::DoWhile(name, bound, body) => {
            write!(f, "{{ int {name} = 0; do ")?;
            block(f, body, depth)?;
            write!(f, " while (++{name} < {bound}); }}")?;
        }
        Stmt::Switch(selector, cases) => {
            writeln!(f, "switch ({selector}) {{")?;
            for (i, (body, breaks)) in cases.iter().enumerate() {
                let last = i + 1 == cases.len();
                let label = if last { "default".to_owned() } else { format!("case {i}") };
                write!(f, "{:pad$}{label}: ", "")?;
                block(f, body, depth)?;
                // The last case must contain a statement and may not fall through.
                f.write_str(if *breaks || last { " break;\n" } else { "\n" })?;
            }
            write!(f, "{:pad$}}}", "")?;
        }
        Stmt::Break(c) => write!(f, "if ({c}) break;")?,
        Stmt::Continue(c) => write!(f, "if ({c}) continue;")?,
        Stmt::Return(c, None) => write!(f, "if ({c}) return;")?,
        Stmt::Return(c, Some(value)) => write!(f, "if ({c}) return {value};")?,
        Stmt::Discard(c) => write!(f, "if ({c}) discard;")?,
        Stmt::Block(body) => block(f, body, depth)?,
    }
    f.write_str("\n")
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.result {
            Some(ty) => write!(f, "{ty} {}(", self.name)?,
            None => write!(f, "void {}(", self.name)?,
        }
        for (i, p) in self.params.iter().enumerate() {
            let passing = match p.passing {
                Passing::In => "",
                Passing::Out => "out ",
                Passing::InOut => "inout ",
            };
            write!(f, "{}{passing}{} {}", if i > 0 { ", " } else { "" }, p.ty, p.name)?;
        }
        f.write_str(") {\n")?;
        for stmt in &self.body {
            write_stmt(f, stmt, 1)?;
        }
        if let Some(value) = &self.value {
            writeln!(f, "    return {value};")?;
        }
        f.write_str("}\n")
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(if self.narrow {
            "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
        } else {
            "#version 300 es\nprecision highp float;\nprecision highp int;\n"
        })?;
        for (i, members) in self.structs.iter().enumerate() {
            write!(f, "struct S{i} {{")?;
            for (ty, name) in members {
                write!(f, " {ty} {name};")?;
            }
            f.write_str(" };\n")?;
        }
        for (ty, name) in &self.uniforms {
            writeln!(f, "uniform {ty} {name};")?;
        }
        f.write_str(if self.narrow { "layout(location = 0) out vec4 color;\n" } else { "out vec4 color;\n" })?;
        for (ty, name, value) in &self.globals {
            match value {
                Some(value) => writeln!(f, "{ty} {name} = {value};")?,
                None => writeln!(f, "{ty} {name};")?,
            }
        }
        self.functions.iter().try_for_each(|function| write!(f, "{function}"))
    }
}

/// The constructor of a zero of type `ty`.
/// Recursion: over the type; members of structs are of structs before them.
pub(crate) fn zero(ty: Ty, structs: &[Vec<(Ty, String)>]) -> Expr {
    let text = match ty {
        Ty::Vec(Scalar::Float, 1) => "0.0".into(),
        Ty::Vec(Scalar::Int, 1) => "0".into(),
        Ty::Vec(Scalar::Uint, 1) => "0u".into(),
        Ty::Vec(Scalar::Bool, 1) => "false".into(),
        Ty::Vec(Scalar::Half, 1) => "0.0hf".into(),
        Ty::Vec(Scalar::Short | Scalar::Ushort | Scalar::Byte | Scalar::Ubyte, 1) => format!("{ty}(0)"),
        Ty::Vec(s, _) => format!("{ty}({})", zero(Ty::Vec(s, 1), structs)),
        Ty::Mat(s, ..) => format!("{ty}({})", zero(Ty::Vec(s, 1), structs)),
        Ty::Struct(i) => {
            let members: Vec<String> = structs[i].iter().map(|m| zero(m.0, structs).to_string()).collect();
            format!("{ty}({})", members.join(", "))
        }
        Ty::Array(s, n, len) => {
            let element = zero(Ty::Vec(s, n), structs).to_string();
            format!("{ty}({})", vec![element; len.into()].join(", "))
        }
    };
    Expr::Literal(ty, text)
}
