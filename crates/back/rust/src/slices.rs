//! Slices of staged functions: each is a parameter `slice_N` of the function of the program, and its elements are read and written through helpers
//! that check the index.

use planish_back_text::tree::{Expr, ExprKind, Infix};
use planish_ir::entity::{Func, Memory, Node, Value};
use planish_ir::function::TrapKind;
use planish_ir::host::{HostNumber, SliceParam};
use planish_ir::module::Module;
use planish_ir::ops::{MemArg, Op};
use planish_ir::types::Scalar;

use crate::dialect::Lower;
use crate::ops::cast;

/// The name of a slice in the function.
pub(crate) fn name(memory: Memory) -> String {
    format!("slice_{}", memory.as_u32())
}

/// Whether a word is the name of a slice.
pub(crate) fn is_name(word: &str) -> bool {
    word.strip_prefix("slice_").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
}

/// The slices that a function reads or writes.
pub(crate) fn of_function<'s>(module: &Module, slices: &'s [SliceParam], func: Func) -> Vec<&'s SliceParam> {
    let Some(body) = &module.funcs[func].body else { return vec![] };
    let is_used = |slice: &&SliceParam| {
        slice.func == func
            && body.nodes().any(|(_, data)| {
                matches!(data.op, Op::MemoryLoad | Op::MemoryStore) && data.imm.as_mem_arg().memory == slice.memory
            })
    };
    slices.iter().filter(is_used).collect()
}

/// The type of a slice's reference, of single numbers.
pub(crate) fn type_text(slice: &SliceParam) -> String {
    format!("&{}[{}]", if slice.is_written { "mut " } else { "" }, slice.number.name())
}

/// Whether a node accesses a slice.
pub(crate) fn is_access(slices: &[SliceParam], op: Op, imm: planish_ir::ops::Imm) -> bool {
    matches!(op, Op::MemoryLoad | Op::MemoryStore) && slices.iter().any(|s| s.memory == imm.as_mem_arg().memory)
}

/// The slice that a node accesses, if what it reads or writes is one of its numbers.
fn accessed(l: &Lower<'_, '_>, node: Node, value: Value) -> Option<SliceParam> {
    let arg = l.body.node(node).imm.as_mem_arg();
    let slice = *l.w.slices.iter().find(|slice| slice.memory == arg.memory)?;
    let (number, scalar) = (slice.number, l.w.scalar(l.type_of(value))?);
    let is_integer = scalar.is_integer() && number.scalar().is_integer() && scalar.bits() == number.scalar().bits();
    let is_load = l.body.node(node).op == Op::MemoryLoad;
    // A store may leave out upper bits, a load has to know their meaning.
    let has_bits = !is_load || arg.signed == number.extends_sign() || arg.width.bytes() * 8 == scalar.bits();
    let is_same = scalar == number.scalar() || is_integer;
    (slice.func == l.func && arg.width == number.width() && is_same && has_bits).then_some(slice)
}

/// The index of the number at an address, which is a multiple of its size.
fn index(l: &mut Lower<'_, '_>, address: Value, arg: MemArg) -> Option<Expr> {
    let width = arg.width.bytes();
    let known = address.as_const().and_then(|c| l.w.module.consts.as_bits(c));
    if let Some(at) = known {
        let at = at + u64::from(arg.offset);
        let index = u32::try_from(at / u64::from(width)).ok()?;
        return at.is_multiple_of(width.into()).then(|| l.w.tree.add(ExprKind::Uint(index)));
    }
    if !arg.offset.is_multiple_of(width) {
        return None;
    }
    let e = l.operand(address);
    let is_signed = l.w.scalar(l.type_of(address)) == Some(Scalar::I32);
    let e = if is_signed { cast(l, Scalar::U32, e) } else { e };
    let at = match width.trailing_zeros() {
        0 => e,
        shift => {
            let shift = l.w.tree.add(ExprKind::Uint(shift));
            l.w.tree.infix(Infix::Shr, e, shift)
        }
    };
    let offset = arg.offset / width;
    if offset == 0 {
        return Some(at);
    }
    // The greatest index is no element's.
    let offset = l.w.tree.add(ExprKind::Uint(offset));
    Some(l.w.method("saturating_add", at, &[offset]))
}

/// The value of an element.
pub(crate) fn load(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let result = l.body.result(node)?;
    let slice = accessed(l, node, result.into())?;
    let arg = l.body.node(node).imm.as_mem_arg();
    let at = index(l, l.body.args(node)[0], arg)?;
    let elements = l.w.fixed(&name(slice.memory));
    let value = if arg.in_bounds {
        l.w.helper("element", &[elements, at])
    } else {
        l.w.traps.insert(TrapKind::OutOfBoundsMemory);
        let call = l.w.helper("checked_element", &[elements, at]);
        l.w.tree.add(ExprKind::Postfix("?", call))
    };
    let scalar = l.w.scalar(l.body.local_type(result))?;
    Some(if scalar.name() == slice.number.name() { value } else { cast(l, scalar, value) })
}

/// Writes an element.
pub(crate) fn store(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let [address, value] = *l.body.args(node) else { return None };
    let slice = accessed(l, node, value)?;
    let arg = l.body.node(node).imm.as_mem_arg();
    let at = index(l, address, arg)?;
    let e = l.operand(value);
    let scalar = l.w.scalar(l.type_of(value))?;
    let narrow = match slice.number {
        HostNumber::I8 => Some("low_i8"),
        HostNumber::U8 => Some("low_u8"),
        HostNumber::I16 => Some("low_i16"),
        HostNumber::U16 => Some("low_u16"),
        _ => None,
    };
    let e = match narrow {
        Some(helper) => {
            let word = if scalar == Scalar::U32 { e } else { cast(l, Scalar::U32, e) };
            l.w.helper(helper, &[word])
        }
        None if scalar == slice.number.scalar() => e,
        None => cast(l, slice.number.scalar(), e),
    };
    let elements = l.w.fixed(&name(slice.memory));
    if arg.in_bounds {
        return Some(l.w.helper("set_element", &[elements, at, e]));
    }
    l.w.traps.insert(TrapKind::OutOfBoundsMemory);
    let call = l.w.helper("checked_set_element", &[elements, at, e]);
    Some(l.w.tree.add(ExprKind::Postfix("?", call)))
}
