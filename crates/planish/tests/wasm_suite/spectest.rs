//! The host's module `spectest`, which scripts import from, and what engines with `Val` and `ValType` share.

use planish_ir::host::ValType;

use planish_testkit::wasm_suite::engine::Value;

/// The functions of the host's module `spectest`, with what they take. They do nothing.
pub(crate) const PRINTS: [(&str, &[ValType]); 7] = [
    ("print", &[]),
    ("print_i32", &[ValType::I32]),
    ("print_i64", &[ValType::I64]),
    ("print_f32", &[ValType::F32]),
    ("print_f64", &[ValType::F64]),
    ("print_i32_f32", &[ValType::I32, ValType::F32]),
    ("print_f64_f64", &[ValType::F64, ValType::F64]),
];

/// Its globals, which are constant.
pub(crate) const GLOBALS: [(&str, Value); 4] = [
    ("global_i32", Value::I32(666)),
    ("global_i64", Value::I64(666)),
    ("global_f32", Value::F32(666.6f32.to_bits())),
    ("global_f64", Value::F64(666.6f64.to_bits())),
];

/// Elements of its table of functions, at first and at most.
pub(crate) const TABLE: (u32, u32) = (10, 20);

/// Pages of its memory, at first and at most.
pub(crate) const MEMORY: (u32, u32) = (1, 2);

/// Between [`Value`] and the values of an engine: `Val`, whose references of the host are made and read by these functions.
macro_rules! conversions {
    ($reference:expr, $number:expr) => {
        fn to_val(value: Value) -> Val {
            match value {
                Value::I32(x) => Val::I32(x as i32),
                Value::I64(x) => Val::I64(x as i64),
                Value::F32(x) => Val::F32(x),
                Value::F64(x) => Val::F64(x),
                Value::V128(x) => Val::V128(x),
                // Scripts can only hand over null.
                Value::Func(_) => Val::FuncRef(None),
                Value::Extern(x) => Val::ExternRef($reference(x)),
            }
        }

        fn from_val(value: Val) -> Value {
            match value {
                Val::I32(x) => Value::I32(x as u32),
                Val::I64(x) => Value::I64(x as u64),
                Val::F32(x) => Value::F32(x),
                Val::F64(x) => Value::F64(x),
                Val::V128(x) => Value::V128(x),
                Val::FuncRef(x) => Value::Func(x.is_some()),
                Val::ExternRef(x) => Value::Extern($number(x)),
            }
        }
    };
}
pub(crate) use conversions;
