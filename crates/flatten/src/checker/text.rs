//! Values and nodes as text.

use planish_ir::constant::ConstValue;
use planish_ir::entity::{Const, Node, Value, ValueKind};
use planish_ir::meaning::{integer_value, shortest_half};
use planish_ir::ops::{ImmKind, Op};
use planish_ir::types::{Scalar, TypeKind};

use super::view::View;

/// Maximum depth of operands that are written out; others are shown by their number.
const MAX_DEPTH: u32 = 2;

impl View<'_> {
    /// A node with its result: `%4 = %3 * 1.0`. The numbers are those of the text form.
    pub(super) fn node_text(&self, node: Node) -> String {
        match self.body.result(node) {
            Some(result) => format!("%{} = {}", self.number_of(result), self.show_node(node, 0)),
            None => self.show_node(node, 0),
        }
    }

    /// The expression of a node, with those of its operands: `-%1 + %2`.
    /// Recursion: `depth` levels of operands, at most [`MAX_DEPTH`].
    pub(super) fn show_node(&self, node: Node, depth: u32) -> String {
        let expr = self.expr(node);
        let operand = |i: usize| self.show_to(expr.args[i], depth);
        if let Some(sign) = infix(expr.op) {
            return format!("{} {sign} {}", operand(0), operand(1));
        }
        let imm = match expr.op.info().imm {
            ImmKind::Index => format!("[{}]", expr.imm.as_index()),
            ImmKind::Lanes => format!("[{:?}]", expr.imm.as_lanes()),
            _ => String::new(),
        };
        match expr.op {
            Op::Negate => prefixed('-', &operand(0)),
            Op::LogicalNot => prefixed('!', &operand(0)),
            Op::BitwiseNot => prefixed('~', &operand(0)),
            Op::ExtractVectorComponent => format!("{}.{}", operand(0), lane(expr.imm.as_index() as u8)),
            Op::ExtractVectorComponentMulti => format!("{}.{:?}", operand(0), expr.imm.as_lanes()),
            _ => {
                let name = match expr.op {
                    Op::ConstructVectorFromScalar | Op::ConstructVectorFromMultiple => "vector",
                    op => op.text(),
                };
                let args: Vec<String> = (0..expr.args.len()).map(operand).collect();
                format!("{name}{imm}({})", args.join(", "))
            }
        }
    }

    /// A value: its number, or the constant.
    pub(super) fn show(&self, value: Value) -> String {
        self.show_to(value, 0)
    }

    /// The expression of a value's node, for a replaced expression.
    pub(super) fn show_deep(&self, node: Node) -> String {
        self.show_node(node, MAX_DEPTH)
    }

    fn show_to(&self, value: Value, depth: u32) -> String {
        match value.kind() {
            ValueKind::Local(local) => match self.body.node_of(value) {
                Some(node) if depth > 0 && self.body.node(node).op.is_pure() => {
                    let text = self.show_node(node, depth - 1);
                    if text.contains(' ') && !text.ends_with(')') || infix(self.expr(node).op).is_some() {
                        format!("({text})")
                    } else {
                        text
                    }
                }
                _ => format!("%{}", self.number_of(local)),
            },
            ValueKind::Const(constant) => self.show_const(constant),
            ValueKind::Var(var) => format!("@{}", self.module.vars[var].name.text),
            ValueKind::Func(func) => format!("@{}", self.module.funcs[func].name.text),
        }
    }

    /// Recursion: over the type of the constant, at most `MAX_TYPE_NESTING` levels.
    fn show_const(&self, constant: Const) -> String {
        let data = &self.module.consts[constant];
        match (&data.value, &self.module.types[data.ty]) {
            (&ConstValue::Bits(bits), &TypeKind::Scalar(scalar)) => match scalar {
                Scalar::Bool => (bits != 0).to_string(),
                Scalar::F16 => format!("{:?}", shortest_half(bits as u16)),
                Scalar::F32 => format!("{:?}", f32::from_bits(bits as u32)),
                Scalar::F64 => format!("{:?}", f64::from_bits(bits)),
                integer => integer_value(integer, bits).to_string(),
            },
            (ConstValue::Composite(parts), _) if parts.len() <= 4 => {
                let parts: Vec<String> = parts.iter().map(|&p| self.show_const(p)).collect();
                format!("({})", parts.join(", "))
            }
            _ => "(…)".to_owned(),
        }
    }
}

/// An operand after a sign, which is never doubled.
fn prefixed(sign: char, operand: &str) -> String {
    if operand.starts_with(sign) { format!("{sign}({operand})") } else { format!("{sign}{operand}") }
}

/// The name of a component.
pub(super) fn lane(index: u8) -> char {
    ['x', 'y', 'z', 'w'][usize::from(index.min(3))]
}

fn infix(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Add => "+",
        Op::Subtract => "-",
        Op::Multiply => "*",
        Op::Divide => "/",
        Op::Remainder => "%",
        Op::LogicalAnd => "&&",
        Op::LogicalOr => "||",
        Op::LogicalXor => "^^",
        Op::BitwiseAnd => "&",
        Op::BitwiseOr => "|",
        Op::BitwiseXor => "^",
        Op::ShiftLeft => "<<",
        Op::ShiftRight => ">>",
        Op::Equal => "==",
        Op::NotEqual => "!=",
        Op::LessThan => "<",
        Op::LessThanEqual => "<=",
        Op::GreaterThan => ">",
        Op::GreaterThanEqual => ">=",
        _ => return None,
    })
}
