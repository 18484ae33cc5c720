//! Numbers of 8 and 16 bits: what programs with them have besides the rest.

use crate::program::{Expr, Scalar, Stmt, Ty};

use super::{Generator, Variable, component};

/// Component types with arithmetic.
pub(super) const ALL_NUMBERS: &[Scalar] = &[
    Scalar::Half,
    Scalar::Short,
    Scalar::Ushort,
    Scalar::Byte,
    Scalar::Ubyte,
    Scalar::Float,
    Scalar::Int,
    Scalar::Uint,
];

/// Component types of integers.
const INTEGERS: &[Scalar] = &[Scalar::Byte, Scalar::Ubyte, Scalar::Short, Scalar::Ushort, Scalar::Int, Scalar::Uint];

/// Types, names and values of variables that depend on the pixel.
const VARYING: &[(Ty, &str, &str)] = &[
    (Ty::Vec(Scalar::Float, 2), "at", "gl_FragCoord.xy * 0.37 - 1.0"),
    (Ty::Vec(Scalar::Half, 2), "near", "f16vec2(gl_FragCoord.xy * 0.73 - 1.0)"),
    (Ty::Vec(Scalar::Half, 1), "tiny", "int16BitsToFloat16(int16_t(gl_FragCoord.x * 190.0 + gl_FragCoord.y))"),
    (Ty::Vec(Scalar::Short, 3), "signed_words", "i16vec3(ivec3(gl_FragCoord.xyx) * ivec3(9377, -7001, 16384))"),
    (Ty::Vec(Scalar::Ushort, 1), "word", "uint16_t(uint(gl_FragCoord.x) * 21931u)"),
    (Ty::Vec(Scalar::Byte, 2), "signed_bytes", "i8vec2(ivec2(gl_FragCoord.xy) * 64 - 128)"),
    (Ty::Vec(Scalar::Ubyte, 4), "bytes", "u8vec4(uvec4(gl_FragCoord.xyyx) * uvec4(77u, 85u, 131u, 1u))"),
    (Ty::INT, "number", "int(gl_FragCoord.x) * 2 - int(gl_FragCoord.y)"),
];

fn set(ty: Ty, name: &str, value: Expr) -> Stmt {
    Stmt::Expr(Expr::Binary(ty, "=", Box::new(Expr::Var(ty, name.into())), Box::new(value)))
}

/// Assignments to the variables that depend on the pixel.
pub(super) fn first_values() -> impl Iterator<Item = Stmt> {
    VARYING.iter().map(|&(ty, name, value)| set(ty, name, Expr::Literal(ty, value.into())))
}

/// Component types that become `s` without a constructor.
fn implicit(s: Scalar) -> &'static [Scalar] {
    match s {
        Scalar::Float => &[Scalar::Half, Scalar::Short, Scalar::Ushort, Scalar::Byte, Scalar::Ubyte, Scalar::Int],
        Scalar::Half => &[Scalar::Short, Scalar::Ushort, Scalar::Byte, Scalar::Ubyte],
        Scalar::Int => &[Scalar::Short, Scalar::Ushort, Scalar::Byte, Scalar::Ubyte],
        Scalar::Uint => &[Scalar::Int, Scalar::Short, Scalar::Ushort, Scalar::Byte, Scalar::Ubyte],
        Scalar::Short => &[Scalar::Byte, Scalar::Ubyte],
        Scalar::Ushort => &[Scalar::Short, Scalar::Byte, Scalar::Ubyte],
        Scalar::Ubyte => &[Scalar::Byte],
        Scalar::Byte | Scalar::Bool => &[],
    }
}

fn call(ty: Ty, name: &str, args: Vec<Expr>) -> Expr {
    Expr::Call(ty, name.into(), args)
}

/// A float of which NaN is the least finite number, since any NaN may be another.
fn without_nan(ty: Ty, x: Expr) -> Expr {
    let least = if matches!(ty, Ty::Vec(Scalar::Half, _)) { "-65504.0hf" } else { "-3.0e38" };
    call(ty, "max", vec![Expr::Literal(ty, format!("{ty}({least})")), x])
}

impl Generator<'_, '_> {
    pub(super) fn narrow_scalar(&mut self) -> Scalar {
        if self.choices.chance(10) { Scalar::Bool } else { self.choices.pick(ALL_NUMBERS) }
    }

    pub(super) fn narrow_declarations(&mut self) {
        self.wide = self.choices.chance(15);
        // Targets without these types refuse memory of the host that has them.
        if self.choices.chance(25) {
            for (s, n) in [(Scalar::Half, 3), (Scalar::Short, 1), (Scalar::Ubyte, 4)] {
                self.uniform(Ty::Vec(s, n));
            }
        }
        for &(ty, name, _) in VARYING {
            self.scope.push(Variable { name: name.into(), ty, writable: true });
            self.program.globals.push((ty, name.into(), None));
        }
        self.program.globals.push((Ty::Vec(Scalar::Uint, 1), "hash".into(), None));
    }

    /// Statements that write a hash of the variables to the picture.
    pub(super) fn hash_of(&self, variables: &[Variable]) -> Vec<Stmt> {
        const UINT: Ty = Ty::Vec(Scalar::Uint, 1);
        let hash = || Box::new(Expr::Var(UINT, "hash".into()));
        let mut statements = Vec::new();
        for v in variables.iter().filter(|v| v.writable) {
            let Some(x) = component(v) else { continue };
            let bits = match x.ty() {
                Ty::Vec(Scalar::Float | Scalar::Half, _) => {
                    let float = call(Ty::FLOAT, "float", vec![x]);
                    call(UINT, "floatBitsToUint", vec![without_nan(Ty::FLOAT, float)])
                }
                _ => call(UINT, "uint", vec![x]),
            };
            let factor = Box::new(Expr::Literal(UINT, "31u".into()));
            let times = Box::new(Expr::Binary(UINT, "*", hash(), factor));
            statements.push(set(UINT, "hash", Expr::Binary(UINT, "+", times, Box::new(bits))));
        }
        let halves = Expr::Literal(Ty::VEC4, "vec4(vec2(hash & 0xffffu, hash >> 16) / 65536.0, color.zw)".into());
        statements.push(set(Ty::VEC4, "color", halves));
        statements
    }

    /// A variable of another type, converted.
    pub(super) fn converted_leaf(&mut self, ty: Ty) -> Option<Expr> {
        let Ty::Vec(_, n) = ty else { return None };
        let fits = |v: &&Variable| matches!(v.ty, Ty::Vec(_, m) if m >= n) && v.ty != ty;
        let fitting: Vec<Variable> = self.scope.iter().filter(fits).cloned().collect();
        if fitting.is_empty() || !self.ordered && self.choices.chance(40) {
            return None;
        }
        let v = &fitting[self.choices.below(fitting.len())];
        Some(call(ty, &ty.to_string(), vec![Expr::Var(v.ty, v.name.clone())]))
    }

    pub(super) fn narrow_literal(&mut self, s: Scalar) -> String {
        let bits = self.choices.bits();
        let few = self.choices.chance(70);
        let ends: &[&str] = match s {
            Scalar::Half => {
                let small = ["1.0hf", "0.0hf", "0.5hf", "2.0hf", "-1.0hf", "3.25hf", "0.1hf", "-0.0hf", "2049.0hf"];
                let far = ["65504.0hf", "6.0e-8hf", "6.1e-5hf", "-300.0hf", "1.001hf"];
                return match few {
                    true => self.choices.pick(&[&small[..], &far[..]].concat()).to_owned(),
                    false => format!("uint16BitsToFloat16(0x{:x}us)", bits & 0xffff),
                };
            }
            Scalar::Short => &["1", "0", "2", "-1", "7", "15", "17", "255", "-32768", "32767"],
            Scalar::Ushort => &["1", "0", "2", "3", "8", "16", "255", "32768", "65535"],
            Scalar::Byte => &["1", "0", "2", "-1", "3", "7", "9", "-128", "127"],
            _ => &["1", "0", "2", "3", "8", "15", "128", "255"],
        };
        let ty = Ty::Vec(s, 1);
        if few { format!("{ty}({})", self.choices.pick(ends)) } else { format!("{ty}(0x{bits:x})") }
    }

    /// An expression of a form that only programs with narrow numbers have.
    pub(super) fn narrow_expression(&mut self, s: Scalar, n: u8, depth: usize) -> Expr {
        let ty = Ty::Vec(s, n);
        if s == Scalar::Bool {
            let of = self.choices.pick(&[Scalar::Half, Scalar::Half, Scalar::Float]);
            let name = self.choices.pick(&["isnan", "isinf"]);
            return call(ty, name, vec![self.expression(Ty::Vec(of, n), depth + 1)]);
        }
        match self.choices.below(9) {
            0 => {
                let from = self.narrow_scalar();
                call(ty, &ty.to_string(), vec![self.expression(Ty::Vec(from, n), depth + 1)])
            }
            1 => {
                let chosen = Ty::Vec(Scalar::Bool, n);
                let args = [ty, ty, chosen].map(|ty| self.expression(ty, depth + 1));
                call(ty, "mix", args.into())
            }
            2 => {
                let one = Ty::Vec(s, 1);
                let (name, count) = self.choices.pick(&[("min", 2), ("max", 2), ("clamp", 3)]);
                let args = [ty, one, one][..count].iter().map(|&ty| self.expression(ty, depth + 1)).collect();
                call(ty, name, args)
            }
            3 if !implicit(s).is_empty() => {
                let other = Ty::Vec(self.choices.pick(implicit(s)), n);
                let op = self.choices.pick(if s.is_float() { super::ARITHMETIC } else { &super::INTEGER[..8] });
                let (a, b) = if self.choices.chance(50) { (ty, other) } else { (other, ty) };
                self.binary(ty, op, a, b, depth)
            }
            4 if self.wide => self.by_wide_numbers(ty, n, depth),
            _ if s.is_float() => self.float_of_bits(s, n, depth),
            _ => self.integer_of_bits(s, n, depth),
        }
    }

    /// A conversion of a number of 64 bits.
    fn by_wide_numbers(&mut self, ty: Ty, n: u8, depth: usize) -> Expr {
        let (float, factor, integer, long) = if n == 1 {
            ("double".to_owned(), "1.0000000001lf", "int64_t".to_owned(), "0x100000003l")
        } else {
            (format!("dvec{n}"), "1.0000000001lf", format!("i64vec{n}"), "0x100000003l")
        };
        let (name, factor, of) =
            if self.choices.chance(60) { (float, factor, Scalar::Float) } else { (integer, long, Scalar::Int) };
        let of = Ty::Vec(of, n);
        let [x, y] = [of, of].map(|of| call(of, &name, vec![self.expression(of, depth + 1)]));
        let product = Expr::Binary(of, "*", Box::new(x), Box::new(Expr::Literal(of, factor.into())));
        call(ty, &ty.to_string(), vec![Expr::Binary(of, "+", Box::new(product), Box::new(y))])
    }

    fn float_of_bits(&mut self, s: Scalar, n: u8, depth: usize) -> Expr {
        let ty = Ty::Vec(s, n);
        match self.choices.below(5) {
            0 if s == Scalar::Half && n == 2 => {
                call(ty, "unpackFloat2x16", vec![self.expression(Ty::Vec(Scalar::Uint, 1), depth + 1)])
            }
            0 | 1 if s == Scalar::Half => {
                let (name, of) = self
                    .choices
                    .pick(&[("int16BitsToFloat16", Scalar::Short), ("uint16BitsToFloat16", Scalar::Ushort)]);
                call(ty, name, vec![self.expression(Ty::Vec(of, n), depth + 1)])
            }
            2 => self.builtin(ty, &["fma"], 3, depth),
            3 => {
                let exponent = Ty::Vec(Scalar::Int, n);
                let args = [ty, exponent].map(|ty| self.expression(ty, depth + 1));
                call(ty, "ldexp", args.into())
            }
            4 if !self.ordered => {
                let (name, of) = self.choices.pick(&[("modf", s), ("frexp", Scalar::Int)]);
                match self.place_of(Ty::Vec(of, n)) {
                    Some(place) => call(ty, name, vec![self.expression(ty, depth + 1), place]),
                    None => self.leaf(ty),
                }
            }
            _ => self.leaf(ty),
        }
    }

    fn integer_of_bits(&mut self, s: Scalar, n: u8, depth: usize) -> Expr {
        let ty = Ty::Vec(s, n);
        match self.choices.below(5) {
            0 => {
                let op = self.choices.pick(&["<<", ">>"]);
                let (of, size) = (self.choices.pick(INTEGERS), if self.choices.chance(50) { 1 } else { n });
                self.binary(ty, op, ty, Ty::Vec(of, size), depth)
            }
            1 if s.is_signed() => self.builtin(ty, &["abs", "sign"], 1, depth),
            2 if s.is_signed() => {
                let unsigned = match s {
                    Scalar::Int => Scalar::Uint,
                    Scalar::Short => Scalar::Ushort,
                    _ => Scalar::Ubyte,
                };
                let of = Ty::Vec(self.choices.pick(&[s, unsigned]), n);
                let name = self.choices.pick(&["bitCount", "findLSB", "findMSB"]);
                call(ty, name, vec![self.expression(of, depth + 1)])
            }
            2 | 3 => {
                let (name, of) = match s {
                    Scalar::Int => ("floatBitsToInt", Scalar::Float),
                    Scalar::Uint => ("floatBitsToUint", Scalar::Float),
                    Scalar::Short => ("float16BitsToInt16", Scalar::Half),
                    Scalar::Ushort => ("float16BitsToUint16", Scalar::Half),
                    _ => return self.packed(s, n, depth),
                };
                let of = Ty::Vec(of, n);
                let x = self.expression(of, depth + 1);
                call(ty, name, vec![without_nan(of, x)])
            }
            _ => self.packed(s, n, depth),
        }
    }

    /// An integer made of narrower ones, or part of a wider one.
    fn packed(&mut self, s: Scalar, n: u8, depth: usize) -> Expr {
        let ty = Ty::Vec(s, n);
        let all: &[(&str, Scalar, u8)] = match (s, n) {
            (Scalar::Int, 1) => &[("pack32", Scalar::Byte, 4), ("pack32", Scalar::Short, 2)],
            (Scalar::Uint, 1) => {
                &[("packFloat2x16", Scalar::Half, 2), ("pack32", Scalar::Ubyte, 4), ("pack32", Scalar::Ushort, 2)]
            }
            (Scalar::Short, 1) => &[("pack16", Scalar::Byte, 2)],
            (Scalar::Ushort, 1) => &[("pack16", Scalar::Ubyte, 2)],
            (Scalar::Short, 2) => &[("unpack16", Scalar::Int, 1)],
            (Scalar::Ushort, 2) => &[("unpack16", Scalar::Uint, 1)],
            (Scalar::Byte, 2) => &[("unpack8", Scalar::Short, 1)],
            (Scalar::Ubyte, 2) => &[("unpack8", Scalar::Ushort, 1)],
            (Scalar::Byte, 4) => &[("unpack8", Scalar::Int, 1)],
            (Scalar::Ubyte, 4) => &[("unpack8", Scalar::Uint, 1)],
            _ => return self.leaf(ty),
        };
        let (name, of, size) = self.choices.pick(all);
        call(ty, name, vec![self.expression(Ty::Vec(of, size), depth + 1)])
    }
}
