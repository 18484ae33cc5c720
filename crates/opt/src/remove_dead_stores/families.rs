//! Places all of whose parts are places, too: when every part will be overwritten, so will the whole.
//!
//! ```text
//! store @s, %0              dead: both members are written before anything is read
//! store @s.a, %1
//! store @s.b.x, %2          @s.b has no store of its own, but its components have; it becomes a place
//! store @s.b.y, %3
//! ```

use planish_ir::entity::Type;
use planish_ir::types::{TypeKind, Types};
use rustc_hash::FxHashSet;

use super::Place;

/// The type of the content at a place.
#[derive(Clone, Copy)]
pub(super) enum Content {
    Of(Type),
    /// A vector of this many components: a matrix's column, whose type need not exist.
    Column(u8),
    Component,
}

impl Content {
    /// The number of parts; 0 if it has none, or not a fixed number.
    pub(super) fn parts(self, types: &Types) -> u32 {
        match self {
            Content::Of(ty) => types.part_count(ty).unwrap_or(0),
            Content::Column(size) => size.into(),
            Content::Component => 0,
        }
    }

    /// One of its parts.
    pub(super) fn part(self, types: &Types, index: u64) -> Content {
        let Content::Of(ty) = self else { return Content::Component };
        match &types[ty] {
            TypeKind::Matrix { rows, .. } => Content::Column(*rows),
            TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } => Content::Of(*element),
            TypeKind::Struct(data) => Content::Of(data.members[index as usize].ty),
            _ => Content::Component,
        }
    }
}

/// Whether everything at a place is at parts of it that are among `known`; if so, the parts in between that are not are in `new`.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
pub(super) fn is_covered(
    types: &Types,
    place: &Place,
    content: Content,
    known: &FxHashSet<Place>,
    new: &mut Vec<Place>,
) -> bool {
    let parts = content.parts(types);
    let part = |index: u32| {
        let mut part = place.clone();
        part.steps.push(index.into());
        part
    };
    parts > 0
        && (0..parts).all(|index| {
            let part = part(index);
            if known.contains(&part) {
                return true;
            }
            let covered = is_covered(types, &part, content.part(types, index.into()), known, new);
            if covered {
                new.push(part);
            }
            covered
        })
}

/// Of up to 64 places: those that have a family among them, each as a bit, with the bits of its parts; the deepest first.
pub(super) fn find(places: &[Place], parts: impl Fn(&Place) -> u32) -> Vec<(u64, u64)> {
    let mut families: Vec<(usize, u64, u64)> = Vec::new();
    for (i, whole) in places.iter().enumerate().filter(|(_, p)| p.pointer.is_none()) {
        let depth = whole.steps.len();
        let is_part = |p: &Place| p.pointer.is_none() && p.steps.len() == depth + 1 && whole.covers(p);
        let mask = places.iter().enumerate().filter(|(_, p)| is_part(p)).fold(0, |bits, (j, _)| bits | 1 << j);
        if mask != 0 && u64::count_ones(mask) == parts(whole) {
            families.push((depth, 1 << i, mask));
        }
    }
    families.sort_by_key(|&(depth, ..)| std::cmp::Reverse(depth));
    families.into_iter().map(|(_, whole, parts)| (whole, parts)).collect()
}
