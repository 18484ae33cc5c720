//! Generates a program from a stream of decisions. Once the stream is used up, every decision is the simplest, so that
//! the program ends.

mod expressions;
mod narrow;

use crate::choices::Choices;
use crate::print::zero;
use crate::program::{Expr, Function, Param, Passing, Program, Scalar, Stmt, Ty};

/// Maximum number of statements of a program (loop bodies count once).
const MAX_STATEMENTS: usize = 60;
/// Maximum nesting of an expression.
const MAX_EXPRESSION: usize = 4;
/// Maximum nesting of statements.
const MAX_NESTING: usize = 3;

/// A random fragment shader.
pub fn glsl(choices: &mut Choices<'_>) -> Program {
    shader(choices, Kind::default())
}

/// A random fragment shader whose numbers stay near one, depend on the pixel, and are visible in the picture; names are
/// reused in disjoint scopes.
pub fn tame_glsl(choices: &mut Choices<'_>) -> Program {
    shader(choices, Kind { tame: true, ..Kind::default() })
}

/// A random fragment shader with floats of 16 bits and integers of 8 and 16 bits besides the wider ones, in GLSL 4.50. Its picture is a
/// hash of the values of its variables, and depends on the pixel. Which NaN a value is cannot be seen in it.
pub fn narrow_glsl(choices: &mut Choices<'_>) -> Program {
    shader(choices, Kind { narrow: true, ..Kind::default() })
}

/// As [`narrow_glsl`], without what GLSL leaves open: the order of effects in expressions, remainders of negative numbers; and
/// with few constants, of which a compiler computes what the language leaves open in its own way.
pub fn ordered_narrow_glsl(choices: &mut Choices<'_>) -> Program {
    shader(choices, Kind { narrow: true, ordered: true, ..Kind::default() })
}

/// A kind of programs.
#[derive(Clone, Copy, Default)]
struct Kind {
    tame: bool,
    narrow: bool,
    ordered: bool,
}

fn shader(choices: &mut Choices<'_>, Kind { tame, narrow, ordered }: Kind) -> Program {
    let mut g = Generator {
        choices,
        tame,
        ordered,
        program: Program { narrow, structs: vec![], uniforms: vec![], globals: vec![], functions: vec![] },
        scope: vec![],
        names: 0,
        statements: 0,
        loops: 0,
        in_main: false,
        in_switch: false,
        result: None,
        wide: false,
    };
    g.declarations();
    let functions = g.choices.below(4);
    for _ in 0..functions {
        let function = g.function();
        g.program.functions.push(function);
    }
    let main = g.main();
    g.program.functions.push(main);
    g.program
}

#[derive(Clone)]
struct Variable {
    name: String,
    ty: Ty,
    writable: bool,
}

struct Generator<'c, 'b> {
    choices: &'c mut Choices<'b>,
    /// See [`tame_glsl`].
    tame: bool,
    /// See [`ordered_narrow_glsl`].
    ordered: bool,
    program: Program,
    scope: Vec<Variable>,
    names: usize,
    statements: usize,
    loops: usize,
    in_main: bool,
    in_switch: bool,
    result: Option<Ty>,
    /// Whether a narrow program converts by numbers of 64 bits, which few targets have.
    wide: bool,
}

const ARITHMETIC: &[&str] = &["+", "-", "*", "/"];
const INTEGER: &[&str] = &["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"];
const COMPARE: &[&str] = &["<", "<=", ">", ">=", "==", "!="];
const ONE_FLOAT: &[&str] = &[
    "abs",
    "sign",
    "floor",
    "ceil",
    "fract",
    "sqrt",
    "inversesqrt",
    "exp",
    "log",
    "exp2",
    "log2",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "radians",
    "degrees",
    "trunc",
    "round",
    "roundEven",
    "normalize",
];
const TWO_FLOATS: &[&str] = &["min", "max", "mod", "pow", "step", "atan", "reflect"];
const NUMBERS: &[Scalar] = &[Scalar::Float, Scalar::Int, Scalar::Uint];
const THREE_FLOATS: &[&str] = &["clamp", "mix", "smoothstep", "faceforward"];

impl Generator<'_, '_> {
    fn name(&mut self, prefix: &str) -> String {
        // Sometimes a name is reused in an inner scope, where it hides the outer one.
        self.names += 1;
        if self.tame && prefix == "v" && self.choices.chance(60) {
            // A name of another scope.
            let name = format!("v{}", 1 + self.choices.below(6));
            if !self.scope.iter().any(|v| v.name == name) {
                return name;
            }
        }
        format!("{prefix}{}", self.names)
    }

    fn declarations(&mut self) {
        for _ in 0..self.choices.below(3) {
            let count = 1 + self.choices.below(3);
            let members = (0..count).map(|i| (self.plain_type(), format!("m{i}"))).collect();
            self.program.structs.push(members);
        }
        for ty in
            [Ty::FLOAT, Ty::INT, Ty::Vec(Scalar::Float, 3), Ty::Vec(Scalar::Uint, 2), Ty::Mat(Scalar::Float, 3, 3)]
        {
            self.uniform(ty);
        }
        if self.program.narrow {
            self.narrow_declarations();
        }
        if self.tame {
            for (ty, name) in [(Ty::Vec(Scalar::Float, 2), "at"), (Ty::INT, "number")] {
                self.scope.push(Variable { name: name.into(), ty, writable: true });
                self.program.globals.push((ty, name.into(), None));
            }
        }
        for _ in 0..self.choices.below(3) {
            let ty = self.any_type();
            let name = self.name("g");
            let value = self.choices.chance(50).then(|| zero(ty, &self.program.structs));
            self.scope.push(Variable { name: name.clone(), ty, writable: true });
            self.program.globals.push((ty, name, value));
        }
    }

    fn uniform(&mut self, ty: Ty) {
        let name = self.name("u");
        self.scope.push(Variable { name: name.clone(), ty, writable: false });
        self.program.uniforms.push((ty, name));
    }

    fn scalar(&mut self) -> Scalar {
        if self.program.narrow {
            return self.narrow_scalar();
        }
        self.choices.pick(&[Scalar::Float, Scalar::Float, Scalar::Float, Scalar::Int, Scalar::Uint, Scalar::Bool])
    }

    fn plain_type(&mut self) -> Ty {
        if self.choices.chance(10) {
            let (c, r) = (self.choices.below(3), self.choices.below(3));
            let scalar = if self.program.narrow && self.choices.chance(70) { Scalar::Half } else { Scalar::Float };
            return Ty::Mat(scalar, 2 + c as u8, 2 + r as u8);
        }
        let scalar = self.scalar();
        Ty::Vec(scalar, 1 + self.choices.below(4) as u8)
    }

    fn any_type(&mut self) -> Ty {
        match self.choices.below(8) {
            6 if !self.program.structs.is_empty() => Ty::Struct(self.choices.below(self.program.structs.len())),
            7 => {
                let scalar = self.scalar();
                Ty::Array(scalar, 1 + self.choices.below(4) as u8, 1 + self.choices.below(4) as u8)
            }
            _ => self.plain_type(),
        }
    }

    fn function(&mut self) -> Function {
        // Overloads: an existing name with other parameter types.
        let name = self.name("f");
        let mut params: Vec<Param> = Vec::new();
        for i in 0..self.choices.below(4) {
            let passing = self.choices.pick(&[Passing::In, Passing::In, Passing::Out, Passing::InOut]);
            params.push(Param { passing, ty: self.any_type(), name: format!("p{i}") });
        }
        let result = self.choices.chance(85).then(|| self.any_type());
        let same = self.program.functions.iter().rev().find(|f| {
            f.params.len() != params.len() && self.program.functions.iter().filter(|g| g.name == f.name).count() == 1
        });
        let name = match same {
            Some(f) if self.names.is_multiple_of(3) => f.name.clone(),
            _ => name,
        };
        let depth = self.scope.len();
        self.scope.extend(params.iter().map(|p| Variable { name: p.name.clone(), ty: p.ty, writable: true }));
        self.result = result;
        let mut body = self.statements(0);
        if self.program.narrow {
            // The value of an `out` parameter before it is written is open.
            let first = params.iter().filter(|p| p.passing == Passing::Out).map(|p| {
                let (place, value) = (Expr::Var(p.ty, p.name.clone()), zero(p.ty, &self.program.structs));
                Stmt::Expr(Expr::Binary(p.ty, "=", Box::new(place), Box::new(value)))
            });
            body.splice(0..0, first);
        }
        let value = result.map(|ty| self.expression(ty, 0));
        self.scope.truncate(depth);
        Function { name, result, params, body, value }
    }

    fn main(&mut self) -> Function {
        self.in_main = true;
        self.result = None;
        self.scope.push(Variable { name: "color".into(), ty: Ty::VEC4, writable: true });
        let mut body = vec![Stmt::Expr(Expr::Binary(
            Ty::VEC4,
            "=",
            Box::new(Expr::Var(Ty::VEC4, "color".into())),
            Box::new(Expr::Literal(Ty::VEC4, "vec4(0.5)".into())),
        ))];
        if self.tame {
            let set = |ty: Ty, name: &str, value: &str| {
                let (place, value) = (Expr::Var(ty, name.into()), Expr::Literal(ty, value.into()));
                Stmt::Expr(Expr::Binary(ty, "=", Box::new(place), Box::new(value)))
            };
            body.push(set(Ty::Vec(Scalar::Float, 2), "at", "(gl_FragCoord.xy * 0.5 - 1.0)"));
            body.push(set(Ty::INT, "number", "(int(gl_FragCoord.x) * 2 - int(gl_FragCoord.y))"));
        }
        if self.program.narrow {
            body.extend(narrow::first_values());
        }
        let depth = self.scope.len();
        let count = 3 + self.choices.below(8);
        for _ in 0..count {
            let stmt = self.statement(0);
            body.push(stmt);
        }
        // The colour depends on every visible variable.
        let visible: Vec<Variable> = self.scope.clone();
        if self.program.narrow {
            body.extend(self.hash_of(&visible));
        }
        let seen = |v: &&Variable| v.writable && v.name != "color" && !self.program.narrow;
        for v in visible.iter().filter(seen) {
            if let Some(value) = self.as_float(v) {
                let color = Box::new(Expr::Var(Ty::VEC4, "color".into()));
                body.push(Stmt::Expr(Expr::Binary(Ty::VEC4, "+=", color, Box::new(value))));
            }
        }
        self.scope.truncate(depth);
        Function { name: "main".into(), result: None, params: vec![], body, value: None }
    }

    /// A float that depends on a variable.
    fn as_float(&self, v: &Variable) -> Option<Expr> {
        let component = component(v)?;
        let float = Expr::Call(Ty::FLOAT, "float".into(), vec![component]);
        if !self.tame {
            return Some(float);
        }
        // Neither large numbers nor NaN dominate the others.
        let number = |text: &str| Expr::Literal(Ty::FLOAT, text.into());
        let above = Expr::Call(Ty::FLOAT, "max".into(), vec![number("-3.0"), float]);
        Some(Expr::Call(Ty::FLOAT, "min".into(), vec![above, number("3.0")]))
    }

    fn statements(&mut self, nesting: usize) -> Vec<Stmt> {
        let depth = self.scope.len();
        let count = 1 + self.choices.below(4);
        let stmts = (0..count).map(|_| self.statement(nesting)).collect();
        self.scope.truncate(depth);
        stmts
    }

    fn statement(&mut self, nesting: usize) -> Stmt {
        self.statements += 1;
        let simple = nesting >= MAX_NESTING || self.statements > MAX_STATEMENTS;
        match self.choices.below(if simple { 4 } else { 13 }) {
            0 | 1 => self.assignment(),
            2 => {
                let ty = self.any_type();
                let value = self.choices.chance(80).then(|| self.expression(ty, 0));
                let name = self.name("v");
                self.scope.push(Variable { name: name.clone(), ty, writable: true });
                Stmt::Declare(ty, name, value)
            }
            3 => self.call_statement(),
            4 | 5 => {
                let condition = self.expression(Ty::BOOL, 1);
                let then = self.statements(nesting + 1);
                let otherwise = if self.choices.chance(60) { self.statements(nesting + 1) } else { vec![] };
                Stmt::If(condition, then, otherwise)
            }
            6 | 7 => self.loop_statement(nesting),
            8 => {
                let selector = self.expression(Ty::INT, 1);
                let outer = std::mem::replace(&mut self.in_switch, true);
                let count = 1 + self.choices.below(3);
                let cases = (0..count).map(|_| (self.statements(nesting + 1), self.choices.chance(60))).collect();
                self.in_switch = outer;
                Stmt::Switch(selector, cases)
            }
            9 if self.loops > 0 || self.in_switch => Stmt::Break(self.expression(Ty::BOOL, 2)),
            10 if self.loops > 0 => Stmt::Continue(self.expression(Ty::BOOL, 2)),
            11 => {
                let condition = self.expression(Ty::BOOL, 2);
                let value = self.result.map(|ty| self.expression(ty, 2));
                Stmt::Return(condition, value)
            }
            12 if self.in_main && self.choices.chance(20) => Stmt::Discard(self.expression(Ty::BOOL, 2)),
            _ => Stmt::Block(self.statements(nesting + 1)),
        }
    }

    /// Recursion: at most [`MAX_NESTING`] levels of statements.
    fn loop_statement(&mut self, nesting: usize) -> Stmt {
        let name = self.name("i");
        let bound = 1 + self.choices.below(4) as u8;
        let kind = self.choices.below(4);
        let depth = self.scope.len();
        self.scope.push(Variable { name: name.clone(), ty: Ty::INT, writable: false });
        self.loops += 1;
        let outer = std::mem::replace(&mut self.in_switch, false);
        let body = self.statements(nesting + 1);
        self.in_switch = outer;
        self.loops -= 1;
        self.scope.truncate(depth);
        match kind {
            0 | 1 => Stmt::For(name, bound, body),
            2 => Stmt::While(name, bound, body),
            _ => Stmt::DoWhile(name, bound, body),
        }
    }

    fn assignment(&mut self) -> Stmt {
        let Some(place) = self.place() else { return self.call_statement() };
        let ty = place.ty();
        let value = self.expression(ty, 0);
        let op = self.assignment_op(ty);
        Stmt::Expr(Expr::Binary(ty, op, Box::new(place), Box::new(value)))
    }

    fn assignment_op(&mut self, ty: Ty) -> &'static str {
        let op = match ty {
            Ty::Vec(Scalar::Float, _) if self.tame => self.choices.pick(&["=", "=", "+=", "-=", "*="]),
            Ty::Vec(s, _) if s.is_float() => self.choices.pick(&["=", "=", "+=", "-=", "*=", "/="]),
            Ty::Vec(s, _) if s.is_integer() => {
                self.choices.pick(&["=", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="])
            }
            Ty::Mat(..) => self.choices.pick(&["=", "+=", "-="]),
            _ => "=",
        };
        if self.ordered && op == "%=" { "+=" } else { op }
    }

    fn call_statement(&mut self) -> Stmt {
        let functions = self.program.functions.len();
        if functions == 0 {
            return match self.place() {
                Some(place) => {
                    let value = self.expression(place.ty(), 1);
                    Stmt::Expr(Expr::Binary(place.ty(), "=", Box::new(place), Box::new(value)))
                }
                None => Stmt::Block(vec![]),
            };
        }
        let function = self.program.functions[self.choices.below(functions)].clone();
        match self.call(&function, 0) {
            Some(call) => Stmt::Expr(call),
            None => Stmt::Block(vec![]),
        }
    }

    /// A call; `None` if no variable fits an `out` parameter.
    fn call(&mut self, function: &Function, depth: usize) -> Option<Expr> {
        let mut args = Vec::new();
        for param in &function.params {
            args.push(match param.passing {
                Passing::In => self.expression(param.ty, depth + 1),
                _ => self.place_of(param.ty)?,
            });
        }
        // A call of a `void` function is used as a statement only; its type is irrelevant.
        Some(Expr::Call(function.result.unwrap_or(Ty::FLOAT), function.name.clone(), args))
    }

    /// A writable expression.
    fn place(&mut self) -> Option<Expr> {
        let writable: Vec<Variable> = self.scope.iter().filter(|v| v.writable).cloned().collect();
        if writable.is_empty() {
            return None;
        }
        let v = &writable[self.choices.below(writable.len())];
        let var = Expr::Var(v.ty, v.name.clone());
        Some(self.part_of_place(var))
    }

    /// Recursion: over the type; members of structs are of structs before them.
    fn part_of_place(&mut self, var: Expr) -> Expr {
        match var.ty() {
            Ty::Vec(s, n) if n > 1 && self.choices.chance(40) => {
                let lanes = self.distinct_lanes(n);
                Expr::Field(Ty::Vec(s, lanes.len() as u8), Box::new(var), lanes)
            }
            // ES forbids dynamic indices into outputs.
            Ty::Vec(s, n)
                if n > 1 && !matches!(&var, Expr::Var(_, name) if name == "color") && self.choices.chance(20) =>
            {
                let index = self.index(n);
                Expr::Index(Ty::Vec(s, 1), Box::new(var), Box::new(index))
            }
            Ty::Mat(s, c, r) if self.choices.chance(50) => {
                let index = self.index(c);
                Expr::Index(Ty::Vec(s, r), Box::new(var), Box::new(index))
            }
            Ty::Array(s, n, len) if self.choices.chance(80) => {
                let index = self.index(len);
                let element = Expr::Index(Ty::Vec(s, n), Box::new(var), Box::new(index));
                self.part_of_place(element)
            }
            Ty::Struct(i) if self.choices.chance(80) => {
                let members = &self.program.structs[i];
                let (ty, name) = members[self.choices.below(members.len())].clone();
                let member = Expr::Field(ty, Box::new(var), name);
                self.part_of_place(member)
            }
            _ => var,
        }
    }

    /// A writable expression of exactly this type.
    fn place_of(&mut self, ty: Ty) -> Option<Expr> {
        let fits: Vec<Variable> = self.scope.iter().filter(|v| v.writable && v.ty == ty).cloned().collect();
        if !fits.is_empty() {
            let v = &fits[self.choices.below(fits.len())];
            return Some(Expr::Var(ty, v.name.clone()));
        }
        // Part of a wider vector.
        let Ty::Vec(s, n) = ty else { return None };
        let wide = |v: &&Variable| v.writable && matches!(v.ty, Ty::Vec(t, m) if t == s && m > n);
        let v = self.scope.iter().find(wide)?.clone();
        let lanes: String = "zyxw".chars().filter(|c| *c != 'w').take(n.into()).collect();
        let Ty::Vec(_, have) = v.ty else { return None };
        let lanes: String = if have == 2 { "yx".chars().take(n.into()).collect() } else { lanes };
        Some(Expr::Field(ty, Box::new(Expr::Var(v.ty, v.name)), lanes))
    }

    fn distinct_lanes(&mut self, n: u8) -> String {
        let mut left: Vec<char> = "xyzw".chars().take(n.into()).collect();
        let count = 1 + self.choices.below(n.into());
        (0..count).map(|_| left.remove(self.choices.below(left.len()))).collect()
    }

    fn lanes(&mut self, from: u8, count: u8) -> String {
        (0..count).map(|_| self.choices.pick(&['x', 'y', 'z', 'w'][..from.into()])).collect()
    }

    /// An index: in range if constant, otherwise arbitrary.
    fn index(&mut self, len: u8) -> Expr {
        let is_index = |ty: Ty| match ty {
            Ty::Vec(s, 1) if self.program.narrow => s.is_integer(),
            ty => ty == Ty::INT,
        };
        let dynamic: Vec<Variable> = self.scope.iter().filter(|v| is_index(v.ty)).cloned().collect();
        if dynamic.is_empty() || self.choices.chance(50) {
            return Expr::Literal(Ty::INT, self.choices.below(len.into()).to_string());
        }
        let v = &dynamic[self.choices.below(dynamic.len())];
        Expr::Var(v.ty, v.name.clone())
    }
}

/// A scalar in a variable; none of a struct.
fn component(v: &Variable) -> Option<Expr> {
    let var = Expr::Var(v.ty, v.name.clone());
    let first = |e: Expr, n: u8, s: Scalar| {
        if n == 1 { e } else { Expr::Field(Ty::Vec(s, 1), Box::new(e), "x".into()) }
    };
    Some(match v.ty {
        Ty::Vec(s, n) => first(var, n, s),
        Ty::Mat(s, _, r) => {
            let index = Expr::Literal(Ty::INT, "1".into());
            let column = Expr::Index(Ty::Vec(s, r), Box::new(var), Box::new(index));
            Expr::Field(Ty::Vec(s, 1), Box::new(column), "y".into())
        }
        Ty::Array(s, n, len) => {
            let index = Expr::Literal(Ty::INT, (len - 1).to_string());
            first(Expr::Index(Ty::Vec(s, n), Box::new(var), Box::new(index)), n, s)
        }
        Ty::Struct(_) => return None,
    })
}
