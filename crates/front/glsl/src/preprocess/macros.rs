//! The table of macros.

use std::sync::Arc;

use planish_ir::source::Span;

use super::extensions::EXTENSIONS;
use super::pp_token::{PpKind, PpToken};
use crate::symbol::{FIXED, Symbol, sym};
use crate::version::{Profile, Version};

/// The meaning of a macro.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// `#define NAME BODY` and `#define NAME(PARAMS) BODY`.
    Defined(Arc<Definition>),
    /// Built in, with a number that never changes.
    Number(u32),
    /// `__LINE__`
    Line,
    /// `__FILE__`
    File,
}

/// A `#define`.
#[derive(Debug)]
pub(super) struct Definition {
    /// The name in the directive.
    pub(super) span: Span,
    /// The parameters of a function-like macro.
    pub(super) params: Option<Vec<Symbol>>,
    pub(super) body: Arc<[PpToken]>,
    /// Whether the body contains `##`.
    pub(super) pastes: bool,
    /// For each parameter, whether it has an occurrence that is not adjacent to a `##`, so that its argument is
    /// expanded.
    pub(super) expands: Vec<bool>,
}

impl Definition {
    pub(super) fn new(span: Span, params: Option<Vec<Symbol>>, body: Vec<PpToken>) -> Self {
        let pastes = body.iter().any(|t| t.kind == PpKind::Paste);
        let mut expands = vec![false; params.as_ref().map_or(0, Vec::len)];
        for (index, token) in body.iter().enumerate() {
            let PpKind::Param(param) = token.kind else { continue };
            expands[param as usize] |= !pastes_at(&body, index);
        }
        Definition { span, params, body: body.into(), pastes, expands }
    }

    /// Whether two definitions are equal by the rules of C: same parameters, same tokens, white space in the same
    /// places.
    pub(super) fn is_same(&self, other: &Definition) -> bool {
        let same =
            |(index, (a, b)): (usize, (&PpToken, &PpToken))| a.kind == b.kind && (index == 0 || a.space == b.space);
        self.params == other.params
            && self.body.len() == other.body.len()
            && self.body.iter().zip(other.body.iter()).enumerate().all(same)
    }
}

/// Whether a token of a body is adjacent to a `##`.
pub(super) fn pastes_at(body: &[PpToken], index: usize) -> bool {
    let is_paste = |i: usize| body.get(i).is_some_and(|t| t.kind == PpKind::Paste);
    is_paste(index + 1) || (index > 0 && is_paste(index - 1))
}

#[derive(Debug)]
struct Slot {
    meaning: Meaning,
    /// Whether its expansion is being read, so that its name is not expanded.
    disabled: bool,
}

/// A macro of a [`MacroTable`]. Keeps its definition when the name is redefined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MacroId(u32);

/// All macros that are, or were, defined.
#[derive(Debug)]
pub(super) struct MacroTable {
    slots: Vec<Slot>,
    /// By symbol: one more than the slot, or 0.
    by_name: Vec<u32>,
}

impl MacroTable {
    /// The built-in macros of a version: its own, and one for each available extension.
    pub(super) fn new(version: Version) -> Self {
        let mut table = MacroTable { slots: Vec::with_capacity(64), by_name: vec![0; 1024] };
        table.set(sym::LINE_MACRO, Meaning::Line);
        table.set(sym::FILE_MACRO, Meaning::File);
        table.set(sym::VERSION_MACRO, Meaning::Number(u32::from(version.number)));
        match version.profile {
            Profile::Es => {
                table.set(sym::GL_ES, Meaning::Number(1));
                table.set(sym::GL_FRAGMENT_PRECISION_HIGH, Meaning::Number(1));
            }
            Profile::Core => table.set(sym::GL_CORE_PROFILE, Meaning::Number(1)),
            Profile::Compatibility if version.number >= 150 => {
                table.set(sym::GL_COMPATIBILITY_PROFILE, Meaning::Number(1));
            }
            Profile::Compatibility => {}
        }
        if version.at_least(0, 130) {
            table.set(sym::GL_FRAGMENT_PRECISION_HIGH, Meaning::Number(1));
        }
        // The extensions share a slot.
        let one = table.slots.len() as u32 + 1;
        table.slots.push(Slot { meaning: Meaning::Number(1), disabled: false });
        for (index, extension) in EXTENSIONS.iter().enumerate() {
            if extension.is_in(version) {
                table.by_name[FIXED as usize + index] = one;
            }
        }
        table
    }

    /// Defines a name, anew if need be.
    pub(super) fn set(&mut self, name: Symbol, meaning: Meaning) {
        self.slots.push(Slot { meaning, disabled: false });
        if name.index() >= self.by_name.len() {
            self.by_name.resize((name.index() + 1).next_power_of_two(), 0);
        }
        self.by_name[name.index()] = self.slots.len() as u32;
    }

    /// Makes a name no macro any more.
    pub(super) fn remove(&mut self, name: Symbol) {
        if let Some(slot) = self.by_name.get_mut(name.index()) {
            *slot = 0;
        }
    }

    /// The macro of a name.
    #[inline]
    pub(super) fn find(&self, name: Symbol) -> Option<MacroId> {
        self.by_name.get(name.index()).copied()?.checked_sub(1).map(MacroId)
    }

    pub(super) fn meaning(&self, id: MacroId) -> &Meaning {
        &self.slots[id.0 as usize].meaning
    }

    /// The `#define` of a name.
    pub(super) fn definition(&self, name: Symbol) -> Option<&Arc<Definition>> {
        match self.meaning(self.find(name)?) {
            Meaning::Defined(definition) => Some(definition),
            _ => None,
        }
    }

    pub(super) fn is_disabled(&self, id: MacroId) -> bool {
        self.slots[id.0 as usize].disabled
    }

    pub(super) fn disable(&mut self, id: MacroId, disabled: bool) {
        self.slots[id.0 as usize].disabled = disabled;
    }

    /// The names that are macros now, for suggestions.
    pub(super) fn names(&self) -> impl Iterator<Item = Symbol> {
        self.by_name.iter().enumerate().filter(|(_, slot)| **slot != 0).map(|(name, _)| Symbol(name as u32))
    }
}
