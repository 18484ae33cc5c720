//! Entities: 32-bit indices into dense arenas.

use crate::arena::Id;

macro_rules! entity_impl {
    ($name:ident, $prefix:literal) => {
        impl Id for $name {
            #[inline]
            fn new(index: usize) -> Self {
                $name(u32::try_from(index).expect("more than 2^32 entities of one kind"))
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl $name {
            /// The entity with this index.
            #[inline]
            pub const fn from_u32(index: u32) -> Self {
                $name(index)
            }
            /// Its index.
            #[inline]
            pub const fn as_u32(self) -> u32 {
                self.0
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

/// A type of a module, interned: equal types have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Type(u32);
entity_impl!(Type, "t");

/// A constant of a module, interned: equal type and value have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Const(u32);
entity_impl!(Const, "c");

/// A variable of a module or of one of its functions: a named memory location.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(u32);
entity_impl!(Var, "v");

/// A function of a module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Func(u32);
entity_impl!(Func, "f");

/// A byte-addressed memory of a module (WebAssembly).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Memory(u32);
entity_impl!(Memory, "memory");

/// A table of references of a module (WebAssembly).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Table(u32);
entity_impl!(Table, "table");

/// A data segment of a module (WebAssembly).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Data(u32);
entity_impl!(Data, "data");

/// An element segment of a module (WebAssembly).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Elem(u32);
entity_impl!(Elem, "elem");

/// An op of the user's own: a row of a module's table ([`crate::custom`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CustomOp(u32);
entity_impl!(CustomOp, "op");

/// A block of one function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Block(u32);
entity_impl!(Block, "b");

/// A node of one function: one application of an op.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(u32);
entity_impl!(Node, "n");

/// A local value of one function: a result of a node or an input of a block (a *register* in the dump).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Local(u32);
entity_impl!(Local, "r");

/// An operand: a local value of the function, a constant, the address of a variable, or a function.
///
/// Two tag bits give the kind, so that constants and variables need no node, and equal constants are equal values in
/// all functions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(u32);

/// A decoded [`Value`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValueKind {
    /// A result of a node or an input of a block.
    Local(Local),
    /// A constant.
    Const(Const),
    /// The address of a variable.
    Var(Var),
    /// A function.
    Func(Func),
}

const TAG_SHIFT: u32 = 30;
const INDEX_MASK: u32 = (1 << TAG_SHIFT) - 1;

impl Value {
    #[inline]
    fn pack(tag: u32, index: u32) -> Self {
        assert!(index <= INDEX_MASK, "more than 2^30 entities of one kind");
        Value(tag << TAG_SHIFT | index)
    }

    /// Decodes the value.
    #[inline]
    pub fn kind(self) -> ValueKind {
        let index = self.0 & INDEX_MASK;
        match self.0 >> TAG_SHIFT {
            0 => ValueKind::Local(Local(index)),
            1 => ValueKind::Const(Const(index)),
            2 => ValueKind::Var(Var(index)),
            _ => ValueKind::Func(Func(index)),
        }
    }

    /// The local, or `None` for other kinds.
    #[inline]
    pub fn as_local(self) -> Option<Local> {
        if let ValueKind::Local(l) = self.kind() { Some(l) } else { None }
    }

    /// The constant, or `None` for other kinds.
    #[inline]
    pub fn as_const(self) -> Option<Const> {
        if let ValueKind::Const(c) = self.kind() { Some(c) } else { None }
    }

    /// The variable, if the value is the address of one.
    #[inline]
    pub fn as_var(self) -> Option<Var> {
        if let ValueKind::Var(v) = self.kind() { Some(v) } else { None }
    }

    /// The function, or `None` for other kinds.
    #[inline]
    pub fn as_func(self) -> Option<Func> {
        if let ValueKind::Func(f) = self.kind() { Some(f) } else { None }
    }
}

impl From<Local> for Value {
    #[inline]
    fn from(l: Local) -> Self {
        Value::pack(0, l.0)
    }
}

impl From<Const> for Value {
    #[inline]
    fn from(c: Const) -> Self {
        Value::pack(1, c.0)
    }
}

impl From<Var> for Value {
    #[inline]
    fn from(v: Var) -> Self {
        Value::pack(2, v.0)
    }
}

impl From<Func> for Value {
    #[inline]
    fn from(f: Func) -> Self {
        Value::pack(3, f.0)
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind() {
            ValueKind::Local(x) => write!(f, "{x}"),
            ValueKind::Const(x) => write!(f, "{x}"),
            ValueKind::Var(x) => write!(f, "{x}"),
            ValueKind::Func(x) => write!(f, "{x}"),
        }
    }
}
