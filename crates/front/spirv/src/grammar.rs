//! The grammar of instructions: which words are results, ids and literals.

use std::sync::LazyLock;

use rspirv::grammar::{INSTRUCTION_TABLE, LogicalOperand, OperandKind, OperandQuantifier};
use spirv::{ImageOperands, MemoryAccess, Op};

use crate::words::text;

/// An instruction as the specification describes it.
struct Row {
    name: &'static str,
    has_type: bool,
    has_result: bool,
    operands: &'static [LogicalOperand],
}

/// By the number of the instruction.
static ROWS: LazyLock<Vec<Option<Row>>> = LazyLock::new(|| {
    let mut rows = Vec::new();
    for inst in INSTRUCTION_TABLE.iter() {
        let number = inst.opcode as usize;
        if rows.len() <= number {
            rows.resize_with(number + 1, || None);
        }
        let has = |kind: OperandKind| inst.operands.iter().any(|operand| operand.kind == kind);
        rows[number] = Some(Row {
            name: inst.opname,
            has_type: has(OperandKind::IdResultType),
            has_result: has(OperandKind::IdResult),
            operands: inst.operands,
        });
    }
    rows
});

fn row(op: Op) -> Option<&'static Row> {
    ROWS.get(op as usize).and_then(Option::as_ref)
}

/// Whether an instruction has a result type, and a result.
pub(crate) fn results(op: Op) -> (bool, bool) {
    row(op).map_or((true, true), |row| (row.has_type, row.has_result))
}

/// The name of an instruction, without `Op`.
pub(crate) fn name(op: Op) -> &'static str {
    row(op).map_or("", |row| row.name)
}

/// Whether an instruction declares a type.
pub(crate) fn is_type(op: Op) -> bool {
    row(op).is_some_and(|row| row.has_result && !row.has_type && row.name.starts_with("Type"))
}

/// The operands of an instruction after its result: whether each word is an id. `None` if they do not fit the grammar.
pub(crate) fn operands(op: Op, words: &[u32]) -> Option<Vec<(bool, u32)>> {
    let mut out = Vec::with_capacity(words.len());
    let mut rest = words;
    for operand in row(op)?.operands {
        match operand.quantifier {
            OperandQuantifier::One => take(operand.kind, &mut rest, &mut out)?,
            OperandQuantifier::ZeroOrOne if rest.is_empty() => {}
            OperandQuantifier::ZeroOrOne => take(operand.kind, &mut rest, &mut out)?,
            OperandQuantifier::ZeroOrMore => {
                while !rest.is_empty() {
                    take(operand.kind, &mut rest, &mut out)?;
                }
            }
        }
    }
    rest.is_empty().then_some(out)
}

/// Bits of memory operands that have an operand which is an id; that of `Aligned` is a literal.
const MEMORY_IDS: u32 = MemoryAccess::MAKE_POINTER_AVAILABLE.bits()
    | MemoryAccess::MAKE_POINTER_VISIBLE.bits()
    | MemoryAccess::ALIAS_SCOPE_INTEL_MASK.bits()
    | MemoryAccess::NO_ALIAS_INTEL_MASK.bits();

/// Operands of the bits of image operands, all of them ids.
const IMAGE_OPERANDS: [(ImageOperands, usize); 11] = [
    (ImageOperands::BIAS, 1),
    (ImageOperands::LOD, 1),
    (ImageOperands::GRAD, 2),
    (ImageOperands::CONST_OFFSET, 1),
    (ImageOperands::OFFSET, 1),
    (ImageOperands::CONST_OFFSETS, 1),
    (ImageOperands::SAMPLE, 1),
    (ImageOperands::MIN_LOD, 1),
    (ImageOperands::MAKE_TEXEL_AVAILABLE, 1),
    (ImageOperands::MAKE_TEXEL_VISIBLE, 1),
    (ImageOperands::OFFSETS, 1),
];

/// Moves words, each of which is an id or none is.
fn words(count: usize, is_id: bool, rest: &mut &[u32], out: &mut Vec<(bool, u32)>) -> Option<()> {
    let (first, others) = rest.split_at_checked(count)?;
    out.extend(first.iter().map(|&word| (is_id, word)));
    *rest = others;
    Some(())
}

/// Moves the words of one operand.
fn take(kind: OperandKind, rest: &mut &[u32], out: &mut Vec<(bool, u32)>) -> Option<()> {
    use OperandKind as K;
    match kind {
        K::IdResultType | K::IdResult => Some(()),
        K::IdRef | K::IdScope | K::IdMemorySemantics => words(1, true, rest, out),
        K::PairIdRefIdRef => words(2, true, rest, out),
        K::PairIdRefLiteralInteger => {
            words(1, true, rest, out)?;
            words(1, false, rest, out)
        }
        K::PairLiteralIntegerIdRef => {
            words(1, false, rest, out)?;
            words(1, true, rest, out)
        }
        K::LiteralString => words(text(rest).1, false, rest, out),
        K::LiteralContextDependentNumber => words(rest.len(), false, rest, out),
        K::ImageOperands => {
            let mask = *rest.first()?;
            let count = IMAGE_OPERANDS.iter().filter(|(bit, _)| mask & bit.bits() != 0).map(|(_, count)| count).sum();
            words(1, false, rest, out)?;
            words(count, true, rest, out)
        }
        K::MemoryAccess => {
            let mask = *rest.first()?;
            let is_aligned = mask & MemoryAccess::ALIGNED.bits() != 0;
            words(1 + usize::from(is_aligned), false, rest, out)?;
            words((mask & MEMORY_IDS).count_ones() as usize, true, rest, out)
        }
        K::TensorAddressingOperands => {
            let mask = *rest.first()?;
            words(1, false, rest, out)?;
            words(mask.count_ones() as usize, true, rest, out)
        }
        // A number of an enumeration, or bits without operands.
        _ => words(1, false, rest, out),
    }
}
