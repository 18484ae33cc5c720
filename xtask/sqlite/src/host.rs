//! The imports of Emscripten's libraries. There are no files, and the clock does not advance.

use crate::Memory;

/// The result of an imported function.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// An `i32`.
    I32(i32),
    /// An `f64`.
    F64(f64),
}

/// A value, or why there is none.
pub type Answer = Result<Value, String>;

/// "No such file", as Emscripten's functions return it.
const NO_ENTRY: i32 = -44;

/// The result of the imported function of this name for its arguments (floats are 0 here); an error for one that is
/// unused as long as there are no files.
///
/// # Errors
/// If the host does not have the function, or an address is outside of the memory.
pub fn answer(memory: &mut dyn Memory, name: &str, args: &[i64]) -> Answer {
    let number = |index: usize| args.get(index).map_or(0, |&arg| arg as u32);
    Ok(match name {
        "emscripten_date_now" | "emscripten_get_now" => Value::F64(1.0e12),
        "emscripten_get_heap_max" => Value::I32(i32::MIN),
        "emscripten_resize_heap" => {
            let wanted = number(0).div_ceil(1 << 16);
            let now = memory.pages();
            Value::I32((wanted <= now || memory.grow(wanted - now)).into())
        }
        "environ_sizes_get" => {
            memory.write(number(0), &[0; 4])?;
            memory.write(number(1), &[0; 4])?;
            Value::I32(0)
        }
        "environ_get" | "fd_close" | "warnLegacyFunction" | "_tzset_js" | "__syscall_geteuid32" => Value::I32(0),
        "clock_time_get" => {
            memory.write(number(2), &[1; 8])?;
            Value::I32(0)
        }
        _ if name.starts_with("__syscall_") => Value::I32(NO_ENTRY),
        _ => return Err(format!("the program calls `{name}`, which this host does not have")),
    })
}
