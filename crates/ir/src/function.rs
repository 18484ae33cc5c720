//! Functions: a tree of blocks, the nodes in them, and the exits between them.
//!
//! A function is in one of two states. *Placed*: every block lists all its nodes in the order they run. *Floating*: a
//! block lists only the nodes with an effect, and pure nodes hang from their users; [`crate`] users turn the second into
//! the first by the schedule. One structure serves both.

mod reuse;

use crate::arena::{Arena, Id, SideTable};
use smallvec::SmallVec;

use crate::decoration::{Decoration, Decorations, Name, Precision};
use crate::entity::{Block, Const, Func, Local, Node, Type, Value, Var};
use crate::ops::{Class, Imm, Op};
use crate::source::Span;

/// Which nodes the blocks list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    /// All, in order.
    #[default]
    Placed,
    /// Only those with an effect.
    Floating,
}

/// How an argument travels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Direction {
    /// By value into the function. A pointer may lead to memory that the function reaches in another way too.
    #[default]
    In,
    /// The parameter is a pointer to a `function` location that the callee writes before it reads it.
    Out,
    /// The parameter is a pointer to a `function` location that the callee reads and writes.
    InOut,
    /// The parameter is a pointer. While the function runs, what it leads to is reached in no other way, if anything writes
    /// it; that holds for `Out` and `InOut` too. A pointer that travels `In` promises nothing.
    NoAlias,
}

/// A parameter. Its value is the entry block's input of the same number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// Its type: the value's, or for `Out` and `InOut` the pointer's.
    pub ty: Type,
    /// Its precision.
    pub precision: Precision,
    /// How the argument travels.
    pub direction: Direction,
    /// Where it is declared.
    pub span: Span,
}

/// A result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResultType {
    /// Its type.
    pub ty: Type,
    /// Its precision.
    pub precision: Precision,
}

/// What makes a local value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LocalDef {
    /// Result number so-and-so of a node.
    Result(Node, u16),
    /// Input number so-and-so of a block.
    Input(Block, u16),
}

/// A local value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalData {
    /// Its type; never `void`.
    pub ty: Type,
    /// Its precision; `None` for booleans and where the language has none.
    pub precision: Precision,
    /// What makes it.
    pub def: LocalDef,
}

/// A node: one application of an op. Operands stand in the function's pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeData {
    /// The op.
    pub op: Op,
    /// The precision at which it is computed (also when its result, a boolean, has none). Constants among the operands
    /// have this precision.
    pub precision: Precision,
    /// Whether the source said `precise`: no contraction, no value-changing rewrite.
    pub precise: bool,
    result_count: u16,
    args_len: u16,
    args_start: u32,
    first_result: u32,
    /// The immediate.
    pub imm: Imm,
    /// Where it came from.
    pub span: Span,
}

impl NodeData {
    /// Number of results.
    #[inline]
    pub fn result_count(&self) -> usize {
        self.result_count.into()
    }
}

/// One case of a switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The values that lead here. Constants of the selector's type.
    pub values: SmallVec<[Const; 1]>,
    /// Whether all other values lead here.
    pub is_default: bool,
    /// Where.
    pub block: Block,
}

/// How a trap is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum TrapKind {
    /// WebAssembly `unreachable`.
    Unreachable,
    /// Integer division by zero.
    DivisionByZero,
    /// An integer result that does not fit.
    IntegerOverflow,
    /// A float that is no integer.
    InvalidConversion,
    /// Memory access out of bounds.
    OutOfBoundsMemory,
    /// Table access out of bounds.
    OutOfBoundsTable,
    /// Indirect call through a null element.
    UninitializedElement,
    /// Indirect call through an element of another type.
    IndirectCallType,
    /// Too many nested calls.
    StackOverflow,
    /// `error` of the program.
    User,
}

impl TrapKind {
    /// Every kind.
    pub const ALL: [TrapKind; 10] = [
        TrapKind::Unreachable,
        TrapKind::DivisionByZero,
        TrapKind::IntegerOverflow,
        TrapKind::InvalidConversion,
        TrapKind::OutOfBoundsMemory,
        TrapKind::OutOfBoundsTable,
        TrapKind::UninitializedElement,
        TrapKind::IndirectCallType,
        TrapKind::StackOverflow,
        TrapKind::User,
    ];

    /// Its name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            TrapKind::Unreachable => "unreachable",
            TrapKind::DivisionByZero => "division_by_zero",
            TrapKind::IntegerOverflow => "integer_overflow",
            TrapKind::InvalidConversion => "invalid_conversion",
            TrapKind::OutOfBoundsMemory => "out_of_bounds_memory",
            TrapKind::OutOfBoundsTable => "out_of_bounds_table",
            TrapKind::UninitializedElement => "uninitialized_element",
            TrapKind::IndirectCallType => "indirect_call_type",
            TrapKind::StackOverflow => "stack_overflow",
            TrapKind::User => "user",
        }
    }
}

/// Operands of an exit.
pub type Args = SmallVec<[Value; 4]>;

/// How a block ends.
///
/// A *construct* is named by the block that it ends: `Break(b)` leaves the construct that ends block `b`, which is one of
/// `Loop`, `DoLoop`, `Switch` or `Labelled` around the breaking block.
///
/// What a block may use, besides its own values: a sub-block and a merge block, those of the block they hang from and of
/// all blocks before it in the same chain of merges, and so on outwards. A loop's body, continue block and merge block
/// may also use the values of the whole condition chain. A `DoLoop`'s condition block may use the body's inputs through
/// its own inputs only.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Exit {
    /// Not yet ended; only while a function is being built.
    #[default]
    Open,
    // Diverging exits own sub-blocks and a merge block.
    /// One of two blocks, which end with `Merge` (or leave otherwise).
    If {
        /// A `bool`.
        condition: Value,
        /// Runs if true.
        then: Block,
        /// Runs if false.
        otherwise: Block,
        /// Goes on.
        merge: Block,
    },
    /// `condition` (inputs: the carried values, first `args`) ends with `LoopIf`: true runs `body`, false goes to
    /// `merge`. The body's end and its `Continue`s go to `next`, if there is one (with its inputs), else back to
    /// `condition`; `next` ends with `Continue` to `condition`.
    Loop {
        /// First values of the condition block's inputs.
        args: Args,
        /// Decides.
        condition: Block,
        /// Runs if the condition holds.
        body: Block,
        /// Runs after the body.
        next: Option<Block>,
        /// Goes on.
        merge: Block,
    },
    /// `body` (inputs: the carried values, first `args`) ends with `Continue` to `condition`, which ends with `LoopIf`:
    /// true goes back to `body`, false to `merge`.
    DoLoop {
        /// First values of the body's inputs.
        args: Args,
        /// Runs first.
        body: Block,
        /// Decides.
        condition: Block,
        /// Goes on.
        merge: Block,
    },
    /// The case whose value is the selector; cases end with `Break`, `Passthrough` or leave otherwise.
    Switch {
        /// An integer scalar.
        selector: Value,
        /// In order. Without a default case, a selector without a case goes to the merge block, which then has no inputs
        /// or gets `args`.
        cases: Vec<Case>,
        /// Values for the merge block's inputs when no case matches.
        args: Args,
        /// Goes on.
        merge: Block,
    },
    /// A block that inner `Break`s may leave; its own end is `Merge`.
    Labelled {
        /// Runs.
        body: Block,
        /// Goes on.
        merge: Block,
    },
    /// Goes on with `merge`, which has no inputs.
    NextBlock {
        /// Goes on.
        merge: Block,
    },
    // Leaving exits own nothing.
    /// To the merge block of the `If` or `Labelled` whose arm this is, feeding its inputs.
    Merge(Args),
    /// To the merge block of an enclosing construct, feeding its inputs.
    Break(Block, Args),
    /// To the next round of an enclosing loop: feeds the inputs of its continue block if it has one (and this is not
    /// it), else those of the block that its rounds begin with (`DoLoop`: of its condition block).
    Continue(Block, Args),
    /// End of a loop's condition.
    LoopIf {
        /// A `bool`.
        condition: Value,
        /// Feeds the body's inputs (of a `Loop`, which usually has none; of a `DoLoop`, the next round's).
        body_args: Args,
        /// Feeds the merge block's inputs.
        merge_args: Args,
    },
    /// To the next case of the switch.
    Passthrough,
    /// Leaves the function.
    Return(Args),
    /// Ends the fragment without results.
    Discard,
    /// Ends the program.
    Trap(TrapKind),
}

impl Exit {
    /// The block where control flow comes together again, if it diverges here.
    #[inline]
    pub fn merge_block(&self) -> Option<Block> {
        match *self {
            Exit::If { merge, .. }
            | Exit::Loop { merge, .. }
            | Exit::DoLoop { merge, .. }
            | Exit::Switch { merge, .. }
            | Exit::Labelled { merge, .. }
            | Exit::NextBlock { merge } => Some(merge),
            _ => None,
        }
    }

    /// The sub-blocks without the merge block, in the order of the dump.
    pub fn sub_blocks(&self) -> SmallVec<[Block; 3]> {
        match self {
            Exit::If { then, otherwise, .. } => [*then, *otherwise].into_iter().collect(),
            Exit::Loop { condition, body, next, .. } => [*condition, *body].into_iter().chain(*next).collect(),
            Exit::DoLoop { body, condition, .. } => [*body, *condition].into_iter().collect(),
            Exit::Switch { cases, .. } => cases.iter().map(|c| c.block).collect(),
            Exit::Labelled { body, .. } => [*body].into_iter().collect(),
            _ => SmallVec::new(),
        }
    }

    /// Every operand, to change.
    pub fn for_each_operand_mut(&mut self, mut f: impl FnMut(&mut Value)) {
        match self {
            Exit::If { condition, .. } => f(condition),
            Exit::Loop { args, .. } | Exit::DoLoop { args, .. } => args.iter_mut().for_each(f),
            Exit::Switch { selector, args, .. } => {
                f(selector);
                args.iter_mut().for_each(f);
            }
            Exit::Merge(args) | Exit::Break(_, args) | Exit::Continue(_, args) | Exit::Return(args) => {
                args.iter_mut().for_each(f);
            }
            Exit::LoopIf { condition, body_args, merge_args } => {
                f(condition);
                body_args.iter_mut().chain(merge_args).for_each(f);
            }
            Exit::Open
            | Exit::Labelled { .. }
            | Exit::NextBlock { .. }
            | Exit::Passthrough
            | Exit::Discard
            | Exit::Trap(_) => {}
        }
    }

    /// Every operand.
    pub fn for_each_operand(&self, mut f: impl FnMut(Value)) {
        match self {
            Exit::If { condition, .. } => f(*condition),
            Exit::Loop { args, .. } | Exit::DoLoop { args, .. } => args.iter().copied().for_each(f),
            Exit::Switch { selector, args, .. } => {
                f(*selector);
                args.iter().copied().for_each(f);
            }
            Exit::Merge(args) | Exit::Break(_, args) | Exit::Continue(_, args) | Exit::Return(args) => {
                args.iter().copied().for_each(f);
            }
            Exit::LoopIf { condition, body_args, merge_args } => {
                f(*condition);
                body_args.iter().chain(merge_args).copied().for_each(f);
            }
            Exit::Open
            | Exit::Labelled { .. }
            | Exit::NextBlock { .. }
            | Exit::Passthrough
            | Exit::Discard
            | Exit::Trap(_) => {}
        }
    }
}

/// The nodes of a block.
pub type NodeList = SmallVec<[Node; 4]>;

/// A block: all or none of it runs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BlockData {
    /// Values fed by whoever jumps here.
    pub inputs: SmallVec<[Local; 4]>,
    /// Local variables declared here: new, and set to their initializer (if any) each time the block is entered.
    pub variables: Vec<Var>,
    /// Nodes: all in order (placed), or those with effects in order (floating).
    pub nodes: NodeList,
    /// How it ends.
    pub exit: Exit,
    /// Where the exit came from.
    pub exit_span: Span,
}

/// The inside of a function.
#[derive(Clone, Debug)]
pub struct Body {
    /// Which nodes the blocks list.
    pub form: Form,
    /// Where it begins. Its inputs are the parameters.
    pub entry: Block,
    /// All blocks.
    pub blocks: Arena<Block, BlockData>,
    nodes: Arena<Node, NodeData>,
    locals: Arena<Local, LocalData>,
    pool: Vec<Value>,
    origins: SideTable<Local, Option<Var>>,
    /// Empty lists of nodes that were longer than blocks hold in themselves, for the next such blocks.
    spare_lists: Vec<NodeList>,
}

impl Default for Body {
    fn default() -> Self {
        Self::new()
    }
}

/// How far the arenas of a body were filled, to go back to.
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
            nodes: Arena::new(),
            locals: Arena::new(),
            pool: Vec::new(),
            origins: SideTable::new(),
            spare_lists: Vec::new(),
        }
    }

    /// A node.
    #[inline]
    pub fn node(&self, node: Node) -> &NodeData {
        &self.nodes[node]
    }

    /// The operands of a node.
    #[inline]
    pub fn args(&self, node: Node) -> &[Value] {
        let data = &self.nodes[node];
        &self.pool[data.args_start as usize..][..data.args_len as usize]
    }

    /// The operands of all nodes ever made, one node's after the other's: for who does not ask whose they are.
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

    /// The first result of a node, if it has any.
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

    /// Gives a value a precision; a node is computed at that of its result.
    pub(crate) fn set_precision(&mut self, local: Local, precision: Precision) {
        self.locals[local].precision = precision;
        if let LocalDef::Result(node, _) = self.locals[local].def {
            self.nodes[node].precision = precision;
        }
    }

    /// The variable whose value this was where it was last assigned, if the program had one: for names in outputs. It may be
    /// declared nowhere any more.
    #[inline]
    pub fn origin(&self, local: Local) -> Option<Var> {
        self.origins[local]
    }

    /// Sets [`Body::origin`].
    pub fn set_origin(&mut self, local: Local, var: Var) {
        self.origins[local] = Some(var);
    }

    /// The node that makes a value, if one does.
    #[inline]
    pub fn node_of(&self, value: Value) -> Option<Node> {
        match self.locals[value.as_local()?].def {
            LocalDef::Result(node, _) => Some(node),
            LocalDef::Input(..) => None,
        }
    }

    /// The pointer that a chain of accesses begins with: a variable, an input, or the result of another op. Costs the length
    /// of the chain.
    pub fn base(&self, mut pointer: Value) -> Value {
        while let Some(node) = self.node_of(pointer).filter(|&node| self.node(node).op.info().class == Class::Access) {
            pointer = self.args(node)[0];
        }
        pointer
    }

    /// All nodes, arguments before users.
    #[inline]
    pub fn nodes(&self) -> impl Iterator<Item = (Node, &NodeData)> {
        self.nodes.iter()
    }

    /// Number of nodes ever made.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Number of local values ever made.
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

    /// Makes a node. The builder's own door: it alone types, folds and shares; see [`crate::builder`].
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
        // (A loop would become a call.)
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

    /// Gives constants other ids, wherever an instruction or an exit names one: for a body that was built with another
    /// module's constants.
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

    /// Gives functions other ids, wherever an instruction or an exit names one.
    pub fn renumber_functions(&mut self, mut new: impl FnMut(Func) -> Func) {
        let mut renumber = |value: &mut Value| {
            if let Some(func) = value.as_func() {
                *value = new(func).into();
            }
        };
        self.pool.iter_mut().for_each(&mut renumber);
        self.blocks.values_mut().for_each(|block| block.exit.for_each_operand_mut(&mut renumber));
    }

    /// How far the arenas are filled.
    pub fn mark(&self) -> Mark {
        Mark {
            nodes: self.nodes.len() as u32,
            locals: self.locals.len() as u32,
            pool: self.pool.len() as u32,
            blocks: self.blocks.len() as u32,
        }
    }

    /// Forgets all nodes, values and blocks made since `mark`. Blocks that are older must no longer list them.
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

/// What [`Body::push_node`] needs.
pub(crate) struct NodeRequest<'a> {
    pub(crate) op: Op,
    pub(crate) imm: Imm,
    pub(crate) args: &'a [Value],
    pub(crate) precision: Precision,
    pub(crate) precise: bool,
    pub(crate) span: Span,
}

/// A function: its signature and, unless it is imported, its inside.
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
    /// The inside; `None` for an import.
    pub body: Option<Body>,
    /// Where it is declared.
    pub span: Span,
    /// Its type as a function reference.
    pub ty: Type,
}

impl Function {
    /// Whether the target of flattening has it itself, so that calls of it stay.
    pub fn is_leaf(&self) -> bool {
        self.decorations.has(Decoration::Leaf) || self.decorations.has(Decoration::LeafBarrier)
    }

    /// Whether passes leave its signature and its calls as they are: it is to be flattened, or is a leaf of what is.
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
