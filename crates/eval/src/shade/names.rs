//! Parts of variables by name: `light.position`, `weights[3]`.

use planish_ir::entity::{Type, Var};
use planish_ir::meaning::{Shape, convert};
use planish_ir::module::Module;
use planish_ir::types::{AddressSpace, MAX_TYPE_NESTING, Scalar, TypeKind};

use crate::evaluator::Evaluator;

/// A part of a variable that is a scalar, vector or matrix, or an array of them.
pub(crate) struct Leaf {
    pub(crate) var: Var,
    /// Full name.
    pub(crate) path: String,
    /// Name of the last member.
    pub(crate) name: String,
    /// Its first component in the variable.
    pub(crate) start: usize,
    pub(crate) scalar: Scalar,
    /// Number of components of an element.
    pub(crate) element: usize,
    /// Number of elements; 1 for other types.
    pub(crate) count: usize,
    /// Number of rows, if an element is a matrix.
    pub(crate) rows: Option<usize>,
}

/// Maximum number of elements of an array of structs that is split into parts.
const MOST_ELEMENTS: u32 = 1024;

/// All parts of a module's uniforms and push constants.
pub(crate) fn uniform_leaves(module: &Module) -> Vec<Leaf> {
    let spaces = [AddressSpace::Uniform, AddressSpace::PushConstant];
    let mut leaves = Vec::new();
    for (var, data) in module.vars.iter().filter(|(_, v)| spaces.contains(&v.space)) {
        collect(module, var, &data.name.text, &data.name.text, data.ty, 0, &mut leaves);
    }
    leaves
}

/// All parts of one variable.
pub(crate) fn leaves_of(module: &Module, var: Var) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    let data = &module.vars[var];
    collect(module, var, &data.name.text, &data.name.text, data.ty, 0, &mut leaves);
    leaves
}

/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn collect(module: &Module, var: Var, path: &str, name: &str, ty: Type, start: usize, leaves: &mut Vec<Leaf>) {
    let types = &module.types;
    let leaf = |inner: Type, count: usize| {
        let rows = match types[inner] {
            TypeKind::Matrix { rows, .. } => Some(rows.into()),
            _ => None,
        };
        Some(Leaf {
            var,
            path: path.to_string(),
            name: name.to_string(),
            start,
            scalar: types.scalar_of(inner)?,
            element: types.components(inner)?,
            count,
            rows,
        })
    };
    match &types[ty] {
        TypeKind::Struct(s) => {
            let mut at = start;
            for member in &s.members {
                let inner = if path.is_empty() { member.name.to_string() } else { format!("{path}.{}", member.name) };
                collect(module, var, &inner, &member.name, member.ty, at, leaves);
                at += crate::program::fixed_size(types, member.ty);
            }
        }
        TypeKind::Array { element, len } => {
            // Nested arrays of numbers are one flat array.
            let (mut inner, mut count) = (*element, *len as usize);
            while let TypeKind::Array { element, len } = types[inner] {
                count *= len as usize;
                inner = element;
            }
            if types.scalar_of(inner).is_some() {
                leaves.extend(leaf(inner, count));
                return;
            }
            let size = types.components(*element).unwrap_or(0);
            for i in 0..(*len).min(MOST_ELEMENTS) {
                collect(module, var, &format!("{path}[{i}]"), name, *element, start + i as usize * size, leaves);
            }
        }
        _ => leaves.extend(leaf(ty, 1)),
    }
}

/// The part with a name, and the index of the element in it.
///
/// Recursion: over the indices of the name, at most [`MAX_TYPE_NESTING`].
pub(crate) fn find<'l>(leaves: &'l [Leaf], name: &str) -> Option<(&'l Leaf, usize)> {
    if let Some(leaf) = leaves.iter().find(|l| l.path == name) {
        return Some((leaf, 0));
    }
    if name.matches('[').count() <= MAX_TYPE_NESTING as usize
        && let Some((array, index)) = name.strip_suffix(']').and_then(|n| n.rsplit_once('['))
        && let Ok(index) = index.parse::<usize>()
        && let Some((leaf, 0)) = find(leaves, array)
        && index < leaf.count
    {
        return Some((leaf, index));
    }
    // A member of a block by its own name, if unique.
    let mut own = leaves.iter().filter(|l| l.name == name);
    match (own.next(), own.next()) {
        (Some(leaf), None) => Some((leaf, 0)),
        _ => None,
    }
}

/// The bits of a number in a scalar type.
pub(crate) fn to_bits(x: f64, scalar: Scalar) -> u64 {
    convert(x.to_bits(), Scalar::F64, scalar)
}

/// Sets a part from element `element` on.
pub(crate) fn write(evaluator: &mut Evaluator<'_>, leaf: &Leaf, element: usize, value: &[f64]) {
    let start = leaf.start + element * leaf.element;
    let Some(words) = evaluator.machine().shared_mut(leaf.var) else { return };
    for (word, &x) in words.iter_mut().skip(start).zip(value) {
        *word = to_bits(x, leaf.scalar);
    }
}
