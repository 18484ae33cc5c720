//! Support of this crate's tests.
use planish_eval::{EvalValue, Evaluator, Limits, Stop};
use planish_front_wasm::{Options, translate};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::Module;
use planish_ir::source::SourceMap;

/// Translates a text, and verifies what comes of it.
pub(crate) fn read(text: &str) -> Module {
    match try_read(text) {
        Ok(module) => verified(module),
        Err(errors) => panic!("{errors:#?}\nin {text}"),
    }
}

/// Translates a text.
pub(crate) fn try_read(text: &str) -> Result<Module, Vec<Diagnostic>> {
    let file = SourceMap::new().add("a.wat", text).expect("small");
    translate(&file, text.as_bytes(), &Options::default()).map(|(module, _)| module)
}

/// Translates a binary.
pub(crate) fn read_binary(bytes: &[u8], options: &Options) -> Result<Module, Vec<Diagnostic>> {
    let file = SourceMap::new().add_binary("a.wasm", bytes.len()).expect("small");
    translate(&file, bytes, options).map(|(module, _)| module)
}

/// The module, which the verifier accepts.
pub(crate) fn verified(module: Module) -> Module {
    let errors = planish_ir::verify::verify(&module);
    assert!(errors.is_empty(), "{errors:#?}\n{}", planish_ir::text::print(&module));
    module
}

/// Calls an exported function with the bits of its arguments, on a fresh instance.
pub(crate) fn call(module: &Module, name: &str, args: &[u64]) -> Result<Vec<u64>, Stop> {
    let entry = module.entry_points.iter().find(|e| e.names.iter().any(|n| &**n == name));
    let func = entry.unwrap_or_else(|| panic!("`{name}` is not exported")).func;
    let params = &module.funcs[func].params;
    let args: Vec<EvalValue> =
        params.iter().zip(args).map(|(param, &bits)| EvalValue { ty: param.ty, bits: vec![bits] }).collect();
    let mut evaluator = Evaluator::new(module, Limits::default())?;
    Ok(evaluator.call(func, &args)?.into_iter().flat_map(|value| value.bits).collect())
}
