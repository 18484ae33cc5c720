//! The bytes of uniforms and of storage blocks.

use planish_eval::shade::value_to_bytes;
use planish_interface::{UniformBlock, block_row_major, block_rule, without_opaque};
use planish_ir::entity::{Type, Var};
use planish_ir::layout::Rule;
use planish_ir::meaning::Shape;
use planish_ir::module::Module;
use planish_ir::types::{TypeKind, Types};

/// Components of variables.
pub(super) type Words = [(Var, Vec<u64>)];

fn words_of(words: &Words, var: Var) -> &[u64] {
    words.iter().find(|(known, _)| *known == var).map_or(&[], |(_, words)| words)
}

/// The block that loose uniforms are gathered in; `None` if one of them is no number.
pub(super) fn loose(module: &Module, block: &UniformBlock, words: &Words) -> Option<Vec<u8>> {
    let mut bytes = vec![0; block.size as usize];
    let mut types = module.types.clone();
    for member in &block.members {
        let data = &module.vars[member.var];
        let mut own = vec![];
        numbers(&types, data.ty, &mut words_of(words, member.var).iter().copied(), &mut own);
        let ty = without_opaque(&mut types, data.ty)?;
        let (start, size) = (member.offset as usize, member.size as usize);
        let value = value_to_bytes(&types, ty, (Rule::Std140, block_row_major(data)), &own, size)?;
        bytes.get_mut(start..start + size)?.copy_from_slice(&value);
    }
    Some(bytes)
}

/// An element of a variable that is a block or an array of blocks, in `len` bytes.
pub(super) fn block(module: &Module, var: Var, ty: Type, index: usize, words: &Words, len: usize) -> Option<Vec<u8>> {
    let data = &module.vars[var];
    let words = words_of(words, var);
    // Of an unsized array at the end, all components are the one block's.
    let own = match module.types.components(ty) {
        Some(size) if index > 0 => words.get(index * size..)?,
        _ => words,
    };
    value_to_bytes(&module.types, ty, (block_rule(data), block_row_major(data)), own, len)
}

/// The components of a type that are not handles of textures, from those of all.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn numbers(types: &Types, ty: Type, words: &mut dyn Iterator<Item = u64>, out: &mut Vec<u64>) {
    match &types[ty] {
        TypeKind::Image(_) | TypeKind::Sampler { .. } => drop(words.next()),
        TypeKind::Array { element, len } => (0..*len).for_each(|_| numbers(types, *element, words, out)),
        TypeKind::Struct(s) => s.members.iter().for_each(|member| numbers(types, member.ty, words, out)),
        _ => out.extend(words.take(types.components(ty).unwrap_or(0))),
    }
}
