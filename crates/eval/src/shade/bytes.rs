//! Blocks as bytes: contents of buffers, by the layout rules of [`planish_ir::layout`].

use planish_ir::decoration::Decoration;
use planish_ir::entity::{Type, Var};
use planish_ir::layout::{Layouts, Rule, is_row_major, scalar_size};
use planish_ir::meaning::Shape;
use planish_ir::module::Module;
use planish_ir::types::{TypeKind, Types};

/// Offset and width of a scalar in bytes.
type ScalarField = (u64, u32);

/// The layout rule of a block variable: its own, else std140 (std430 for storage).
pub(super) fn rule(module: &Module, var: Var) -> Rule {
    let data = &module.vars[var];
    match data.decorations.block_layout() {
        Some(layout) => layout.into(),
        None if data.space == planish_ir::types::AddressSpace::Storage => Rule::Std430,
        None => Rule::Std140,
    }
}

/// Position of each component of a block; a runtime-sized array has as many elements as fit into `len` bytes.
fn scalar_fields(module: &Module, var: Var, len: u64) -> Option<Vec<ScalarField>> {
    let data = &module.vars[var];
    let mut layouts = Layouts::new(rule(module, var));
    let mut out = Vec::new();
    let row_major = is_row_major(&data.decorations, false);
    walk(&module.types, &mut layouts, data.ty, 0, row_major, len, &mut out)?;
    Some(out)
}

/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn walk(
    types: &Types,
    layouts: &mut Layouts,
    ty: Type,
    at: u64,
    row_major: bool,
    end: u64,
    out: &mut Vec<ScalarField>,
) -> Option<()> {
    let layout = layouts.get(types, ty, row_major).ok()?;
    let stride = u64::from(layout.stride);
    match &types[ty] {
        TypeKind::Scalar(s) => out.push((at, scalar_size(*s))),
        TypeKind::Vector(s, n) => {
            let width = scalar_size(*s);
            out.extend((0..u64::from(*n)).map(|i| (at + i * u64::from(width), width)));
        }
        TypeKind::Matrix { scalar, columns, rows } => {
            let width = scalar_size(*scalar);
            for column in 0..u64::from(*columns) {
                for row in 0..u64::from(*rows) {
                    let (major, minor) = if row_major { (row, column) } else { (column, row) };
                    out.push((at + major * stride + minor * u64::from(width), width));
                }
            }
        }
        TypeKind::Array { element, len } => {
            for i in 0..u64::from(*len) {
                walk(types, layouts, *element, at + i * stride, row_major, end, out)?;
            }
        }
        TypeKind::RuntimeArray { element } => {
            let count = end.saturating_sub(at).checked_div(stride).unwrap_or(0);
            for i in 0..count {
                walk(types, layouts, *element, at + i * stride, row_major, end, out)?;
            }
        }
        TypeKind::Struct(s) => {
            for (member, place) in s.members.iter().zip(&layout.members) {
                walk(types, layouts, member.ty, at + u64::from(place.offset), place.row_major, end, out)?;
            }
        }
        _ => return None,
    }
    Some(())
}

/// The components of a block from its bytes, padded with zeros. `None` if the variable contains other types than
/// numbers and booleans.
pub fn block_from_bytes(module: &Module, var: Var, bytes: &[u8]) -> Option<Vec<u64>> {
    let scalar_fields = scalar_fields(module, var, bytes.len() as u64)?;
    let words = scalar_fields.into_iter().map(|(at, width)| {
        let mut word = [0; 8];
        for (i, byte) in word.iter_mut().enumerate().take(width as usize) {
            *byte = bytes.get(at as usize + i).copied().unwrap_or(0);
        }
        u64::from_le_bytes(word)
    });
    let mut words: Vec<u64> = words.collect();
    booleans(module, var, &mut words);
    Some(words)
}

/// Normalizes booleans: any nonzero word is true.
fn booleans(module: &Module, var: Var, words: &mut [u64]) {
    let types = &module.types;
    let data = &module.vars[var];
    debug_assert!(!data.decorations.has(Decoration::Yuv));
    let mut at = 0;
    types.for_each_run(data.ty, &mut |scalar, n| {
        if scalar == planish_ir::types::Scalar::Bool {
            for word in words.iter_mut().skip(at).take(n) {
                *word = u64::from(*word != 0);
            }
        }
        at += n;
    });
}

/// Number of bytes of a block with `components` components, which determine the length of an unsized array at its end.
pub fn block_len(module: &Module, var: Var, components: usize) -> Option<usize> {
    let (types, data) = (&module.types, &module.vars[var]);
    let row_major = is_row_major(&data.decorations, false);
    let layout = Layouts::new(rule(module, var)).get(types, data.ty, row_major).ok()?;
    // The block itself may be an unsized array, or its last member.
    let (tail, offset, stride) = match (&types[data.ty], types.as_struct(data.ty).and_then(|s| s.members.last())) {
        (_, Some(last)) => (last.ty, layout.members.last()?.offset, layout.members.last()?.stride),
        _ => (data.ty, 0, layout.stride),
    };
    let TypeKind::RuntimeArray { element } = types[tail] else { return Some(layout.size as usize) };
    let fixed = crate::program::fixed_size(types, data.ty);
    let count = components.checked_sub(fixed)?.checked_div(types.components(element)?)?;
    Some(offset as usize + count * stride as usize)
}

/// The bytes of a block's components: inverse of [`block_from_bytes`], zero padding, `len` bytes.
pub fn block_to_bytes(module: &Module, var: Var, words: &[u64], len: usize) -> Option<Vec<u8>> {
    let data = &module.vars[var];
    let row_major = is_row_major(&data.decorations, false);
    value_to_bytes(&module.types, data.ty, (rule(module, var), row_major), words, len)
}

/// The bytes of a value's components by a rule, with the order of its matrices; zero padding, `len` bytes. `None` if the type contains
/// others than numbers and booleans.
pub fn value_to_bytes(
    types: &Types,
    ty: Type,
    (rule, row_major): (Rule, bool),
    words: &[u64],
    len: usize,
) -> Option<Vec<u8>> {
    let mut scalar_fields = Vec::new();
    walk(types, &mut Layouts::new(rule), ty, 0, row_major, len as u64, &mut scalar_fields)?;
    let mut bytes = vec![0; len];
    for ((at, width), word) in scalar_fields.into_iter().zip(words) {
        let from = &word.to_le_bytes()[..width as usize];
        if let Some(to) = bytes.get_mut(at as usize..at as usize + width as usize) {
            to.copy_from_slice(from);
        }
    }
    Some(bytes)
}
