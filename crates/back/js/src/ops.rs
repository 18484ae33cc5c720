//! Text of a node: ops on scalars as expressions of their operands.

use std::sync::LazyLock;

use planish_ir::entity::{Node, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::{Scalar, TypeKind};
use planish_target::expressions::ReportUses;
use planish_target::legal::{Operation, Support, TargetInfo};
use rustc_hash::FxHashSet;

use crate::Dialect;
use crate::helpers::Needs;
use crate::number::literal;
use crate::text::{Kind, Text, binary, binds, call, conditional, unary};

/// Ops that need no text in a dialect.
pub(crate) struct Scalars<'a> {
    pub(crate) module: &'a Module,
    pub(crate) dialect: Dialect,
}

impl ReportUses for Scalars<'_> {
    fn is_nothing(&self, body: &Body, node: Node) -> bool {
        let op = body.node(node).op;
        let (Op::Bitcast | Op::ConstructScalarFromScalar, Some(result)) = (op, body.result(node)) else { return false };
        let scalar = |ty| self.module.types.scalar_of(ty);
        let from = scalar(self.module.type_of(body, body.args(node)[0]));
        match (from, scalar(body.local_type(result))) {
            (Some(from), Some(to)) => is_nothing(self.dialect, from, to, op),
            _ => false,
        }
    }
}

/// Whether a conversion leaves the value as it is.
fn is_nothing(dialect: Dialect, from: Scalar, to: Scalar, op: Op) -> bool {
    use Scalar::{Bool, F32, F64, I32, U32};
    from == to
        || match dialect {
            Dialect::Asm => matches!((from, to), (Bool, I32 | U32) | (I32, U32) | (U32, I32)),
            Dialect::Module => op != Op::Bitcast && matches!((from, to), (F32 | I32 | U32, F64)),
        }
}

/// Whether an op evaluates some of its operands only where they are needed. They must then do nothing but give a value.
pub(crate) fn is_lazy(dialect: Dialect, op: Op) -> bool {
    op == Op::Select || dialect == Dialect::Module && matches!(op, Op::LogicalAnd | Op::LogicalOr)
}

/// Operations that JavaScript has, for the legalizer: those that [`OpWriter`] has text for.
pub fn info() -> TargetInfo<'static> {
    TargetInfo { name: "JavaScript", support: &support, is_shading_language: false }
}

fn support(operation: &Operation) -> Support {
    static OPS: LazyLock<FxHashSet<(Op, Scalar)>> = LazyLock::new(|| {
        let pairs = Op::all().flat_map(|op| Scalar::ALL.into_iter().map(move |scalar| (op, scalar)));
        pairs.filter(|&(op, scalar)| is_written(op, scalar)).collect()
    });
    let op = operation.op;
    let scalar = match operation.on_scalars() {
        Ok(scalar) => scalar,
        Err(support) => return support,
    };
    match op {
        // `x / 0 | 0` is 0, of a `BigInt` an error.
        Op::Divide if scalar.is_integer() => Support::GuardZero,
        Op::Remainder if scalar.bits() == 64 => Support::GuardZero,
        Op::ConstructScalarFromScalar | Op::Bitcast | Op::TruncateTrapping => Support::Yes,
        _ if OPS.contains(&(op, scalar)) => Support::Yes,
        _ => Support::Expand,
    }
}

fn is_written(op: Op, scalar: Scalar) -> bool {
    let args = [(); 3].map(|()| Text::primary("x", Kind::Double));
    let types = Types { operand: scalar, second: Some(scalar), result: scalar, by_known: false, by_minus_one: false };
    let mut needs = Needs::new();
    OpWriter { dialect: Dialect::Module, needs: &mut needs }.write(op, &args, types).is_some()
}

/// The name in `Math`, or of the helper, of a function of one float.
fn function(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Sin => "sin",
        Op::Cos => "cos",
        Op::Tan => "tan",
        Op::Asin => "asin",
        Op::Acos => "acos",
        Op::Atan => "atan",
        Op::Sinh => "sinh",
        Op::Cosh => "cosh",
        Op::Tanh => "tanh",
        Op::Asinh => "asinh",
        Op::Acosh => "acosh",
        Op::Atanh => "atanh",
        Op::Exp => "exp",
        Op::Log => "log",
        Op::Exp2 => "exp2",
        Op::Log2 => "log2",
        Op::Sqrt => "sqrt",
        Op::Abs => "abs",
        Op::Floor => "floor",
        Op::Ceil => "ceil",
        Op::Trunc => "trunc",
        Op::Round | Op::RoundEven => "round_even",
        _ => return None,
    })
}

/// Writes nodes.
pub(crate) struct OpWriter<'a> {
    pub(crate) dialect: Dialect,
    pub(crate) needs: &'a mut Needs,
}

impl OpWriter<'_> {
    fn is_asm(&self) -> bool {
        self.dialect == Dialect::Asm
    }

    /// A helper, or a function of `Math` that a module names by itself.
    pub(crate) fn helper(&mut self, name: &'static str, args: &[Text], kind: Kind) -> Text {
        self.needs.insert(name);
        call(name, args, kind)
    }

    /// A function of `Math`, or the helper in its place.
    fn math(&mut self, name: &'static str, args: &[Text]) -> Text {
        let of_math = !matches!(name, "round_even") && !self.is_asm();
        if of_math && name == "exp2" {
            let text = format!("2 ** {}", args[0].at(binds::UNARY + 1));
            return Text::new(text, binds::PRODUCT + 1, Kind::Double);
        }
        if of_math {
            return call(&format!("Math.{name}"), args, Kind::Double);
        }
        self.needs.insert(name);
        let text = call(name, args, Kind::Double);
        // Results of functions of the module have no type in asm.js until they are coerced.
        let is_own = crate::helpers::is_function(name);
        if self.is_asm() && is_own { unary("+", &text, Kind::Double) } else { text }
    }

    /// A call of a helper whose result is a 32-bit integer: asm.js requires a coercion.
    fn integer_helper(&mut self, name: &'static str, args: &[Text], kind: Kind) -> Text {
        let text = self.helper(name, args, kind);
        if self.is_asm() { text.of_kind(Kind::Int).signed() } else { text }
    }

    fn fround(&mut self, x: &Text) -> Text {
        if x.kind == Kind::Float && x.text.starts_with("fround(") && x.binds == binds::PRIMARY {
            return x.clone();
        }
        self.helper("fround", std::slice::from_ref(x), Kind::Float)
    }

    /// A float of either type as a double.
    pub(crate) fn double(&self, x: &Text) -> Text {
        if self.is_asm() && x.kind == Kind::Float { unary("+", x, Kind::Double) } else { x.clone() }
    }

    /// A result computed in doubles, rounded to the type.
    fn rounded(&mut self, x: Text, scalar: Scalar) -> Text {
        if scalar == Scalar::F32 { self.fround(&x) } else { x }
    }

    /// As [`Self::rounded`], for results that are exact in `f32`: only asm.js requires the rounding.
    fn exact(&mut self, x: Text, scalar: Scalar) -> Text {
        if scalar == Scalar::F32 && self.is_asm() { self.fround(&x) } else { x }
    }

    fn constant(&mut self, scalar: Scalar, value: f64) -> Text {
        let bits = if scalar == Scalar::F32 { u64::from((value as f32).to_bits()) } else { value.to_bits() };
        self.literal(scalar, bits)
    }

    /// A literal; notes the constants and helpers that it needs.
    pub(crate) fn literal(&mut self, scalar: Scalar, bits: u64) -> Text {
        let text = literal(self.dialect, scalar, bits);
        if self.is_asm() && scalar.is_float() {
            if text.text.starts_with("fround") {
                self.needs.insert("fround");
            }
            for name in ["Infinity", "NaN"].into_iter().filter(|n| text.text.contains(n)) {
                self.needs.insert(name);
            }
        }
        text
    }

    /// A 64-bit integer cut to its type.
    fn cut(&self, x: &Text, scalar: Scalar) -> Text {
        let function = if scalar.is_signed() { "asIntN" } else { "asUintN" };
        Text::primary(format!("BigInt.{function}(64, {})", x.text), Kind::Big)
    }

    /// The text of an op on scalars; `None` if the dialect has none.
    pub(crate) fn write(&mut self, op: Op, args: &[Text], types: Types) -> Option<Text> {
        let (scalar, result) = (types.operand, types.result);
        match op {
            Op::ConstructScalarFromScalar => return self.convert(&args[0], scalar, result),
            Op::Bitcast => return self.bitcast(&args[0], scalar, result),
            Op::TruncateTrapping => return self.truncate(&args[0], result),
            Op::Select => return Some(conditional(&args[0], &args[1], &args[2], self.kind(result))),
            Op::Equal | Op::NotEqual | Op::LessThan | Op::LessThanEqual | Op::GreaterThan | Op::GreaterThanEqual => {
                return Some(self.compare(op, args, scalar));
            }
            _ => {}
        }
        match scalar {
            Scalar::Bool => self.logic(op, args),
            Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 => None,
            Scalar::I32 | Scalar::U32 => self.word(op, args, types),
            Scalar::I64 | Scalar::U64 => self.big(op, args, types),
            Scalar::F16 | Scalar::F32 | Scalar::F64 => self.float(op, args, scalar),
        }
    }

    /// The kind of any value of a type.
    pub(crate) fn kind(&self, scalar: Scalar) -> Kind {
        match scalar {
            Scalar::Bool | Scalar::I32 | Scalar::U32 if self.is_asm() => Kind::Int,
            Scalar::Bool => Kind::Truth,
            // Numbers of 8 and 16 bits are lowered before.
            Scalar::I8 | Scalar::I16 | Scalar::I32 => Kind::Signed,
            Scalar::U8 | Scalar::U16 | Scalar::U32 => Kind::Unsigned,
            Scalar::I64 | Scalar::U64 => Kind::Big,
            Scalar::F16 | Scalar::F32 => Kind::Float,
            Scalar::F64 => Kind::Double,
        }
    }

    fn truth(&self) -> Kind {
        self.kind(Scalar::Bool)
    }

    /// An operand of a comparison or division, whose sign asm.js requires.
    fn with_sign(&self, x: &Text, scalar: Scalar) -> Text {
        match scalar {
            Scalar::Bool if self.is_asm() => x.clone().signed(),
            Scalar::I32 | Scalar::U32 => x.clone().integer(scalar),
            _ => x.clone(),
        }
    }

    pub(crate) fn compare(&self, op: Op, args: &[Text], scalar: Scalar) -> Text {
        let (word, binds) = match op {
            Op::Equal => (if self.is_asm() { "==" } else { "===" }, binds::EQUALITY),
            Op::NotEqual => (if self.is_asm() { "!=" } else { "!==" }, binds::EQUALITY),
            Op::LessThan => ("<", binds::RELATION),
            Op::LessThanEqual => ("<=", binds::RELATION),
            Op::GreaterThan => (">", binds::RELATION),
            _ => (">=", binds::RELATION),
        };
        let [x, y] = [0, 1].map(|i| self.with_sign(&args[i], scalar));
        let mut text = binary(word, binds, &x, &y, self.truth());
        // With a NaN, `x < y` and `x >= y` are both false.
        let opposite = opposite_of(word).filter(|_| !scalar.is_float() || binds == binds::EQUALITY);
        text.opposite = opposite.map(|word| binary(word, binds, &x, &y, text.kind).text);
        text
    }

    fn logic(&mut self, op: Op, args: &[Text]) -> Option<Text> {
        let kind = self.truth();
        let asm = self.is_asm();
        Some(match op {
            Op::LogicalNot => args[0].clone().negated(),
            Op::LogicalAnd if asm => binary("&", binds::AND, &args[0], &args[1], Kind::Signed),
            Op::LogicalOr if asm => binary("|", binds::OR, &args[0], &args[1], Kind::Signed),
            Op::LogicalXor if asm => binary("^", binds::XOR, &args[0], &args[1], Kind::Signed),
            Op::LogicalAnd => binary("&&", binds::LOGICAL_AND, &args[0], &args[1], kind),
            Op::LogicalOr => binary("||", binds::LOGICAL_OR, &args[0], &args[1], kind),
            Op::LogicalXor => binary("!==", binds::EQUALITY, &args[0], &args[1], kind),
            _ => return None,
        })
    }

    fn word(&mut self, op: Op, args: &[Text], types: Types) -> Option<Text> {
        let scalar = types.operand;
        let x = &args[0];
        let two = |word, binds| Some(binary(word, binds, x, &args[1], Kind::Int).wrap(scalar));
        let bitwise = |word, binds| {
            let [x, y] = [0, 1].map(|i| args[i].clone().bits());
            Some(binary(word, binds, &x, &y, Kind::Signed).integer(scalar))
        };
        match op {
            Op::Add => two("+", binds::SUM),
            Op::Subtract => two("-", binds::SUM),
            Op::Multiply => Some(self.helper("imul", args, Kind::Signed).integer(scalar)),
            Op::BitwiseAnd => bitwise("&", binds::AND),
            Op::BitwiseOr => bitwise("|", binds::OR),
            Op::BitwiseXor => bitwise("^", binds::XOR),
            Op::BitwiseNot => Some(unary("~", &x.clone().bits(), Kind::Signed).integer(scalar)),
            Op::Negate => Some(unary("-", x, Kind::Int).wrap(scalar)),
            Op::ShiftLeft | Op::ShiftRight => {
                let amount = self.amount(&args[1], types.second?, 31);
                Some(shift(op, x, &amount, scalar))
            }
            Op::Divide | Op::Remainder => Some(self.division(op, args, scalar)),
            Op::DivideTrapping | Op::RemainderTrapping => Some(self.trapping_division(op, args, types)),
            Op::CountLeadingZeros => Some(self.helper("clz32", args, Kind::Fixnum)),
            Op::CountTrailingZeros => Some(self.integer_helper("ctz32", args, Kind::Fixnum)),
            Op::BitCount => Some(self.integer_helper("popcnt32", args, Kind::Fixnum)),
            _ => None,
        }
    }

    /// The amount of a shift of 32 bits, whatever type it has.
    fn amount(&self, amount: &Text, scalar: Scalar, mask: u32) -> Text {
        if scalar.bits() == 64 {
            let low = Text::new(format!("{} & {mask}n", amount.at(binds::AND)), binds::AND, Kind::Big);
            return Text::primary(format!("Number({})", low.text), Kind::Fixnum);
        }
        amount.clone()
    }

    /// Division by anything but 0.
    fn division(&self, op: Op, args: &[Text], scalar: Scalar) -> Text {
        let [x, y] = [0, 1].map(|i| self.with_sign(&args[i], scalar));
        let word = if op == Op::Divide { "/" } else { "%" };
        binary(word, binds::PRODUCT, &x, &y, Kind::Int).wrap(scalar)
    }

    fn trapping_division(&mut self, op: Op, args: &[Text], types: Types) -> Text {
        let scalar = types.operand;
        if types.by_known && !types.by_minus_one {
            let op = if op == Op::DivideTrapping { Op::Divide } else { Op::Remainder };
            return self.division(op, args, scalar);
        }
        let name = match (op, scalar) {
            (Op::DivideTrapping, Scalar::I32) => "divide_i32",
            (Op::DivideTrapping, _) => "divide_u32",
            (_, Scalar::I32) => "remainder_i32",
            _ => "remainder_u32",
        };
        self.integer_helper(name, args, self.kind(scalar))
    }

    fn big(&mut self, op: Op, args: &[Text], types: Types) -> Option<Text> {
        let scalar = types.operand;
        let x = &args[0];
        let two = |word, binds| binary(word, binds, x, &args[1], Kind::Big);
        let y = || args[1].clone();
        Some(match op {
            Op::Add => self.cut(&two("+", binds::SUM), scalar),
            Op::Subtract => self.cut(&two("-", binds::SUM), scalar),
            Op::Multiply => self.cut(&two("*", binds::PRODUCT), scalar),
            Op::Negate => self.cut(&unary("-", x, Kind::Big), scalar),
            Op::BitwiseAnd => two("&", binds::AND),
            Op::BitwiseOr => two("|", binds::OR),
            Op::BitwiseXor => two("^", binds::XOR),
            Op::BitwiseNot if scalar.is_signed() => unary("~", x, Kind::Big),
            Op::BitwiseNot => self.cut(&unary("~", x, Kind::Big), scalar),
            Op::ShiftLeft | Op::ShiftRight | Op::RotateLeft | Op::RotateRight => {
                let by = self.big_amount(&y(), types.second?);
                match op {
                    Op::ShiftLeft => self.cut(&binary("<<", binds::SHIFT, x, &by, Kind::Big), scalar),
                    Op::ShiftRight => binary(">>", binds::SHIFT, x, &by, Kind::Big),
                    Op::RotateLeft => self.rotated(x, by, scalar),
                    _ => self.rotated(x, unary("-", &by, Kind::Big), scalar),
                }
            }
            Op::Divide | Op::Remainder => {
                let quotient = two(if op == Op::Divide { "/" } else { "%" }, binds::PRODUCT);
                if op == Op::Divide { self.cut(&quotient, scalar) } else { quotient }
            }
            Op::DivideTrapping => self.helper("divide_i64", args, Kind::Big),
            Op::RemainderTrapping => self.helper("remainder_i64", args, Kind::Big),
            Op::CountLeadingZeros => self.helper("clz64", args, Kind::Big),
            Op::CountTrailingZeros => self.helper("ctz64", args, Kind::Big),
            Op::BitCount => self.helper("popcnt64", args, Kind::Big),
            Op::SignExtend8 | Op::SignExtend16 | Op::SignExtend32 => {
                let bits =
                    [(Op::SignExtend8, 8), (Op::SignExtend16, 16)].iter().find(|b| b.0 == op).map_or(32, |b| b.1);
                let narrow = Text::primary(format!("BigInt.asIntN({bits}, {})", x.text), Kind::Big);
                if scalar.is_signed() { narrow } else { self.cut(&narrow, scalar) }
            }
            _ => return None,
        })
    }

    fn rotated(&mut self, x: &Text, by: Text, scalar: Scalar) -> Text {
        let word = self.helper("rotl64", &[x.clone(), by], Kind::Big);
        self.cut(&word, scalar)
    }

    fn big_amount(&self, amount: &Text, scalar: Scalar) -> Text {
        if scalar.bits() == 64 {
            return Text::new(format!("{} & 63n", amount.at(binds::AND)), binds::AND, Kind::Big);
        }
        Text::primary(format!("BigInt({} & 63)", amount.at(binds::AND)), Kind::Big)
    }

    fn float(&mut self, op: Op, args: &[Text], scalar: Scalar) -> Option<Text> {
        let x = &args[0];
        let kind = self.kind(scalar);
        let two = |word, binds| binary(word, binds, x, &args[1], Kind::Double);
        if let Some(name) = function(op) {
            let is_exact = matches!(op, Op::Abs | Op::Floor | Op::Ceil | Op::Trunc | Op::Round | Op::RoundEven);
            let x = self.double(x);
            let text = self.math(name, &[x]);
            return Some(if is_exact { self.exact(text, scalar) } else { self.rounded(text, scalar) }.of_kind(kind));
        }
        Some(match op {
            Op::Add => self.rounded(two("+", binds::SUM), scalar),
            Op::Subtract => self.rounded(two("-", binds::SUM), scalar),
            Op::Multiply => self.rounded(two("*", binds::PRODUCT), scalar),
            Op::Divide => self.rounded(two("/", binds::PRODUCT), scalar),
            Op::Negate => {
                let negative = unary("-", x, Kind::Double);
                self.exact(negative, scalar).of_kind(kind)
            }
            Op::Minimum | Op::Maximum => {
                let args: Vec<Text> = args.iter().map(|a| self.double(a)).collect();
                let text = self.math(if op == Op::Minimum { "min" } else { "max" }, &args);
                self.exact(text, scalar).of_kind(kind)
            }
            Op::Atan2 => {
                let args: Vec<Text> = args.iter().map(|a| self.double(a)).collect();
                let text = self.math("atan2", &args);
                self.rounded(text, scalar)
            }
            Op::Pow | Op::CopySign => {
                let args: Vec<Text> = args.iter().map(|a| self.double(a)).collect();
                let name = if op == Op::Pow { "power" } else { "copy_sign" };
                let text = self.helper(name, &args, Kind::Double);
                let text = if self.is_asm() { unary("+", &text, Kind::Double) } else { text };
                self.rounded(text, scalar)
            }
            _ => return None,
        })
    }

    fn convert(&mut self, x: &Text, from: Scalar, to: Scalar) -> Option<Text> {
        use Scalar::{Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
        let asm = self.is_asm();
        let number = |what: &Text| Text::primary(format!("Number({})", what.text), Kind::Double);
        let as_big = |what: &Text| Text::primary(format!("BigInt({})", what.text), Kind::Big);
        let narrow = |signed: bool| {
            let function = if signed { "asIntN" } else { "asUintN" };
            number(&Text::primary(format!("BigInt.{function}(32, {})", x.text), Kind::Big))
        };
        Some(match (from, to) {
            (I8 | U8 | I16 | U16 | F16, _) | (_, I8 | U8 | I16 | U16 | F16) => return None,
            (Bool, Bool) | (F32, F32) | (F64, F64) => x.clone(),
            (_, Bool) => {
                let zero = self.literal(from, 0);
                self.compare(Op::NotEqual, &[x.clone(), zero], from)
            }
            (Bool, I32 | U32) if asm => x.clone(),
            (Bool, I32 | U32) => unary("+", x, Kind::Fixnum),
            (Bool, F64) if asm => unary("+", &x.clone().signed(), Kind::Double),
            (Bool, F32) if asm => self.fround(&x.clone().signed()),
            (Bool, F32 | F64) => unary("+", x, self.kind(to)),
            (I32 | U32, I32 | U32) => x.clone().integer(to),
            (I32 | U32, F32) => {
                let x = x.clone().integer(from);
                self.fround(&x)
            }
            (I32 | U32, F64) if asm => unary("+", &x.clone().integer(from), Kind::Double),
            (I32 | U32, F64) => x.clone().of_kind(Kind::Double),
            (F32, F64) => self.double(x).of_kind(Kind::Double),
            (F64, F32) => self.fround(x),
            (F32 | F64, I32) => self.integer_helper("to_i32", &[self.double(x)], Kind::Signed),
            (F32 | F64, U32) => self.integer_helper("to_u32", &[self.double(x)], Kind::Unsigned),
            (F32 | F64, I64) => self.helper("to_i64", std::slice::from_ref(x), Kind::Big),
            (F32 | F64, U64) => self.helper("to_u64", std::slice::from_ref(x), Kind::Big),
            (Bool | U32, I64 | U64) | (I32, I64) => as_big(x),
            (I32, U64) => self.cut(&as_big(x), U64),
            (I64 | U64, I32) => narrow(true).of_kind(Kind::Signed),
            (I64 | U64, U32) => narrow(false).of_kind(Kind::Unsigned),
            (I64 | U64, I64 | U64) => self.cut(x, to),
            (I64 | U64, F64) => number(x),
            (I64 | U64, F32) => self.helper("fround_big", std::slice::from_ref(x), Kind::Float),
        })
    }

    fn bitcast(&mut self, x: &Text, from: Scalar, to: Scalar) -> Option<Text> {
        use Scalar::{F32, F64, I32, I64, U32, U64};
        Some(match (from, to) {
            (F32, I32 | U32) => self.integer_helper("f32_bits", std::slice::from_ref(x), Kind::Signed).integer(to),
            (I32 | U32, F32) => {
                let text = self.helper("bits_f32", std::slice::from_ref(x), Kind::Double);
                self.exact(text, F32).of_kind(Kind::Float)
            }
            (F64, I64) => self.helper("f64_bits", std::slice::from_ref(x), Kind::Big),
            (F64, U64) => {
                let bits = self.helper("f64_bits", std::slice::from_ref(x), Kind::Big);
                self.cut(&bits, U64)
            }
            (I64 | U64, F64) => self.helper("bits_f64", std::slice::from_ref(x), Kind::Double),
            _ if from.is_integer() && to.is_integer() => return self.convert(x, from, to),
            _ if from == to => x.clone(),
            _ => return None,
        })
    }

    fn truncate(&mut self, x: &Text, to: Scalar) -> Option<Text> {
        let (low, end) = match to {
            Scalar::I32 => (-2_147_483_649.0, 2_147_483_648.0),
            Scalar::U32 => (-1.0, 4_294_967_296.0),
            Scalar::I64 => return Some(self.helper("truncate_i64", std::slice::from_ref(x), Kind::Big)),
            Scalar::U64 => return Some(self.helper("truncate_u64", std::slice::from_ref(x), Kind::Big)),
            _ => return None,
        };
        let [low, end] = [low, end].map(|bound| self.constant(Scalar::F64, bound));
        let x = self.double(x);
        // A module's operand may be -0, which is no integer.
        let text = self.helper("truncate", &[x, low, end], Kind::Int);
        Some(if self.is_asm() { text.signed() } else { text.wrap(to) })
    }
}

/// A shift by an amount modulo 32.
fn shift(op: Op, x: &Text, by: &Text, scalar: Scalar) -> Text {
    let [x, by] = [x, by].map(|x| x.clone().bits());
    let part = |word| binary(word, binds::SHIFT, &x, &by, Kind::Signed);
    match op {
        Op::ShiftLeft => part("<<").integer(scalar),
        _ if scalar == Scalar::U32 => part(">>>").of_kind(Kind::Unsigned),
        _ => part(">>"),
    }
}

/// The negation of a comparison of ordered values.
fn opposite_of(word: &str) -> Option<&'static str> {
    let pairs = [("==", "!="), ("===", "!=="), ("<", ">="), ("<=", ">")];
    pairs.iter().find_map(|&(a, b)| if word == a { Some(b) } else { (word == b).then_some(a) })
}

/// Types of an op's operands and result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Types {
    /// The type of the first operand.
    pub(crate) operand: Scalar,
    /// That of the second one.
    pub(crate) second: Option<Scalar>,
    /// That of the result.
    pub(crate) result: Scalar,
    /// Whether the second operand is a constant other than 0.
    pub(crate) by_known: bool,
    /// Whether it is -1.
    pub(crate) by_minus_one: bool,
}

impl Types {
    /// Those of a node; `None` if an operand or its result is no scalar.
    pub(crate) fn of(module: &Module, body: &Body, node: Node) -> Option<Self> {
        let args = body.args(node);
        let scalar = |value: Value| match module.types[module.type_of(body, value)] {
            TypeKind::Scalar(scalar) => Some(scalar),
            _ => None,
        };
        let divisor = args.get(1).and_then(|v| v.as_const()).and_then(|c| module.consts.as_integer(&module.types, c));
        Some(Types {
            operand: scalar(*args.first()?)?,
            second: args.get(1).and_then(|&v| scalar(v)),
            result: scalar(body.result(node)?.into())?,
            by_known: divisor.is_some_and(|d| d != 0),
            by_minus_one: divisor == Some(-1),
        })
    }
}
