//! The builder: the only constructor of nodes.
//!
//! It infers the type of a node from the op table (or takes it from the caller, and checks it in debug builds), folds
//! it if all operands are constants, and then follows its [`Policy`]: reuses equal pure nodes (value numbering),
//! applies rule sets, lists the node in the current block or lets it float. Front ends and passes use the same builder
//! with different policies.

mod exits;
mod pause;
mod reinterpret;
mod shorthands;

use std::iter;

use hashbrown::HashTable;
use smallvec::SmallVec;

use crate::arena::Id;
use crate::decoration::Precision;
use crate::entity::{Block, Const, Func, Local, Node, Type, Value, ValueKind, Var};
use crate::function::{Body, Exit, Form, Mark, NodeRequest};
use crate::meaning;
use crate::module::Module;
use crate::node_hash::{NodeHash, hash_existing, hash_node};
use crate::ops::{Class, Imm, ImmKind, Op, TypeError, infer};
use crate::source::Span;
use crate::types::Scalar;

pub use pause::Paused;

/// Options of the builder.
#[derive(Clone, Copy)]
pub struct Policy<'r> {
    /// `Placed`: every node is listed in the current block. `Floating`: pure nodes and loads of constant memory float.
    pub form: Form,
    /// Whether ops on constants are folded.
    pub fold: bool,
    /// Whether pure nodes are value-numbered, including commuted operands: operands of commutative ops are sorted
    /// (values before constants, older before newer). Only in the floating form, in which nodes belong to no block.
    pub share: bool,
    /// Rewrites applied before a node is made.
    pub rules: Option<&'r dyn Rewriter>,
}

impl Policy<'static> {
    /// `-O0`: placed, folded, not value-numbered, one node per operation of the source.
    pub const PLAIN: Policy<'static> = Policy { form: Form::Placed, fold: true, share: false, rules: None };
    /// Placed, not folded: for tests and for parsing a program unchanged.
    pub const VERBATIM: Policy<'static> = Policy { form: Form::Placed, fold: false, share: false, rules: None };
    /// Floating and value-numbered, without rules.
    pub const SHARED: Policy<'static> = Policy { form: Form::Floating, fold: true, share: true, rules: None };
}

/// Interface of rule sets: rewrites of requested nodes.
pub trait Rewriter {
    /// Returns a value built with `builder` that equals the first (and only) result of the requested node, whose type
    /// is in the request; `None` if no rule applies.
    fn rewrite(&self, builder: &mut Builder<'_, '_>, request: &Request<'_>) -> Option<Value>;
}

/// A requested node.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The op.
    pub op: Op,
    /// Its immediate.
    pub imm: Imm,
    /// Its operands.
    pub args: &'a [Value],
    /// Result type, for ops whose type does not follow from the operands.
    pub ty: Option<Type>,
    /// Precision of the computation; `None`: that of the operands.
    pub precision: Option<Precision>,
}

impl<'a> Request<'a> {
    /// A request for `op` on `args`.
    pub fn new(op: Op, args: &'a [Value]) -> Self {
        Request { op, imm: Imm::NONE, args, ty: None, precision: None }
    }

    /// With an immediate.
    pub fn imm(mut self, imm: impl Into<Imm>) -> Self {
        self.imm = imm.into();
        self
    }

    /// With a result type.
    pub fn ty(mut self, ty: Type) -> Self {
        self.ty = Some(ty);
        self
    }

    /// At a precision.
    pub fn precision(mut self, precision: Precision) -> Self {
        self.precision = Some(precision);
        self
    }
}

/// Results of a node.
pub type Results = SmallVec<[Value; 2]>;

/// The blocks of an `If`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IfBlocks {
    /// The block that ends with the `If`.
    pub owner: Block,
    /// Executed if true.
    pub then: Block,
    /// Executed if false.
    pub otherwise: Block,
    /// Merge block.
    pub merge: Block,
}

/// The blocks of a `Loop` or `DoLoop`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoopBlocks {
    /// The block that ends with the loop; the label for `Break` and `Continue`.
    pub owner: Block,
    /// Computes the condition.
    pub condition: Block,
    /// Loop body.
    pub body: Block,
    /// Continue block, if requested.
    pub next: Option<Block>,
    /// Merge block.
    pub merge: Block,
}

/// Scratch allocations reused from one builder to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    body: Option<Body>,
    shared: HashTable<(NodeHash, Node)>,
    shared_log: Vec<(NodeHash, Node)>,
    spare: Option<Body>,
}

impl Scratch {
    /// With room for a copy of a body.
    pub fn for_copy(body: &Body) -> Self {
        Scratch { body: Some(body.room_for_copy()), ..Scratch::default() }
    }

    /// Takes the memory of a body that is no longer needed.
    pub fn reuse(&mut self, body: Body) {
        self.spare = Some(body);
    }
}

/// Builds one function of a module.
///
/// # Example
/// ```
/// use planish_ir::builder::{Builder, Policy};
/// use planish_ir::decoration::Name;
/// use planish_ir::entity::Type;
/// use planish_ir::function::{Param, ResultType};
/// use planish_ir::module::{Language, Module};
/// use planish_ir::ops::Op;
/// use planish_ir::source::Span;
///
/// let mut module = Module::new(Language::Ir);
/// let (x, result) = (Param::new(Name::temporary("x"), Type::F32), ResultType::new(Type::F32));
/// let func = module.add_func(Name::temporary("square"), vec![x], vec![result], Span::NONE);
/// let mut b = Builder::new(&mut module, func, Policy::PLAIN);
/// let x = b.param(0);
/// let square = b.op(Op::Multiply, &[x, x]);
/// b.ret(&[square]);
/// b.finish();
/// assert_eq!(module.funcs[func].body.as_ref().unwrap().node_count(), 1);
/// ```
pub struct Builder<'m, 'r> {
    /// The module.
    pub module: &'m mut Module,
    func: Func,
    body: Body,
    block: Block,
    span: Span,
    precise: bool,
    policy: Policy<'r>,
    shared: HashTable<(NodeHash, Node)>,
    /// Log of insertions into `shared`, for rollback.
    shared_log: Vec<(NodeHash, Node)>,
    spare: Option<Body>,
}

/// Sentinel for code outside of functions.
const OUTSIDE: Func = Func::from_u32(u32::MAX);

impl<'m, 'r> Builder<'m, 'r> {
    /// Starts the body of `func`; the entry block gets an input for each parameter.
    pub fn new(module: &'m mut Module, func: Func, policy: Policy<'r>) -> Self {
        Self::with_scratch(module, func, policy, Scratch::default())
    }

    /// Like [`Builder::new`], with the scratch memory of another builder.
    pub fn with_scratch(module: &'m mut Module, func: Func, policy: Policy<'r>, scratch: Scratch) -> Self {
        let Scratch { body, shared, shared_log, spare } = scratch;
        let mut body = body.unwrap_or_default();
        body.form = policy.form;
        let block = body.entry;
        for param in &module.funcs[func].params {
            body.add_input(block, param.ty, param.precision);
        }
        Builder { module, func, body, block, span: Span::NONE, precise: false, policy, shared, shared_log, spare }
    }

    fn of(module: &'m mut Module, func: Func, body: Body, policy: Policy<'r>) -> Self {
        let Scratch { shared, shared_log, spare, .. } = Scratch::default();
        let block = body.entry;
        Builder { module, func, body, block, span: Span::NONE, precise: false, policy, shared, shared_log, spare }
    }

    /// Continues a function whose body exists, to append nodes: existing lists are not changed, and with
    /// [`Policy::share`] existing pure nodes are reused.
    pub fn resume(module: &'m mut Module, func: Func, body: Body, policy: Policy<'r>) -> Self {
        let mut builder = Self::of(module, func, body, policy);
        if policy.share {
            let (module, body) = (&*builder.module, &builder.body);
            for (node, _) in body.nodes().filter(|&(n, data)| module.floats(body, data.op, body.args(n))) {
                let hash = hash_existing(body, node);
                builder.shared.insert_unique(hash.spread(), (hash, node), |entry| entry.0.spread());
                builder.shared_log.push((hash, node));
            }
        }
        builder
    }

    /// A builder outside of functions, for constant expressions of module scope: results that are not constants are
    /// discarded.
    pub fn outside(module: &'m mut Module, policy: Policy<'r>) -> Self {
        let mut body = Body::new();
        body.form = policy.form;
        Self::of(module, OUTSIDE, body, policy)
    }

    /// Ends the function, stores its body in the module, and returns the scratch memory for the next builder.
    pub fn finish(mut self) -> Scratch {
        self.begin(None);
        Scratch { body: Some(self.body), shared: self.shared, shared_log: self.shared_log, spare: self.spare }
    }

    /// Ends the current function, if any, and starts the body of another; `None`: outside of functions.
    pub fn begin(&mut self, func: Option<Func>) {
        let ended = self.body.take(self.spare.take());
        for param in func.map_or(&[][..], |func| &self.module.funcs[func].params) {
            self.body.add_input(self.body.entry, param.ty, param.precision);
        }
        self.block = self.body.entry;
        if self.func != OUTSIDE {
            self.module.funcs[self.func].body = Some(ended);
        }
        self.func = func.unwrap_or(OUTSIDE);
        self.shared.clear();
        self.shared_log.clear();
    }

    /// The function being built; an invalid id outside of functions.
    pub fn func(&self) -> Func {
        self.func
    }

    /// The body built so far.
    #[inline]
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// The policy.
    #[inline]
    pub fn policy(&self) -> Policy<'r> {
        self.policy
    }

    /// Parameter number `index`.
    #[inline]
    pub fn param(&self, index: usize) -> Value {
        self.body.blocks[self.body.entry].inputs[index].into()
    }

    // Positions and properties of following nodes.

    /// Sets the span of following nodes.
    #[inline]
    pub fn at(&mut self, span: Span) -> &mut Self {
        self.span = span;
        self
    }

    /// The current span.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Sets whether following nodes are `precise`, and returns the previous setting.
    #[inline]
    pub fn set_precise(&mut self, precise: bool) -> bool {
        std::mem::replace(&mut self.precise, precise)
    }

    /// Whether following nodes are `precise`.
    pub fn is_precise(&self) -> bool {
        self.precise
    }

    /// The current block.
    #[inline]
    pub fn block(&self) -> Block {
        self.block
    }

    /// Makes another block the current one.
    #[inline]
    pub fn switch_to(&mut self, block: Block) {
        self.block = block;
    }

    /// A new, empty, unreachable block.
    #[inline]
    pub fn new_block(&mut self) -> Block {
        self.body.new_block()
    }

    /// Adds an input to a block.
    #[inline]
    pub fn add_input(&mut self, block: Block, ty: Type, precision: Precision) -> Value {
        self.body.add_input(block, ty, precision).into()
    }

    /// Sets the source variable of a value ([`Body::origin`]); ignored for constants and addresses.
    #[inline]
    pub fn stands_for(&mut self, value: Value, var: Var) {
        if let Some(local) = value.as_local() {
            self.body.set_origin(local, var);
        }
    }

    /// Copies the source variable of a value of `old` to a new value.
    #[inline]
    pub fn keep_origin(&mut self, old: &Body, from: Local, to: Value) {
        if let Some(var) = old.origin(from) {
            self.stands_for(to, var);
        }
    }

    /// Whether the current block has no exit.
    pub fn is_open(&self) -> bool {
        self.body.blocks[self.block].exit == Exit::Open
    }

    /// Declares a local variable in the current block.
    pub fn declare(&mut self, var: Var) {
        self.body.blocks[self.block].variables.push(var);
    }

    // Facts.

    /// The type of a value.
    #[inline]
    pub fn type_of(&self, value: Value) -> Type {
        self.module.type_of(&self.body, value)
    }

    /// The precision of a value.
    pub fn precision_of(&self, value: Value) -> Precision {
        self.module.precision_of(&self.body, value)
    }

    /// Sets the precision of a local value that has none, and of the other results of its node, from its use. Booleans keep none.
    pub fn refine_precision(&mut self, value: Value, precision: Precision) {
        let Some(local) = value.as_local().filter(|&local| self.body.local(local).precision == Precision::None) else {
            return;
        };
        let results = self.body.node_of(value).map(|node| self.body.results(node));
        let not_first = results.into_iter().flatten().filter(|&result| result != local);
        for local in iter::once(local).chain(not_first) {
            let refined = result_precision(self.module, self.body.local_type(local), precision);
            if refined != Precision::None {
                self.body.set_precision(local, refined);
            }
        }
    }

    /// The op, immediate and operands of the node that defines a value; `None` if it is not a result.
    #[inline]
    pub fn definition(&self, value: Value) -> Option<(Op, Imm, &[Value])> {
        let node = self.body.node_of(value)?;
        let data = self.body.node(node);
        Some((data.op, data.imm, self.body.args(node)))
    }

    // Nodes.

    /// The only result of `op` on `args`.
    ///
    /// # Panics
    /// If the operands do not fit the op, or it does not have exactly one result.
    #[inline]
    pub fn op(&mut self, op: Op, args: &[Value]) -> Value {
        self.make(Request::new(op, args))
    }

    /// Like [`Builder::op`], with a result type for ops whose type does not follow from the operands.
    #[inline]
    pub fn op_typed(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        self.make(Request::new(op, args).ty(ty))
    }

    /// Like [`Builder::op`], with an immediate.
    #[inline]
    pub fn op_imm(&mut self, op: Op, imm: impl Into<Imm>, args: &[Value]) -> Value {
        self.make(Request::new(op, args).imm(imm))
    }

    /// The only result of a requested node.
    ///
    /// # Panics
    /// See [`Builder::op`].
    pub fn make(&mut self, request: Request<'_>) -> Value {
        match self.infer(request) {
            Ok(types) => match types[..] {
                [ty] => self.make_one(request, ty),
                _ => panic!("{} has {} results, not one", request.op.name(), types.len()),
            },
            Err(error) => self.misfit(request, &error),
        }
    }

    /// All results of a requested node.
    ///
    /// # Panics
    /// If the operands do not fit the op.
    pub fn make_all(&mut self, request: Request<'_>) -> Results {
        match self.try_make(request) {
            Ok(results) => results,
            Err(error) => self.misfit(request, &error),
        }
    }

    /// All results of a requested node.
    ///
    /// # Errors
    /// If the operands do not fit the op.
    pub fn try_make(&mut self, request: Request<'_>) -> Result<Results, TypeError> {
        let types = self.infer(request)?;
        Ok(self.make_typed(request, &types))
    }

    /// Copies a node of another body, with operands of the same types as the original ones. The result types are
    /// copied, not inferred.
    ///
    /// # Panics
    /// In debug builds, if the operand types differ.
    pub fn make_again(&mut self, old: &Body, node: Node, args: &[Value]) -> Results {
        let data = old.node(node);
        let mut types: SmallVec<[Type; 2]> = SmallVec::new();
        for local in old.results(node) {
            types.push(old.local_type(local));
        }
        self.precise = data.precise;
        let (ty, precision) = (types.first().copied(), Some(data.precision));
        self.make_known(Request { op: data.op, imm: data.imm, args, ty, precision }, &types)
    }

    /// All results of a requested node with known result types, as in a program that was checked before.
    ///
    /// # Panics
    /// In debug builds, if the op table gives other types.
    pub fn make_known(&mut self, request: Request<'_>, types: &[Type]) -> Results {
        debug_assert_eq!(self.infer(request).as_deref(), Ok(types), "what {} gives", request.op.name());
        self.make_typed(request, types)
    }

    /// Like [`Builder::make_known`], for a node with one result.
    ///
    /// # Panics
    /// See [`Builder::make_known`].
    pub fn make_known_one(&mut self, request: Request<'_>, ty: Type) -> Value {
        debug_assert_eq!(self.infer(request).as_deref(), Ok(&[ty][..]), "what {} gives", request.op.name());
        self.make_one(request, ty)
    }

    #[cold]
    fn misfit(&self, request: Request<'_>, error: &TypeError) -> ! {
        panic!("{} on {:?}: {}", request.op.name(), self.describe(request.args), error.0)
    }

    /// The result types of a requested node.
    #[inline]
    fn infer(&mut self, request: Request<'_>) -> Result<SmallVec<[Type; 2]>, TypeError> {
        // `push` in a loop, here and below: `collect` into a small vector is several times slower.
        let mut operand_types: SmallVec<[Type; 8]> = SmallVec::new();
        for &arg in request.args {
            operand_types.push(self.type_of(arg));
        }
        infer(&mut self.module.types, request.op, request.imm, &operand_types, request.ty)
    }

    /// The results of a node with these result types.
    #[inline]
    fn make_typed(&mut self, request: Request<'_>, types: &[Type]) -> Results {
        let mut results = Results::new();
        if let [ty] = *types {
            results.push(self.make_one(request, ty));
        } else {
            let node = self.push(request, types);
            for local in self.body.results(node) {
                results.push(local.into());
            }
        }
        results
    }

    /// Whether an immediate that is not 0 means anything for these operands: only where floats become integers is a
    /// conversion open, only integers and powers are guarded, and only floats have an order to give up.
    fn has_meaning(&self, request: Request<'_>, ty: Type) -> bool {
        let is_integer = self.module.types.scalar_of(ty).is_some_and(Scalar::is_integer);
        let is_float = |&arg: &Value| self.module.types.scalar_of(self.type_of(arg)).is_some_and(Scalar::is_float);
        match request.op.info().imm {
            ImmKind::Conversion => is_integer && request.args.iter().any(is_float),
            ImmKind::Guard => is_integer || request.op == Op::Pow,
            ImmKind::Order => self.module.types.scalar_of(ty).is_some_and(Scalar::is_float),
            _ => true,
        }
    }

    /// The result of a node with one result.
    #[inline]
    fn make_one(&mut self, request: Request<'_>, ty: Type) -> Value {
        let swapped;
        let mut request = request;
        if request.imm != Imm::NONE && !self.has_meaning(request, ty) {
            request.imm = Imm::NONE;
        }
        if let (true, &[a, b]) = (self.policy.share && request.op.info().commutative, request.args)
            && a > b
        {
            swapped = [b, a];
            request.args = &swapped;
        }
        if self.policy.fold
            && request.args.iter().all(|arg| arg.as_const().is_some())
            && let Some(folded) = self.fold(request, ty)
        {
            return folded.into();
        }
        if let Some(rules) = self.policy.rules
            && let Some(better) = rules.rewrite(self, &Request { ty: Some(ty), ..request })
        {
            debug_assert_eq!(self.type_of(better), ty, "a rule changed the type of {}", request.op.name());
            return better;
        }
        let node = self.push(request, &[ty]);
        self.body.result(node).expect("it has one").into()
    }

    fn describe(&self, args: &[Value]) -> Vec<String> {
        args.iter().map(|&a| format!("{a:?}: {:?}", self.module.types[self.type_of(a)])).collect()
    }

    /// The folded constant of a pure op on constants; `None` if it has none.
    fn fold(&mut self, request: Request<'_>, ty: Type) -> Option<Const> {
        if !request.op.is_pure() {
            return None;
        }
        let mut constants: SmallVec<[Const; 8]> = SmallVec::new();
        for arg in request.args {
            constants.push(arg.as_const()?);
        }
        meaning::fold(self.module, request.op, request.imm, &constants, ty)
    }

    #[inline]
    fn push(&mut self, request: Request<'_>, result_types: &[Type]) -> Node {
        let precision = request.precision.unwrap_or_else(|| self.derive_precision(request));
        if self.policy.form == Form::Floating && self.module.floats(&self.body, request.op, request.args) {
            return self.push_floating(&request, precision, result_types);
        }
        let node = self.push_node(&request, precision, result_types);
        self.body.list(self.block, node);
        node
    }

    /// Appends a floating node, or with [`Policy::share`] reuses an equal one.
    fn push_floating(&mut self, request: &Request<'_>, precision: Precision, result_types: &[Type]) -> Node {
        if !self.policy.share {
            return self.push_node(request, precision, result_types);
        }
        let (module, body) = (&*self.module, &self.body);
        let results = result_types.iter().map(|&ty| (ty, result_precision(module, ty, precision)));
        let hash = hash_node(request.op, request.imm, request.args, results.clone());
        let same = |&(other, node): &(NodeHash, Node)| {
            let data = body.node(node);
            other == hash
                && data.op == request.op
                && data.imm == request.imm
                && data.precise == self.precise
                && body.args(node) == request.args
                && body.results(node).map(|l| body.local(l)).map(|l| (l.ty, l.precision)).eq(results.clone())
        };
        if let Some(&(_, node)) = self.shared.find(hash.spread(), same) {
            return node;
        }
        let node = self.push_node(request, precision, result_types);
        self.shared.insert_unique(hash.spread(), (hash, node), |entry| entry.0.spread());
        self.shared_log.push((hash, node));
        node
    }

    #[inline]
    fn push_node(&mut self, request: &Request<'_>, precision: Precision, result_types: &[Type]) -> Node {
        let Request { op, imm, args, .. } = *request;
        let (precise, span, module) = (self.precise, self.span, &*self.module);
        let results = result_types.iter().map(|&ty| (ty, result_precision(module, ty, precision)));
        self.body.push_node(NodeRequest { op, imm, args, precision, precise, span }, results)
    }

    fn derive_precision(&self, request: Request<'_>) -> Precision {
        if !self.module.facts.precisions {
            return Precision::None;
        }
        let args = request.args;
        match request.op.info().class {
            Class::Call => request
                .args
                .first()
                .and_then(|f| f.as_func())
                .and_then(|f| self.module.funcs[f].results.first())
                .map_or(Precision::None, |r| r.precision),
            // The precision of the memory; a member may have its own.
            Class::Access => self.part_precision(args[0], request),
            Class::Extract if request.op == Op::ExtractStructField => self.part_precision(args[0], request),
            Class::Extract | Class::Memory | Class::Texture if !args.is_empty() => self.precision_of(args[0]),
            _ => args.iter().map(|&a| self.precision_of(a)).max().unwrap_or_default(),
        }
    }

    fn part_precision(&self, composite: Value, request: Request<'_>) -> Precision {
        let ty = self.type_of(composite);
        let ty = self.module.types.pointee(ty).map_or(ty, |(ty, _)| ty);
        let member = self.module.types.as_struct(ty).and_then(|s| s.members.get(request.imm.as_index() as usize));
        member.map_or_else(|| self.precision_of(composite), |m| m.precision)
    }

    // Speculation.

    /// The current length of the function, for [`Builder::roll_back`].
    pub fn mark(&self) -> Mark {
        self.body.mark()
    }

    /// Removes nodes, values and blocks made since `mark`, also from the value-numbering table. The current block must
    /// be older than the mark; the caller restores lists and exits of older blocks.
    pub fn roll_back(&mut self, mark: Mark) {
        // Time is proportional to the removed part, not to the rest: a function with many loops is rolled back often.
        while let Some((hash, node)) = self.shared_log.pop_if(|(_, node)| node.index() >= mark.node_count()) {
            if let Ok(entry) = self.shared.find_entry(hash.spread(), |&(_, shared)| shared == node) {
                entry.remove();
            }
        }
        self.body.truncate(mark);
    }

    /// Direct access to a block, for passes that restore a saved list or exit.
    pub fn block_mut(&mut self, block: Block) -> &mut crate::function::BlockData {
        &mut self.body.blocks[block]
    }

    /// The constant, or `None` for other values.
    pub fn as_const(&self, value: Value) -> Option<Const> {
        match value.kind() {
            ValueKind::Const(c) => Some(c),
            _ => None,
        }
    }
}

/// The precision of a result: none for booleans and composites of them.
#[inline]
fn result_precision(module: &Module, ty: Type, precision: Precision) -> Precision {
    use crate::types::{Scalar, TypeKind};
    if precision == Precision::None {
        return precision;
    }
    match module.types[ty] {
        TypeKind::Scalar(Scalar::Bool) | TypeKind::Vector(Scalar::Bool, _) | TypeKind::Struct(_) => Precision::None,
        _ => precision,
    }
}
