//! Functions: a tree of blocks, their nodes, and the exits between them.
//!
//! A function has one of two forms. *Placed*: every block lists all its nodes in execution order. *Floating*: a block
//! lists only nodes with an effect, and pure nodes belong to no block; the schedule turns floating functions into
//! placed ones. Both forms use the same structure.

mod exit;
mod reuse;

pub use exit::{Args, Case, Exit, TrapKind};

use std::sync::Arc;

use crate::arena::{Arena, Id, SideTable};
use smallvec::SmallVec;

use crate::decoration::{Decoration, Decorations, Name, Precision};
use crate::entity::{Block, Const, Func, Local, Node, Type, Value, Var};
use crate::ops::{Imm, Op};
use crate::signature::Signature;
use crate::source::Span;

/// Set of nodes that blocks list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    /// All nodes, in order.
    #[default]
    Placed,
    /// Nodes with an effect only.
    Floating,
}

/// Passing mode of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Direction {
    /// By value. A pointer may alias other memory that the function accesses.
    #[default]
    In,
    /// The parameter is a pointer to a `function` location that the callee writes before it reads it.
    Out,
    /// The parameter is a pointer to a `function` location that the callee reads and writes.
    InOut,
    /// The parameter is a pointer to memory that, if it is written while the function runs, is accessed through this
    /// parameter only. This also holds for `Out` and `InOut`, but not for a pointer passed as `In`.
    NoAlias,
}

/// A parameter. Its value is the entry block's input of the same number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// Type of the value, or for `Out` and `InOut` of the pointer.
    pub ty: Type,
    /// Its precision.
    pub precision: Precision,
    /// Passing mode.
    pub direction: Direction,
    /// Location of the declaration.
    pub span: Span,
}

impl Param {
    /// A parameter that is passed by value, without a precision and a location.
    pub fn new(name: Name, ty: Type) -> Self {
        Self { name, ty, precision: Precision::None, direction: Direction::In, span: Span::NONE }
    }
}

/// A result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResultType {
    /// Its type.
    pub ty: Type,
    /// Its precision.
    pub precision: Precision,
}

impl ResultType {
    /// A result without a precision.
    pub fn new(ty: Type) -> Self {
        Self { ty, precision: Precision::None }
    }
}

/// Definition of a local value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LocalDef {
    /// Result of a node, by index.
    Result(Node, u16),
    /// Input of a block, by index.
    Input(Block, u16),
}

/// A local value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalData {
    /// Its type; never `void`.
    pub ty: Type,
    /// Its precision; `None` for booleans and where the language has none.
    pub precision: Precision,
    /// Definition.
    pub def: LocalDef,
}

/// A node: one application of an op. Operands are in the function's operand pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeData {
    /// The op.
    pub op: Op,
    /// Precision of the computation, even if its result, a boolean, has none. Constant operands have this precision.
    pub precision: Precision,
    /// Whether the source is `precise`: no contraction, no rewrite that changes values.
    pub precise: bool,
    result_count: u16,
    args_len: u16,
    args_start: u32,
    first_result: u32,
    /// The immediate.
    pub imm: Imm,
    /// Location in the source.
    pub span: Span,
}

impl NodeData {
    /// Number of results.
    #[inline]
    pub fn result_count(&self) -> usize {
        self.result_count.into()
    }
}

/// The nodes of a block.
pub type NodeList = SmallVec<[Node; 4]>;

/// A basic block.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BlockData {
    /// Block parameters; each jump to the block passes their values.
    pub inputs: SmallVec<[Local; 4]>,
    /// Local variables declared here: new, and set to their initializer (if any) each time the block is entered.
    pub variables: Vec<Var>,
    /// Nodes: all in order (placed), or those with effects in order (floating).
    pub nodes: NodeList,
    /// Exit.
    pub exit: Exit,
    /// Location of the exit.
    pub exit_span: Span,
}

/// Body of a function.
#[derive(Clone, Debug)]
pub struct Body {
    /// Form: which nodes the blocks list.
    pub form: Form,
    /// Entry block. Its inputs are the parameters.
    pub entry: Block,
    /// All blocks.
    pub blocks: Arena<Block, BlockData>,
    /// Number that a pass leaves for itself on a body it has written; 0: none, as builders leave it. Not part of the program.
    pub note: u64,
    nodes: Arena<Node, NodeData>,
    locals: Arena<Local, LocalData>,
    pool: Vec<Value>,
    origins: SideTable<Local, Option<Var>>,
    /// Cleared node lists with heap storage, reused for blocks with more nodes than fit inline.
    spare_lists: Vec<NodeList>,
}

impl Default for Body {
    fn default() -> Self {
        Self::new()
    }
}

/// Lengths of the arenas of a body, to roll back to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    nodes: u32,
    locals: u32,
    pool: u32,
    blocks: u32,
}

impl Mark {
    /// Number of nodes at the mark.
    #[inline]
    pub fn node_count(&self) -> usize {
        self.nodes as usize
    }
}

impl Body {
    /// An empty body with its entry block.
    pub fn new() -> Self {
        let mut blocks = Arena::new();
        let entry = blocks.push(BlockData::default());
        Body {
            form: Form::Placed,
            entry,
            blocks,
            note: 0,
            nodes: Arena::new(),
            locals: Arena::new(),
            pool: Vec::new(),
            origins: SideTable::new(),
            spare_lists: Vec::new(),
        }
    }

    /// An empty body with room for a copy of this one.
    pub fn room_for_copy(&self) -> Self {
        let mut blocks = Arena::with_capacity(self.blocks.len());
        let entry = blocks.push(BlockData::default());
        Body {
            blocks,
            entry,
            nodes: Arena::with_capacity(self.nodes.len()),
            locals: Arena::with_capacity(self.locals.len()),
            pool: Vec::with_capacity(self.pool.len()),
            ..Self::new()
        }
    }

    /// Whether the reachable blocks are the same as another's, numbers included. Stops at the first difference. O(nodes).
    pub fn is_same(&self, other: &Body) -> bool {
        let is_same_local = |&local: &Local| {
            let (one, two) = (self.local(local), other.local(local));
            (one.ty, one.precision) == (two.ty, two.precision)
        };
        let is_same_node = |&node: &Node| {
            let (one, two) = (self.node(node), other.node(node));
            (one.op, one.imm, one.precise, one.precision) == (two.op, two.imm, two.precise, two.precision)
                && self.args(node) == other.args(node)
                && self.results(node).eq(other.results(node))
                && self.results(node).all(|local| is_same_local(&local))
        };
        self.form == other.form
            && crate::walk::blocks(self).eq(crate::walk::blocks(other))
            && crate::walk::blocks(self).all(|block| {
                let (one, two) = (&self.blocks[block], &other.blocks[block]);
                (&one.inputs, &one.variables, &one.nodes) == (&two.inputs, &two.variables, &two.nodes)
                    && one.exit == two.exit
                    && one.inputs.iter().all(is_same_local)
                    && one.nodes.iter().all(is_same_node)
            })
    }

    /// A node.
    #[inline]
    pub fn node(&self, node: Node) -> &NodeData {
        &self.nodes[node]
    }

    /// Sets the location of a node.
    pub fn set_span(&mut self, node: Node, span: Span) {
        self.nodes[node].span = span;
    }

    /// The operands of a node.
    #[inline]
    pub fn args(&self, node: Node) -> &[Value] {
        let data = &self.nodes[node];
        &self.pool[data.args_start as usize..][..data.args_len as usize]
    }

    /// Operand pool of all nodes in creation order, for callers that do not need to know the owner.
    #[inline]
    pub fn all_args(&self) -> &[Value] {
        &self.pool
    }

    /// The results of a node, in order.
    #[inline]
    pub fn results(&self, node: Node) -> impl ExactSizeIterator<Item = Local> + use<> {
        let data = &self.nodes[node];
        let first = data.first_result as usize;
        (first..first + data.result_count as usize).map(Local::new)
    }

    /// The first result of a node; `None` if it has none.
    #[inline]
    pub fn result(&self, node: Node) -> Option<Local> {
        let data = &self.nodes[node];
        (data.result_count > 0).then(|| Local::new(data.first_result as usize))
    }

    /// A local value.
    #[inline]
    pub fn local(&self, local: Local) -> &LocalData {
        &self.locals[local]
    }

    /// Sets the precision of a value, and of the node that it is the result of.
    pub(crate) fn set_precision(&mut self, local: Local, precision: Precision) {
        self.locals[local].precision = precision;
        if let LocalDef::Result(node, _) = self.locals[local].def {
            self.nodes[node].precision = precision;
        }
    }

    /// The source variable that the value was last assigned to, if any: gives names in output. The variable may no
    /// longer be declared.
    #[inline]
    pub fn origin(&self, local: Local) -> Option<Var> {
        self.origins[local]
    }

    /// Sets [`Body::origin`].
    pub fn set_origin(&mut self, local: Local, var: Var) {
        self.origins[local] = Some(var);
    }

    /// The node that defines a value; `None` for inputs, constants, variables and functions.
    #[inline]
    pub fn node_of(&self, value: Value) -> Option<Node> {
        match self.locals[value.as_local()?].def {
            LocalDef::Result(node, _) => Some(node),
            LocalDef::Input(..) => None,
        }
    }

    /// The function that a node calls; `None` for other nodes, and for calls of references.
    pub fn callee(&self, node: Node) -> Option<Func> {
        if matches!(self.node(node).op, Op::Call | Op::TailCall) { self.args(node).first()?.as_func() } else { None }
    }

    /// The pointer that a chain of accesses begins with: a variable, an input, or the result of another op. Time is linear
    /// in its length.
    pub fn base(&self, mut pointer: Value) -> Value {
        while let Some(node) =
            self.node_of(pointer).filter(|&node| self.node(node).op.info().relations.is_part_of_first())
        {
            pointer = self.args(node)[0];
        }
        pointer
    }

    /// All nodes; operands precede users.
    #[inline]
    pub fn nodes(&self) -> impl Iterator<Item = (Node, &NodeData)> {
        self.nodes.iter()
    }

    /// Number of nodes, including unused ones.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Number of local values, including unused ones.
    #[inline]
    pub fn local_count(&self) -> usize {
        self.locals.len()
    }

    /// All local values.
    pub fn locals(&self) -> impl Iterator<Item = (Local, &LocalData)> {
        self.locals.iter()
    }

    /// A new, empty block.
    #[inline]
    pub fn new_block(&mut self) -> Block {
        self.blocks.push_default()
    }

    /// Adds an input to a block.
    #[inline]
    pub fn add_input(&mut self, block: Block, ty: Type, precision: Precision) -> Local {
        let index = self.blocks[block].inputs.len() as u16;
        let local = self.locals.push(LocalData { ty, precision, def: LocalDef::Input(block, index) });
        self.blocks[block].inputs.push(local);
        local
    }

    /// Appends a node. Called by the builder only, which infers types, folds and value-numbers; see [`crate::builder`].
    #[inline(always)]
    pub(crate) fn push_node(
        &mut self,
        request: NodeRequest<'_>,
        results: impl ExactSizeIterator<Item = (Type, Precision)>,
    ) -> Node {
        let node = self.nodes.next_key();
        let first_result = self.locals.len() as u32;
        let most = usize::from(u16::MAX);
        assert!(results.len() <= most && request.args.len() <= most, "at most 65,535 operands and results");
        let result_count = results.len() as u16;
        for (i, (ty, precision)) in results.enumerate() {
            self.locals.push(LocalData { ty, precision, def: LocalDef::Result(node, i as u16) });
        }
        let args_start = self.pool.len() as u32;
        // (A loop would compile to a call.)
        match *request.args {
            [] => {}
            [a] => self.pool.push(a),
            [a, b] => self.pool.extend([a, b]),
            _ => self.pool.extend_from_slice(request.args),
        }
        self.nodes.push(NodeData {
            op: request.op,
            precision: request.precision,
            precise: request.precise,
            result_count,
            args_len: request.args.len() as u16,
            args_start,
            first_result,
            imm: request.imm,
            span: request.span,
        })
    }

    /// Renumbers constants in nodes and exits: for a body that was built with the constants of another module.
    pub fn renumber_constants(&mut self, mut new: impl FnMut(Const) -> Const) {
        let mut renumber = |value: &mut Value| {
            if let Some(constant) = value.as_const() {
                *value = new(constant).into();
            }
        };
        self.pool.iter_mut().for_each(&mut renumber);
        for block in self.blocks.values_mut() {
            block.exit.for_each_operand_mut(&mut renumber);
        }
        for case in self.blocks.values_mut().filter_map(|block| match &mut block.exit {
            Exit::Switch { cases, .. } => Some(cases),
            _ => None,
        }) {
            case.iter_mut().flat_map(|case| &mut case.values).for_each(|value| *value = new(*value));
        }
    }

    /// Gives variables other ids, wherever a block declares or an instruction or an exit names one.
    pub fn renumber_variables(&mut self, mut new: impl FnMut(Var) -> Var) {
        let mut renumber = |value: &mut Value| {
            if let Some(var) = value.as_var() {
                *value = new(var).into();
            }
        };
        self.pool.iter_mut().for_each(&mut renumber);
        self.blocks.values_mut().for_each(|block| block.exit.for_each_operand_mut(&mut renumber));
        for var in self.blocks.values_mut().flat_map(|block| &mut block.variables) {
            *var = new(*var);
        }
    }

    /// Renumbers functions in nodes and exits.
    pub fn renumber_functions(&mut self, mut new: impl FnMut(Func) -> Func) {
        let mut renumber = |value: &mut Value| {
            if let Some(func) = value.as_func() {
                *value = new(func).into();
            }
        };
        self.pool.iter_mut().for_each(&mut renumber);
        self.blocks.values_mut().for_each(|block| block.exit.for_each_operand_mut(&mut renumber));
    }

    /// Current lengths of the arenas.
    pub fn mark(&self) -> Mark {
        Mark {
            nodes: self.nodes.len() as u32,
            locals: self.locals.len() as u32,
            pool: self.pool.len() as u32,
            blocks: self.blocks.len() as u32,
        }
    }

    /// Removes all nodes, values and blocks made since `mark`. Older blocks must no longer list them.
    pub fn truncate(&mut self, mark: Mark) {
        self.nodes.truncate(mark.nodes as usize);
        self.locals.truncate(mark.locals as usize);
        self.blocks.truncate(mark.blocks as usize);
        self.pool.truncate(mark.pool as usize);
        self.origins.truncate(mark.locals as usize);
    }

    /// The type of a local value.
    #[inline]
    pub fn local_type(&self, local: Local) -> Type {
        self.locals[local].ty
    }
}

/// Arguments of [`Body::push_node`].
pub(crate) struct NodeRequest<'a> {
    pub(crate) op: Op,
    pub(crate) imm: Imm,
    pub(crate) args: &'a [Value],
    pub(crate) precision: Precision,
    pub(crate) precise: bool,
    pub(crate) span: Span,
}

/// A function: its signature and, unless it is imported, its body.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Parameters.
    pub params: Vec<Param>,
    /// Results: none for a GLSL `void` function, one for others; several for WebAssembly.
    pub results: Vec<ResultType>,
    /// Qualifiers.
    pub decorations: Decorations,
    /// Body; `None` for an import.
    pub body: Option<Body>,
    /// Location of the declaration.
    pub span: Span,
    /// Its type as a function reference.
    pub ty: Type,
    /// The structure of the parameters and results for the host; `None` for functions that are as they are.
    pub signature: Option<Arc<Signature>>,
}

impl Function {
    /// Whether the target of flattening provides the function, so that its calls stay.
    pub fn is_leaf(&self) -> bool {
        self.decorations.has(Decoration::Leaf) || self.decorations.has(Decoration::LeafBarrier)
    }

    /// Whether passes must not change its signature and calls: it is to be flattened, or is a leaf.
    pub fn stays_called(&self) -> bool {
        self.decorations.has(Decoration::Flatten) || self.is_leaf()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hot_types_are_small() {
        assert_eq!(size_of::<Value>(), 4);
        assert_eq!(size_of::<NodeData>(), 32);
        assert_eq!(size_of::<LocalData>(), 16);
        assert_eq!(size_of::<BlockData>(), 144);
    }
}
