//! Functions of programs in VL and WebAssembly: as a module of WebAssembly, which JavaScript runs itself.

use planish::vm::{Val, ValType};
use planish::{NumberType, Program, Target};
use serde_json::{Value, json};

use crate::message::Message;
use crate::session::{Answer, Failure, head_only};

/// Names and types of the functions, and the module that has them.
pub(crate) fn list(program: &Program) -> Answer {
    // Imports, and start functions that trap, are errors as everywhere.
    let instance = program.instance()?;
    let function = |(name, ty): &(String, planish::vm::FuncType)| {
        let names = |types: &[NumberType]| types.iter().map(|ty| json!(ty.name())).collect::<Value>();
        let numbers = program.number_types(name, ty).map(|[params, results]| [names(&params), names(&results)]);
        json!({ "name": name, "type": ty.to_string(), "numbers": numbers })
    };
    let functions: Value = instance.exports().iter().map(function).collect();
    let module = program.emit(Target::Wasm)?;
    Ok(Message::with_block(json!({ "functions": functions, "isPure": program.answer.is_some() }), module.bytes))
}

/// Calls a function on the virtual machine: for the error of one that has trapped, with its place. The arguments have eight bytes each.
pub(crate) fn call(program: &Program, name: &str, arguments: &[u8]) -> Answer {
    let mut functions = program.instance()?;
    let export = functions.exports().iter().find(|(known, _)| known == name);
    let (_, ty) = export.expect("it is one of the list");
    let value = |(&ty, bytes): (&ValType, &[u8])| {
        let bits = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        match ty {
            ValType::I32 => Val::I32(bits as i32),
            ValType::I64 => Val::I64(bits as i64),
            ValType::F32 => Val::F32(bits as u32),
            _ => Val::F64(bits),
        }
    };
    let values: Vec<Val> = ty.params().iter().zip(arguments.chunks_exact(8)).map(value).collect();
    functions.call(name, &values).map_err(Failure::from)?;
    Ok(head_only(Value::Null))
}
