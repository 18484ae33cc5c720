//! Ids of syntax nodes and lists of them: four and eight bytes, and `Option` of an id is four as well.

use super::*;
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::{Index, IndexMut};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident -> $node:ty, $pool:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(NonZeroU32);

        impl $name {
            /// The id of the node at `index` in its pool.
            ///
            /// # Panics
            /// If `index` exceeds 32 bits, which requires a source of 4 GiB.
            pub fn new(index: usize) -> Self {
                let number = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
                $name(number.expect("fewer than 2^32 syntax nodes"))
            }

            /// The node's index in its pool.
            pub fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($pool), "{}"), self.index())
            }
        }

        impl Index<$name> for Ast {
            type Output = $node;
            fn index(&self, id: $name) -> &$node {
                &self.$pool[id.index()]
            }
        }

        impl IndexMut<$name> for Ast {
            fn index_mut(&mut self, id: $name) -> &mut $node {
                &mut self.$pool[id.index()]
            }
        }
    )*};
}

ids! {
    /// An expression.
    ExprId -> Expr, exprs;
    /// A statement.
    StmtId -> Stmt, stmts;
    /// A declaration.
    DeclId -> Decl, decls;
    /// A type specifier.
    TypeId -> TypeSpec, types;
    /// A function prototype.
    FunctionId -> FunctionProto, functions;
    /// A struct specifier.
    StructId -> StructSpec, structs;
    /// An interface block.
    BlockId -> InterfaceBlock, blocks;
}

/// A list of syntax nodes: a range of the pool of `T`s.
pub struct List<T> {
    start: u32,
    len: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> List<T> {
    /// The list with nothing in it.
    pub const EMPTY: Self = List { start: 0, len: 0, of: PhantomData };

    /// The list of the pool's elements from `start` to `end`.
    pub(crate) fn new(start: usize, end: usize) -> Self {
        List { start: start as u32, len: (end - start) as u32, of: PhantomData }
    }

    /// Number of elements.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether the list is empty.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The indices of its elements in the pool.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.start, self.len) == (other.start, other.len)
    }
}

impl<T> Eq for List<T> {}

impl<T> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{:?}]", self.range())
    }
}

macro_rules! lists {
    ($($element:ty, $pool:ident;)*) => {$(
        impl Index<List<$element>> for Ast {
            type Output = [$element];
            fn index(&self, list: List<$element>) -> &[$element] {
                &self.$pool[list.range()]
            }
        }
    )*};
}

lists! {
    ExprId, expr_lists;
    StmtId, stmt_lists;
    Declarator, declarators;
    Param, params;
    Member, members;
    Dim, dims;
    Qualifier, qualifiers;
    LayoutItem, layout_items;
    Name, names;
}
