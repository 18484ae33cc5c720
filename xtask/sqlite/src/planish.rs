//! The virtual machine as an engine for it.

use planish_vm::{AsContextMut, Caller, Error, Extern, Func, Instance, Linker, Memory, Module, Store, Val};

use crate::{Machine, Value, answer};

/// A memory, with the store that it is in.
struct Bytes<C>(C, Memory);

impl<C: AsContextMut> crate::Memory for Bytes<C> {
    fn read(&self, at: u32, bytes: &mut [u8]) -> Result<(), String> {
        self.1.read(&self.0, at as usize, bytes).map_err(|e| e.to_string())
    }

    fn write(&mut self, at: u32, bytes: &[u8]) -> Result<(), String> {
        self.1.write(&mut self.0, at as usize, bytes).map_err(|e| e.to_string())
    }

    fn pages(&self) -> u32 {
        self.1.size(&self.0)
    }

    fn grow(&mut self, pages: u32) -> bool {
        self.1.grow(&mut self.0, pages).is_ok()
    }
}

struct Running {
    bytes: Bytes<Store<()>>,
    instance: Instance,
}

/// An instance of the module in a store of its own.
///
/// # Errors
/// If it is not sqlite's.
pub fn instantiate(module: &Module) -> Result<impl Machine + use<>, String> {
    let mut store = Store::new(module.engine(), ());
    let mut linker = Linker::new();
    for (from, name, ty) in module.imported_funcs() {
        let own = name.to_string();
        let func = Func::new(&mut store, ty.clone(), move |caller, args, results| import(caller, &own, args, results));
        linker.define(from, name, func);
    }
    let instance = linker.instantiate(&mut store, module).map_err(|e| e.to_string())?;
    let memory = instance.get_memory(&store, "memory").ok_or("no memory is exported")?;
    Ok(Running { bytes: Bytes(store, memory), instance })
}

fn import(caller: Caller<'_, ()>, name: &str, args: &[Val], results: &mut [Val]) -> Result<(), Error> {
    let memory = caller.get_export("memory").and_then(Extern::into_memory);
    let memory = memory.ok_or_else(|| Error::host("no memory is exported"))?;
    let args: Vec<i64> = args.iter().map(|arg| arg.i64().or(arg.i32().map(i64::from)).unwrap_or(0)).collect();
    let value = match answer(&mut Bytes(caller, memory), name, &args).map_err(Error::host)? {
        Value::I32(value) => Val::I32(value),
        Value::F64(value) => Val::F64(value.to_bits()),
    };
    results.iter_mut().for_each(|result| *result = value);
    Ok(())
}

impl Machine for Running {
    fn memory(&mut self) -> &mut dyn crate::Memory {
        &mut self.bytes
    }

    fn call(&mut self, name: &str, args: &[i32]) -> Result<i32, String> {
        let store = &mut self.bytes.0;
        let func = self.instance.get_func(&*store, name).ok_or(format!("no function is exported as `{name}`"))?;
        let args: Vec<Val> = args.iter().map(|&arg| Val::I32(arg)).collect();
        let mut results = vec![Val::I32(0); func.ty(&*store).results().len()];
        func.call(store, &args, &mut results).map_err(|e| format!("{name}: {e}"))?;
        Ok(results.first().and_then(Val::i32).unwrap_or(0))
    }
}
