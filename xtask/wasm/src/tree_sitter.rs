//! tree-sitter's library, a module that imports its memory, its table and its places in them.

use planish_ir::types::TypeKind;
use planish_vm::{Caller, Engine, Error, Global, Memory, Module, Store, Table, Val, ValType};

use crate::host::{call, linker, word, write};

/// Addresses of its data, its stack and its heap, as in its own loader.
const DATA: i32 = 16704;
const STACK_TOP: i32 = 82240;

fn known(_: &mut Caller<'_, ()>, _: &str, _: &[Val]) -> Option<Result<Option<Val>, Error>> {
    None
}

/// Loads it, and calls some of its functions, such as that for its version.
pub(crate) fn run(engine: &Engine, module: &Module) -> Result<String, String> {
    let mut store = Store::new(engine, ());
    let mut linker = linker(&mut store, module, known);
    let text = |e: Error| e.to_string();
    let memory = Memory::new(&mut store, 512, Some(1 << 15)).map_err(text)?;
    linker.define("env", "memory", memory);
    let shell = module.shell();
    for table in shell.tables.values() {
        if let Some(import) = &table.import {
            let null = if matches!(shell.types[table.element], TypeKind::ExternRef) {
                ValType::ExternRef
            } else {
                ValType::FuncRef
            };
            let made = Table::new(&mut store, table.min + 64, None, Val::default_of(null)).map_err(text)?;
            linker.define(&import.module, &import.name, made);
        }
    }
    for (from, name, value, mutable) in [
        ("env", "__stack_pointer", STACK_TOP, true),
        ("env", "__memory_base", 1024, false),
        ("env", "__table_base", 1, false),
        ("GOT.mem", "__stack_low", DATA, true),
        ("GOT.mem", "__stack_high", STACK_TOP, true),
        ("GOT.mem", "__heap_base", STACK_TOP, true),
    ] {
        let global = Global::new(&mut store, Val::I32(value), mutable);
        linker.define(from, name, global);
    }
    let instance = linker.instantiate(&mut store, module).map_err(text)?;
    if instance.get_func(&store, "__wasm_apply_data_relocs").is_some() {
        call(&mut store, &instance, "__wasm_apply_data_relocs", &[])?;
    }
    call(&mut store, &instance, "__wasm_call_ctors", &[])?;
    let place = call(&mut store, &instance, "ts_init", &[])?;
    let version = word(&store, memory, place).map_err(text)?;
    let oldest = word(&store, memory, place + 4).map_err(text)?;
    if !(oldest..oldest + 10).contains(&version) || oldest < 10 {
        return Err(format!("versions {oldest} to {version}"));
    }
    let (one, other) = (call(&mut store, &instance, "malloc", &[64])?, call(&mut store, &instance, "malloc", &[64])?);
    write(&mut store, memory, one, b"the same at first\0").map_err(text)?;
    write(&mut store, memory, other, b"the same at last\0").map_err(text)?;
    let ask = |store: &mut Store<()>, length| call(store, &instance, "strncmp", &[one, other, length]);
    let (same, before) = (ask(&mut store, 12)?, ask(&mut store, 20)?);
    if same != 0 || before >= 0 || one == other {
        return Err(format!("strncmp gives {same} and {before}"));
    }
    Ok(format!("languages of versions {oldest} to {version}, strings compared"))
}
