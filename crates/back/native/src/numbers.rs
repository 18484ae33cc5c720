//! NaNs: arithmetic on floats has one canonical NaN, a processor has several.
//!
//! The results of arithmetic stay as the processor makes them (*raw*), and become canonical when they are read by something
//! that sees their bits: a store, a call, a return. Arithmetic, comparisons and conversions read the number alone
//! ([`Builder::number`]); everything else reads by [`Builder::arg`].
//!
//! ```text
//! loop (sum) { sum' = add sum, x; … }      no comparison in the loop
//! memory_store p, sum                      sum is NaN ? canonical NaN : sum
//! ```
//!
//! A block input may be raw only if no argument of its edges has bits to keep (as a load has): a fixpoint, before the
//! function is written. The comparison branches to a cold block, which costs less than a selection: it takes no register for the
//! NaN, and nothing waits for it.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use planish_ir::meaning::{NAN_F32, NAN_F64};
use planish_ir::ops::Op;
use planish_machine::code::{Arg, ArgKind, Code, Node, What};
use planish_machine::isa::Kind;

use crate::body::{Builder, outs_of};
use crate::masks::retract;

/// The values that may be raw, by value. Empty if there are no floats.
pub(crate) fn raw(code: &Code) -> Vec<bool> {
    let mut numeric = numeric(code);
    // Of these none is a NaN that is not canonical.
    let exact = |node: &&Node| {
        let converts = node.op == Op::ConstructScalarFromScalar && !node.operand.is_float();
        node.what == What::Constant || node.what == What::Operation && converts
    };
    if !numeric.is_empty() {
        code.nodes.iter().filter(exact).for_each(|node| numeric[node.outs as usize] = false);
    }
    numeric
}

/// Whether any NaN in a value means the canonical one, by value. Empty if there are no floats.
fn numeric(code: &Code) -> Vec<bool> {
    let is_float = |v: u32| code.values[v as usize].kind.is_float();
    if !(0..code.values.len() as u32).any(is_float) {
        return Vec::new();
    }
    let mut numeric = vec![false; code.values.len()];
    for node in &code.nodes {
        let merges = matches!(node.what, What::Label(_) | What::Loop { .. });
        if merges || node.what == What::Operation && (computes(node) || node.op == Op::Select) {
            outs_of(node).for_each(|v| numeric[v as usize] = is_float(v));
        } else if node.what == What::Constant {
            numeric[node.outs as usize] = has_no_bits(code, &numeric, code.args_of(node)[0], node.outs);
        }
    }
    let choices = choices(code, &numeric);
    // A value is numeric until one that it may be is found not to be.
    retract(&mut numeric, &choices, |numeric, arg, v| has_no_bits(code, numeric, arg, v));
    numeric
}

/// The arguments of edges and selections that may become a numeric value, with that value.
fn choices(code: &Code, numeric: &[bool]) -> Vec<(Arg, u32)> {
    let mut choices = Vec::new();
    let mut add = |arg: Arg, v: u32| {
        if numeric[v as usize] {
            choices.push((arg, v));
        }
    };
    for node in &code.nodes {
        match node.what {
            What::Label(label) | What::Loop { label, .. } => {
                for edge in code.edges_to(label) {
                    outs_of(node).zip(code.edge_args(edge)).for_each(|(v, &arg)| add(arg, v));
                }
            }
            What::Operation if node.op == Op::Select => {
                code.args_of(node)[1..].iter().for_each(|&arg| add(arg, node.outs));
            }
            _ => {}
        }
    }
    choices
}

/// Whether a NaN of an argument that becomes value `v` means the canonical one.
fn has_no_bits(code: &Code, numeric: &[bool], arg: Arg, v: u32) -> bool {
    let kind = code.values[v as usize].kind;
    match arg.kind() {
        ArgKind::Value(arg) => numeric[arg as usize] && code.values[arg as usize].kind == kind,
        ArgKind::Const(c) => match (kind, code.bits(c)) {
            (Kind::F32, bits) => bits as u32 == NAN_F32 || !f32::from_bits(bits as u32).is_nan(),
            (Kind::F64, bits) => bits as u64 == NAN_F64 || !f64::from_bits(bits as u64).is_nan(),
            _ => false,
        },
        _ => false,
    }
}

/// Whether the result of an operation is computed, not chosen or moved.
fn computes(node: &Node) -> bool {
    use Op::*;
    match node.op {
        Add
        | Subtract
        | Multiply
        | Divide
        | Sqrt
        | Floor
        | Ceil
        | Trunc
        | Round
        | RoundEven
        | Min
        | Max
        | Minimum
        | Maximum
        | Clamp
        | MultiplyAdd
        | ConstructScalarFromScalar => node.result.is_float(),
        _ => false,
    }
}

impl Builder<'_, '_> {
    /// An argument whose number alone is read.
    pub(crate) fn number(&mut self, arg: Arg, ty: Type) -> Value {
        let Some(v) = arg.as_value().filter(|v| !self.canonical.contains_key(v)) else { return self.arg(arg, ty) };
        let value = self.value_of(v);
        // The list reads a float as an integer, too: that sees its bits.
        if self.b.func.dfg.value_type(value) == ty { value } else { self.arg(arg, ty) }
    }

    /// An argument that becomes value `v`, one of several that it may be.
    pub(crate) fn chosen(&mut self, arg: Arg, v: u32, ty: Type) -> Value {
        if self.raw(v) || self.nodes.is_only_number(v) { self.number(arg, ty) } else { self.arg(arg, ty) }
    }

    /// Whether a value may have a NaN that is not canonical and yet means the canonical one.
    pub(crate) fn raw(&self, v: u32) -> bool {
        self.raw.get(v as usize) == Some(&true)
    }

    /// Whether an argument is a raw value that is not canonical yet, and read as what it is.
    pub(crate) fn is_raw_here(&self, arg: Arg, ty: Type) -> bool {
        let is_raw = |v: &u32| self.raw(*v) && !self.canonical.contains_key(v);
        arg.as_value().filter(is_raw).is_some_and(|v| self.b.func.dfg.value_type(self.value_of(v)) == ty)
    }

    /// The choice of one of two values with its canonical NaN, if that one is raw. What is not chosen may well be a NaN, since it may
    /// have been computed in vain: it is not asked, so that the branch is hardly ever taken.
    pub(crate) fn canonical_choice(&mut self, condition: Value, chosen: Value, arms: [(Value, bool); 2]) -> Value {
        if arms.iter().all(|(_, raw)| !raw) {
            return chosen;
        }
        self.unless_nan(chosen, |builder, nan| {
            let [x, y] = arms.map(|(value, raw)| if raw { nan } else { value });
            builder.b.ins().select(condition, x, y)
        })
    }

    /// A value, or if it is a NaN what `otherwise` makes of the canonical one, in a cold block.
    fn unless_nan(&mut self, value: Value, otherwise: impl FnOnce(&mut Self, Value) -> Value) -> Value {
        let ty = self.b.func.dfg.value_type(value);
        let (cold, next) = (self.b.create_block(), self.b.create_block());
        let result = self.b.append_block_param(next, ty);
        self.b.set_cold_block(cold);
        let is_nan = self.b.ins().fcmp(FloatCC::Unordered, value, value);
        self.b.ins().brif(is_nan, cold, &[], next, &[value.into()]);
        self.b.switch_to_block(cold);
        let nan = if ty == types::F32 { u128::from(NAN_F32) } else { u128::from(NAN_F64) };
        let nan = self.constant(nan, ty);
        let nan = otherwise(self, nan);
        self.b.ins().jump(next, &[nan.into()]);
        self.b.switch_to_block(next);
        result
    }

    /// A raw value with its canonical NaN.
    pub(crate) fn canonical(&mut self, v: u32, value: Value) -> Value {
        if let Some(&found) = self.canonical.get(&v) {
            return found;
        }
        let result = self.unless_nan(value, |_, nan| nan);
        self.canonical.insert(v, result);
        result
    }
}
