//! Builds the graph of a function: its nodes in order, with memory forwarded, pointers resolved, and splats removed.

mod flat;
mod memory;
mod splats;
mod traps;

use planish_ir::arena::SideTable;
use planish_ir::custom;
use planish_ir::decoration::Precision;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Block, Const, Func, Local, Type, Value, ValueKind};
use planish_ir::function::{Body, Exit, Form, TrapKind};
use planish_ir::module::Module;
use planish_ir::ops::{Class, Effect, Op};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, Scalar, TypeKind};
use planish_ir::uniform;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use self::flat::{Mask, straight_blocks};
use crate::graph::{Graph, Group, Kind, Node, NodeId, is_node};
use crate::interface::Interface;
use crate::literal::Literal;
use crate::options::Options;
use crate::order;
use crate::places::{Leaf, LeafKind, Place, Root, Step};
use crate::shape::{Shapes, TypeId};

/// Maximum number of errors that are reported.
const MAX_ERRORS: usize = 20;

/// A node during construction.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) node: Node,
    pub(crate) span: Span,
    pub(crate) local: Option<Local>,
}

/// Results of the walk over a function, before the nodes are sorted.
pub(crate) struct Drafts<'a> {
    pub(crate) module: &'a Module,
    pub(crate) func: Func,
    pub(crate) options: &'a Options<'a>,
    pub(crate) shapes: Shapes,
    pub(crate) drafts: Vec<Draft>,
    pub(crate) pool: Vec<NodeId>,
    pub(crate) leaves: Vec<(Leaf, NodeId)>,
    pub(crate) constants: Vec<Literal>,
    pub(crate) functions: Vec<String>,
    /// Outputs of the stage and pointer parameters with their values; then results with theirs.
    pub(crate) outputs: Vec<(Leaf, NodeId)>,
    pub(crate) results: Vec<NodeId>,
    pub(crate) discard: Option<NodeId>,
    /// Masks, and the kind of trap if the mask is the first that is true.
    pub(crate) traps: Vec<(NodeId, TrapKind)>,
}

impl Graph {
    /// The graph of a flat, placed function. O(nodes · log nodes).
    ///
    /// # Errors
    /// Control flow, memory that is visible outside, effects, and ops without a node; each with its location in the
    /// source.
    pub fn new(module: &Module, func: Func, options: &Options<'_>) -> Result<Graph, Vec<Diagnostic>> {
        custom::check(module)?;
        let function = &module.funcs[func];
        let Some(body) = &function.body else {
            let message = format!("function `{}` has no body, so it has no graph", function.name.text);
            return Err(vec![Diagnostic::error(Code::E1104, function.span, message)]);
        };
        if body.form == Form::Floating {
            let message = "no graph can be made: the function is not scheduled";
            return Err(vec![Diagnostic::error(Code::E0699, function.span, message)]);
        }
        let blocks = straight_blocks(body).map_err(|e| vec![*e])?;
        let interface = Interface::new(module, func, options)?;
        let mut builder = Builder::new(module, func, body, options);
        builder.run(&blocks);
        if !builder.errors.is_empty() {
            return Err(builder.errors);
        }
        Ok(order::finish(builder.out, &interface))
    }
}

struct Builder<'a> {
    out: Drafts<'a>,
    body: &'a Body,
    /// The node of each value, plus one; 0: none.
    values: SideTable<Local, u32>,
    uniform: SideTable<Local, bool>,
    /// The scalar of each splat node.
    splats: FxHashMap<NodeId, NodeId>,
    consts: FxHashMap<Const, NodeId>,
    /// Constants that the IR does not have, by type and value.
    literals: FxHashMap<(TypeId, u64), NodeId>,
    leaves: FxHashMap<Leaf, NodeId>,
    /// Available extractions and insertions.
    shared: FxHashMap<(Op, u64, SmallVec<[NodeId; 3]>), NodeId>,
    /// Last stored values in memory of this invocation.
    memory: FxHashMap<Leaf, NodeId>,
    errors: Vec<Diagnostic>,
}

/// Marker of a missing node, whose error, or that of an operand, has been reported.
struct Failed;

impl<'a> Builder<'a> {
    fn new(module: &'a Module, func: Func, body: &'a Body, options: &'a Options<'a>) -> Self {
        let count = body.node_count();
        let out = Drafts {
            module,
            func,
            options,
            shapes: Shapes::default(),
            drafts: Vec::with_capacity(count),
            pool: Vec::with_capacity(2 * count),
            leaves: vec![],
            constants: vec![],
            functions: vec![],
            outputs: vec![],
            results: vec![],
            discard: None,
            traps: vec![],
        };
        Builder {
            out,
            body,
            values: SideTable::with_capacity(body.local_count()),
            uniform: uniform::uniform_values(module, body, options.barrier),
            splats: FxHashMap::default(),
            consts: FxHashMap::default(),
            literals: FxHashMap::default(),
            leaves: FxHashMap::default(),
            shared: FxHashMap::default(),
            memory: FxHashMap::default(),
            errors: vec![],
        }
    }

    fn fail<T>(&mut self, code: Code, span: Span, message: impl Into<String>) -> Result<T, Failed> {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(Diagnostic::error(code, span, message));
        }
        Err(Failed)
    }

    fn run(&mut self, blocks: &[(Block, Option<Mask>)]) {
        // Errors are recorded; nodes that depend on them are omitted.
        let mut done = true;
        for &(block, mask) in blocks {
            for &node in &self.body.blocks[block].nodes {
                done &= self.visit(node).is_ok();
            }
            if let Some(mask) = mask {
                done &= self.add_mask(mask, self.body.blocks[block].exit_span).is_ok();
            }
        }
        if let Some(&(last, _)) = blocks.last() {
            done &= self.finish(last).is_ok();
        }
        if !done && self.errors.is_empty() {
            let span = self.out.module.funcs[self.out.func].span;
            self.errors.push(Diagnostic::error(Code::E0699, span, "no graph can be made: a value that nothing makes"));
        }
    }

    fn visit(&mut self, node: planish_ir::entity::Node) -> Result<(), Failed> {
        let (module, body) = (self.out.module, self.body);
        let data = body.node(node);
        let (op, args) = (data.op, body.args(node));
        let results: SmallVec<[Local; 2]> = body.results(node).collect();
        match op {
            _ if op.info().class == Class::Access => return Ok(()),
            Op::Load => {
                let place = self.place(args[0], data.span)?;
                let value = self.load(&place, data.span)?;
                self.values[results[0]] = value + 1;
                return Ok(());
            }
            Op::Store => {
                let place = self.place(args[0], data.span)?;
                let value = self.operand(args[1], data.span)?;
                return self.store(&place, value, data.span);
            }
            Op::Call => return self.call(node, &results),
            _ => {}
        }
        if let (Some(total), &[result]) = (traps::without_trap(op), &results[..]) {
            return self.trapping(node, total, result);
        }
        if !is_node(op) {
            let (code, why) = refusal(op);
            return self.fail(code, data.span, format!("`{}` {why}", op.text()));
        }
        let mut operands: SmallVec<[NodeId; 4]> = SmallVec::new();
        let mut steps: SmallVec<[Step; 2]> = SmallVec::new();
        for &arg in args {
            let is_pointer = matches!(module.types[module.type_of(body, arg)], TypeKind::Pointer { .. });
            operands.push(if is_pointer {
                // Interpolation replaces the input; for a part, it is a part of the interpolated whole.
                let place = self.place(arg, data.span)?;
                let whole = self.load(&Place { steps: SmallVec::new(), ..place.clone() }, data.span)?;
                steps = place.steps;
                whole
            } else {
                self.operand(arg, data.span)?
            });
        }
        self.free_splats(op, args, &results, &mut operands);
        let Some(&first) = results.first() else { return Ok(()) };
        let group = if self.uniform[first] { Group::Preshader } else { Group::Pixel };
        let ty = match steps.is_empty() {
            true => self.result_type(&results, data.span)?,
            false => self.out.drafts[operands[0] as usize].node.ty,
        };
        let kind = Kind::Op(op, data.imm);
        let made = self.push(kind, ty, Some(group), &operands, data.span);
        let draft = &mut self.out.drafts[made as usize];
        (draft.node.precision, draft.node.precise, draft.local) = (data.precision, data.precise, Some(first));
        draft.node.cost = (self.out.options.cost)(op);
        self.note_splat(op, args, first, made, operands[..].first().copied());
        let value = self.extract_all(made, &steps, data.span)?;
        self.bind_results(&results, value, data.span)
    }

    /// The type of a node: a tuple for several results.
    fn result_type(&mut self, results: &[Local], span: Span) -> Result<TypeId, Failed> {
        let mut parts = vec![];
        for &local in results {
            parts.push(self.type_id(self.body.local_type(local), span)?);
        }
        Ok(if let [one] = parts[..] { one } else { self.out.shapes.tuple(parts) })
    }

    /// Records the nodes of the results.
    fn bind_results(&mut self, results: &[Local], made: NodeId, span: Span) -> Result<(), Failed> {
        if let &[one] = results {
            self.values[one] = made + 1;
            return Ok(());
        }
        let group = self.out.drafts[made as usize].node.group;
        for (i, &local) in results.iter().enumerate() {
            let ty = self.type_id(self.body.local_type(local), span)?;
            // It has a group only while the nodes are sorted, to be placed beside its op: it computes nothing.
            let part = self.push(Kind::Result(i as u32), ty, group, &[made], span);
            self.out.drafts[part as usize].local = Some(local);
            self.values[local] = part + 1;
        }
        Ok(())
    }

    fn call(&mut self, node: planish_ir::entity::Node, results: &[Local]) -> Result<(), Failed> {
        let data = self.body.node(node);
        let args = self.body.args(node);
        let Some(callee) = args[0].as_func() else {
            return self.fail(Code::E1104, data.span, "a call of a function that is only known when the program runs");
        };
        let function = &self.out.module.funcs[callee];
        let name = &function.name.text;
        if !function.is_leaf() && !self.out.options.leaves.iter().any(|leaf| **leaf == **name) {
            let message =
                format!("call of `{name}` in a dataflow graph, which holds only the functions the target has");
            self.errors.push(
                Diagnostic::error(Code::E1105, data.span, message)
                    .help("flatten the function first: `--flatten`; or say that the target has it: `--leaf`"),
            );
            return Err(Failed);
        }
        let mut operands: SmallVec<[NodeId; 4]> = SmallVec::new();
        for &arg in &args[1..] {
            operands.push(self.operand(arg, data.span)?);
        }
        if results.is_empty() {
            return self.fail(Code::E1103, data.span, format!("call of `{name}`, which gives nothing"));
        }
        let ty = self.result_type(results, data.span)?;
        let known = self.out.functions.iter().position(|f| **f == **name);
        let index = known.unwrap_or_else(|| {
            self.out.functions.push(name.to_string());
            self.out.functions.len() - 1
        });
        let group = if self.uniform[results[0]] { Group::Preshader } else { Group::Pixel };
        let made = self.push(Kind::Call(index as u32), ty, Some(group), &operands, data.span);
        self.out.drafts[made as usize].node.cost = (self.out.options.cost)(Op::Call);
        self.out.drafts[made as usize].local = Some(results[0]);
        self.bind_results(results, made, data.span)
    }

    fn scalar_constant(&mut self, scalar: Scalar, bits: u64) -> NodeId {
        let ty = self.out.shapes.scalar(scalar);
        if let Some(&id) = self.literals.get(&(ty, bits)) {
            return id;
        }
        let id = self.push_constant(ty, Literal::Bits(scalar, bits));
        self.literals.insert((ty, bits), id);
        id
    }

    fn push_constant(&mut self, ty: TypeId, value: Literal) -> NodeId {
        let index = self.out.constants.len() as u32;
        self.out.constants.push(value);
        self.push(Kind::Constant(index), ty, None, &[], Span::NONE)
    }

    fn type_id(&mut self, ty: Type, span: Span) -> Result<TypeId, Failed> {
        match self.out.shapes.of(&self.out.module.types, ty) {
            Some(id) => Ok(id),
            None => {
                let name = planish_ir::text::type_text(&self.out.module.types, ty);
                self.fail(Code::E0602, span, format!("a value of type `{name}` in a dataflow graph"))
            }
        }
    }

    fn push(&mut self, kind: Kind, ty: TypeId, group: Option<Group>, operands: &[NodeId], span: Span) -> NodeId {
        let id = self.out.drafts.len() as NodeId;
        let at = (self.out.pool.len() as u32, operands.len() as u32);
        self.out.pool.extend_from_slice(operands);
        let (precision, source) = (Precision::None, None);
        let node = Node { kind, ty, group, cost: 0, precision, precise: false, source, span, operands: at };
        self.out.drafts.push(Draft { node, span, local: None });
        id
    }

    fn operand(&mut self, value: Value, span: Span) -> Result<NodeId, Failed> {
        match value.kind() {
            ValueKind::Local(local) => match self.values[local] {
                0 => self.parameter(local, span),
                n => Ok(n - 1),
            },
            ValueKind::Const(c) => self.constant(c, span),
            ValueKind::Var(_) | ValueKind::Func(_) => {
                self.fail(Code::E1107, span, "a place or a function used as a value")
            }
        }
    }

    fn constant(&mut self, c: Const, span: Span) -> Result<NodeId, Failed> {
        if let Some(&id) = self.consts.get(&c) {
            return Ok(id);
        }
        let module = self.out.module;
        let Some(value) = Literal::of(module, c) else {
            return self.fail(Code::E0602, span, "a reference in a dataflow graph");
        };
        let id = match value {
            Literal::Bits(scalar, bits) => self.scalar_constant(scalar, bits),
            value => {
                let ty = self.type_id(module.consts[c].ty, span)?;
                self.push_constant(ty, value)
            }
        };
        self.consts.insert(c, id);
        Ok(id)
    }

    /// A value without a node: a parameter, or one omitted after an error.
    fn parameter(&mut self, local: Local, span: Span) -> Result<NodeId, Failed> {
        let inputs = &self.body.blocks[self.body.entry].inputs;
        let Some(index) = inputs.iter().position(|&i| i == local) else { return Err(Failed) };
        let leaf = Leaf { root: Root::Param(index as u16), path: SmallVec::new() };
        let ty = self.type_id(self.body.local_type(local), span)?;
        let id = self.leaf(leaf, ty, LeafKind::Input);
        self.values[local] = id + 1;
        Ok(id)
    }

    fn leaf(&mut self, leaf: Leaf, ty: TypeId, kind: LeafKind) -> NodeId {
        if let Some(&id) = self.leaves.get(&leaf) {
            return id;
        }
        let kind = match kind {
            LeafKind::Uniform => Kind::Uniform(0),
            LeafKind::Resource => Kind::Resource(0),
            _ => Kind::Input(0),
        };
        let id = self.push(kind, ty, None, &[], Span::NONE);
        self.leaves.insert(leaf.clone(), id);
        self.out.leaves.push((leaf, id));
        id
    }

    /// Adds outputs and results.
    fn finish(&mut self, last: Block) -> Result<(), Failed> {
        let module = self.out.module;
        for (leaf, &value) in &self.memory {
            let goes_out = match leaf.root {
                Root::Var(var) => module.vars[var].space == AddressSpace::Output,
                Root::Param(_) => true,
            };
            if goes_out {
                self.out.outputs.push((leaf.clone(), value));
            }
        }
        let data = &self.body.blocks[last];
        if let Exit::Return(args) = &data.exit {
            for &arg in args {
                let value = self.operand(arg, data.exit_span)?;
                self.out.results.push(value);
            }
        }
        Ok(())
    }
}

/// The error of an op that has no node.
fn refusal(op: Op) -> (Code, &'static str) {
    match op.info().effect {
        Effect::MayTrap => (Code::E1105, "may trap in a way that a dataflow graph cannot express"),
        Effect::Pure | Effect::Quad => (Code::E1105, "works on what a dataflow graph does not have"),
        Effect::Load | Effect::ImageLoad | Effect::MemoryLoad | Effect::TableLoad => {
            (Code::E1105, "reads memory that others may write, which a dataflow graph has not")
        }
        Effect::Store
        | Effect::Modify
        | Effect::ImageStore
        | Effect::ImageModify
        | Effect::MemoryStore
        | Effect::MemoryModify
        | Effect::TableStore
        | Effect::Call
        | Effect::NewToken
        | Effect::Subgroup
        | Effect::World => (Code::E1103, "has an effect, which a dataflow graph cannot"),
    }
}
