//! Walks a function and tracks which values are visible.
//!
//! Every merge chain opens a scope, except for the condition of a `Loop`, whose values belong to the chain that
//! contains the loop. A scope has a serial number; the open scopes form a stack with ascending numbers. A value has the
//! number of the scope that defines it and is visible exactly while that scope is open, so nothing needs undoing. A
//! floating node belongs to the innermost scope of its operands, computed once, at its first use.

use super::{StageNeed, Verifier, VerifyError};
use crate::arena::Id;
use crate::decoration::Precision;
use crate::entity::{Block, Func, Local, Node, Type, Value, ValueKind, Var};
use crate::function::{Body, Form, LocalDef};
use crate::source::Span;
use crate::types::AddressSpace;
use crate::walk::{self, BlockKind, Event};

/// A merge chain that is being walked.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// The block whose exit started the chain (for the outermost chain, the entry block).
    pub(super) owner: Block,
    /// Role of the chain for that block.
    pub(super) kind: BlockKind,
    /// Its scope; 0 if it has none of its own.
    scope: u32,
}

/// Location of an error.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) block: Block,
    pub(super) node: Option<Node>,
    pub(super) span: Span,
}

pub(super) struct FunctionVerifier<'a, 'm> {
    pub(super) cx: &'a mut Verifier<'m>,
    pub(super) func: Func,
    pub(super) body: &'m Body,
    pub(super) frames: Vec<Frame>,
    /// By block: 1 + the index in `frames` of its active chain; 0 if there is none.
    active: Vec<u32>,
    /// By scope number minus `first_scope`: whether it is open.
    open_scopes: Vec<bool>,
    first_scope: u32,
    current_scope: Vec<u32>,
    /// By local: its scope; 0 if it is not defined yet.
    scopes: Vec<u32>,
    /// By node: whether a block has listed it.
    listed: Vec<bool>,
}

/// Number of a scope that never opens: values after an error, not reported again.
const BROKEN: u32 = u32::MAX;

impl<'m> Verifier<'m> {
    pub(super) fn check_function(&mut self, func: Func) {
        self.check_signature(func);
        let module = self.module;
        let Some(body) = &module.funcs[func].body else { return };
        let first_scope = self.last_scope + 1;
        let mut verifier = FunctionVerifier {
            cx: self,
            func,
            body,
            frames: Vec::new(),
            active: vec![0; body.blocks.len()],
            open_scopes: Vec::new(),
            first_scope,
            current_scope: Vec::new(),
            scopes: vec![0; body.local_count()],
            listed: vec![false; body.node_count()],
        };
        if verifier.check_tree() {
            verifier.check_entry_inputs();
            verifier.walk();
        }
    }
}

impl FunctionVerifier<'_, '_> {
    pub(super) fn error(&mut self, place: Place, message: String) {
        self.cx.errors.push(VerifyError {
            func: Some(self.func),
            block: Some(place.block),
            node: place.node,
            message,
            span: place.span,
            memory: None,
        });
    }

    /// Whether the blocks form a tree, a precondition of the walk.
    fn check_tree(&mut self) -> bool {
        let mut parents: Vec<Option<Block>> = vec![None; self.body.blocks.len()];
        let entry = self.body.entry;
        if self.body.blocks.get(entry).is_none() {
            self.error(Place { block: entry, node: None, span: Span::NONE }, "the entry block does not exist".into());
            return false;
        }
        parents[entry.index()] = Some(entry);
        let mut stack = vec![entry];
        let mut is_tree = true;
        while let Some(block) = stack.pop() {
            let data = &self.body.blocks[block];
            let place = Place { block, node: None, span: data.exit_span };
            for next in data.exit.sub_blocks().into_iter().chain(data.exit.merge_block()) {
                let message = match parents.get(next.index()) {
                    None => format!("its exit refers to {next}, which does not exist"),
                    Some(Some(_)) if next == entry => "its exit refers to the entry block".into(),
                    Some(Some(other)) => format!("{next} is a child of it and of {other}"),
                    Some(None) => {
                        parents[next.index()] = Some(block);
                        stack.push(next);
                        continue;
                    }
                };
                is_tree = false;
                self.error(place, message);
            }
        }
        is_tree
    }

    fn check_entry_inputs(&mut self) {
        let function = &self.cx.module.funcs[self.func];
        let inputs = &self.body.blocks[self.body.entry].inputs;
        let place = Place { block: self.body.entry, node: None, span: function.span };
        if inputs.len() != function.params.len() {
            let message = format!("{} inputs for {} parameters", inputs.len(), function.params.len());
            self.error(place, message);
            return;
        }
        for (i, (&input, param)) in inputs.iter().zip(&function.params).enumerate() {
            if input.index() >= self.body.local_count() {
                continue;
            }
            let local = self.body.local(input);
            if local.ty != param.ty {
                let (have, want) = (self.cx.type_text(local.ty), self.cx.type_text(param.ty));
                self.error(place, format!("input {i} has type {have}, the parameter {want}"));
            } else if local.precision != param.precision {
                self.error(place, format!("input {i} does not have the parameter's precision"));
            }
        }
    }

    fn walk(&mut self) {
        let body = self.body;
        for event in walk::events(body, body.entry) {
            match event {
                Event::Enter { block, kind, parent, .. } => {
                    if kind != BlockKind::Merge {
                        self.enter_chain(parent, kind);
                    }
                    self.check_block(block);
                }
                Event::Leave { .. } => self.leave_chain(),
            }
        }
    }

    fn enter_chain(&mut self, owner: Block, kind: BlockKind) {
        let shares =
            kind == BlockKind::Condition && matches!(self.body.blocks[owner].exit, crate::function::Exit::Loop { .. });
        let scope = if shares {
            0
        } else {
            self.cx.last_scope += 1;
            self.open_scopes.push(true);
            self.current_scope.push(self.cx.last_scope);
            self.cx.last_scope
        };
        self.frames.push(Frame { owner, kind, scope });
        if kind != BlockKind::Entry {
            self.active[owner.index()] = self.frames.len() as u32;
        }
    }

    fn leave_chain(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.active[frame.owner.index()] = 0;
        if frame.scope != 0 {
            self.current_scope.pop();
            self.open_scopes[(frame.scope - self.first_scope) as usize] = false;
        }
    }

    /// The active chain that was started by the exit of `owner`.
    pub(super) fn frame_of(&self, owner: Block) -> Option<Frame> {
        let index = *self.active.get(owner.index())?;
        (index != 0).then(|| self.frames[index as usize - 1])
    }

    fn scope(&self) -> u32 {
        self.current_scope.last().copied().unwrap_or(BROKEN)
    }

    fn is_open(&self, scope: u32) -> bool {
        scope >= self.first_scope && self.open_scopes.get((scope - self.first_scope) as usize).copied().unwrap_or(false)
    }

    fn check_block(&mut self, block: Block) {
        let body = self.body;
        let data = &body.blocks[block];
        let place = Place { block, node: None, span: data.exit_span };
        for (i, &input) in data.inputs.iter().enumerate() {
            self.define_input(place, i, input);
        }
        for &var in &data.variables {
            self.declare(place, var);
        }
        for &node in &data.nodes {
            self.check_listed(block, node);
        }
        self.check_exit(block);
    }

    fn define_input(&mut self, place: Place, index: usize, input: Local) {
        let body = self.body;
        if input.index() >= body.local_count() {
            self.error(place, format!("input {index} is {input}, which does not exist"));
            return;
        }
        let local = body.local(input);
        if local.def != LocalDef::Input(place.block, index as u16) {
            self.error(place, format!("input {index} is {input}, which is something else"));
        }
        if !self.cx.is_type(local.ty) || local.ty == Type::VOID {
            self.error(place, format!("the type of input {input} is `void` or does not exist"));
        } else if self.cx.is_boolean(local.ty) && local.precision != Precision::None {
            self.error(place, format!("input {input} is boolean, but has a precision"));
        } else if place.block != self.body.entry {
            self.check_restricted_input(place, input);
        }
        self.scopes[input.index()] = self.scope();
    }

    fn declare(&mut self, place: Place, var: Var) {
        let Some(data) = self.cx.module.vars.get(var) else {
            self.error(place, format!("it declares {var}, which does not exist"));
            return;
        };
        if data.space != AddressSpace::Function {
            self.error(place, format!("it declares {}, which is not local", self.cx.var_text(var)));
            return;
        }
        if let Some(func) = self.cx.declared_in[var.index()] {
            let message = format!("{} is declared twice, here and in {func}", self.cx.var_text(var));
            self.error(place, message);
            return;
        }
        self.cx.declared_in[var.index()] = Some(self.func);
        self.cx.var_scopes[var.index()] = self.scope();
    }

    fn check_listed(&mut self, block: Block, node: Node) {
        if node.index() >= self.body.node_count() {
            let place = Place { block, node: None, span: Span::NONE };
            self.error(place, format!("it lists {node}, which does not exist"));
            return;
        }
        let place = self.place_of(block, node);
        if self.body.form == Form::Floating && self.floats(node) {
            self.error(place, format!("`{}` is listed, but pure nodes float here", self.text_of(node)));
            return;
        }
        if std::mem::replace(&mut self.listed[node.index()], true) {
            self.error(place, format!("`{}` is listed twice", self.text_of(node)));
            return;
        }
        let body = self.body;
        for (i, &arg) in body.args(node).iter().enumerate() {
            self.check_visible(place, arg, &|| format!("operand {i}"));
        }
        self.check_node(place, node);
        let scope = self.scope();
        for result in body.results(node) {
            self.scopes[result.index()] = scope;
        }
    }

    pub(super) fn place_of(&self, block: Block, node: Node) -> Place {
        Place { block, node: Some(node), span: self.body.node(node).span }
    }

    pub(super) fn text_of(&self, node: Node) -> &'static str {
        self.body.node(node).op.text()
    }

    /// Checks that a value may be used here, else reports why not.
    /// Recursion: once: `resolve_scope` checks only operands whose scope is known.
    pub(super) fn check_visible(&mut self, place: Place, value: Value, what: &dyn Fn() -> String) -> bool {
        match value.kind() {
            ValueKind::Local(local) => {
                if local.index() >= self.body.local_count() {
                    self.error(place, format!("{} is {local}, which does not exist", what()));
                    return false;
                }
                match self.visibility(place, local) {
                    Ok(()) => true,
                    Err(reason) => {
                        if let Some(reason) = reason {
                            self.error(place, format!("{} is {local}, {reason}", what()));
                        }
                        false
                    }
                }
            }
            ValueKind::Const(c) => {
                let exists = c < self.cx.module.consts.next_id();
                if !exists {
                    self.error(place, format!("{} is {c}, which does not exist", what()));
                }
                exists
            }
            ValueKind::Var(var) => self.check_var_visible(place, var, what),
            ValueKind::Func(func) => {
                let exists = self.cx.module.funcs.get(func).is_some();
                if exists {
                    let callees = &mut self.cx.facts[self.func.index()].callees;
                    if callees.last() != Some(&func) {
                        callees.push(func);
                    }
                } else {
                    self.error(place, format!("{} is {func}, which does not exist", what()));
                }
                exists
            }
        }
    }

    fn check_var_visible(&mut self, place: Place, var: Var, what: &dyn Fn() -> String) -> bool {
        let Some(data) = self.cx.module.vars.get(var) else {
            self.error(place, format!("{} is {var}, which does not exist", what()));
            return false;
        };
        let reason = if data.space == AddressSpace::Function {
            if self.is_open(self.cx.var_scopes[var.index()]) {
                return true;
            }
            "which is not declared in this scope"
        } else {
            if self.cx.is_global[var.index()] {
                return true;
            }
            "which `globals` does not list"
        };
        let text = self.cx.var_text(var);
        self.error(place, format!("{} is {text}, {reason}", what()));
        // Its type is known nevertheless.
        true
    }

    /// Whether a local is visible, or the reason why not; `Err(None)` if the error of an operand has been reported.
    fn visibility(&mut self, place: Place, local: Local) -> Result<(), Option<&'static str>> {
        let scope = self.scopes[local.index()];
        if self.is_open(scope) {
            return Ok(());
        }
        match self.body.local(local).def {
            LocalDef::Input(..) => Err(Some("an input of a block that is not around")),
            LocalDef::Result(..) if scope == BROKEN => Err(None),
            LocalDef::Result(..) if scope != 0 => Err(Some("which is not visible in this scope")),
            LocalDef::Result(node, _) if node.index() >= self.body.node_count() => {
                Err(Some("whose node does not exist"))
            }
            LocalDef::Result(node, _) if self.body.form == Form::Placed || !self.floats(node) => {
                Err(Some("which is not made before"))
            }
            LocalDef::Result(node, _) => self.resolve_scope(place.block, node),
        }
    }

    /// Computes the scope of a floating node and of its floating operands, and checks them. `block` contains the first
    /// use.
    fn resolve_scope(&mut self, block: Block, root: Node) -> Result<(), Option<&'static str>> {
        let body = self.body;
        // Node, next operand to visit, innermost scope so far.
        let mut stack: Vec<(Node, usize, u32)> = vec![(root, 0, self.first_scope)];
        while let Some((node, at, scope)) = stack.pop() {
            let Some(&arg) = body.args(node).get(at) else {
                let place = self.place_of(block, node);
                self.check_node(place, node);
                for result in body.results(node) {
                    self.scopes[result.index()] = scope;
                }
                continue;
            };
            if let Some(inner) = self.unresolved(arg) {
                if inner < node {
                    // Revisit this operand when its scope is known.
                    stack.push((node, at, scope));
                    stack.push((inner, 0, self.first_scope));
                } else {
                    // `check_node` reports operands that are not older; visiting them might not terminate.
                    stack.push((node, at + 1, BROKEN));
                }
                continue;
            }
            let place = self.place_of(block, node);
            let visible = self.check_visible(place, arg, &|| format!("operand {at}"));
            let inner = if visible { self.scope_of(arg) } else { BROKEN };
            stack.push((node, at + 1, scope.max(inner)));
        }
        let visible = body.results(root).all(|r| self.is_open(self.scopes[r.index()]));
        if visible { Ok(()) } else { Err(None) }
    }

    fn floats(&self, node: Node) -> bool {
        self.cx.module.floats(self.body, self.body.node(node).op, self.body.args(node))
    }

    /// The floating node of a value, if its scope is not known yet.
    fn unresolved(&self, value: Value) -> Option<Node> {
        let local = value.as_local()?;
        if local.index() >= self.body.local_count() || self.scopes[local.index()] != 0 {
            return None;
        }
        let node = self.body.node_of(value)?;
        self.floats(node).then_some(node)
    }

    /// The scope of a visible value.
    fn scope_of(&self, value: Value) -> u32 {
        match value.kind() {
            ValueKind::Local(local) => self.scopes[local.index()],
            ValueKind::Var(var) => match self.cx.var_scopes[var.index()] {
                0 => self.first_scope,
                scope => scope,
            },
            ValueKind::Const(_) | ValueKind::Func(_) => self.first_scope,
        }
    }

    /// Records a feature that is restricted to some stages.
    pub(super) fn need_stages(&mut self, place: Place, what: &'static str, stages: &'static [crate::module::Stage]) {
        let needs = &mut self.cx.facts[self.func.index()].needs;
        if !needs.iter().any(|n| n.what == what) {
            needs.push(StageNeed { stages, block: place.block, node: place.node, what, span: place.span });
        }
    }
}
