//! Running the output: validated by `wasmparser`, run by `wasmi`.
use planish_back_wasm::{Options, write};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::Module;
use wasmi::{Config, Engine, ExternType, Global, Instance, Linker, Store, TrapCode, Val};

/// The bytes of a module, which are valid.
pub(crate) fn binary(module: &Module) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let bytes = write(module, &Options::default())?.bytes;
    if let Err(error) = wasmparser::Validator::new().validate_all(&bytes) {
        panic!("{error}\n{}\n{bytes:02x?}", planish_ir::text::print(module));
    }
    Ok(bytes)
}

/// An instance in `wasmi`.
pub(crate) struct Machine {
    pub(crate) store: Store<()>,
    pub(crate) instance: Instance,
}

/// Instantiates a module without imports.
pub(crate) fn instantiate(bytes: &[u8]) -> Result<Machine, wasmi::Error> {
    let mut config = Config::default();
    config.wasm_simd(true).wasm_multi_memory(true).wasm_tail_call(true).wasm_extended_const(true);
    let engine = Engine::new(&config);
    let module = wasmi::Module::new(&engine, bytes)?;
    let mut store = Store::new(&engine, ());
    let mut linker = Linker::new(&engine);
    // Imported globals are zero, as in the evaluator of one module.
    for import in module.imports() {
        if let ExternType::Global(ty) = import.ty() {
            let zero = Global::new(&mut store, Val::default_for_ty(ty.content()), ty.mutability());
            linker.define(import.module(), import.name(), zero)?;
        }
    }
    let instance = linker.instantiate_and_start(&mut store, &module)?;
    Ok(Machine { store, instance })
}

/// Calls an export.
pub(crate) fn call(machine: &mut Machine, name: &str, args: &[Val]) -> Result<Vec<Val>, wasmi::Error> {
    let func = machine.instance.get_func(&machine.store, name).expect("it is exported");
    let count = func.ty(&machine.store).results().len();
    let mut results = vec![Val::I32(0); count];
    func.call(&mut machine.store, args, &mut results)?;
    Ok(results)
}

/// The bits of a number; references are 0.
pub(crate) fn bits(value: &Val) -> u64 {
    match value {
        Val::I32(x) => u64::from(*x as u32),
        Val::I64(x) => *x as u64,
        Val::F32(x) => u64::from(x.to_bits()),
        Val::F64(x) => x.to_bits(),
        _ => 0,
    }
}

/// The name of a trap in the IR.
pub(crate) fn trap_name(error: &wasmi::Error) -> &'static str {
    match error.as_trap_code() {
        Some(TrapCode::UnreachableCodeReached) => "unreachable",
        Some(TrapCode::MemoryOutOfBounds) => "out_of_bounds_memory",
        Some(TrapCode::TableOutOfBounds) => "out_of_bounds_table",
        Some(TrapCode::IndirectCallToNull) => "uninitialized_element",
        Some(TrapCode::IntegerDivisionByZero) => "division_by_zero",
        Some(TrapCode::IntegerOverflow) => "integer_overflow",
        Some(TrapCode::BadConversionToInteger) => "invalid_conversion",
        Some(TrapCode::StackOverflow) => "stack_overflow",
        Some(TrapCode::BadSignature) => "indirect_call_type",
        _ => "another",
    }
}
