//! Functions of newer versions for targets that lack them, as source text that is written into the output.

use planish_ir::ops::Op;
use planish_ir::types::{Scalar, TypeKind};

/// A function that the output brings along.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Helper {
    Trunc,
    RoundEven,
    IsNan,
    IsInf,
    /// An access by an address of a buffer that is a multiple of the number.
    Reference(Op, u32),
}

impl Helper {
    /// The helper for an op, if there is one.
    pub(crate) fn for_op(op: Op) -> Option<Helper> {
        Some(match op {
            Op::Trunc => Helper::Trunc,
            Op::Round | Op::RoundEven => Helper::RoundEven,
            Op::IsNan => Helper::IsNan,
            Op::IsInf => Helper::IsInf,
            _ => return None,
        })
    }

    /// The preferred name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Helper::Reference(op, _) => op.text(),
            Helper::Trunc => "truncate",
            Helper::RoundEven => "round_even",
            Helper::IsNan => "is_nan",
            Helper::IsInf => "is_infinite",
        }
    }

    /// Whether it has a form for an operand of this type.
    pub(crate) fn takes(self, kind: &TypeKind) -> bool {
        match self {
            Helper::Reference(..) => true,
            Helper::IsNan | Helper::IsInf => matches!(kind, TypeKind::Scalar(Scalar::F32)),
            _ => matches!(kind, TypeKind::Scalar(Scalar::F32) | TypeKind::Vector(Scalar::F32, _)),
        }
    }

    /// The definition, as lines. `ty` is the operand's type as GLSL writes it, of one component or several.
    pub(crate) fn define(self, name: &str, ty: &str, is_scalar: bool) -> Vec<String> {
        let body: Vec<String> = match self {
            Helper::Reference(op, align) => return reference_lines(op, align, name, ty),
            Helper::Trunc => vec!["return sign(x) * floor(abs(x));".into()],
            Helper::RoundEven => {
                let mut lines = vec![format!("{ty} low = floor(x);"), format!("{ty} f = x - low;")];
                // Halfway between two integers the even one is next.
                if is_scalar {
                    lines.push("return f < 0.5 || (f == 0.5 && mod(low, 2.0) == 0.0) ? low : low + 1.0;".into());
                } else {
                    let down = format!("step(f, {ty}(0.5)) * step(0.5, f) * (1.0 - odd)");
                    lines.push(format!("{ty} odd = mod(low, 2.0);"));
                    lines.push(format!("return low + step(0.5, f) - {down};"));
                }
                lines
            }
            Helper::IsNan => vec!["return !(x < 0.0 || x >= 0.0);".into()],
            Helper::IsInf => vec!["return x != 0.0 && x * 2.0 == x;".into()],
        };
        let result = if matches!(self, Helper::IsNan | Helper::IsInf) { "bool" } else { ty };
        let mut lines = vec![format!("{result} {name}({ty} x) {{")];
        lines.extend(body.into_iter().map(|l| format!("    {l}")));
        lines.push("}".into());
        lines
    }
}

/// A block with a value of a type, and the function that accesses it.
fn reference_lines(op: Op, align: u32, name: &str, ty: &str) -> Vec<String> {
    let block = format!("planish_{name}");
    let place = format!("{block}(address).value");
    let layout = format!("layout(buffer_reference, std430, buffer_reference_align = {align})");
    let atomic = |function: &str| {
        let head = format!("{ty} {name}(uint64_t address, {ty} value) {{");
        vec![head, format!("    return {function}({place}, value);")]
    };
    let function = match op {
        Op::ReferenceStore => {
            vec![format!("void {name}(uint64_t address, {ty} value) {{"), format!("    {place} = value;")]
        }
        Op::ReferenceAtomicAdd => atomic("atomicAdd"),
        Op::ReferenceAtomicMin => atomic("atomicMin"),
        Op::ReferenceAtomicMax => atomic("atomicMax"),
        Op::ReferenceAtomicAnd => atomic("atomicAnd"),
        Op::ReferenceAtomicOr => atomic("atomicOr"),
        Op::ReferenceAtomicXor => atomic("atomicXor"),
        Op::ReferenceAtomicExchange => atomic("atomicExchange"),
        Op::ReferenceAtomicCompareExchange => vec![
            format!("{ty} {name}(uint64_t address, {ty} compare, {ty} value) {{"),
            format!("    return atomicCompSwap({place}, compare, value);"),
        ],
        _ => vec![format!("{ty} {name}(uint64_t address) {{"), format!("    return {place};")],
    };
    let mut lines = vec![format!("{layout} buffer {block} {{"), format!("    {ty} value;"), "};".into()];
    lines.extend(function);
    lines.push("}".into());
    lines
}
