//! The syntax tree of a GLSL shader with every node's span, before names and types are resolved.
//!
//! Nodes live in the dense pools of one [`Ast`] and name each other by `u32` ids; lists are ranges of the pools. There
//! are no boxes, so building allocates only when a pool grows, and dropping a tree never recurses.
//!
//! **Invariant:** an expression comes after its operands. A pass over [`Ast::exprs`] in id order sees every operand
//! before its user and needs no stack.
//!
//! **Invariant:** the nesting of a tree is bounded by [`MAX_NESTING`], with three exceptions that grow with the length
//! of the program and that no pass may recurse over: the left side of binary operators and commas (`a + b + c + …`, see
//! [`Ast::left_spine`]); the base of postfix expressions (`a[0].b.c…`, the same); and `else if` ladders (see
//! [`Ast::if_ladder`]).

mod ids;
mod nodes;
mod print;
mod walk;

pub use ids::*;
pub use nodes::*;
pub use walk::*;

/// Maximum nesting depth of statements and expressions (parentheses, blocks, branches, arguments, right operands of
/// assignments and `? :`, prefix operators). The parser reports E0204 beyond it.
pub const MAX_NESTING: u32 = 256;

/// The syntax tree of one translation unit.
///
/// Index it by an id for a node, by a [`List`] for a slice.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    /// The external declarations, in source order.
    pub items: Vec<DeclId>,
    /// For each item the index of the first token after it.
    pub item_ends: Vec<u32>,
    /// All expressions; operands before users.
    pub exprs: Vec<Expr>,
    /// All statements.
    pub stmts: Vec<Stmt>,
    /// All declarations, external and local.
    pub decls: Vec<Decl>,
    /// All type specifiers.
    pub types: Vec<TypeSpec>,
    /// All function prototypes.
    pub functions: Vec<FunctionProto>,
    /// All struct specifiers.
    pub structs: Vec<StructSpec>,
    /// All interface blocks.
    pub blocks: Vec<InterfaceBlock>,
    /// The pool of expression lists (arguments, initializer lists).
    pub expr_lists: Vec<ExprId>,
    /// The pool of statement lists (compound statements, switch bodies).
    pub stmt_lists: Vec<StmtId>,
    /// The pool of declarator lists.
    pub declarators: Vec<Declarator>,
    /// The pool of parameter lists.
    pub params: Vec<Param>,
    /// The pool of struct and block members.
    pub members: Vec<Member>,
    /// The pool of array dimensions.
    pub dims: Vec<Dim>,
    /// The pool of qualifiers.
    pub qualifiers: Vec<Qualifier>,
    /// The pool of `layout(…)` entries.
    pub layout_items: Vec<LayoutItem>,
    /// The pool of name lists (`invariant a, b;`).
    pub names: Vec<Name>,
}

impl Ast {
    /// The number of expressions, statements, declarations and type specifiers.
    pub fn node_count(&self) -> usize {
        self.exprs.len() + self.stmts.len() + self.decls.len() + self.types.len()
    }
}
