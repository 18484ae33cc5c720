//! Values, and the places that hold them.

use super::tree::{Expr, Part, parts};
use super::types::Number::{self, *};
use super::types::{Ty, matrix_name, value_name, zero};
use super::{Generator, Root};

/// Greatest depth of operations in an expression.
const MAX_EXPRESSION: usize = 3;

/// An expression of a scalar or vector type.
pub(super) fn value(number: Number, n: u8, template: &str, inner: Vec<Part>) -> Expr {
    Expr { zero: zero(number, n), parts: parts(template, inner) }
}

/// An expression that nothing may replace.
fn place(template: &str, inner: Vec<Part>) -> Expr {
    Expr { zero: String::new(), parts: parts(template, inner) }
}

/// A value of another type, or a scalar for all components. Targets may give any integer for a float that is out of range.
fn converted((number, n): (Number, u8), (found, m): (Number, u8), from: Expr) -> Expr {
    let (ty, from_type) = (value_name(number, n), value_name(found, m));
    let least = if number.is_signed() { "-100" } else { "0" };
    let template = match found.is_float() && !number.is_float() && number != Bool {
        true => format!("{ty}(min(max({from_type}({least}), $), {from_type}(100)))"),
        false => format!("{ty}($)"),
    };
    value(number, n, &template, vec![from.into()])
}

/// The letters of components.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

impl Generator<'_, '_> {
    /// An index below `len`, of type `int` or `uint`.
    fn index(&mut self, len: usize, depth: usize) -> Part {
        let constant = self.choices.below(len);
        if depth > MAX_EXPRESSION || len == 1 && self.choices.chance(80) || self.choices.chance(35) {
            return Part::Text(constant.to_string());
        }
        if len.is_power_of_two() && self.choices.chance(50) {
            let inner = self.value(I32, 1, depth + 1);
            return value(I32, 1, &format!("($ & {})", len - 1), vec![inner.into()]).into();
        }
        if !self.counters.is_empty() && self.choices.chance(40) {
            let counter = self.counters[self.choices.below(self.counters.len())].clone();
            return value(U32, 1, &format!("({counter} % {len}u)"), vec![]).into();
        }
        let inner = self.value(U32, 1, depth + 1);
        value(U32, 1, &format!("($ % {len}u)"), vec![inner.into()]).into()
    }

    /// An element of an array.
    pub(super) fn element(&mut self, root: &Root, of: Expr, len: u8, depth: usize) -> Expr {
        match &root.length {
            Some(length) if depth <= MAX_EXPRESSION && self.choices.chance(50) => {
                let inner = self.value(U32, 1, depth + 1);
                let index = value(U32, 1, &format!("($ % uint({length}))"), vec![inner.into()]);
                place("$[$]", vec![of.into(), index.into()])
            }
            _ => {
                let index = self.index(len.into(), depth);
                place("$[$]", vec![of.into(), index])
            }
        }
    }

    /// A part of a place, with its type; `stop`: percentage of parts that are taken whole, although they have parts.
    pub(super) fn part_of(&mut self, root: &Root, stop: usize, depth: usize) -> (Expr, Ty) {
        let (mut at, mut ty) = (place(&root.text, vec![]), root.ty.clone());
        let mut is_root = true;
        loop {
            if self.choices.chance(stop) && !(is_root && root.length.is_some()) {
                return (at, ty);
            }
            (at, ty) = match ty {
                Ty::Array(element, len) => {
                    let outer = Root { length: root.length.clone().filter(|_| is_root), ..root.clone() };
                    (self.element(&outer, at, len, depth), *element)
                }
                Ty::Struct(i) => {
                    let member = self.choices.below(self.structs[i].len());
                    (place(&format!("$.m{member}"), vec![at.into()]), self.structs[i][member].clone())
                }
                whole => return (at, whole),
            };
            is_root = false;
        }
    }

    /// A part of a vector or matrix that can be written, as a place, with its type.
    /// Recursion: one level, from a matrix to its column.
    pub(super) fn narrowed(&mut self, at: Expr, ty: Ty, depth: usize) -> (Expr, Ty) {
        match ty {
            Ty::Matrix(number, columns, rows) if self.choices.chance(70) => {
                let column = self.index(columns.into(), depth);
                self.narrowed(place("$[$]", vec![at.into(), column]), Ty::Value(number, rows), depth)
            }
            Ty::Value(number, n) if n > 1 && self.choices.chance(60) => match self.choices.below(3) {
                0 => {
                    let index = self.index(n.into(), depth);
                    (place("$[$]", vec![at.into(), index]), Ty::Value(number, 1))
                }
                _ => {
                    let first = self.choices.below(n.into());
                    let second = (first + 1 + self.choices.below(usize::from(n) - 1)) % usize::from(n);
                    let count = 1 + self.choices.below(2);
                    let letters = [COMPONENTS[first], COMPONENTS[second]][..count].concat();
                    (place(&format!("$.{letters}"), vec![at.into()]), Ty::Value(number, count as u8))
                }
            },
            ty => (at, ty),
        }
    }

    /// The value of some place as another type.
    fn read(&mut self, number: Number, n: u8, depth: usize) -> Expr {
        let roots = self.readable();
        if roots.is_empty() {
            return self.literal(number, n);
        }
        let root = roots[self.choices.below(roots.len())].clone();
        let (at, ty) = self.part_of(&root, 0, depth);
        let (at, found, m) = match ty {
            Ty::Matrix(found, columns, rows) => {
                let column = self.index(columns.into(), depth);
                (place("$[$]", vec![at.into(), column]), found, rows)
            }
            Ty::Value(found, m) => (at, found, m),
            _ => unreachable!("a part is a number, a vector or a matrix"),
        };
        // As many components as are wanted.
        let swizzled = match (m, n) {
            (1, _) => at,
            (m, 1) if self.choices.chance(50) => {
                let index = self.index(m.into(), depth);
                place("$[$]", vec![at.into(), index])
            }
            (m, n) if m == n && self.choices.chance(70) => at,
            (m, n) => {
                let letters: String = (0..n).map(|_| COMPONENTS[self.choices.below(m.into())]).collect();
                place(&format!("$.{letters}"), vec![at.into()])
            }
        };
        match found == number && (m > 1 || n == 1) {
            true => value(number, n, "$", vec![swizzled.into()]),
            false => converted((number, n), (found, if m == 1 { 1 } else { n }), swizzled),
        }
    }

    pub(super) fn literal(&mut self, number: Number, n: u8) -> Expr {
        let mut one = || number.literal(self.choices);
        let text = match n {
            1 => one(),
            _ => {
                let all: Vec<String> = (0..n).map(|_| one()).collect();
                format!("{}({})", value_name(number, n), all.join(", "))
            }
        };
        value(number, n, &text, vec![])
    }

    /// An expression of a scalar or vector type.
    /// Recursion: to `MAX_EXPRESSION` levels.
    pub(super) fn value(&mut self, number: Number, n: u8, depth: usize) -> Expr {
        if depth >= MAX_EXPRESSION || self.choices.chance(20) {
            return if self.choices.chance(25) { self.literal(number, n) } else { self.read(number, n, depth) };
        }
        if self.subgroups
            && self.choices.chance(35)
            && let Some(expr) = self.of_subgroup(number, n, depth)
        {
            return expr;
        }
        let ty = value_name(number, n);
        let depth = depth + 1;
        match self.choices.below(12) {
            0..=2 => self.read(number, n, depth),
            3 => {
                let other = self.number();
                let from = self.value(other, n, depth);
                converted((number, n), (other, n), from)
            }
            4 => {
                let [x, y] = [0; 2].map(|_| self.value(number, n, depth));
                let c = self.value(Bool, 1, depth);
                value(number, n, "($ ? $ : $)", vec![c.into(), x.into(), y.into()])
            }
            5 if n > 1 => {
                let all: Vec<Part> = (0..n).map(|_| self.value(number, 1, depth).into()).collect();
                let holes = vec!["$"; all.len()].join(", ");
                value(number, n, &format!("{ty}({holes})"), all)
            }
            6 if n > 1 => {
                let [x, y] = [0; 2].map(|_| self.value(number, n, depth));
                let c = self.value(Bool, n, depth);
                value(number, n, "mix($, $, $)", vec![x.into(), y.into(), c.into()])
            }
            7 if number != Bool && !self.helpers.is_empty() => {
                let fitting: Vec<usize> =
                    (0..self.helpers.len()).filter(|&f| self.helpers[f].0 == (number, n)).collect();
                if fitting.is_empty() {
                    return self.read(number, n, depth);
                }
                let f = fitting[self.choices.below(fitting.len())];
                let args: Vec<Part> =
                    self.helpers[f].1.clone().into_iter().map(|(s, n)| self.value(s, n, depth).into()).collect();
                let holes = vec!["$"; args.len()].join(", ");
                value(number, n, &format!("f{f}({holes})"), args)
            }
            _ if number == Bool => self.condition(n, depth),
            _ if number.is_float() => self.float(number, n, depth),
            _ => self.integer(number, n, depth),
        }
    }

    /// Operands of the same type.
    fn same<const N: usize>(&mut self, number: Number, n: u8, depth: usize) -> Vec<Part> {
        [0; N].map(|_| Part::from(self.value(number, n, depth))).into()
    }

    fn condition(&mut self, n: u8, depth: usize) -> Expr {
        let number = self.number();
        if n > 1 {
            if number == Bool {
                let operands = self.same::<1>(Bool, n, depth);
                return value(Bool, n, "not($)", operands);
            }
            let name = self.choices.pick(&["lessThan", "lessThanEqual", "greaterThan", "equal", "notEqual"]);
            let operands = self.same::<2>(number, n, depth);
            return value(Bool, n, &format!("{name}($, $)"), operands);
        }
        match self.choices.below(6) {
            0 => {
                let op = self.choices.pick(&["&&", "||", "^^"]);
                let operands = self.same::<2>(Bool, 1, depth);
                value(Bool, 1, &format!("($ {op} $)"), operands)
            }
            1 => {
                let name = self.choices.pick(&["any", "all"]);
                let size = 2 + self.choices.below(3) as u8;
                let operands = self.same::<1>(Bool, size, depth);
                value(Bool, 1, &format!("{name}($)"), operands)
            }
            2 => {
                let op = self.choices.pick(&["==", "!="]);
                let size = 1 + self.choices.below(4) as u8;
                let operands = self.same::<2>(number, size, depth);
                value(Bool, 1, &format!("($ {op} $)"), operands)
            }
            _ if number == Bool => {
                let operands = self.same::<1>(Bool, 1, depth);
                value(Bool, 1, "!$", operands)
            }
            _ => {
                let op = self.choices.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let operands = self.same::<2>(number, 1, depth);
                value(Bool, 1, &format!("($ {op} $)"), operands)
            }
        }
    }

    fn float(&mut self, number: Number, n: u8, depth: usize) -> Expr {
        match self.choices.below(9) {
            0..=2 => {
                let op = self.choices.pick(&["+", "-", "*", "*", "/"]);
                let operands = self.same::<2>(number, n, depth);
                value(number, n, &format!("($ {op} $)"), operands)
            }
            3 => {
                let name = self.choices.pick(&["abs", "floor", "sign", "-", "ceil", "trunc"]);
                let operands = self.same::<1>(number, n, depth);
                value(number, n, &format!("{name}($)"), operands)
            }
            4 => {
                let name = self.choices.pick(&["min", "max"]);
                let operands = self.same::<2>(number, n, depth);
                value(number, n, &format!("{name}($, $)"), operands)
            }
            5 if n > 1 => {
                let size = 2 + self.choices.below(3) as u8;
                let forward = self.choices.chance(50);
                let (columns, rows) = if forward { (size, n) } else { (n, size) };
                let matrix = self.matrix(number, columns, rows, depth);
                let vector = self.value(number, size, depth);
                match forward {
                    true => value(number, n, "($ * $)", vec![matrix.into(), vector.into()]),
                    false => value(number, n, "($ * $)", vec![vector.into(), matrix.into()]),
                }
            }
            6 if n > 1 => {
                let columns = 2 + self.choices.below(3) as u8;
                let matrix = self.matrix(number, columns, n, depth);
                let column = self.index(columns.into(), depth);
                value(number, n, "$[$]", vec![matrix.into(), column])
            }
            7 if number == F32 => {
                let (name, of) = self.choices.pick(&[("intBitsToFloat", I32), ("uintBitsToFloat", U32)]);
                let operands = self.same::<1>(of, n, depth);
                // (No NaN: its bits may change.)
                value(
                    number,
                    n,
                    &format!("{name}($ & 0x3fffffff)")
                        .replace("0x3fffffff", if of == U32 { "0xbfffffffu" } else { "0x3fffffff" }),
                    operands,
                )
            }
            8 if number != F16 => {
                let operands = self.same::<3>(number, n, depth);
                value(number, n, "fma($, $, $)", operands)
            }
            _ => self.read(number, n, depth),
        }
    }

    /// A matrix.
    pub(super) fn matrix(&mut self, number: Number, columns: u8, rows: u8, depth: usize) -> Expr {
        let name = matrix_name(number, columns, rows);
        let zero = format!("{name}(0)");
        let expr = |template: &str, inner: Vec<Part>| Expr { zero: zero.clone(), parts: parts(template, inner) };
        let wanted = Ty::Matrix(number, columns, rows);
        let turned = Ty::Matrix(number, rows, columns);
        if let Some(found) = self.some_place(&[wanted.clone(), turned], false, depth) {
            return match found.1 == wanted {
                true => expr("$", vec![found.0.into()]),
                false => expr("transpose($)", vec![found.0.into()]),
            };
        }
        match self.choices.below(4) {
            0 => {
                let operands = self.same::<1>(number, 1, depth + 1);
                expr(&format!("{name}($)"), operands)
            }
            1 => {
                let x = self.value(number, rows, depth + 1);
                let y = self.value(number, columns, depth + 1);
                expr("outerProduct($, $)", vec![x.into(), y.into()])
            }
            _ => {
                let all: Vec<Part> = (0..columns).map(|_| self.value(number, rows, depth + 1).into()).collect();
                let holes = vec!["$"; all.len()].join(", ");
                expr(&format!("{name}({holes})"), all)
            }
        }
    }

    fn integer(&mut self, number: Number, n: u8, depth: usize) -> Expr {
        let ty = value_name(number, n);
        match self.choices.below(10) {
            0..=3 => {
                let op = self.choices.pick(&["+", "-", "*", "&", "|", "^", "/", "%"]);
                let operands = self.same::<2>(number, n, depth);
                value(number, n, &format!("{ty}($ {op} $)"), operands)
            }
            4 => {
                let op = self.choices.pick(&["<<", ">>"]);
                let operands = self.same::<2>(number, n, depth);
                value(number, n, &format!("{ty}($ {op} $)"), operands)
            }
            5 => {
                let op = self.choices.pick(&["-", "~"]);
                let operands = self.same::<1>(number, n, depth);
                value(number, n, &format!("{ty}({op}$)"), operands)
            }
            6 => {
                let name = self.choices.pick(&["min", "max"]);
                let operands = self.same::<2>(number, n, depth);
                value(number, n, &format!("{name}($, $)"), operands)
            }
            7 => self.parts_of_integers(number, n, depth),
            8 if number.is_signed() => {
                let name = self.choices.pick(&["abs", "sign"]);
                let operands = self.same::<1>(number, n, depth);
                value(number, n, &format!("{name}($)"), operands)
            }
            8 if number == U32 => {
                let [at, bits] = [0; 2].map(|_| self.choices.below(16));
                let operands = self.same::<2>(number, n, depth);
                value(number, n, &format!("bitfieldInsert($, $, {at}, {bits})"), operands)
            }
            _ => self.read(number, n, depth),
        }
    }

    /// An integer made of narrower ones, or part of a wider one.
    fn parts_of_integers(&mut self, number: Number, n: u8, depth: usize) -> Expr {
        let all: &[(&str, Number, u8)] = match (number, n) {
            (I32, 1) => &[("pack32", I8, 4), ("pack32", I16, 2)],
            (U32, 1) => &[("pack32", U8, 4), ("pack32", U16, 2)],
            (I64, 1) => &[("pack64", I16, 4), ("pack64", I32, 2)],
            (U64, 1) => &[("pack64", U16, 4), ("pack64", U32, 2)],
            (U16, 1) => &[("pack16", U8, 2)],
            (I16, 2) => &[("unpack16", I32, 1)],
            (U8, 4) => &[("unpack8", U32, 1)],
            (I8, 2) => &[("unpack8", I16, 1)],
            (I32, 2) => &[("unpack32", I64, 1)],
            (U32, 2) => &[("unpack32", U64, 1)],
            (U16, 4) => &[("unpack16", U64, 1)],
            _ => return self.read(number, n, depth),
        };
        let (name, of, size) = self.choices.pick(all);
        if !self.numbers.contains(&of) {
            return self.read(number, n, depth);
        }
        let operands = self.same::<1>(of, size, depth);
        value(number, n, &format!("{name}($)"), operands)
    }
}
