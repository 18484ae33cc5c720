//! Calls and returns.

use planish_ir::arena::Id;
use planish_ir::entity::{Func, Node, Value as Operand};
use planish_ir::function::{Exit, TrapKind};
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op};

use crate::machine::Reference;
use crate::ops;
use crate::stop::Stop;
use crate::value::Value;

/// A call of a function without a body.
pub struct HostCall<'a> {
    /// The program.
    pub module: &'a Module,
    /// The imported function.
    pub func: Func,
    /// Arguments, one per parameter.
    pub args: &'a [Value],
    /// The bytes of the program's memories.
    pub memories: &'a mut [Vec<u8>],
}

pub(crate) type Host<'m> = Box<dyn FnMut(HostCall<'_>) -> Result<Vec<Value>, Stop> + 'm>;

impl<'m> Reference<'m> {
    /// Sets the host, which computes the results of every function without a body.
    pub fn provide(&mut self, host: impl FnMut(HostCall<'_>) -> Result<Vec<Value>, Stop> + 'm) {
        self.host = Some(Box::new(host));
    }

    /// Begins a call. Returns the results of a host function at once.
    pub(crate) fn enter(&mut self, func: Func, args: Vec<Value>) -> Result<Option<Vec<Value>>, Stop> {
        let module = self.module;
        let Some(body) = &module.funcs[func].body else {
            let missing = || Stop::Missing(module.funcs[func].name.text.to_string());
            let host = self.host.as_mut().ok_or_else(missing)?;
            return host(HostCall { module, func, args: &args, memories: &mut self.memories }).map(Some);
        };
        if self.frames.len() >= self.limits.depth {
            return Err(Stop::Trap(TrapKind::StackOverflow));
        }
        self.new_frame(body, args);
        self.go_to(body.entry)?;
        Ok(None)
    }

    /// Executes a call node: the first operand is the callee, the others are the arguments.
    pub(crate) fn call_node(&mut self, node: Node, op: Op, imm: Imm, mut args: Vec<Value>) -> Result<(), Stop> {
        let callee = args.remove(0);
        let func = match (op, &callee) {
            (Op::Call | Op::TailCall, &Value::Function(func)) => func,
            (Op::CallIndirect | Op::TailCallIndirect, index) => self.table_callee(imm, index)?,
            _ => return Err(Stop::Malformed("a call of a value that is not a function")),
        };
        if self.gives_way(node, op, &args) && self.module.funcs[func].body.is_some() {
            let done = self.frames.pop().expect("a function runs");
            self.cells.truncate(done.first_cell);
        }
        match self.enter(func, args)? {
            Some(results) => self.set_results(node, results),
            None => Ok(()),
        }
    }

    /// The function at an index of a table, which must have the type that the immediate names.
    fn table_callee(&self, imm: Imm, index: &Value) -> Result<Func, Stop> {
        let (table, ty) = imm.as_table_type();
        match self.tables[table.index()].get(ops::word(index) as usize) {
            None => Err(Stop::Trap(TrapKind::OutOfBoundsTable)),
            Some(Value::FuncRef(Some(func))) if self.module.funcs[*func].ty == ty => Ok(*func),
            Some(Value::FuncRef(Some(_))) => Err(Stop::Trap(TrapKind::IndirectCallType)),
            Some(_) => Err(Stop::Trap(TrapKind::UninitializedElement)),
        }
    }

    /// Whether the call is a tail call: the running function returns its results, and passes no address of its
    /// variables.
    fn gives_way(&mut self, node: Node, op: Op, args: &[Value]) -> bool {
        let frame = self.frame();
        let block = &frame.body.blocks[frame.block];
        let Exit::Return(returned) = &block.exit else { return false };
        matches!(op, Op::TailCall | Op::TailCallIndirect)
            && frame.next == block.nodes.len()
            && frame.body.results(node).map(Operand::from).eq(returned.iter().copied())
            && !args.iter().any(|arg| matches!(arg, Value::Pointer(_)))
    }

    /// Returns from the running function. The results go to the calling node, or to the host if it is the outermost
    /// function.
    pub(crate) fn return_with(&mut self, results: Vec<Value>) -> Result<Option<Vec<Value>>, Stop> {
        let done = self.frames.pop().expect("a function runs");
        self.cells.truncate(done.first_cell);
        let Some(caller) = self.frames.last() else { return Ok(Some(results)) };
        let node = caller.body.blocks[caller.block].nodes[caller.next - 1];
        self.set_results(node, results)?;
        Ok(None)
    }
}
