//! The host interface of all programs: access to memory, functions called by name, and stubs for unused imports.

use planish_vm::{AsContext, AsContextMut, Caller, Error, Func, Instance, Linker, Memory, Module, Store, Val};

/// The host's implementation of the function of this name; `None` if it has none.
pub(crate) type Known<T> = fn(&mut Caller<'_, T>, &str, &[Val]) -> Option<Answer>;

/// A result, or none, or why there is none.
pub(crate) type Answer = Result<Option<Val>, Error>;

/// A linker with a function for every import of a module: `known` implements it, by module and name, or the call is an
/// error that names it.
pub(crate) fn linker<T: 'static>(store: &mut Store<T>, module: &Module, known: Known<T>) -> Linker<T> {
    let mut linker = Linker::new();
    for (from, name, ty) in module.imported_funcs() {
        let own = name.to_string();
        let func =
            Func::new(&mut *store, ty.clone(), move |mut caller, args, results| match known(&mut caller, &own, args) {
                Some(Ok(value)) => {
                    results.iter_mut().zip(value).for_each(|(result, value)| *result = value);
                    Ok(())
                }
                Some(Err(error)) => Err(error),
                None => Err(Error::host(format!("the program calls `{own}`, which this host does not have"))),
            });
        linker.define(from, name, func);
    }
    linker
}

/// The memory of the instance that calls.
pub(crate) fn memory<T>(caller: &Caller<'_, T>, name: &str) -> Result<Memory, Error> {
    let found = caller.get_export(name).and_then(planish_vm::Extern::into_memory);
    found.ok_or_else(|| Error::host(format!("the program exports no memory `{name}`")))
}

/// Calls an exported function with numbers; its result, if it has one.
pub(crate) fn call<T: 'static>(
    store: &mut Store<T>,
    instance: &Instance,
    name: &str,
    args: &[i32],
) -> Result<i32, String> {
    let func = instance.get_func(&*store, name).ok_or(format!("no function is exported as `{name}`"))?;
    let args: Vec<Val> = args.iter().map(|&x| Val::I32(x)).collect();
    let mut results: Vec<Val> = func.ty(&*store).results().iter().map(|&ty| Val::default_of(ty)).collect();
    func.call(&mut *store, &args, &mut results).map_err(|e| format!("{name}: {e}"))?;
    Ok(results.first().and_then(Val::i32).unwrap_or(0))
}

/// Bytes of a memory.
pub(crate) fn bytes(store: impl AsContext, memory: Memory, at: i32, length: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; length];
    memory.read(store, at as u32 as usize, &mut bytes)?;
    Ok(bytes)
}

/// A word of a memory.
pub(crate) fn word(store: impl AsContext, memory: Memory, at: i32) -> Result<i32, Error> {
    let bytes = bytes(store, memory, at, 4)?;
    Ok(i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// Writes bytes.
pub(crate) fn write(store: impl AsContextMut, memory: Memory, at: i32, bytes: &[u8]) -> Result<(), Error> {
    memory.write(store, at as u32 as usize, bytes)
}
