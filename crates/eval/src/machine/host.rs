//! Functions of the host, which a program imports.

use std::collections::HashMap;

use planish_ir::arena::Id;
use planish_ir::entity::{Func, Memory};
use planish_ir::meaning::Shape;
use planish_ir::module::Module;

use super::Machine;
use crate::mask::Mask;
use crate::program::Operand;
use crate::stop::Stop;
use crate::value::EvalValue;

/// A call from the program to its host, by one invocation.
#[derive(Debug)]
pub struct HostCall<'a> {
    /// The program.
    pub module: &'a Module,
    /// The imported function.
    pub func: Func,
    /// The arguments, one for each parameter.
    pub args: &'a [EvalValue],
    memories: &'a mut [Vec<u8>],
}

impl HostCall<'_> {
    /// The bytes of a memory of the program.
    pub fn memory(&mut self, memory: Memory) -> &mut [u8] {
        &mut self.memories[memory.index()]
    }
}

/// What the host does when it is called: gives the results, or stops the program.
pub(crate) type HostFunction<'m> = Box<dyn FnMut(HostCall<'_>) -> Result<Vec<EvalValue>, Stop> + 'm>;

/// The host's functions; one may serve several imports.
#[derive(Default)]
pub(crate) struct Hosts<'m> {
    functions: Vec<HostFunction<'m>>,
    by_import: HashMap<Func, usize>,
}

impl<'m> Hosts<'m> {
    /// Lets a function serve these imports.
    pub(crate) fn add(&mut self, imports: &[Func], function: HostFunction<'m>) {
        self.by_import.extend(imports.iter().map(|&func| (func, self.functions.len())));
        self.functions.push(function);
    }
}

impl Machine<'_> {
    /// Calls the host for each of the lanes, and writes the results into the top frame's running call. Helper lanes ask for
    /// nothing and get zeros.
    pub(super) fn call_host(&mut self, func: Func, lanes: &Mask) -> Result<(), Stop> {
        let program = std::sync::Arc::clone(&self.program);
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
                self.ask_host(func, args)?
            };
            for (c, word) in words.into_iter().enumerate() {
                self.regs[regs + (inst.out.0 as usize + c) * self.n + lane] = word;
            }
        }
        Ok(())
    }

    /// One call: the components of each argument in, those of all results out.
    pub(super) fn ask_host(&mut self, func: Func, args: Vec<Vec<u64>>) -> Result<Vec<u64>, Stop> {
        let module = self.program.module;
        let function = &module.funcs[func];
        let Some(host) = self.hosts.by_import.get(&func).map(|&at| &mut self.hosts.functions[at]) else {
            return Err(Stop::Missing { name: function.name.text.to_string() });
        };
        if function.params.iter().any(|p| module.types.pointee(p.ty).is_some()) {
            return Err(Stop::unsupported("a function of the host takes no pointers", function.span));
        }
        let args: Vec<EvalValue> =
            function.params.iter().zip(args).map(|(param, bits)| EvalValue { ty: param.ty, bits }).collect();
        let results = host(HostCall { module, func, args: &args, memories: &mut self.bytes.memories })?;
        let fits = results.len() == function.results.len()
            && results.iter().zip(&function.results).all(|(value, result)| {
                value.ty == result.ty && Some(value.bits.len()) == module.types.components(result.ty)
            });
        if !fits {
            return Err(Stop::unsupported("the host's results are not those of the function's type", function.span));
        }
        Ok(results.into_iter().flat_map(|value| value.bits).collect())
    }
}
