//! From a function's blocks to structured code on an operand stack.
//!
//! A value that is read once, in the block that makes it, gets no local variable: it is evaluated on the stack where it is
//! read, as `planish_target::expressions` allows.

use planish_ir::arena::SideTable;
use planish_ir::diagnostic::{Code as ErrorCode, Diagnostic};
use planish_ir::entity::{Block, Const, Local, Node, Type, Value, ValueKind, Var};
use planish_ir::function::{Body, Exit, Function};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};
use planish_target::expressions::{Deferred, ExprWriter, ReportUses, Uses};
use planish_target::structure::{self, Label};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wasm_encoder::{BlockType, Instruction as I, ValType};

use crate::code::{Code, Slot};
use crate::control::{Frame, Passed};
use crate::indices::Indices;
use crate::ops::is_nothing;
use crate::share::{self, Shared};
use crate::types::{Signatures, val_type};

/// Maximum height of the operand stack below a value; a deeper one gets a local variable.
const MAX_HEIGHT: u32 = 48;

/// Ops that need no instruction.
struct Scalars<'a>(&'a Module);

impl ReportUses for Scalars<'_> {
    fn is_nothing(&self, body: &Body, node: Node) -> bool {
        let op = body.node(node).op;
        let (Op::Bitcast | Op::ConstructScalarFromScalar, Some(result)) = (op, body.result(node)) else { return false };
        let scalar = |ty| self.0.types.scalar_of(ty);
        let (from, to) = (scalar(self.0.type_of(body, body.args(node)[0])), scalar(body.local_type(result)));
        matches!((from, to), (Some(from), Some(to)) if is_nothing(op, from, to))
    }
}

/// Emits one function.
pub(crate) struct Emitter<'a> {
    pub(crate) module: &'a Module,
    pub(crate) function: &'a Function,
    pub(crate) body: &'a Body,
    pub(crate) uses: Uses,
    pub(crate) indices: &'a Indices,
    pub(crate) signatures: &'a mut Signatures,
    pub(crate) errors: &'a mut Vec<Diagnostic>,
    pub(crate) code: Code,
    /// By value; for values that share a slot, by the root.
    slots: SideTable<Local, Option<Slot>>,
    pub(crate) shared: Shared,
    pub(crate) variables: FxHashMap<Var, Slot>,
    pub(crate) deferred: Deferred,
    /// The blocks of the output around, outermost first.
    pub(crate) frames: Vec<Frame>,
    /// By label: the index of its block in `frames`.
    pub(crate) depths: FxHashMap<(Block, Label), usize>,
    /// By loop around: the arguments that are passed in the `else` of its condition, if that is an `if`.
    pub(crate) loop_ifs: Vec<Option<Passed>>,
}

/// Emits a function with a body.
pub(crate) fn emit(
    module: &Module,
    function: &Function,
    indices: &Indices,
    signatures: &mut Signatures,
    errors: &mut Vec<Diagnostic>,
) -> Code {
    let body = function.body.as_ref().expect("only functions with a body are emitted");
    let uses = Uses::new(body, &Scalars(module));
    let mut emitter = Emitter {
        module,
        function,
        body,
        shared: share::find(module, body, &uses),
        uses,
        indices,
        signatures,
        errors,
        code: Code::default(),
        slots: SideTable::new(),
        variables: FxHashMap::default(),
        deferred: Deferred::new(),
        frames: Vec::new(),
        depths: FxHashMap::default(),
        loop_ifs: Vec::new(),
    };
    for &input in &body.blocks[body.entry].inputs {
        let ty = emitter.type_of(input.into(), function.span);
        let slot = emitter.code.slot(ty);
        let root = emitter.shared.root(input);
        emitter.slots[root] = Some(slot);
    }
    emitter.code.params = function.params.len();
    let Ok(()) = structure::write(&mut emitter, body);
    emitter.code.end_function();
    let results = match &function.results[..] {
        [] => Some(BlockType::Empty),
        [one] => Some(BlockType::Result(emitter.val_type(one.ty, function.span))),
        _ => None,
    };
    crate::labels::simplify(&mut emitter.code.items, results);
    emitter.code.drop_unread();
    emitter.code.names = emitter.names();
    emitter.code
}

impl Emitter<'_> {
    /// The type that a value has in the output; an error where there is none.
    pub(crate) fn type_of(&mut self, value: Value, span: Span) -> ValType {
        let ty = self.module.type_of(self.body, value);
        self.val_type(ty, span)
    }

    fn val_type(&mut self, ty: Type, span: Span) -> ValType {
        val_type(&self.module.types, ty).unwrap_or_else(|| {
            let name = planish_ir::text::type_text(&self.module.types, ty);
            self.error(ErrorCode::E0602, span, format!("WebAssembly has no values of type `{name}`"));
            ValType::I32
        })
    }

    pub(crate) fn error(&mut self, code: ErrorCode, span: Span, text: String) {
        self.errors.push(Diagnostic::error(code, span, text));
    }

    pub(crate) fn scalar(&self, value: Value) -> Option<Scalar> {
        match self.module.types[self.module.type_of(self.body, value)] {
            TypeKind::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The source variable of each slot: the one that is stored there, or whose value is.
    fn names(&self) -> Vec<Option<Var>> {
        let mut names = vec![None; self.code.slots.len()];
        for (&var, slot) in &self.variables {
            names[slot.index()] = Some(var);
        }
        for (local, _) in self.body.locals() {
            let Some(var) = self.body.origin(local) else { continue };
            let mut kept = local;
            // A value that conversions only reinterpret (as unsigned, say) is in the slot of their operand.
            while self.slots[self.shared.root(kept)].is_none()
                && let Some(node) = self.body.node_of(kept.into())
                && matches!(self.body.node(node).op, Op::Bitcast | Op::ConstructScalarFromScalar)
                && let Some(source) = self.body.args(node)[0].as_local()
            {
                kept = source;
            }
            if let Some(slot) = self.slots[self.shared.root(kept)] {
                names[slot.index()].get_or_insert(var);
            }
        }
        names
    }

    /// The slot of a value.
    pub(crate) fn slot(&mut self, local: Local) -> Slot {
        let root = self.shared.root(local);
        if let Some(slot) = self.slots[root] {
            return slot;
        }
        let ty = self.type_of(root.into(), self.function.span);
        let slot = self.code.slot(ty);
        self.slots[root] = Some(slot);
        slot
    }

    pub(crate) fn is_read(&self, local: Local) -> bool {
        self.uses.counts[local] > 0
    }

    // Evaluation.

    /// Puts a value on the stack.
    pub(crate) fn value(&mut self, value: Value) {
        enum Step {
            Value(Value),
            Node(Node),
        }
        let mut steps = vec![Step::Value(value)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Node(node) => self.finish_node(node),
                Step::Value(value) => match self.uses.resolve(value).kind() {
                    ValueKind::Const(constant) => self.constant(constant),
                    ValueKind::Local(local) if self.deferred.get(local).is_some() => {
                        self.deferred.evaluated(local);
                        let node = self.body.node_of(local.into()).expect("only results of nodes are deferred");
                        self.begin_node(node);
                        steps.push(Step::Node(node));
                        steps.extend(self.operands(node).into_iter().rev().map(Step::Value));
                    }
                    ValueKind::Local(local) => {
                        let slot = self.slot(local);
                        self.code.get(slot);
                    }
                    ValueKind::Var(_) | ValueKind::Func(_) => {
                        let text = "an address is no value in WebAssembly".to_owned();
                        self.error(ErrorCode::E0604, self.function.span, text);
                        self.code.push(I::I32Const(0));
                    }
                },
            }
        }
    }

    pub(crate) fn integer(&mut self, value: i64, scalar: Scalar) {
        self.code.push(if scalar.bits() == 64 { I::I64Const(value) } else { I::I32Const(value as i32) });
    }

    pub(crate) fn constant(&mut self, constant: Const) {
        match crate::constant::instruction(self.module, constant) {
            Some(instruction) => self.code.push(instruction),
            None => {
                let name = planish_ir::text::type_text(&self.module.types, self.module.consts[constant].ty);
                let text = format!("WebAssembly has no values of type `{name}`");
                self.error(ErrorCode::E0602, self.function.span, text);
            }
        }
    }

    /// Puts values on the stack.
    pub(crate) fn values(&mut self, values: &[Value]) {
        for &value in values {
            self.value(value);
        }
    }

    // Nodes.

    /// Declares the variables of a block.
    fn declare(&mut self, block: Block) {
        for &var in &self.body.blocks[block].variables {
            let data = &self.module.vars[var];
            let (ty, initializer, span) = (data.ty, data.initializer, data.span);
            let ty = self.val_type(ty, span);
            let slot = *self.variables.entry(var).or_insert_with(|| {
                self.code.slots.push(ty);
                Slot(self.code.slots.len() as u32 - 1)
            });
            match initializer {
                Some(constant) => self.constant(constant),
                None => self.code.push(crate::constant::zero(ty)),
            }
            self.code.set(slot);
        }
    }

    /// Emits the nodes of a block; whether it has been left already, by a tail call.
    pub(crate) fn nodes(&mut self, block: Block) -> bool {
        self.declare(block);
        let body = self.body;
        let nodes = &body.blocks[block].nodes;
        for (i, &node) in nodes.iter().enumerate() {
            if i + 1 == nodes.len() && self.is_tail_call(block, node) {
                self.tail_call(node);
                return true;
            }
            self.node(block, node);
        }
        false
    }

    fn node(&mut self, block: Block, node: Node) {
        if self.uses.is_dead(self.body, node) {
            return;
        }
        let operands = self.operands(node);
        let height = (1u32..).zip(&operands).map(|(below, &value)| {
            let local = self.uses.resolve(value).as_local();
            below + local.and_then(|l| self.deferred.get(l)).map_or(0, |pending| pending.height)
        });
        let height = height.max().unwrap_or(1);
        if !self.defer(block, node, &operands, height, MAX_HEIGHT) {
            self.begin_node(node);
            self.values(&operands);
            self.finish_node(node);
            self.keep_results(node);
        }
    }

    /// Takes the results of a node from the stack.
    fn keep_results(&mut self, node: Node) {
        let results: SmallVec<[Local; 2]> = self.body.results(node).collect();
        for &result in results.iter().rev() {
            if self.is_read(result) {
                let slot = self.slot(result);
                self.code.set(slot);
            } else {
                self.code.push(I::Drop);
            }
        }
    }

    /// The results that the function returns after a block, if nothing else happens on the path to its return; else
    /// `None`.
    fn returned(&self, block: Block) -> Option<SmallVec<[Value; 2]>> {
        let mut known: FxHashMap<Local, Value> = FxHashMap::default();
        let mut at = block;
        loop {
            let target = match &self.body.blocks[at].exit {
                Exit::Return(args) => {
                    let stand = |&v: &Value| v.as_local().and_then(|l| known.get(&l).copied()).unwrap_or(v);
                    return Some(args.iter().map(stand).collect());
                }
                Exit::NextBlock { merge } => *merge,
                Exit::Merge(_) | Exit::Break(..) => {
                    let (target, args) = self.uses.tree.edges(self.body, at)[0];
                    for (&input, &arg) in self.body.blocks[target].inputs.iter().zip(args) {
                        let arg = arg.as_local().and_then(|l| known.get(&l).copied()).unwrap_or(arg);
                        known.insert(input, arg);
                    }
                    target
                }
                _ => return None,
            };
            if !self.body.blocks[target].nodes.is_empty() || !self.body.blocks[target].variables.is_empty() {
                return None;
            }
            at = target;
        }
    }

    /// Whether a node at the end of a block is a tail call whose results the function then returns.
    fn is_tail_call(&self, block: Block, node: Node) -> bool {
        if !matches!(self.body.node(node).op, Op::TailCall | Op::TailCallIndirect) {
            return false;
        }
        let Some(returned) = self.returned(block) else { return false };
        let results: SmallVec<[Value; 2]> = self.body.results(node).map(Value::from).collect();
        let same_types = results
            .iter()
            .zip(&self.function.results)
            .all(|(&r, result)| self.module.type_of(self.body, r) == result.ty);
        results == returned && results.len() == self.function.results.len() && same_types
    }

    fn tail_call(&mut self, node: Node) {
        let operands = self.operands(node);
        self.finish(&operands);
        self.values(&operands);
        self.finish_node(node);
        let last = self.code.items.last_mut();
        if let Some(crate::code::Item::Plain(call)) = last {
            *call = match *call {
                I::Call(func) => I::ReturnCall(func),
                I::CallIndirect { type_index, table_index } => I::ReturnCallIndirect { type_index, table_index },
                _ => return,
            };
        }
    }

    /// Puts a condition on the stack, as anything that is 0 where it does not hold (or, negated, where it does).
    pub(crate) fn condition(&mut self, condition: Value, negated: bool) {
        let resolved = self.uses.resolve(condition);
        let node =
            resolved.as_local().filter(|&l| self.deferred.get(l).is_some()).and_then(|l| self.body.node_of(l.into()));
        if let Some(node) = node {
            let (op, args) = (self.body.node(node).op, self.body.args(node));
            let narrow = |value: Value| self.scalar(value).is_some_and(|s| s.is_integer() && s.bits() == 32);
            let tests_zero = args.len() == 2 && self.is_zero(args[1]) && narrow(args[0]);
            let stripped = match op {
                Op::LogicalNot => Some(!negated),
                Op::NotEqual if tests_zero => Some(negated),
                Op::Equal if tests_zero => Some(!negated),
                Op::ConstructScalarFromScalar if narrow(args[0]) => Some(negated),
                _ => None,
            };
            if let (None, true, Some(scalar), &[a, b]) = (stripped, negated, self.scalar(args[0]), args)
                && let Some(opposite) = crate::ops::opposite(op, scalar)
            {
                self.deferred.evaluated(resolved.as_local().expect("it is local"));
                self.values(&[a, b]);
                self.code.push(opposite);
                return;
            }
            if let Some(negated) = stripped {
                self.deferred.evaluated(resolved.as_local().expect("it is local"));
                self.value(args[0]);
                if negated {
                    self.code.push(I::I32Eqz);
                }
                return;
            }
        }
        self.value(condition);
        if negated {
            self.code.push(I::I32Eqz);
        }
    }
}

impl ExprWriter for Emitter<'_> {
    fn parts(&mut self) -> (&Body, &Uses, &mut Deferred) {
        (self.body, &self.uses, &mut self.deferred)
    }

    fn materialize(&mut self, local: Local) {
        self.value(local.into());
        let slot = self.slot(local);
        self.code.set(slot);
    }
}
