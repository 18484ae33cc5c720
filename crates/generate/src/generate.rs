//! Makes a program from a stream of decisions. When the stream is used up, every decision is the simplest, so that the
//! program ends.

use crate::choices::Choices;
use crate::print::zero;
use crate::program::{Expr, Function, Param, Passing, Program, Scalar, Stmt, Ty};

/// Statements of a whole program, at most (loop bodies count once).
const MAX_STATEMENTS: usize = 60;
/// Nesting of an expression, at most.
const MAX_EXPRESSION: usize = 4;
/// Nesting of statements, at most.
const MAX_NESTING: usize = 3;

/// A random fragment shader.
pub fn glsl(choices: &mut Choices<'_>) -> Program {
    let mut g = Generator {
        choices,
        program: Program { structs: vec![], uniforms: vec![], globals: vec![], functions: vec![] },
        scope: vec![],
        names: 0,
        statements: 0,
        loops: 0,
        in_main: false,
        in_switch: false,
        result: None,
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
    program: Program,
    scope: Vec<Variable>,
    names: usize,
    statements: usize,
    loops: usize,
    in_main: bool,
    in_switch: bool,
    result: Option<Ty>,
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
const THREE_FLOATS: &[&str] = &["clamp", "mix", "smoothstep", "faceforward"];

impl Generator<'_, '_> {
    fn name(&mut self, prefix: &str) -> String {
        // A name now and then comes again in an inner scope, where it hides the outer one.
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn declarations(&mut self) {
        for _ in 0..self.choices.below(3) {
            let count = 1 + self.choices.below(3);
            let members = (0..count).map(|i| (self.plain_type(), format!("m{i}"))).collect();
            self.program.structs.push(members);
        }
        for ty in [Ty::FLOAT, Ty::INT, Ty::Vec(Scalar::Float, 3), Ty::Vec(Scalar::Uint, 2), Ty::Mat(3, 3)] {
            let name = self.name("u");
            self.scope.push(Variable { name: name.clone(), ty, writable: false });
            self.program.uniforms.push((ty, name));
        }
        for _ in 0..self.choices.below(3) {
            let ty = self.any_type();
            let name = self.name("g");
            let value = self.choices.chance(50).then(|| zero(ty, &self.program.structs));
            self.scope.push(Variable { name: name.clone(), ty, writable: true });
            self.program.globals.push((ty, name, value));
        }
    }

    fn scalar(&mut self) -> Scalar {
        self.choices.pick(&[Scalar::Float, Scalar::Float, Scalar::Float, Scalar::Int, Scalar::Uint, Scalar::Bool])
    }

    fn plain_type(&mut self) -> Ty {
        if self.choices.chance(10) {
            let (c, r) = (self.choices.below(3), self.choices.below(3));
            return Ty::Mat(2 + c as u8, 2 + r as u8);
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
        // Overloads: a name that is there already, with other parameter types.
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
        let body = self.statements(0);
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
        let depth = self.scope.len();
        let count = 3 + self.choices.below(8);
        for _ in 0..count {
            let stmt = self.statement(0);
            body.push(stmt);
        }
        // Everything that can be seen flows into the colour.
        let visible: Vec<Variable> = self.scope.clone();
        for v in visible.iter().filter(|v| v.writable && v.name != "color") {
            if let Some(value) = self.as_float(v) {
                let color = Box::new(Expr::Var(Ty::VEC4, "color".into()));
                body.push(Stmt::Expr(Expr::Binary(Ty::VEC4, "+=", color, Box::new(value))));
            }
        }
        self.scope.truncate(depth);
        Function { name: "main".into(), result: None, params: vec![], body, value: None }
    }

    /// A float that depends on a variable.
    fn as_float(&mut self, v: &Variable) -> Option<Expr> {
        let var = Expr::Var(v.ty, v.name.clone());
        let first = |e: Expr, n: u8, s: Scalar| {
            if n == 1 { e } else { Expr::Field(Ty::Vec(s, 1), Box::new(e), "x".into()) }
        };
        let component = match v.ty {
            Ty::Vec(s, n) => first(var, n, s),
            Ty::Mat(..) => {
                let index = Expr::Literal(Ty::INT, "1".into());
                let column = Expr::Index(Ty::Vec(Scalar::Float, 2), Box::new(var), Box::new(index));
                Expr::Field(Ty::FLOAT, Box::new(column), "y".into())
            }
            Ty::Array(s, n, len) => {
                let index = Expr::Literal(Ty::INT, (len - 1).to_string());
                first(Expr::Index(Ty::Vec(s, n), Box::new(var), Box::new(index)), n, s)
            }
            Ty::Struct(_) => return None,
        };
        Some(Expr::Call(Ty::FLOAT, "float".into(), vec![component]))
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
        match ty {
            Ty::Vec(Scalar::Float, _) => self.choices.pick(&["=", "=", "+=", "-=", "*=", "/="]),
            Ty::Vec(Scalar::Int | Scalar::Uint, _) => {
                self.choices.pick(&["=", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="])
            }
            Ty::Mat(..) => self.choices.pick(&["=", "+=", "-="]),
            _ => "=",
        }
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

    /// A call; `None` if there is nothing to pass to an `out` parameter.
    fn call(&mut self, function: &Function, depth: usize) -> Option<Expr> {
        let mut args = Vec::new();
        for param in &function.params {
            args.push(match param.passing {
                Passing::In => self.expression(param.ty, depth + 1),
                _ => self.place_of(param.ty)?,
            });
        }
        // A call of a `void` function is only used as a statement; its type does not matter.
        Some(Expr::Call(function.result.unwrap_or(Ty::FLOAT), function.name.clone(), args))
    }

    /// Something that may be written.
    fn place(&mut self) -> Option<Expr> {
        let writable: Vec<Variable> = self.scope.iter().filter(|v| v.writable).cloned().collect();
        if writable.is_empty() {
            return None;
        }
        let v = &writable[self.choices.below(writable.len())];
        let var = Expr::Var(v.ty, v.name.clone());
        Some(self.part_of_place(var))
    }

    fn part_of_place(&mut self, var: Expr) -> Expr {
        match var.ty() {
            Ty::Vec(s, n) if n > 1 && self.choices.chance(40) => {
                let lanes = self.distinct_lanes(n);
                Expr::Field(Ty::Vec(s, lanes.len() as u8), Box::new(var), lanes)
            }
            // ES forbids to index an output dynamically.
            Ty::Vec(s, n)
                if n > 1 && !matches!(&var, Expr::Var(_, name) if name == "color") && self.choices.chance(20) =>
            {
                let index = self.index(n);
                Expr::Index(Ty::Vec(s, 1), Box::new(var), Box::new(index))
            }
            Ty::Mat(c, r) if self.choices.chance(50) => {
                let index = self.index(c);
                Expr::Index(Ty::Vec(Scalar::Float, r), Box::new(var), Box::new(index))
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

    /// A writable place of exactly this type.
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

    /// An index: in range if constant, anything if not.
    fn index(&mut self, len: u8) -> Expr {
        let dynamic: Vec<Variable> = self.scope.iter().filter(|v| v.ty == Ty::INT).cloned().collect();
        if dynamic.is_empty() || self.choices.chance(50) {
            return Expr::Literal(Ty::INT, self.choices.below(len.into()).to_string());
        }
        let v = &dynamic[self.choices.below(dynamic.len())];
        Expr::Var(Ty::INT, v.name.clone())
    }

    // Expressions.

    fn expression(&mut self, ty: Ty, depth: usize) -> Expr {
        if depth >= MAX_EXPRESSION {
            return self.leaf(ty);
        }
        if self.choices.chance(6) {
            let (c, x, y) =
                (self.expression(Ty::BOOL, depth + 1), self.expression(ty, depth + 1), self.expression(ty, depth + 1));
            return Expr::Ternary(Box::new(c), Box::new(x), Box::new(y));
        }
        if self.choices.chance(8)
            && let Some(call) = self.call_of(ty, depth)
        {
            return call;
        }
        if self.choices.chance(4)
            && let Some(place) = self.place_of(ty)
        {
            return self.side_effect(place, depth);
        }
        match ty {
            Ty::Vec(s, n) => self.vector_expression(s, n, depth),
            Ty::Mat(c, r) => self.matrix_expression(c, r, depth),
            _ => self.leaf(ty),
        }
    }

    fn call_of(&mut self, ty: Ty, depth: usize) -> Option<Expr> {
        let fits: Vec<Function> = self.program.functions.iter().filter(|f| f.result == Some(ty)).cloned().collect();
        if fits.is_empty() {
            return None;
        }
        let function = fits[self.choices.below(fits.len())].clone();
        self.call(&function, depth)
    }

    /// An expression that also writes.
    fn side_effect(&mut self, place: Expr, depth: usize) -> Expr {
        let ty = place.ty();
        match ty {
            Ty::Vec(Scalar::Float | Scalar::Int | Scalar::Uint, _) if self.choices.chance(60) => {
                if self.choices.chance(50) {
                    Expr::Postfix(ty, self.choices.pick(&["++", "--"]), Box::new(place))
                } else {
                    Expr::Prefix(ty, self.choices.pick(&["++", "--"]), Box::new(place))
                }
            }
            _ => {
                let op = self.assignment_op(ty);
                let value = self.expression(ty, depth + 1);
                Expr::Binary(ty, op, Box::new(place), Box::new(value))
            }
        }
    }

    fn leaf(&mut self, ty: Ty) -> Expr {
        let fits: Vec<Variable> = self.scope.iter().filter(|v| v.ty == ty).cloned().collect();
        if !fits.is_empty() && self.choices.chance(70) {
            let v = &fits[self.choices.below(fits.len())];
            return Expr::Var(ty, v.name.clone());
        }
        self.literal(ty)
    }

    fn literal(&mut self, ty: Ty) -> Expr {
        let text = match ty {
            Ty::Vec(s, 1) => self.scalar_literal(s),
            Ty::Vec(s, n) => {
                let parts: Vec<String> = (0..n).map(|_| self.scalar_literal(s)).collect();
                format!("{ty}({})", parts.join(", "))
            }
            Ty::Mat(..) => format!("{ty}({})", self.scalar_literal(Scalar::Float)),
            Ty::Array(s, n, len) => {
                let parts: Vec<String> = (0..len).map(|_| self.literal(Ty::Vec(s, n)).to_string()).collect();
                format!("{ty}({})", parts.join(", "))
            }
            Ty::Struct(i) => {
                let members = self.program.structs[i].clone();
                let parts: Vec<String> = members.iter().map(|m| self.literal(m.0).to_string()).collect();
                format!("{ty}({})", parts.join(", "))
            }
        };
        Expr::Literal(ty, text)
    }

    fn scalar_literal(&mut self, s: Scalar) -> String {
        match s {
            Scalar::Float => {
                let small = ["1.0", "0.0", "0.5", "2.0", "-1.0", "3.25", "0.1", "-0.75", "1e-3", "1e10", "-0.0"];
                if self.choices.chance(80) {
                    return self.choices.pick(&small).to_owned();
                }
                let value = f32::from_bits(self.choices.bits());
                if value.is_finite() { format!("{value:e}") } else { "7.5".into() }
            }
            Scalar::Int => {
                if self.choices.chance(80) {
                    return self.choices.pick(&["1", "0", "2", "-1", "3", "7", "31", "33", "255"]).to_owned();
                }
                let bits = self.choices.bits();
                format!("0x{bits:x}")
            }
            Scalar::Uint => {
                if self.choices.chance(80) {
                    return self.choices.pick(&["1u", "0u", "2u", "3u", "31u", "40u", "255u"]).to_owned();
                }
                let bits = self.choices.bits();
                format!("0x{bits:x}u")
            }
            Scalar::Bool => self.choices.pick(&["true", "false"]).to_owned(),
        }
    }

    fn vector_expression(&mut self, s: Scalar, n: u8, depth: usize) -> Expr {
        let ty = Ty::Vec(s, n);
        match self.choices.below(12) {
            0 | 1 => self.leaf(ty),
            2 => {
                // A swizzle or component of something wider or as wide.
                let from = 2 + self.choices.below(3) as u8;
                let x = self.expression(Ty::Vec(s, from), depth + 1);
                let lanes = self.lanes(from, n);
                Expr::Field(ty, Box::new(x), lanes)
            }
            3 => self.constructor(s, n, depth),
            4 if n == 1 => self.element(s, depth),
            _ => match s {
                Scalar::Float => self.float_expression(n, depth),
                Scalar::Int | Scalar::Uint => self.integer_expression(s, n, depth),
                Scalar::Bool => self.bool_expression(n, depth),
            },
        }
    }

    /// An element of an array, a component by index, or a member of a struct.
    fn element(&mut self, s: Scalar, depth: usize) -> Expr {
        let n = 2 + self.choices.below(3) as u8;
        if self.choices.chance(50) {
            let x = self.expression(Ty::Vec(s, n), depth + 1);
            let output = matches!(&x, Expr::Var(_, name) if name == "color");
            let index = if output { Expr::Literal(Ty::INT, "0".into()) } else { self.index(n) };
            return Expr::Index(Ty::Vec(s, 1), Box::new(x), Box::new(index));
        }
        let arrays: Vec<Variable> =
            self.scope.iter().filter(|v| matches!(v.ty, Ty::Array(t, 1, _) if t == s)).cloned().collect();
        let Some(v) = arrays.first() else { return self.leaf(Ty::Vec(s, 1)) };
        let Ty::Array(_, _, len) = v.ty else { return self.leaf(Ty::Vec(s, 1)) };
        let index = self.index(len);
        Expr::Index(Ty::Vec(s, 1), Box::new(Expr::Var(v.ty, v.name.clone())), Box::new(index))
    }

    fn constructor(&mut self, s: Scalar, n: u8, depth: usize) -> Expr {
        let ty = Ty::Vec(s, n);
        let mut args = Vec::new();
        if n == 1 || self.choices.chance(30) {
            let from = self.scalar();
            args.push(self.expression(Ty::Vec(from, 1), depth + 1));
        } else {
            let mut left = n;
            while left > 0 {
                let from = self.scalar();
                let take = 1 + self.choices.below(left.into()) as u8;
                args.push(self.expression(Ty::Vec(from, take), depth + 1));
                left -= take;
            }
        }
        Expr::Call(ty, ty.to_string(), args)
    }

    fn binary(&mut self, ty: Ty, op: &'static str, a: Ty, b: Ty, depth: usize) -> Expr {
        let (x, y) = (self.expression(a, depth + 1), self.expression(b, depth + 1));
        Expr::Binary(ty, op, Box::new(x), Box::new(y))
    }

    fn float_expression(&mut self, n: u8, depth: usize) -> Expr {
        let ty = Ty::Vec(Scalar::Float, n);
        match self.choices.below(10) {
            0..=2 => {
                let op = self.choices.pick(ARITHMETIC);
                // A scalar beside a vector, on either side.
                match self.choices.below(4) {
                    0 => self.binary(ty, op, ty, Ty::FLOAT, depth),
                    1 => self.binary(ty, op, Ty::FLOAT, ty, depth),
                    _ => self.binary(ty, op, ty, ty, depth),
                }
            }
            3 => Expr::Prefix(ty, "-", Box::new(self.expression(ty, depth + 1))),
            4 => self.builtin(ty, ONE_FLOAT, 1, depth),
            5 => self.builtin(ty, TWO_FLOATS, 2, depth),
            6 => self.builtin(ty, THREE_FLOATS, 3, depth),
            7 if n == 1 => {
                let wide = Ty::Vec(Scalar::Float, 1 + self.choices.below(4) as u8);
                let name = self.choices.pick(&["length", "dot", "distance"]);
                let count = if name == "length" { 1 } else { 2 };
                let args = (0..count).map(|_| self.expression(wide, depth + 1)).collect();
                Expr::Call(ty, name.into(), args)
            }
            7 if n == 3 => self.builtin(ty, &["cross"], 2, depth),
            8 if n > 1 => {
                let m = 2 + self.choices.below(3) as u8;
                if self.choices.chance(50) {
                    self.binary(ty, "*", Ty::Mat(m, n), Ty::Vec(Scalar::Float, m), depth)
                } else {
                    self.binary(ty, "*", Ty::Vec(Scalar::Float, m), Ty::Mat(n, m), depth)
                }
            }
            8 => {
                let m = 2 + self.choices.below(3) as u8;
                Expr::Call(ty, "determinant".into(), vec![self.expression(Ty::Mat(m, m), depth + 1)])
            }
            9 => {
                let bits = self.expression(Ty::Vec(Scalar::Int, n), depth + 1);
                Expr::Call(ty, "intBitsToFloat".into(), vec![bits])
            }
            _ => self.leaf(ty),
        }
    }

    fn builtin(&mut self, ty: Ty, names: &[&'static str], count: usize, depth: usize) -> Expr {
        let name = self.choices.pick(names);
        let args = (0..count).map(|_| self.expression(ty, depth + 1)).collect();
        Expr::Call(ty, name.into(), args)
    }

    fn integer_expression(&mut self, s: Scalar, n: u8, depth: usize) -> Expr {
        let ty = Ty::Vec(s, n);
        match self.choices.below(8) {
            0..=3 => {
                let op = self.choices.pick(INTEGER);
                if self.choices.chance(25) {
                    self.binary(ty, op, ty, Ty::Vec(s, 1), depth)
                } else {
                    self.binary(ty, op, ty, ty, depth)
                }
            }
            4 => {
                let op = self.choices.pick(&["-", "~"]);
                Expr::Prefix(ty, op, Box::new(self.expression(ty, depth + 1)))
            }
            5 => self.builtin(ty, &["min", "max"], 2, depth),
            6 => self.builtin(ty, &["clamp"], 3, depth),
            _ => {
                let name = if s == Scalar::Int { "floatBitsToInt" } else { "floatBitsToUint" };
                let x = self.expression(Ty::Vec(Scalar::Float, n), depth + 1);
                Expr::Call(ty, name.into(), vec![x])
            }
        }
    }

    fn bool_expression(&mut self, n: u8, depth: usize) -> Expr {
        let ty = Ty::Vec(Scalar::Bool, n);
        if n > 1 {
            let s = self.choices.pick(&[Scalar::Float, Scalar::Int, Scalar::Uint]);
            return match self.choices.below(3) {
                0 => Expr::Call(ty, "not".into(), vec![self.expression(ty, depth + 1)]),
                _ => {
                    let names = ["lessThan", "lessThanEqual", "greaterThan", "greaterThanEqual", "equal", "notEqual"];
                    let name = self.choices.pick(&names);
                    let args = (0..2).map(|_| self.expression(Ty::Vec(s, n), depth + 1)).collect();
                    Expr::Call(ty, name.into(), args)
                }
            };
        }
        match self.choices.below(6) {
            0 | 1 => {
                let s = self.choices.pick(&[Scalar::Float, Scalar::Int, Scalar::Uint]);
                let op = self.choices.pick(COMPARE);
                self.binary(ty, op, Ty::Vec(s, 1), Ty::Vec(s, 1), depth)
            }
            2 => {
                let wide = self.any_type();
                let op = self.choices.pick(&["==", "!="]);
                self.binary(ty, op, wide, wide, depth)
            }
            3 => {
                let op = self.choices.pick(&["&&", "||", "^^"]);
                self.binary(ty, op, ty, ty, depth)
            }
            4 => Expr::Prefix(ty, "!", Box::new(self.expression(ty, depth + 1))),
            _ => {
                let wide = Ty::Vec(Scalar::Bool, 2 + self.choices.below(3) as u8);
                let name = self.choices.pick(&["any", "all"]);
                Expr::Call(ty, name.into(), vec![self.expression(wide, depth + 1)])
            }
        }
    }

    fn matrix_expression(&mut self, c: u8, r: u8, depth: usize) -> Expr {
        let ty = Ty::Mat(c, r);
        match self.choices.below(8) {
            0 => {
                let op = self.choices.pick(&["+", "-", "/"]);
                self.binary(ty, op, ty, ty, depth)
            }
            1 => self.binary(ty, "*", ty, Ty::FLOAT, depth),
            2 => {
                let inner = 2 + self.choices.below(3) as u8;
                self.binary(ty, "*", Ty::Mat(inner, r), Ty::Mat(c, inner), depth)
            }
            3 => Expr::Call(ty, "transpose".into(), vec![self.expression(Ty::Mat(r, c), depth + 1)]),
            4 => {
                let (a, b) = (Ty::Vec(Scalar::Float, r), Ty::Vec(Scalar::Float, c));
                let args = vec![self.expression(a, depth + 1), self.expression(b, depth + 1)];
                Expr::Call(ty, "outerProduct".into(), args)
            }
            5 => {
                let columns = (0..c).map(|_| self.expression(Ty::Vec(Scalar::Float, r), depth + 1)).collect();
                Expr::Call(ty, ty.to_string(), columns)
            }
            6 if c == r => Expr::Call(ty, "inverse".into(), vec![self.expression(ty, depth + 1)]),
            6 => self.builtin(ty, &["matrixCompMult"], 2, depth),
            _ => self.leaf(ty),
        }
    }
}
