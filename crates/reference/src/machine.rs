//! The machine: variables, memories and tables of one instance of a module, and the active functions.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use planish_ir::arena::Id;
use planish_ir::entity::{Block, Const, Func, Local, Memory, Node, Type, Value as Operand, ValueKind, Var};
use planish_ir::function::{Body, Form, TrapKind};
use planish_ir::module::{ElemItem, MemoryData, Module, Offset};
use planish_ir::ops::{Class, Effect, OPS, Op};

use crate::call::Host;
use crate::control::Construct;
use crate::stop::{Limits, Stop};
use crate::value::{Pointer, Value};
use crate::{bytes, ops};

/// Activation of a function.
pub(crate) struct Frame<'m> {
    pub(crate) body: &'m Body,
    pub(crate) block: Block,
    /// Number of executed nodes of the block.
    pub(crate) next: usize,
    /// By local: its last value.
    pub(crate) locals: Vec<Option<Value>>,
    /// Cells of the variables whose blocks have been entered.
    pub(crate) variables: HashMap<Var, usize>,
    /// Number of cells at the call.
    pub(crate) first_cell: usize,
    /// Constructs around the running block, the innermost last.
    pub(crate) constructs: Vec<Construct>,
    /// Floating form: pure nodes computed since the block was entered.
    fresh: HashSet<Node>,
}

/// Runs functions of one module. Its variables, memories and tables keep their contents between calls.
///
/// Imported variables, memories and tables are created as if declared in the module; functions are set by
/// [`Reference::provide`].
pub struct Reference<'m> {
    pub(crate) module: &'m Module,
    pub(crate) limits: Limits,
    pub(crate) steps: u64,
    /// Contents of the variables: first those of the module, then those of active functions.
    pub(crate) cells: Vec<Value>,
    globals: HashMap<Var, usize>,
    pub(crate) frames: Vec<Frame<'m>>,
    pub(crate) memories: Vec<Vec<u8>>,
    pub(crate) tables: Vec<Vec<Value>>,
    /// Data segments; empty when dropped.
    pub(crate) data: Vec<Arc<[u8]>>,
    /// Element segments; empty when dropped.
    pub(crate) elems: Vec<Vec<Value>>,
    pub(crate) host: Option<Host<'m>>,
    consts: HashMap<Const, Value>,
    tokens: u64,
    started: bool,
    ran: Vec<bool>,
}

impl<'m> Reference<'m> {
    /// A new instance of a module: initial values, then element segments, then data segments. The start function runs
    /// before the first call.
    ///
    /// # Errors
    /// If a segment does not fit, or the memories exceed the limit.
    pub fn new(module: &'m Module, limits: Limits) -> Result<Self, Stop> {
        let mut machine = Reference {
            module,
            limits,
            steps: 0,
            cells: Vec::new(),
            globals: HashMap::new(),
            frames: Vec::new(),
            memories: Vec::new(),
            tables: Vec::new(),
            data: module.data.values().map(|data| Arc::clone(&data.bytes)).collect(),
            elems: Vec::new(),
            host: None,
            consts: HashMap::new(),
            tokens: 0,
            started: false,
            ran: vec![false; OPS.len()],
        };
        for &var in &module.globals {
            let data = &module.vars[var];
            let value = match data.initializer {
                Some(c) => Value::constant(module, c),
                None => Value::zero(&module.types, data.ty).ok_or(Stop::Malformed("a variable without a value"))?,
            };
            machine.globals.insert(var, machine.cells.len());
            machine.cells.push(value);
        }
        for memory in module.memories.values() {
            if !machine.has_room(memory.min_pages as usize * MemoryData::PAGE / 8) {
                return Err(Stop::MemoryLimit);
            }
            machine.memories.push(vec![0; memory.min_pages as usize * MemoryData::PAGE]);
        }
        for table in module.tables.values() {
            if !machine.has_room(table.min as usize) {
                return Err(Stop::MemoryLimit);
            }
            let null = machine.zero(table.element)?;
            machine.tables.push(vec![null; table.min as usize]);
        }
        machine.initialize()?;
        Ok(machine)
    }

    /// Initializes computed variables, active element segments, active data segments, in this order.
    fn initialize(&mut self) -> Result<(), Stop> {
        let module = self.module;
        for &var in &module.globals {
            if let Some(func) = module.vars[var].linkage.as_ref().and_then(|linkage| linkage.computed) {
                let value = self.run_function(func, Vec::new())?.pop().ok_or(Stop::Malformed("it computes nothing"))?;
                self.set(var, value);
            }
        }
        for elem in module.elems.values() {
            let item = |&item: &ElemItem| match item {
                ElemItem::Null => self.zero(elem.element),
                ElemItem::Func(func) => Ok(Value::FuncRef(Some(func))),
                ElemItem::Var(var) => Ok(self.get(var).clone()),
            };
            let mut items = elem.items.iter().map(item).collect::<Result<Vec<_>, _>>()?;
            if let Some((table, offset)) = elem.active {
                let start = self.offset(offset);
                let table = &mut self.tables[table.index()];
                let to = bytes::range(start, items.len() as u64, table.len());
                table[to.ok_or(Stop::Trap(TrapKind::OutOfBoundsTable))?].clone_from_slice(&items);
                items.clear();
            }
            self.elems.push(items);
        }
        for (number, data) in module.data.values().enumerate() {
            if let Some((memory, offset)) = data.active {
                let start = self.offset(offset);
                let memory = &mut self.memories[memory.index()];
                let to = bytes::range(start, data.bytes.len() as u64, memory.len());
                memory[to.ok_or(Stop::Trap(TrapKind::OutOfBoundsMemory))?].copy_from_slice(&data.bytes);
                self.data[number] = Arc::new([]);
            }
        }
        Ok(())
    }

    fn offset(&self, offset: Offset) -> u64 {
        match offset {
            Offset::Const(n) => n.into(),
            Offset::Var(var) => ops::word(self.get(var)) & 0xffff_ffff,
        }
    }

    /// Runs the module's start function, if it has one that has not run yet. Otherwise the first call does.
    ///
    /// # Errors
    /// See [`Reference::call`].
    pub fn start(&mut self) -> Result<(), Stop> {
        if !std::mem::replace(&mut self.started, true)
            && let Some(start) = self.module.start
        {
            self.run_function(start, Vec::new())?;
        }
        Ok(())
    }

    /// Calls a function. An argument for a pointer parameter is the value of its pointee.
    ///
    /// # Errors
    /// If the program traps, exceeds a limit, or uses an op that one invocation cannot execute.
    pub fn call(&mut self, func: Func, args: &[Value]) -> Result<Vec<Value>, Stop> {
        self.call_with(func, &mut args.to_vec())
    }

    /// Like [`Reference::call`]; arguments for pointer parameters are written back.
    ///
    /// # Errors
    /// See [`Reference::call`].
    pub fn call_with(&mut self, func: Func, args: &mut [Value]) -> Result<Vec<Value>, Stop> {
        self.start()?;
        let (first_cell, params) = (self.cells.len(), &self.module.funcs[func].params);
        if args.len() != params.len() {
            return Err(Stop::Malformed("as many arguments as parameters"));
        }
        let (mut values, mut behind) = (Vec::new(), Vec::new());
        for (i, (arg, param)) in args.iter().zip(params).enumerate() {
            if self.module.types.pointee(param.ty).is_some() {
                behind.push((i, self.cells.len()));
                values.push(Value::Pointer(Pointer { cell: self.cells.len(), path: Vec::new() }.into()));
                self.cells.push(arg.clone());
            } else {
                values.push(arg.clone());
            }
        }
        let results = self.run_function(func, values);
        for (i, cell) in behind {
            args[i] = self.cells[cell].clone();
        }
        self.cells.truncate(first_cell);
        results
    }

    /// The contents of a variable of the module.
    ///
    /// # Panics
    /// If it is a local variable.
    pub fn get(&self, var: Var) -> &Value {
        &self.cells[self.globals[&var]]
    }

    /// Sets a variable of the module, in any address space.
    ///
    /// # Panics
    /// If it is a local variable.
    pub fn set(&mut self, var: Var, value: Value) {
        self.cells[self.globals[&var]] = value;
    }

    /// The bytes of a memory.
    pub fn memory(&self, memory: Memory) -> &[u8] {
        &self.memories[memory.index()]
    }

    /// The ops executed so far.
    pub fn ran(&self) -> impl Iterator<Item = Op> {
        Op::all().filter(|&op| self.ran[op as usize])
    }

    pub(crate) fn zero(&self, ty: Type) -> Result<Value, Stop> {
        Value::zero(&self.module.types, ty).ok_or(Stop::Malformed("a type without a zero"))
    }

    /// Runs a function and its callees to the end.
    fn run_function(&mut self, func: Func, args: Vec<Value>) -> Result<Vec<Value>, Stop> {
        let cells = self.cells.len();
        let results = match self.enter(func, args) {
            Ok(None) => self.run(),
            Ok(Some(results)) => Ok(results),
            Err(stop) => Err(stop),
        };
        self.frames.clear();
        self.cells.truncate(cells);
        results
    }

    /// Runs nodes and exits until the first function returns.
    fn run(&mut self) -> Result<Vec<Value>, Stop> {
        loop {
            self.steps += 1;
            if self.steps > self.limits.steps {
                return Err(Stop::StepLimit);
            }
            let frame = self.frame();
            let body = frame.body;
            let block = &body.blocks[frame.block];
            if let Some(&node) = block.nodes.get(frame.next) {
                frame.next += 1;
                self.float(body.args(node))?;
                self.execute(node)?;
            } else {
                let mut operands = Vec::new();
                block.exit.for_each_operand(|value| operands.push(value));
                self.float(&operands)?;
                if let Some(results) = self.exit(&block.exit)? {
                    return Ok(results);
                }
            }
        }
    }

    pub(crate) fn frame(&mut self) -> &mut Frame<'m> {
        self.frames.last_mut().expect("a function runs")
    }

    /// A new frame at its body's entry block.
    pub(crate) fn new_frame(&mut self, body: &'m Body, args: Vec<Value>) {
        let mut locals = vec![None; body.local_count()];
        for (&input, arg) in body.blocks[body.entry].inputs.iter().zip(args) {
            locals[input.index()] = Some(arg);
        }
        self.frames.push(Frame {
            body,
            block: body.entry,
            next: 0,
            locals,
            variables: HashMap::new(),
            first_cell: self.cells.len(),
            constructs: Vec::new(),
            fresh: HashSet::new(),
        });
    }

    /// Enters a block: its variables are initialized.
    pub(crate) fn go_to(&mut self, block: Block) -> Result<(), Stop> {
        let module = self.module;
        let frame = self.frames.last_mut().expect("a function runs");
        (frame.block, frame.next) = (block, 0);
        frame.fresh.clear();
        for &var in &frame.body.blocks[block].variables {
            let data = &module.vars[var];
            let value = match data.initializer {
                Some(c) => Value::constant(module, c),
                None => Value::zero(&module.types, data.ty).ok_or(Stop::Malformed("a variable without a value"))?,
            };
            match frame.variables.get(&var) {
                Some(&cell) => self.cells[cell] = value,
                None => {
                    frame.variables.insert(var, self.cells.len());
                    self.cells.push(value);
                }
            }
        }
        Ok(())
    }

    /// The value of an operand.
    pub(crate) fn operand(&mut self, operand: Operand) -> Result<Value, Stop> {
        let frame = self.frames.last().expect("a function runs");
        match operand.kind() {
            ValueKind::Local(local) => {
                frame.locals[local.index()].clone().ok_or(Stop::Malformed("a value is used before it is made"))
            }
            ValueKind::Const(c) => {
                let module = self.module;
                Ok(self.consts.entry(c).or_insert_with(|| Value::constant(module, c)).clone())
            }
            ValueKind::Var(var) => {
                let cell = frame.variables.get(&var).or_else(|| self.globals.get(&var));
                let cell = *cell.ok_or(Stop::Malformed("a variable is used outside its block"))?;
                Ok(Value::Pointer(Pointer { cell, path: Vec::new() }.into()))
            }
            ValueKind::Func(func) => Ok(Value::Function(func)),
        }
    }

    pub(crate) fn operands(&mut self, operands: &[Operand]) -> Result<Vec<Value>, Stop> {
        operands.iter().map(|&operand| self.operand(operand)).collect()
    }

    pub(crate) fn set_local(&mut self, local: Local, value: Value) {
        self.frame().locals[local.index()] = Some(value);
    }

    /// Floating form: computes the pure nodes of operands, transitively, that have not been computed since the block
    /// was entered.
    fn float(&mut self, operands: &[Operand]) -> Result<(), Stop> {
        let body = self.frame().body;
        if body.form == Form::Placed {
            return Ok(());
        }
        let mut stack: Vec<(Node, bool)> = operands.iter().filter_map(|&v| Some((body.node_of(v)?, false))).collect();
        while let Some((node, has_operands)) = stack.pop() {
            if !self.module.floats(body, body.node(node).op, body.args(node)) || self.frame().fresh.contains(&node) {
                continue;
            }
            if has_operands {
                self.execute(node)?;
                self.frame().fresh.insert(node);
            } else {
                stack.push((node, true));
                stack.extend(body.args(node).iter().filter_map(|&v| Some((body.node_of(v)?, false))));
            }
        }
        Ok(())
    }

    /// Executes a node. A call's results are set when the callee returns.
    fn execute(&mut self, node: Node) -> Result<(), Stop> {
        let (module, body) = (self.module, self.frame().body);
        let data = body.node(node);
        let (op, imm) = (data.op, data.imm);
        if !ops::is_supported(op) {
            return Err(Stop::Unsupported(op));
        }
        self.ran[op as usize] = true;
        let args = self.operands(body.args(node))?;
        let types: Vec<Type> = body.results(node).map(|result| body.local_type(result)).collect();
        let result = types.first().copied().unwrap_or(Type::VOID);
        let info = op.info();
        let results = match info.class {
            Class::Call => return self.call_node(node, op, imm, args),
            Class::Access => {
                let grows = module.types.growable(module.type_of(body, body.args(node)[0])).is_some();
                vec![self.access(op, imm, &args, grows)?]
            }
            Class::Memory => self.variable_op(op, &args, result)?,
            Class::Unary if info.effect == Effect::Modify => vec![self.increment(op, &args[0])?],
            Class::Unary if info.effect == Effect::Load => vec![self.array_length(&args[0])?],
            Class::Machine => self.machine_op(op, imm, &args, result)?,
            Class::Custom => ops::custom(self.module, op, imm, &args, &types)?,
            Class::Token if op == Op::NewToken => {
                self.tokens += 1;
                vec![Value::Token(self.tokens)]
            }
            Class::Stage if op == Op::Demote => return Err(Stop::Discarded),
            // A single invocation is no helper before it is demoted.
            Class::Stage if op == Op::IsHelper => vec![Value::Bool(false)],
            // A single invocation waits for none, and sees its own writes in order.
            Class::Stage => Vec::new(),
            _ => ops::evaluate(&self.module.types, op, imm, &args, &types)?,
        };
        self.set_results(node, results)
    }

    /// Sets the results of a node of the running function.
    pub(crate) fn set_results(&mut self, node: Node, results: Vec<Value>) -> Result<(), Stop> {
        let locals = self.frame().body.results(node);
        if locals.len() != results.len() {
            return Err(Stop::Malformed("an op gives as many results as its node has"));
        }
        locals.zip(results).for_each(|(local, value)| self.set_local(local, value));
        Ok(())
    }
}
