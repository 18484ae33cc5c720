//! Relations between what an op gives and what it takes, where pointers and references are concerned.
//!
//! For `y = op(x)`, the four assignments of a pointer name them:
//!
//! | relation | assignment | example |
//! | --- | --- | --- |
//! | alias | `y = x` | a pointer to a part, `select` |
//! | contain | `*y = x` | `store`, `construct_array` |
//! | extract | `y = *x` | `load`, `extract_array_element` |
//! | copy | `*y = *x` | `insert_array_element`, `memory_copy` |
//!
//! `y` is the result, or the memory that the op writes. From them follow the root of a pointer ([`crate::aliasing`]), and the restriction
//! that makes it one: no pointer is contained in anything, and none may be one of several.

use super::{Class, Effect};

/// A set of operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operands(u8);

impl Operands {
    /// None.
    pub const NONE: Operands = Operands(0);
    /// Operand 0.
    pub const FIRST: Operands = Operands(1);
    /// Operand 1.
    pub const SECOND: Operands = Operands(2);
    /// All operands but the first.
    pub const REST: Operands = Operands(0x7e);
    /// All operands.
    pub const ALL: Operands = Operands(0x7f);
    /// The memory, table or segment that the immediate names.
    pub const NAMED: Operands = Operands(0x80);

    /// Whether an operand is one of them; those from the seventh on are as the seventh.
    pub const fn has(self, operand: usize) -> bool {
        let bit = if operand > 6 { 6 } else { operand };
        self.0 >> bit & 1 == 1
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// In words; empty for none.
    pub fn text(self) -> &'static str {
        match self {
            Operands::NONE => "",
            Operands::FIRST => "0",
            Operands::SECOND => "1",
            Operands::REST => "1 …",
            Operands::ALL => "0 …",
            Operands::NAMED => "named",
            _ => "several",
        }
    }
}

/// The four relations of an op.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relations {
    /// Operands that the result may be, or lead into.
    pub alias: Operands,
    /// Operands that the result, or the written memory, may contain afterwards.
    pub contain: Operands,
    /// Operands of which the result may be a part.
    pub extract: Operands,
    /// Operands whose parts the result, or the written memory, may contain afterwards.
    pub copy: Operands,
}

impl Relations {
    /// The result has nothing to do with the operands but that it is computed of them.
    pub const NONE: Relations =
        Relations { alias: Operands::NONE, contain: Operands::NONE, extract: Operands::NONE, copy: Operands::NONE };
    /// A pointer to a part of what operand 0 points to.
    pub const PART: Relations = Relations { alias: Operands::FIRST, ..Relations::NONE };
    /// One of the operands but the first.
    pub const CHOICE: Relations = Relations { alias: Operands::REST, ..Relations::NONE };
    /// All operands as one.
    pub const PAIR: Relations = Relations { alias: Operands::ALL, ..Relations::NONE };
    /// A composite of the operands.
    pub const COMPOSITE: Relations = Relations { contain: Operands::ALL, ..Relations::NONE };
    /// A part of operand 0, or of what it points to.
    pub const EXTRACT: Relations = Relations { extract: Operands::FIRST, ..Relations::NONE };
    /// Operand 0 with a part replaced.
    pub const INSERT: Relations = Relations { contain: Operands::SECOND, copy: Operands::FIRST, ..Relations::NONE };
    /// Memory behind operand 0 becomes another operand.
    pub const STORE: Relations = Relations { contain: Operands::REST, ..Relations::NONE };
    /// The same, and the result is what was there.
    pub const EXCHANGE: Relations = Relations { contain: Operands::REST, extract: Operands::FIRST, ..Relations::NONE };
    /// A part of what the immediate names.
    pub const NAMED_EXTRACT: Relations = Relations { extract: Operands::NAMED, ..Relations::NONE };
    /// The memory or table that the immediate names contains an operand then.
    pub const NAMED_STORE: Relations = Relations { contain: Operands::ALL, ..Relations::NONE };
    /// The memory or table that the immediate names contains parts of what it names besides.
    pub const NAMED_COPY: Relations = Relations { copy: Operands::NAMED, ..Relations::NONE };
    /// A call, of which only the callee says more.
    pub const CALL: Relations =
        Relations { alias: Operands::ALL, contain: Operands::ALL, extract: Operands::ALL, copy: Operands::ALL };

    /// Those of an op whose row does not name any.
    pub(super) const fn usual(class: Class, effect: Effect) -> Relations {
        match (class, effect) {
            (Class::Access, _) => Relations::PART,
            (Class::Construct, Effect::Pure) => Relations::COMPOSITE,
            (Class::Extract, _) => Relations::EXTRACT,
            (Class::Memory, Effect::Load) => Relations::EXTRACT,
            (Class::Memory, Effect::Store) => Relations::STORE,
            (Class::Memory, Effect::Modify) => Relations::EXCHANGE,
            (Class::Texture, Effect::Pure | Effect::Quad | Effect::ImageLoad) => Relations::EXTRACT,
            (_, Effect::ImageStore) => Relations::STORE,
            (_, Effect::ImageModify) => Relations::EXCHANGE,
            (_, Effect::MemoryLoad | Effect::TableLoad) => Relations::NAMED_EXTRACT,
            (_, Effect::MemoryStore | Effect::MemoryModify | Effect::TableStore) => Relations::NAMED_STORE,
            (Class::Call | Class::Custom, _) => Relations::CALL,
            _ => Relations::NONE,
        }
    }

    /// Whether the result is a pointer into what operand 0 points to, and into nothing else.
    pub fn is_part_of_first(self) -> bool {
        self.alias == Operands::FIRST
    }
}
