//! Expressions of a wanted type, from the same stream of decisions.

use crate::program::{Expr, Function, Scalar, Ty};

use super::narrow::ALL_NUMBERS;
use super::{
    ARITHMETIC, COMPARE, Generator, INTEGER, MAX_EXPRESSION, NUMBERS, ONE_FLOAT, THREE_FLOATS, TWO_FLOATS, Variable,
};

impl Generator<'_, '_> {
    pub(super) fn expression(&mut self, ty: Ty, depth: usize) -> Expr {
        if depth >= MAX_EXPRESSION {
            return self.leaf(ty);
        }
        if self.choices.chance(6) {
            let (c, x, y) =
                (self.expression(Ty::BOOL, depth + 1), self.expression(ty, depth + 1), self.expression(ty, depth + 1));
            return Expr::Ternary(Box::new(c), Box::new(x), Box::new(y));
        }
        if !self.ordered
            && self.choices.chance(8)
            && let Some(call) = self.call_of(ty, depth)
        {
            return call;
        }
        if !self.ordered
            && self.choices.chance(4)
            && let Some(place) = self.place_of(ty)
        {
            return self.side_effect(place, depth);
        }
        match ty {
            Ty::Vec(s, n) => self.vector_expression(s, n, depth),
            Ty::Mat(s, c, r) => self.matrix_expression(s, c, r, depth),
            _ => self.leaf(ty),
        }
    }

    pub(super) fn call_of(&mut self, ty: Ty, depth: usize) -> Option<Expr> {
        let fits: Vec<Function> = self.program.functions.iter().filter(|f| f.result == Some(ty)).cloned().collect();
        if fits.is_empty() {
            return None;
        }
        let function = fits[self.choices.below(fits.len())].clone();
        self.call(&function, depth)
    }

    /// An expression with a side effect.
    pub(super) fn side_effect(&mut self, place: Expr, depth: usize) -> Expr {
        let ty = place.ty();
        match ty {
            Ty::Vec(s, _) if s != Scalar::Bool && self.choices.chance(60) => {
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

    pub(super) fn leaf(&mut self, ty: Ty) -> Expr {
        let fits: Vec<Variable> = self.scope.iter().filter(|v| v.ty == ty).cloned().collect();
        if !fits.is_empty() && (self.ordered || self.choices.chance(70)) {
            let v = &fits[self.choices.below(fits.len())];
            return Expr::Var(ty, v.name.clone());
        }
        if self.program.narrow
            && let Some(converted) = self.converted_leaf(ty)
        {
            return converted;
        }
        self.literal(ty)
    }

    /// Recursion: over the type; members of structs are of structs before them.
    pub(super) fn literal(&mut self, ty: Ty) -> Expr {
        let text = match ty {
            Ty::Vec(s, 1) => self.scalar_literal(s),
            Ty::Vec(s, n) => {
                let parts: Vec<String> = (0..n).map(|_| self.scalar_literal(s)).collect();
                format!("{ty}({})", parts.join(", "))
            }
            Ty::Mat(s, ..) => format!("{ty}({})", self.scalar_literal(s)),
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

    pub(super) fn scalar_literal(&mut self, s: Scalar) -> String {
        match s {
            Scalar::Float if self.tame => {
                self.choices.pick(&["1.0", "0.5", "2.0", "-1.0", "0.25", "1.5", "-0.75", "3.0"]).to_owned()
            }
            Scalar::Int if self.tame => self.choices.pick(&["1", "0", "2", "-1", "3", "5"]).to_owned(),
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
            _ => self.narrow_literal(s),
        }
    }

    pub(super) fn vector_expression(&mut self, s: Scalar, n: u8, depth: usize) -> Expr {
        let ty = Ty::Vec(s, n);
        if self.program.narrow && self.choices.chance(30) {
            return self.narrow_expression(s, n, depth);
        }
        match self.choices.below(12) {
            0 | 1 => self.leaf(ty),
            2 => {
                // A swizzle or component of a vector at least as wide.
                let from = 2 + self.choices.below(3) as u8;
                let x = self.expression(Ty::Vec(s, from), depth + 1);
                let lanes = self.lanes(from, n);
                Expr::Field(ty, Box::new(x), lanes)
            }
            3 => self.constructor(s, n, depth),
            4 if n == 1 => self.element(s, depth),
            _ => match s {
                Scalar::Float | Scalar::Half => self.float_expression(s, n, depth),
                Scalar::Bool => self.bool_expression(n, depth),
                _ => self.integer_expression(s, n, depth),
            },
        }
    }

    /// An element of an array, a component by index, or a member of a struct.
    pub(super) fn element(&mut self, s: Scalar, depth: usize) -> Expr {
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

    pub(super) fn constructor(&mut self, s: Scalar, n: u8, depth: usize) -> Expr {
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

    /// Recursion: at most `MAX_EXPRESSION` levels of operands.
    pub(super) fn binary(&mut self, ty: Ty, op: &'static str, a: Ty, b: Ty, depth: usize) -> Expr {
        let (x, y) = (self.expression(a, depth + 1), self.expression(b, depth + 1));
        let op = if self.ordered && op == "%" { "+" } else { op };
        Expr::Binary(ty, op, Box::new(x), Box::new(y))
    }

    pub(super) fn float_expression(&mut self, s: Scalar, n: u8, depth: usize) -> Expr {
        let ty = Ty::Vec(s, n);
        match self.choices.below(10) {
            0..=2 => {
                let op = self.choices.pick(ARITHMETIC);
                // A scalar operand with a vector, on either side.
                match self.choices.below(4) {
                    0 => self.binary(ty, op, ty, Ty::Vec(s, 1), depth),
                    1 => self.binary(ty, op, Ty::Vec(s, 1), ty, depth),
                    _ => self.binary(ty, op, ty, ty, depth),
                }
            }
            3 => Expr::Prefix(ty, "-", Box::new(self.expression(ty, depth + 1))),
            4 => self.builtin(ty, ONE_FLOAT, 1, depth),
            5 => self.builtin(ty, TWO_FLOATS, 2, depth),
            6 => self.builtin(ty, THREE_FLOATS, 3, depth),
            7 if n == 1 => {
                let wide = Ty::Vec(s, 1 + self.choices.below(4) as u8);
                let name = self.choices.pick(&["length", "dot", "distance"]);
                let count = if name == "length" { 1 } else { 2 };
                let args = (0..count).map(|_| self.expression(wide, depth + 1)).collect();
                Expr::Call(ty, name.into(), args)
            }
            7 if n == 3 => self.builtin(ty, &["cross"], 2, depth),
            8 if n > 1 => {
                let m = 2 + self.choices.below(3) as u8;
                if self.choices.chance(50) {
                    self.binary(ty, "*", Ty::Mat(s, m, n), Ty::Vec(s, m), depth)
                } else {
                    self.binary(ty, "*", Ty::Vec(s, m), Ty::Mat(s, n, m), depth)
                }
            }
            8 => {
                let m = 2 + self.choices.below(3) as u8;
                Expr::Call(ty, "determinant".into(), vec![self.expression(Ty::Mat(s, m, m), depth + 1)])
            }
            9 if s == Scalar::Float => {
                let bits = self.expression(Ty::Vec(Scalar::Int, n), depth + 1);
                Expr::Call(ty, "intBitsToFloat".into(), vec![bits])
            }
            _ => self.leaf(ty),
        }
    }

    pub(super) fn builtin(&mut self, ty: Ty, names: &[&'static str], count: usize, depth: usize) -> Expr {
        let name = self.choices.pick(names);
        let args = (0..count).map(|_| self.expression(ty, depth + 1)).collect();
        Expr::Call(ty, name.into(), args)
    }

    pub(super) fn integer_expression(&mut self, s: Scalar, n: u8, depth: usize) -> Expr {
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
            _ if self.program.narrow => self.narrow_expression(s, n, depth),
            _ => {
                let name = if s == Scalar::Int { "floatBitsToInt" } else { "floatBitsToUint" };
                let x = self.expression(Ty::Vec(Scalar::Float, n), depth + 1);
                Expr::Call(ty, name.into(), vec![x])
            }
        }
    }

    fn number(&mut self) -> Scalar {
        self.choices.pick(if self.program.narrow { ALL_NUMBERS } else { NUMBERS })
    }

    pub(super) fn bool_expression(&mut self, n: u8, depth: usize) -> Expr {
        let ty = Ty::Vec(Scalar::Bool, n);
        if n > 1 {
            let s = self.number();
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
                let s = self.number();
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

    pub(super) fn matrix_expression(&mut self, s: Scalar, c: u8, r: u8, depth: usize) -> Expr {
        let ty = Ty::Mat(s, c, r);
        match self.choices.below(8) {
            0 => {
                let op = self.choices.pick(&["+", "-", "/"]);
                self.binary(ty, op, ty, ty, depth)
            }
            1 => self.binary(ty, "*", ty, Ty::Vec(s, 1), depth),
            2 => {
                let inner = 2 + self.choices.below(3) as u8;
                self.binary(ty, "*", Ty::Mat(s, inner, r), Ty::Mat(s, c, inner), depth)
            }
            3 => Expr::Call(ty, "transpose".into(), vec![self.expression(Ty::Mat(s, r, c), depth + 1)]),
            4 => {
                let (a, b) = (Ty::Vec(s, r), Ty::Vec(s, c));
                let args = vec![self.expression(a, depth + 1), self.expression(b, depth + 1)];
                Expr::Call(ty, "outerProduct".into(), args)
            }
            5 => {
                let columns = (0..c).map(|_| self.expression(Ty::Vec(s, r), depth + 1)).collect();
                Expr::Call(ty, ty.to_string(), columns)
            }
            6 if c == r => Expr::Call(ty, "inverse".into(), vec![self.expression(ty, depth + 1)]),
            6 => self.builtin(ty, &["matrixCompMult"], 2, depth),
            _ => self.leaf(ty),
        }
    }
}
