//! Expressions as text with their precedence and, for asm.js, their type.

use planish_ir::types::Scalar;

/// Precedence of expressions in the grammar of JavaScript; higher binds tighter.
pub(crate) mod binds {
    pub(crate) const CONDITIONAL: u8 = 3;
    pub(crate) const LOGICAL_OR: u8 = 4;
    pub(crate) const LOGICAL_AND: u8 = 5;
    pub(crate) const OR: u8 = 6;
    pub(crate) const XOR: u8 = 7;
    pub(crate) const AND: u8 = 8;
    pub(crate) const EQUALITY: u8 = 9;
    pub(crate) const RELATION: u8 = 10;
    pub(crate) const SHIFT: u8 = 11;
    pub(crate) const SUM: u8 = 12;
    pub(crate) const PRODUCT: u8 = 13;
    pub(crate) const UNARY: u8 = 15;
    pub(crate) const PRIMARY: u8 = 20;
}

/// Kind of a value: the types of asm.js, and those that JavaScript has besides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// 32 bits of either sign (asm.js only).
    Int,
    /// An integer in the range of `i32`.
    Signed,
    /// An integer in the range of `u32`.
    Unsigned,
    /// An integer in both ranges.
    Fixnum,
    Double,
    Float,
    /// `true` or `false`, not a number (never in asm.js).
    Truth,
    /// A `BigInt` (never in asm.js).
    Big,
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) binds: u8,
    pub(crate) kind: Kind,
    /// Of a condition: its opposite, where that is no longer. It binds as tightly.
    pub(crate) opposite: Option<String>,
    /// Of a coercion to 32 bits: its operand, which operators on bits coerce themselves.
    coerced: Option<Box<Text>>,
}

impl Text {
    pub(crate) fn new(text: impl Into<String>, binds: u8, kind: Kind) -> Self {
        Text { text: text.into(), binds, kind, opposite: None, coerced: None }
    }

    /// `!x`
    pub(crate) fn negated(self) -> Self {
        match self.opposite {
            Some(opposite) => Text { text: opposite, opposite: Some(self.text), ..self },
            None => {
                let kind = self.kind;
                let mut text = unary("!", &self, kind);
                text.opposite = (self.binds >= binds::UNARY).then_some(self.text);
                text
            }
        }
    }

    /// A name, a literal or a call.
    pub(crate) fn primary(text: impl Into<String>, kind: Kind) -> Self {
        Text::new(text, binds::PRIMARY, kind)
    }

    /// As an operand of something that binds as tightly as `least`.
    pub(crate) fn at(&self, least: u8) -> String {
        if self.binds < least { format!("({})", self.text) } else { self.text.clone() }
    }

    pub(crate) fn of_kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// As a signed integer; `x | 0` where that is not known.
    pub(crate) fn signed(self) -> Self {
        self.coerced("| 0", binds::OR, Kind::Signed)
    }

    /// As an unsigned integer; `x >>> 0` where that is not known.
    pub(crate) fn unsigned(self) -> Self {
        self.coerced(">>> 0", binds::SHIFT, Kind::Unsigned)
    }

    fn coerced(self, by: &str, strength: u8, kind: Kind) -> Self {
        let is_known = |x: &Text| x.kind == kind || x.kind == Kind::Fixnum;
        if is_known(&self) {
            return self;
        }
        let x = self.bits();
        if is_known(&x) {
            return x;
        }
        let text = Text::new(format!("{} {by}", x.at(strength)), strength, kind);
        // The result of a call has no type in asm.js until it is coerced.
        let is_call = x.binds == binds::PRIMARY && x.text.ends_with(')');
        Text { coerced: (!is_call).then(|| Box::new(x)), ..text }
    }

    /// As an operand of an operator that reads the low 32 bits only: without a coercion.
    pub(crate) fn bits(self) -> Self {
        match self.coerced {
            Some(operand) => *operand,
            None => self,
        }
    }

    /// The result of an operation on 32-bit integers, wrapped to such a type.
    pub(crate) fn wrap(self, scalar: Scalar) -> Self {
        if scalar == Scalar::U32 { self.of_kind(Kind::Int).unsigned() } else { self.of_kind(Kind::Int).signed() }
    }

    /// As an integer of a type.
    pub(crate) fn integer(self, scalar: Scalar) -> Self {
        if scalar == Scalar::U32 { self.unsigned() } else { self.signed() }
    }
}

/// `x op y`, of a left-associative operator.
pub(crate) fn binary(op: &str, binds: u8, x: &Text, y: &Text, kind: Kind) -> Text {
    Text::new(format!("{} {op} {}", x.at(binds), y.at(binds + 1)), binds, kind)
}

/// `op x`, of an operator before its operand; `- -x` would be a decrement without the parentheses.
pub(crate) fn unary(op: &str, x: &Text, kind: Kind) -> Text {
    let operand = x.at(binds::UNARY);
    let text = if operand.starts_with(op) { format!("{op}({operand})") } else { format!("{op}{operand}") };
    Text::new(text, binds::UNARY, kind)
}

/// `f(x, y)`
pub(crate) fn call(function: &str, args: &[Text], kind: Kind) -> Text {
    let args: Vec<&str> = args.iter().map(|a| a.text.as_str()).collect();
    Text::primary(format!("{function}({})", args.join(", ")), kind)
}

/// `c ? x : y`
pub(crate) fn conditional(condition: &Text, x: &Text, y: &Text, kind: Kind) -> Text {
    let text = format!(
        "{} ? {} : {}",
        condition.at(binds::CONDITIONAL + 1),
        x.at(binds::CONDITIONAL + 1),
        y.at(binds::CONDITIONAL)
    );
    Text::new(text, binds::CONDITIONAL, kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_stand_where_they_must() {
        let [x, y] = ["x", "y"].map(|n| Text::primary(n, Kind::Double));
        let difference = binary("-", binds::SUM, &x, &y, Kind::Double);
        let nested = binary("-", binds::SUM, &x, &difference, Kind::Double);
        assert_eq!(nested.text, "x - (x - y)");
        assert_eq!(binary("-", binds::SUM, &difference, &x, Kind::Double).text, "x - y - x");
        let negative = unary("-", &x, Kind::Double);
        assert_eq!(unary("-", &negative, Kind::Double).text, "-(-x)");
        assert_eq!(binary("*", binds::PRODUCT, &difference, &negative, Kind::Double).text, "(x - y) * -x");
        let choice = conditional(&x, &x, &y, Kind::Double);
        assert_eq!(conditional(&choice, &choice, &choice, Kind::Double).text, "(x ? x : y) ? (x ? x : y) : x ? x : y");
        assert_eq!(difference.clone().wrap(Scalar::I32).text, "x - y | 0");
        assert_eq!(difference.wrap(Scalar::U32).unsigned().text, "x - y >>> 0");
    }
}
