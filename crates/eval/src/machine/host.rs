//! Imported functions of the host.

use planish_ir::arena::Id;
use planish_ir::entity::{Func, Memory};
use planish_ir::meaning::Shape;
use planish_ir::module::Module;

use super::Machine;
use super::store::{ByteMemory, StoreFunc};
use crate::mask::Mask;
use crate::program::Operand;
use crate::stop::Stop;
use crate::value::EvalValue;

/// Memories of the instance that calls the host.
pub(crate) struct CallerMemories<'a> {
    store: &'a mut [ByteMemory],
    numbers: &'a [u32],
}

impl CallerMemories<'_> {
    /// The bytes of a memory.
    pub(crate) fn get(&mut self, index: usize) -> Option<&mut Vec<u8>> {
        let &number = self.numbers.get(index)?;
        Some(&mut self.store[number as usize].bytes)
    }
}

impl std::fmt::Debug for CallerMemories<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("CallerMemories").field(&self.numbers).finish()
    }
}

/// A call of a host function by one invocation.
#[derive(Debug)]
pub struct HostCall<'a> {
    /// The program.
    pub module: &'a Module,
    /// The imported function.
    pub func: Func,
    /// Arguments, one per parameter.
    pub args: &'a [EvalValue],
    memories: CallerMemories<'a>,
}

impl HostCall<'_> {
    /// The bytes of a memory of the program.
    pub fn memory(&mut self, memory: Memory) -> &mut [u8] {
        self.memories.get(memory.index()).expect("a memory of the program")
    }
}

/// A host call in words: the components of each argument.
pub(crate) struct WordCall<'a> {
    pub(crate) args: Vec<Vec<u64>>,
    pub(crate) memories: CallerMemories<'a>,
    /// The called import, if it was unresolved at instantiation.
    pub(crate) import: Option<(&'a Module, Func)>,
}

/// Implementation of a host function: returns the components of all results, or stops the program.
pub(crate) type HostFunction<'m> = Box<dyn FnMut(WordCall<'_>) -> Result<Vec<u64>, Stop> + 'm>;

/// Adapts a function on values of the importing module's types.
pub(crate) fn on_module_values<'m>(
    mut function: impl FnMut(HostCall<'_>) -> Result<Vec<EvalValue>, Stop> + 'm,
) -> HostFunction<'m> {
    Box::new(move |call| {
        let (module, func) = call.import.expect("it serves open imports");
        let data = &module.funcs[func];
        if data.params.iter().any(|p| module.types.pointee(p.ty).is_some()) {
            return Err(Stop::unsupported("a function of the host takes no pointers", data.span));
        }
        let args = data.params.iter().zip(call.args);
        let args: Vec<EvalValue> = args.map(|(param, bits)| EvalValue { ty: param.ty, bits }).collect();
        let results = function(HostCall { module, func, args: &args, memories: call.memories })?;
        let fits = results.len() == data.results.len()
            && results.iter().zip(&data.results).all(|(value, result)| {
                value.ty == result.ty && Some(value.bits.len()) == module.types.components(result.ty)
            });
        if !fits {
            return Err(Stop::unsupported("the host's results are not those of the function's type", data.span));
        }
        Ok(results.into_iter().flat_map(|value| value.bits).collect())
    })
}

impl Machine<'_> {
    /// Calls the host for each of the lanes, and writes the results to the top frame's running call. Helper lanes do
    /// not call the host and get zeros.
    pub(super) fn call_host(&mut self, number: u32, lanes: &Mask) -> Result<(), Stop> {
        let program = std::sync::Arc::clone(self.program());
        let caller = self.frames.last().expect("a frame runs");
        let (regs, func_of_caller, next) = (caller.regs, caller.func, caller.next);
        let code = program.code[func_of_caller.index()].as_ref().expect("decoded");
        let inst = &code.insts[next - 1];
        for lane in lanes.lanes() {
            let words = if self.helpers.has(lane) {
                vec![0; inst.out.1 as usize]
            } else {
                let view = self.view();
                let word = |&operand: &Operand| -> Vec<u64> {
                    (0..operand.size()).map(|c| view.get(operand, c, lane)).collect()
                };
                let args: Vec<Vec<u64>> = code.args(inst)[1..].iter().map(word).collect();
                self.ask_host(number, args, Some(self.at))?
            };
            for (c, word) in words.into_iter().enumerate() {
                self.regs[regs + (inst.out.0 as usize + c) * self.n + lane] = word;
            }
        }
        Ok(())
    }

    /// One call: components of each argument to components of all results. `caller` is the calling instance.
    pub(crate) fn ask_host(
        &mut self,
        number: u32,
        args: Vec<Vec<u64>>,
        caller: Option<usize>,
    ) -> Result<Vec<u64>, Stop> {
        let (host, import) = match self.store.funcs[number as usize] {
            StoreFunc::Host { host, .. } => (Some(host), None),
            StoreFunc::Open { instance, func, host } => {
                (host, Some((self.instances[instance as usize].program.module, func)))
            }
            StoreFunc::Defined { .. } => (None, None),
        };
        let Some(host) = host else {
            let name = import.map_or(String::new(), |(module, func)| module.funcs[func].name.text.to_string());
            return Err(Stop::Missing { name });
        };
        let numbers = caller.map_or(&[][..], |at| &self.instances[at].memories);
        let memories = CallerMemories { store: &mut self.store.memories, numbers };
        self.store.hosts[host](WordCall { args, memories, import })
    }
}
