//! From a function's blocks to statements and expressions.
//!
//! A value that is read once, in the block that makes it, is written where it is read; `planish_target::expressions`
//! decides when that is allowed. Any other value has a name: a constant declared where it is made or, in asm.js, a
//! variable declared at the beginning of the function.

use planish_ir::arena::SideTable;
use planish_ir::diagnostic::{Code as ErrorCode, Diagnostic};
use planish_ir::entity::{Block, Func, Local, Memory, Node, Value, ValueKind, Var};
use planish_ir::function::{Body, Exit, Function, LocalDef};
use planish_ir::host::SliceParam;
use planish_ir::module::Module;
use planish_ir::ops::{Class, ImmKind, Op};
use planish_ir::signature::Signature;
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};
use planish_ir::walk::BlockKind;
use planish_target::expressions::{Deferred, Effects, ExprWriter, Uses};
use planish_target::structure;
use rustc_hash::FxHashMap;

use crate::Dialect;
use crate::control::{OpenLoop, OpenSwitch};
use crate::helpers::Needs;
use crate::items::{Item, print, resolve_jumps};
use crate::names::Names;
use crate::ops::{OpWriter, Scalars, Types, info, is_lazy};
use crate::shapes;
use crate::slices::of_param;
use crate::tables::Tables;
use crate::text::{Kind, Text, unary};

/// Maximum number of values in one expression; a larger one is split by a name.
const MAX_SIZE: u32 = 24;

/// Data of the module that functions use.
pub(crate) struct Context<'a> {
    pub(crate) module: &'a Module,
    pub(crate) dialect: Dialect,
    pub(crate) names: &'a Names<'a>,
    /// Name of each function in the output.
    pub(crate) funcs: &'a SideTable<Func, String>,
    /// Name of each variable of the module.
    pub(crate) vars: &'a FxHashMap<Var, String>,
    /// The names of the views of memories, by number.
    pub(crate) views: &'a [String],
    /// The names of the functions that make memories larger.
    pub(crate) growths: &'a [String],
    pub(crate) tables: &'a Tables,
    /// The names of the data segments.
    pub(crate) data: &'a [String],
    /// Parameters that are typed arrays.
    pub(crate) slices: &'a [SliceParam],
    /// Size of the memory in bytes; results of functions after the first are stored from there (asm.js).
    pub(crate) results: u32,
}

/// Writes one function.
pub(crate) struct Emitter<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) module: &'a Module,
    pub(crate) function: &'a Function,
    pub(crate) body: &'a Body,
    /// The structure of parameters and results, of an export of a module.
    signature: Option<&'a Signature>,
    pub(crate) uses: Uses,
    pub(crate) needs: &'a mut Needs,
    pub(crate) errors: &'a mut Vec<Diagnostic>,
    /// Number of errors before this function.
    first_error: usize,
    pub(crate) names: Names<'a>,
    pub(crate) items: Vec<Item>,
    /// The block that is being written.
    pub(crate) block: Block,
    pub(crate) loops: Vec<OpenLoop>,
    pub(crate) switches: Vec<OpenSwitch>,
    locals: SideTable<Local, Option<String>>,
    variables: FxHashMap<Var, String>,
    /// The typed arrays among the parameters, by the memories that they are.
    pub(crate) arrays: FxHashMap<Memory, String>,
    /// Variables declared at the beginning.
    top: Vec<(String, Scalar)>,
    deferred: Deferred,
}

/// The text of a function with a body, under its name in the output.
pub(crate) fn emit(context: &Context<'_>, func: Func, needs: &mut Needs, errors: &mut Vec<Diagnostic>) -> String {
    let module = context.module;
    let function = &module.funcs[func];
    let body = function.body.as_ref().expect("only functions with a body are emitted");
    let report = Scalars { module, dialect: context.dialect };
    let first_error = errors.len();
    let mut emitter = Emitter {
        first_error,
        signature: module.signature_of(func).filter(|_| context.dialect == Dialect::Module).map(|s| &**s),
        context,
        module,
        function,
        body,
        uses: Uses::new(body, &report),
        needs,
        errors,
        names: Names::inside(context.names),
        items: Vec::new(),
        block: body.entry,
        loops: Vec::new(),
        switches: Vec::new(),
        locals: SideTable::new(),
        variables: FxHashMap::default(),
        arrays: FxHashMap::default(),
        top: Vec::new(),
        deferred: Deferred::new(),
    };
    let mut params = Vec::new();
    let mut hints = Vec::new();
    if let Some(signature) = emitter.signature {
        signature.params.iter().for_each(|param| shapes::hints(param, "p", &mut hints));
    }
    for (number, (param, &input)) in function.params.iter().zip(&body.blocks[body.entry].inputs).enumerate() {
        let scalar = emitter.scalar_of(input.into(), param.span);
        let name = emitter.names.fresh(hints.get(number).unwrap_or(&&*param.name.text), "p");
        if let Some(slice) = of_param(context.slices, func, number) {
            let len = emitter.names.fresh(&format!("{name}_len"), "len");
            emitter.begin_slice(slice, &name, len.clone());
            emitter.locals[input] = Some(len);
        } else {
            emitter.locals[input] = Some(name.clone());
        }
        params.push((name, scalar));
    }
    let Ok(()) = structure::write(&mut emitter, body);
    emitter.finish(&context.funcs[func], &params)
}

impl<'a> Emitter<'a> {
    pub(crate) fn is_asm(&self) -> bool {
        self.context.dialect == Dialect::Asm
    }

    pub(crate) fn op_writer(&mut self) -> OpWriter<'_> {
        OpWriter { dialect: self.context.dialect, needs: self.needs }
    }

    pub(crate) fn error(&mut self, code: ErrorCode, span: Span, text: impl Into<String>) {
        self.tell(Diagnostic::error(code, span, text.into()));
    }

    /// Reports an error once per function: a dialect without 64-bit integers would repeat it for every value.
    fn tell(&mut self, error: Diagnostic) {
        let own = &self.errors[self.first_error..];
        if !own.iter().any(|e| e.message == error.message) {
            self.errors.push(error);
        }
    }

    pub(crate) fn scalar(&self, value: Value) -> Option<Scalar> {
        match self.module.types[self.module.type_of(self.body, value)] {
            TypeKind::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The type of a value; an error where the dialect has none.
    pub(crate) fn scalar_of(&mut self, value: Value, span: Span) -> Scalar {
        let ty = self.module.type_of(self.body, value);
        match crate::module::scalar_of(self.context.dialect, self.module, ty, span) {
            Ok(scalar) => scalar,
            Err(error) => {
                self.tell(*error);
                Scalar::I32
            }
        }
    }

    pub(crate) fn is_read(&self, local: Local) -> bool {
        self.uses.counts[local] > 0
    }

    pub(crate) fn push(&mut self, item: Item) {
        self.items.push(item);
    }

    pub(crate) fn line(&mut self, text: String) {
        self.items.push(Item::Line(text));
    }

    // Names.

    /// Whether values of a merge chain may be read after its braces have ended: the condition of a loop may be written
    /// within the loop, but code after the loop reads its values too.
    pub(crate) fn outlives(&self, block: Block) -> bool {
        self.uses.tree.place(block).is_some_and(|p| p.kind == BlockKind::Condition)
    }

    fn new_name(&mut self, local: Local) -> String {
        let origin = self.body.origin(local).map(|var| self.module.vars[var].name.text.clone());
        self.names.fresh(origin.as_deref().unwrap_or(""), "v")
    }

    /// The name of a value, and whether it must still be declared where it is set.
    pub(crate) fn name_at(&mut self, local: Local, block: Block) -> (String, bool) {
        if let Some(name) = &self.locals[local] {
            return (name.clone(), false);
        }
        let name = self.new_name(local);
        self.locals[local] = Some(name.clone());
        let scalar = self.scalar_of(local.into(), self.body.blocks[block].exit_span);
        let at_top = self.is_asm() || self.outlives(block);
        if at_top {
            self.top.push((name.clone(), scalar));
        }
        (name, !at_top)
    }

    /// Declares values at the beginning of the function.
    pub(crate) fn declare_at_top(&mut self, locals: &[Local]) {
        for &local in locals {
            let name = self.new_name(local);
            self.locals[local] = Some(name.clone());
            let scalar = self.scalar_of(local.into(), self.function.span);
            self.top.push((name, scalar));
        }
    }

    /// Declares variables for the inputs of a merge block, before the construct that ends `block`.
    pub(crate) fn declare_inputs(&mut self, locals: &[Local], block: Block) {
        let mut here = Vec::new();
        for &local in locals {
            if let Some(outer) = self.handed_on(local) {
                self.locals[local] = self.locals[outer].clone();
                continue;
            }
            let (name, declared) = self.name_at(local, block);
            if declared {
                here.push(name);
            }
        }
        if !here.is_empty() {
            self.line(format!("let {};", here.join(", ")));
        }
    }

    /// The input of an outer merge block that this one is only passed to: they share a variable. That of the outer
    /// block is not read before its construct has ended.
    fn handed_on(&self, local: Local) -> Option<Local> {
        let LocalDef::Input(merge, _) = self.body.local(local).def else { return None };
        let data = &self.body.blocks[merge];
        let leaves = matches!(data.exit, Exit::Merge(_) | Exit::Break(..));
        if !leaves || self.uses.counts[local] != 1 || !data.nodes.is_empty() || !data.variables.is_empty() {
            return None;
        }
        let edges = self.uses.tree.edges(self.body, merge);
        let (target, args) = edges.first()?;
        let place = args.iter().position(|&arg| self.uses.resolve(arg) == Value::from(local))?;
        let outer = self.body.blocks[*target].inputs[place];
        (self.is_read(outer) && self.locals[outer].is_some()).then_some(outer)
    }

    /// Whether two values are one variable.
    pub(crate) fn is_same(&self, input: Local, value: Value) -> bool {
        let other = self.uses.resolve(value).as_local();
        other.is_some_and(|other| {
            other == input || self.locals[other].is_some() && self.locals[other] == self.locals[input]
        })
    }

    /// The name of a value that has one.
    pub(crate) fn name_of(&self, local: Local) -> Option<&str> {
        self.locals[local].as_deref()
    }

    /// Lets a value have the name of another one, if that has one.
    pub(crate) fn call_the_same(&mut self, local: Local, value: Value) -> bool {
        let other = self.uses.resolve(value).as_local();
        let name = other.filter(|&o| self.deferred.get(o).is_none()).and_then(|o| self.locals[o].clone());
        self.locals[local] = name.or(self.locals[local].take());
        other.is_some_and(|o| self.locals[o].is_some() && self.locals[o] == self.locals[local])
    }

    /// A variable of the function for no value of the IR.
    pub(crate) fn temporary(&mut self, scalar: Scalar) -> (String, Option<&'static str>) {
        let name = self.names.fresh("", "t");
        if self.is_asm() {
            self.top.push((name.clone(), scalar));
        }
        (name, (!self.is_asm()).then_some("const"))
    }

    /// Declares the variables of a block.
    fn declare_variables(&mut self, block: Block) {
        for &var in &self.body.blocks[block].variables {
            let data = &self.module.vars[var];
            let scalar = match crate::module::scalar_of(self.context.dialect, self.module, data.ty, data.span) {
                Ok(scalar) => scalar,
                Err(error) => {
                    self.tell(*error);
                    continue;
                }
            };
            let name = self.names.fresh(&data.name.text, "v");
            self.variables.insert(var, name.clone());
            let at_top = self.is_asm() || self.outlives(block);
            if at_top {
                self.top.push((name.clone(), scalar));
            }
            let bits = data.initializer.and_then(|c| self.module.consts.as_bits(c)).unwrap_or(0);
            let value = self.op_writer().literal(scalar, bits).text;
            self.push(Item::Assign { name, value, declared: (!at_top).then_some("let") });
        }
    }

    // Values.

    /// The text of a value; a deferred one is evaluated here. Recurses at most [`MAX_SIZE`] deep.
    pub(crate) fn value(&mut self, value: Value) -> Text {
        let resolved = self.uses.resolve(value);
        match resolved.kind() {
            ValueKind::Const(constant) => {
                let bits = self.module.consts.as_bits(constant);
                match (self.module.types[self.module.consts[constant].ty].clone(), bits) {
                    (TypeKind::Scalar(scalar), Some(bits)) => {
                        self.check(scalar, self.function.span);
                        self.op_writer().literal(scalar, bits)
                    }
                    _ => {
                        self.scalar_of(resolved, self.function.span);
                        Text::primary("0", Kind::Fixnum)
                    }
                }
            }
            ValueKind::Local(local) => match self.deferred.get(local) {
                Some(_) => {
                    self.deferred.evaluated(local);
                    let node = self.body.node_of(resolved).expect("only results of nodes are deferred");
                    self.write_op(node)
                }
                None => {
                    let scalar = self.scalar(resolved).unwrap_or(Scalar::I32);
                    let kind = self.op_writer().kind(scalar);
                    let name = self.locals[local].clone().unwrap_or_default();
                    Text::primary(name, kind)
                }
            },
            ValueKind::Var(_) | ValueKind::Func(_) => {
                self.error(ErrorCode::E0604, self.function.span, "an address is no value in JavaScript");
                Text::primary("0", Kind::Fixnum)
            }
        }
    }

    fn check(&mut self, scalar: Scalar, span: Span) {
        if let Err(error) = crate::module::check(self.context.dialect, scalar, span) {
            self.tell(*error);
        }
    }

    pub(crate) fn values(&mut self, values: &[Value]) -> Vec<Text> {
        values.iter().map(|&v| self.value(v)).collect()
    }

    /// The names that evaluating a value reads. Recurses at most [`MAX_SIZE`] deep.
    pub(crate) fn read_by(&self, value: Value, out: &mut Vec<Local>) {
        let resolved = self.uses.resolve(value);
        let Some(local) = resolved.as_local() else { return };
        match self.body.node_of(resolved).filter(|_| self.deferred.get(local).is_some()) {
            Some(node) => self.body.args(node).iter().for_each(|&arg| self.read_by(arg, out)),
            None => out.push(local),
        }
    }

    /// The texts of the values that the end of a block reads, in this order, after everything that is deferred.
    pub(crate) fn last(&mut self, values: &[Value]) -> Vec<Text> {
        self.finish(values);
        self.values(values)
    }

    /// Gives a value its name.
    pub(crate) fn assign(&mut self, local: Local, text: Text) {
        let (name, declared) = self.name_at(local, self.block);
        let value = text.text;
        self.push(Item::Assign { name, value, declared: declared.then_some("const") });
    }

    // Nodes.

    pub(crate) fn nodes(&mut self) {
        self.declare_variables(self.block);
        for &node in &self.body.blocks[self.block].nodes {
            if !self.uses.is_dead(self.body, node) {
                self.node(node);
            }
        }
    }

    fn node(&mut self, node: Node) {
        let operands = self.operands(node);
        let op = self.body.node(node).op;
        // An indirect call traps, and the view of a memory is read, before the arguments are evaluated.
        let effects = self.effects_of(&operands);
        let out_of_order = is_lazy(self.context.dialect, op)
            || matches!(op, Op::CallIndirect | Op::TailCallIndirect)
            || !self.is_asm() && op.info().class == Class::Machine && effects.conflicts(Effects::of(Op::MemorySize));
        if out_of_order && !effects.is_pure() {
            self.materialize_all(&[]);
        }
        let size = operands.iter().filter_map(|&v| self.uses.resolve(v).as_local());
        let height = 1 + size.filter_map(|l| self.deferred.get(l)).map(|pending| pending.height).sum::<u32>();
        if !self.defer(self.block, node, &operands, height, MAX_SIZE) {
            self.now(node);
        }
    }

    /// The values that a node reads.
    pub(crate) fn operands(&self, node: Node) -> Vec<Value> {
        let args = self.body.args(node);
        let skipped = match self.body.node(node).op {
            Op::Call | Op::TailCall | Op::Load | Op::Store => 1,
            _ => 0,
        };
        args[skipped..].to_vec()
    }

    /// A node as statements.
    fn now(&mut self, node: Node) {
        match self.body.node(node).op {
            Op::Store => {
                let value = self.value(self.body.args(node)[1]);
                if let Some(name) = self.variable(self.body.args(node)[0], node) {
                    self.push(Item::Assign { name, value: value.text, declared: None });
                }
            }
            op if op.info().class == Class::Call && self.body.node(node).result_count() != 1 => {
                self.call_of_many(node);
            }
            _ => {
                let text = self.write_op(node);
                match self.body.result(node) {
                    Some(result) if self.is_read(result) => self.assign(result, text),
                    _ if self.body.node(node).op.is_droppable(self.body.node(node).imm) => {}
                    _ => self.line(format!("{};", text.text)),
                }
            }
        }
    }

    fn variable(&mut self, pointer: Value, node: Node) -> Option<String> {
        let var = pointer.as_var();
        let name = var.and_then(|var| self.variables.get(&var).or_else(|| self.context.vars.get(&var)).cloned());
        if name.is_none() {
            let text = "a pointer is no value in JavaScript: it must be lowered to scalars first";
            self.error(ErrorCode::E0604, self.body.node(node).span, text);
        }
        name
    }

    /// The expression of a node with one result.
    fn write_op(&mut self, node: Node) -> Text {
        let (op, span) = (self.body.node(node).op, self.body.node(node).span);
        let unknown = || Text::primary("0", Kind::Fixnum);
        match op {
            Op::Load => {
                let scalar = self.body.result(node).map(|r| self.scalar_of(r.into(), span)).unwrap_or(Scalar::I32);
                let kind = self.op_writer().kind(scalar);
                let name = self.variable(self.body.args(node)[0], node).unwrap_or_default();
                return Text::primary(name, kind);
            }
            op if op.info().class == Class::Call => return self.call(node),
            _ => {}
        }
        let operands = self.operands(node);
        let args = self.values(&operands);
        if op.info().class == Class::Machine {
            return self.machine(node, &args).unwrap_or_else(|| {
                self.error(ErrorCode::E0604, span, format!("JavaScript has no `{}`", op.text()));
                unknown()
            });
        }
        for value in operands.iter().copied().chain(self.body.results(node).map(Value::from)) {
            self.scalar_of(value, span);
        }
        let types = Types::of(self.module, self.body, node);
        // Most ops are legal because they have text.
        let is_legal = op.info().imm != ImmKind::Guard || info().has(self.module, self.body, node);
        let text = types.filter(|_| is_legal).and_then(|types| self.op_writer().write(op, &args, types));
        text.unwrap_or_else(|| {
            self.error(ErrorCode::E0604, span, format!("JavaScript has no `{}`", op.text()));
            unknown()
        })
    }

    // The whole.

    /// The statement that leaves the function with these values.
    pub(crate) fn return_(&mut self, texts: Vec<Text>) {
        if !self.is_asm() {
            let list: Vec<String> = texts.into_iter().map(|t| t.text).collect();
            if let Some(shape) = self.signature.and_then(|signature| signature.result.as_ref()) {
                let value = shapes::written(shape, &mut list.into_iter());
                self.push(Item::Leave(format!("return {value};")));
                return;
            }
            self.push(Item::Leave(match &list[..] {
                [] => "return;".to_owned(),
                [one] => format!("return {one};"),
                _ => format!("return [{}];", list.join(", ")),
            }));
            return;
        }
        let scalars: Vec<Scalar> =
            self.function.results.iter().filter_map(|r| self.module.types.scalar_of(r.ty)).collect();
        for (index, (text, &scalar)) in texts.iter().zip(&scalars).enumerate().skip(1) {
            let slot = self.result_slot(index, scalar);
            self.line(format!("{slot} = {};", text.text));
        }
        let first = texts.into_iter().next().zip(scalars.first());
        let text = first.map(|(text, &scalar)| format!("return {};", returned(&text, scalar)));
        self.push(Item::Leave(text.unwrap_or_else(|| "return;".to_owned())));
    }

    fn finish(mut self, name: &str, params: &[(String, Scalar)]) -> String {
        let is_last_return = matches!(self.items.last(), Some(Item::Leave(text)) if text.starts_with("return"));
        if matches!(self.items.last(), Some(Item::Leave(text)) if text == "return;") {
            self.items.pop();
        }
        let labels = resolve_jumps(&mut self.items);
        let mut names = params.iter().map(|p| p.0.clone());
        let list: Vec<String> = match self.signature {
            Some(signature) => signature.params.iter().map(|p| shapes::written(&p.shape, &mut names)).collect(),
            None => names.collect(),
        };
        let mut out = format!("function {name}({}) {{\n", list.join(", "));
        if self.is_asm() {
            for (name, scalar) in params {
                let value = returned(&Text::primary(name.clone(), Kind::Int), *scalar);
                out.push_str(&format!("  {name} = {value};\n"));
                if *scalar == Scalar::F32 {
                    self.needs.insert("fround");
                }
            }
        }
        self.print_top(&mut out);
        print(&self.items, &labels, 1, &mut out);
        if self.is_asm() && !is_last_return && !self.function.results.is_empty() {
            let scalar = self.module.types.scalar_of(self.function.results[0].ty).unwrap_or(Scalar::I32);
            let zero = self.op_writer().literal(scalar, 0);
            out.push_str(&format!("  return {};\n", zero.text));
        }
        out.push_str("}\n");
        out
    }

    fn print_top(&mut self, out: &mut String) {
        const IN_A_LINE: usize = 8;
        let top = std::mem::take(&mut self.top);
        for some in top.chunks(IN_A_LINE) {
            let mut list = Vec::new();
            for (name, scalar) in some {
                if self.is_asm() {
                    let zero = self.op_writer().literal(*scalar, 0).text;
                    list.push(format!("{name} = {zero}"));
                } else {
                    list.push(name.clone());
                }
            }
            let word = if self.is_asm() { "var" } else { "let" };
            out.push_str(&format!("  {word} {};\n", list.join(", ")));
        }
    }
}

impl ExprWriter for Emitter<'_> {
    fn parts(&mut self) -> (&Body, &Uses, &mut Deferred) {
        (self.body, &self.uses, &mut self.deferred)
    }

    fn materialize(&mut self, local: Local) {
        let text = self.value(local.into());
        self.assign(local, text);
    }
}

/// A value as asm.js returns it, and as it declares the type of a parameter.
fn returned(text: &Text, scalar: Scalar) -> String {
    match scalar {
        Scalar::F64 => unary("+", text, Kind::Double).text,
        Scalar::F32 if text.text.starts_with("fround(") => text.text.clone(),
        Scalar::F32 => format!("fround({})", text.text),
        _ => text.clone().signed().text,
    }
}
