//! Helper functions of the output, for operations that JavaScript lacks.

mod floats;
mod memory;
mod numbers;

use std::collections::BTreeSet;

use floats::FLOATS;
use memory::MEMORY;
use numbers::NUMBERS;

use crate::Dialect;

/// Names of the helpers, functions of `Math` and constants that an output needs.
pub(crate) type Needs = BTreeSet<&'static str>;

/// A helper function. A dialect with an empty text never needs it.
struct Helper {
    name: &'static str,
    needs: &'static [&'static str],
    asm: &'static str,
    module: &'static str,
}

/// Functions of `Math` that asm.js has.
const ASM_MATH: &[&str] = &[
    "abs", "acos", "asin", "atan", "atan2", "ceil", "clz32", "cos", "exp", "floor", "fround", "imul", "log", "max",
    "min", "pow", "sin", "sqrt", "tan",
];
/// Functions of `Math` that a module names by themselves.
const MODULE_MATH: &[&str] = &["clz32", "fround", "imul"];
/// Constants that asm.js imports.
const ASM_CONSTANTS: &[&str] = &["Infinity", "NaN"];

fn all() -> impl Iterator<Item = &'static Helper> {
    NUMBERS.iter().chain(FLOATS).chain(MEMORY)
}

/// The views of the heap that asm.js has, and their types.
const VIEWS: &[(&str, &str)] = &[
    ("i8", "Int8Array"),
    ("u8", "Uint8Array"),
    ("i16", "Int16Array"),
    ("u16", "Uint16Array"),
    ("i32", "Int32Array"),
    ("f32", "Float32Array"),
    ("f64", "Float64Array"),
];

/// The names that helpers and their dependencies take from the module.
pub(crate) fn names(dialect: Dialect) -> Vec<&'static str> {
    let asm = dialect == Dialect::Asm;
    let helpers = all().filter(|h| if asm { !h.asm.is_empty() } else { !h.module.is_empty() }).map(|h| h.name);
    let math = if asm { ASM_MATH } else { MODULE_MATH };
    let views = VIEWS.iter().map(|v| v.0).filter(|_| asm);
    helpers.chain(math.iter().copied()).chain(views).chain(["Trap", "trap", "initialize"]).collect()
}

/// Adds the dependencies of helpers.
pub(crate) fn close(needs: &mut Needs) {
    loop {
        let before = needs.len();
        for helper in all() {
            if needs.contains(helper.name) {
                needs.extend(helper.needs);
            }
        }
        if needs.len() == before {
            return;
        }
    }
}

/// Whether the heap of asm.js is used.
pub(crate) fn has_views(needs: &Needs) -> bool {
    VIEWS.iter().any(|v| needs.contains(v.0))
}

/// Text before the functions of an output, and the helpers, a statement a line.
pub(crate) struct Prelude {
    pub(crate) imports: String,
    pub(crate) functions: String,
}

/// Writes the needed helpers; `scratch` is the address of eight unused bytes at the end of the memory (asm.js).
pub(crate) fn prelude(dialect: Dialect, needs: &Needs, scratch: u32) -> Prelude {
    let mut needs = needs.clone();
    close(&mut needs);
    let text = |h: &Helper| if dialect == Dialect::Asm { h.asm } else { h.module };
    let wanted = all().filter(|h| needs.contains(h.name));
    let functions: String = wanted.map(text).collect();
    let places =
        [("SCRATCH4", scratch / 4), ("SCRATCH5", scratch / 4 + 1), ("SCRATCH8", scratch / 8), ("BYTES", scratch)];
    let functions = places.iter().fold(functions, |text, (name, place)| text.replace(name, &place.to_string()));
    let mut imports = String::new();
    if dialect == Dialect::Asm {
        for name in ASM_CONSTANTS.iter().filter(|&&n| needs.contains(n)) {
            imports.push_str(&format!("var {name} = stdlib.{name};\n"));
        }
        for name in ASM_MATH.iter().filter(|&&n| needs.contains(n)) {
            imports.push_str(&format!("var {name} = stdlib.Math.{name};\n"));
        }
        if needs.contains("trap") {
            imports.push_str("var trap = foreign.trap;\n");
        }
        for (name, array) in VIEWS.iter().filter(|v| needs.contains(v.0)) {
            imports.push_str(&format!("var {name} = new stdlib.{array}(heap);\n"));
        }
    } else {
        let math: Vec<&str> = MODULE_MATH.iter().copied().filter(|&n| needs.contains(n)).collect();
        if !math.is_empty() {
            imports = format!("const {{ {} }} = Math;\n", math.join(", "));
        }
    }
    Prelude { imports, functions }
}

/// Whether a name is that of a function that the output brings along to asm.js.
pub(crate) fn is_function(name: &str) -> bool {
    all().any(|h| h.name == name && !h.asm.is_empty())
}
