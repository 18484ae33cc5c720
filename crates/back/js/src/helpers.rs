//! Functions that the output brings along, for what JavaScript has no word for.

use std::collections::BTreeSet;

use crate::Dialect;

/// What an output needs: names of helpers, of functions of `Math`, and of constants.
pub(crate) type Needs = BTreeSet<&'static str>;

/// A function of the output. Where a dialect has no text, nothing asks for it.
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

/// What reads and writes memory at addresses that are not known: name, width, what is needed, and both texts.
const MEMORY: &[Helper] = &[
    Helper {
        name: "within",
        needs: &["trap"],
        asm: "\
function within(address, offset, width) {
  address = address | 0;
  offset = offset | 0;
  width = width | 0;
  if (address >>> 0 > BYTES - width - offset >>> 0) trap(4);
  return address + offset | 0;
}
",
        module: "\
function within(view, address, width) {
  if (address > view.byteLength - width) trap(\"out_of_bounds_memory\");
  return address;
}
",
    },
    Helper {
        name: "load_i32",
        needs: &["i32", "u8"],
        asm: "\
function load_i32(at) {
  at = at | 0;
  if (at & 3) return u8[at] | u8[at + 1 | 0] << 8 | u8[at + 2 | 0] << 16 | u8[at + 3 | 0] << 24 | 0;
  return i32[at >> 2] | 0;
}
",
        module: "",
    },
    Helper {
        name: "load_f32",
        needs: &["fround", "f32", "i32", "load_i32"],
        asm: "\
function load_f32(at) {
  at = at | 0;
  if (at & 3) {
    i32[SCRATCH4] = load_i32(at) | 0;
    return fround(f32[SCRATCH4]);
  }
  return fround(f32[at >> 2]);
}
",
        module: "",
    },
    Helper {
        name: "load_f64",
        needs: &["f64", "i32", "load_i32"],
        asm: "\
function load_f64(at) {
  at = at | 0;
  if (at & 7) {
    i32[SCRATCH4] = load_i32(at) | 0;
    i32[SCRATCH5] = load_i32(at + 4 | 0) | 0;
    return +f64[SCRATCH8];
  }
  return +f64[at >> 3];
}
",
        module: "",
    },
    Helper {
        name: "store_i32",
        needs: &["i32", "u8"],
        asm: "\
function store_i32(at, x) {
  at = at | 0;
  x = x | 0;
  if (at & 3) {
    u8[at] = x;
    u8[at + 1 | 0] = x >>> 8;
    u8[at + 2 | 0] = x >>> 16;
    u8[at + 3 | 0] = x >>> 24;
  } else {
    i32[at >> 2] = x;
  }
}
",
        module: "",
    },
    Helper {
        name: "store_f32",
        needs: &["fround", "f32", "i32", "store_i32"],
        asm: "\
function store_f32(at, x) {
  at = at | 0;
  x = fround(x);
  f32[SCRATCH4] = x;
  store_i32(at, i32[SCRATCH4] | 0);
}
",
        module: "",
    },
    Helper {
        name: "store_f64",
        needs: &["f64", "i32", "store_i32"],
        asm: "\
function store_f64(at, x) {
  at = at | 0;
  x = +x;
  if (at & 7) {
    f64[SCRATCH8] = x;
    store_i32(at, i32[SCRATCH4] | 0);
    store_i32(at + 4 | 0, i32[SCRATCH5] | 0);
  } else {
    f64[at >> 3] = x;
  }
}
",
        module: "",
    },
    Helper {
        name: "load_half",
        needs: &["u8"],
        asm: "function load_half(at) { at = at | 0; return u8[at] | u8[at + 1 | 0] << 8 | 0; }\n",
        module: "",
    },
    Helper {
        name: "store_half",
        needs: &["u8"],
        asm: "function store_half(at, x) { at = at | 0; x = x | 0; u8[at] = x; u8[at + 1 | 0] = x >>> 8; }\n",
        module: "",
    },
    Helper {
        name: "fill",
        needs: &["within"],
        asm: "",
        module: "\
function fill(view, address, byte, length) {
  within(view, address, length);
  new Uint8Array(view.buffer, address, length).fill(byte);
}
",
    },
    Helper {
        name: "copy",
        needs: &["within"],
        asm: "",
        module: "\
function copy(to, address, from, source, length) {
  within(to, address, length);
  within(from, source, length);
  new Uint8Array(to.buffer, address, length).set(new Uint8Array(from.buffer, source, length));
}
",
    },
];

const HELPERS: &[Helper] = &[
    Helper {
        name: "trap",
        needs: &[],
        asm: "",
        module: "\
class Trap extends Error {
  constructor(kind) {
    super(kind.replaceAll(\"_\", \" \"));
    this.name = \"Trap\";
    this.kind = kind;
  }
}
function trap(kind) {
  throw new Trap(kind);
}
",
    },
    Helper { name: "bits", needs: &[], asm: "", module: "const bits = new DataView(new ArrayBuffer(8));\n" },
    Helper {
        name: "f32_bits",
        needs: &["bits", "f32", "fround", "i32"],
        asm: "\
function f32_bits(x) {
  x = fround(x);
  if (x != x) return 0x7fc00000;
  f32[SCRATCH4] = x;
  return i32[SCRATCH4] | 0;
}
",
        module: "\
function f32_bits(x) {
  if (x !== x) return 0x7fc00000;
  bits.setFloat32(0, x);
  return bits.getInt32(0);
}
",
    },
    Helper {
        name: "bits_f32",
        needs: &["bits", "f32", "fround", "i32"],
        asm: "function bits_f32(x) { x = x | 0; i32[SCRATCH4] = x; return fround(f32[SCRATCH4]); }\n",
        module: "function bits_f32(x) { bits.setInt32(0, x); return bits.getFloat32(0); }\n",
    },
    Helper {
        name: "f64_bits",
        needs: &["bits"],
        asm: "",
        module: "\
function f64_bits(x) {
  if (x !== x) return 0x7ff8000000000000n;
  bits.setFloat64(0, x);
  return bits.getBigInt64(0);
}
",
    },
    Helper {
        name: "bits_f64",
        needs: &["bits"],
        asm: "",
        module: "function bits_f64(x) { bits.setBigInt64(0, x); return bits.getFloat64(0); }\n",
    },
    Helper {
        name: "ctz32",
        needs: &["clz32"],
        asm: "function ctz32(x) { x = x | 0; return (x ? 31 - clz32(x & -x) | 0 : 32) | 0; }\n",
        module: "function ctz32(x) { return x ? 31 - clz32(x & -x) : 32; }\n",
    },
    Helper {
        name: "popcnt32",
        needs: &["imul"],
        asm: "\
function popcnt32(x) {
  x = x | 0;
  x = x - (x >>> 1 & 0x55555555) | 0;
  x = (x & 0x33333333) + (x >>> 2 & 0x33333333) | 0;
  x = (x + (x >>> 4) | 0) & 0x0f0f0f0f;
  return imul(x, 0x01010101) >>> 24 | 0;
}
",
        module: "\
function popcnt32(x) {
  x = x - (x >>> 1 & 0x55555555) | 0;
  x = (x & 0x33333333) + (x >>> 2 & 0x33333333);
  x = x + (x >>> 4) & 0x0f0f0f0f;
  return imul(x, 0x01010101) >>> 24;
}
",
    },
    Helper {
        name: "divide_i32",
        needs: &["trap"],
        asm: "\
function divide_i32(x, y) {
  x = x | 0;
  y = y | 0;
  if (!y) trap(1);
  if (((x | 0) == -2147483648) & ((y | 0) == -1)) trap(2);
  return ((x | 0) / (y | 0)) | 0;
}
",
        module: "\
function divide_i32(x, y) {
  if (y === 0) trap(\"division_by_zero\");
  if (y === -1 && x === -2147483648) trap(\"integer_overflow\");
  return x / y | 0;
}
",
    },
    Helper {
        name: "divide_u32",
        needs: &["trap"],
        asm: "\
function divide_u32(x, y) {
  x = x | 0;
  y = y | 0;
  if (!y) trap(1);
  return ((x >>> 0) / (y >>> 0)) | 0;
}
",
        module: "\
function divide_u32(x, y) {
  if (y === 0) trap(\"division_by_zero\");
  return x / y >>> 0;
}
",
    },
    Helper {
        name: "remainder_i32",
        needs: &["trap"],
        asm: "\
function remainder_i32(x, y) {
  x = x | 0;
  y = y | 0;
  if (!y) trap(1);
  return ((x | 0) % (y | 0)) | 0;
}
",
        module: "\
function remainder_i32(x, y) {
  if (y === 0) trap(\"division_by_zero\");
  return x % y | 0;
}
",
    },
    Helper {
        name: "remainder_u32",
        needs: &["trap"],
        asm: "\
function remainder_u32(x, y) {
  x = x | 0;
  y = y | 0;
  if (!y) trap(1);
  return ((x >>> 0) % (y >>> 0)) | 0;
}
",
        module: "\
function remainder_u32(x, y) {
  if (y === 0) trap(\"division_by_zero\");
  return x % y;
}
",
    },
    Helper {
        name: "divide_i64",
        needs: &["trap"],
        asm: "",
        module: "\
function divide_i64(x, y) {
  if (y === 0n) trap(\"division_by_zero\");
  if (y === -1n && x === -9223372036854775808n) trap(\"integer_overflow\");
  return x / y;
}
",
    },
    Helper {
        name: "remainder_i64",
        needs: &["trap"],
        asm: "",
        module: "\
function remainder_i64(x, y) {
  if (y === 0n) trap(\"division_by_zero\");
  return x % y;
}
",
    },
    Helper {
        name: "to_i32",
        needs: &[],
        asm: "\
function to_i32(x) {
  x = +x;
  return (x >= 2147483647.0 ? 2147483647 : x <= -2147483648.0 ? -2147483648 : ~~x) | 0;
}
",
        module: "function to_i32(x) { return x >= 2147483647 ? 2147483647 : x <= -2147483648 ? -2147483648 : x | 0; }\n",
    },
    Helper {
        name: "to_u32",
        needs: &[],
        asm: "\
function to_u32(x) {
  x = +x;
  return (x >= 4294967295.0 ? -1 : x > 0.0 ? ~~x : 0) | 0;
}
",
        module: "function to_u32(x) { return x >= 4294967295 ? 4294967295 : x > 0 ? x >>> 0 : 0; }\n",
    },
    Helper {
        name: "to_i64",
        needs: &[],
        asm: "",
        module: "\
function to_i64(x) {
  if (x >= 9223372036854775808) return 9223372036854775807n;
  if (x <= -9223372036854775808) return -9223372036854775808n;
  return x === x ? BigInt(Math.trunc(x)) : 0n;
}
",
    },
    Helper {
        name: "to_u64",
        needs: &[],
        asm: "",
        module: "\
function to_u64(x) {
  if (x >= 18446744073709551616) return 18446744073709551615n;
  return x > 0 ? BigInt(Math.trunc(x)) : 0n;
}
",
    },
    Helper {
        name: "truncate",
        needs: &["trap"],
        asm: "\
function truncate(x, low, end) {
  x = +x;
  low = +low;
  end = +end;
  if (x != x) trap(3);
  if ((x <= low) | (x >= end)) trap(2);
  return ~~x | 0;
}
",
        module: "\
function truncate(x, low, end) {
  if (x !== x) trap(\"invalid_conversion\");
  if (x <= low || x >= end) trap(\"integer_overflow\");
  return Math.trunc(x);
}
",
    },
    Helper {
        name: "truncate_i64",
        needs: &["trap"],
        asm: "",
        module: "\
function truncate_i64(x) {
  if (x !== x) trap(\"invalid_conversion\");
  if (x < -9223372036854775808 || x >= 9223372036854775808) trap(\"integer_overflow\");
  return BigInt(Math.trunc(x));
}
",
    },
    Helper {
        name: "truncate_u64",
        needs: &["trap"],
        asm: "",
        module: "\
function truncate_u64(x) {
  if (x !== x) trap(\"invalid_conversion\");
  if (x <= -1 || x >= 18446744073709551616) trap(\"integer_overflow\");
  return BigInt(Math.trunc(x));
}
",
    },
    Helper {
        name: "fround_big",
        needs: &["fround"],
        asm: "",
        module: "\
function fround_big(x) {
  const size = x < 0n ? -x : x;
  if (size <= 9007199254740992n) return fround(Number(x));
  // To odd first, so that the second rounding sees what the first one left out.
  const most = fround(Number(size >> 11n | (size & 2047n ? 1n : 0n)) * 2048);
  return x < 0n ? -most : most;
}
",
    },
    Helper {
        name: "clz64",
        needs: &["clz32"],
        asm: "",
        module: "\
function clz64(x) {
  const high = clz32(Number(BigInt.asIntN(32, x >> 32n)));
  return BigInt(high < 32 ? high : 32 + clz32(Number(BigInt.asIntN(32, x))));
}
",
    },
    Helper {
        name: "ctz64",
        needs: &["ctz32"],
        asm: "",
        module: "\
function ctz64(x) {
  const low = ctz32(Number(BigInt.asIntN(32, x)));
  return BigInt(low < 32 ? low : 32 + ctz32(Number(BigInt.asIntN(32, x >> 32n))));
}
",
    },
    Helper {
        name: "popcnt64",
        needs: &["popcnt32"],
        asm: "",
        module: "\
function popcnt64(x) {
  return BigInt(popcnt32(Number(BigInt.asIntN(32, x))) + popcnt32(Number(BigInt.asIntN(32, x >> 32n))));
}
",
    },
    Helper {
        name: "rotl64",
        needs: &[],
        asm: "",
        module: "\
function rotl64(x, by) {
  const word = BigInt.asUintN(64, x);
  return word << (by & 63n) | word >> (-by & 63n);
}
",
    },
    Helper {
        name: "trunc",
        needs: &["ceil", "floor"],
        asm: "function trunc(x) { x = +x; return +(x < 0.0 ? ceil(x) : floor(x)); }\n",
        module: "",
    },
    Helper {
        name: "round_even",
        needs: &["abs"],
        asm: "\
function round_even(x) {
  x = +x;
  if (abs(x) < 4503599627370496.0) {
    x = +(x > 0.0 ? x + 4503599627370496.0 - 4503599627370496.0 :
      x < 0.0 ? -(4503599627370496.0 - x - 4503599627370496.0) : x);
  }
  return +x;
}
",
        module: "\
function round_even(x) {
  const limit = 4503599627370496;
  if (!(Math.abs(x) < limit)) return x;
  return x > 0 ? x + limit - limit : x < 0 ? -(limit - x - limit) : x;
}
",
    },
    Helper {
        name: "copy_sign",
        needs: &["abs"],
        asm: "\
function copy_sign(x, y) {
  x = +x;
  y = +y;
  x = +abs(x);
  if ((y < 0.0) | (y == 0.0) & (1.0 / y < 0.0)) x = -x;
  return +x;
}
",
        module: "\
function copy_sign(x, y) {
  const size = Math.abs(x);
  return y < 0 || y === 0 && 1 / y < 0 ? -size : size;
}
",
    },
    Helper {
        name: "power",
        needs: &["abs", "pow", "NaN"],
        asm: "\
function power(x, y) {
  x = +x;
  y = +y;
  return +(x < 0.0 ? NaN : x == 1.0 ? 1.0 : +pow(+abs(x), y));
}
",
        module: "\
function power(x, y) {
  return x < 0 ? NaN : x === 1 ? 1 : Math.pow(Math.abs(x), y);
}
",
    },
    Helper { name: "exp2", needs: &["pow"], asm: "function exp2(x) { x = +x; return +pow(2.0, x); }\n", module: "" },
    Helper {
        name: "log2",
        needs: &["abs", "log", "pow", "round_even"],
        asm: "\
function log2(x) {
  x = +x;
  var y = 0.0, whole = 0.0;
  y = +log(x) * 1.4426950408889634;
  whole = +round_even(y);
  if (+abs(y - whole) < 1.0e-9) {
    if (+pow(2.0, whole) == x) y = whole;
  }
  return +y;
}
",
        module: "",
    },
    Helper {
        name: "expm1",
        needs: &["exp", "log"],
        asm: "\
function expm1(x) {
  x = +x;
  var y = 0.0;
  y = +exp(x);
  if (y == 1.0) return +x;
  if (y - 1.0 == -1.0) return -1.0;
  if (x > 37.0) return +y;
  return +((y - 1.0) * x / +log(y));
}
",
        module: "",
    },
    Helper {
        name: "log1p",
        needs: &["log"],
        asm: "\
function log1p(x) {
  x = +x;
  var y = 0.0;
  y = 1.0 + x;
  if (y == 1.0) return +x;
  if (x > 1.0e16) return +log(x);
  return +(+log(y) * x / (y - 1.0));
}
",
        module: "",
    },
    Helper {
        name: "sinh",
        needs: &["abs", "exp", "expm1"],
        asm: "\
function sinh(x) {
  x = +x;
  var size = 0.0, y = 0.0;
  size = +abs(x);
  if (size > 37.0) {
    y = +exp(size * 0.5);
    y = 0.5 * y * y;
  } else {
    y = +expm1(size);
    y = (y + y / (y + 1.0)) * 0.5;
  }
  return +(x < 0.0 ? -y : x > 0.0 ? y : x);
}
",
        module: "",
    },
    Helper {
        name: "cosh",
        needs: &["abs", "exp"],
        asm: "\
function cosh(x) {
  x = +x;
  var y = 0.0;
  y = +exp(+abs(x) * 0.5);
  return +(0.5 * y * y + 0.5 / y / y);
}
",
        module: "",
    },
    Helper {
        name: "tanh",
        needs: &["abs", "expm1"],
        asm: "\
function tanh(x) {
  x = +x;
  var size = 0.0, y = 0.0;
  size = +abs(x);
  if (size > 22.0) {
    y = 1.0;
  } else {
    y = +expm1(2.0 * size);
    y = y / (y + 2.0);
  }
  return +(x < 0.0 ? -y : x > 0.0 ? y : x);
}
",
        module: "",
    },
    Helper {
        name: "asinh",
        needs: &["abs", "log", "log1p", "sqrt"],
        asm: "\
function asinh(x) {
  x = +x;
  var size = 0.0, y = 0.0;
  size = +abs(x);
  if (size > 1.0e9) {
    y = +log(size) + 0.6931471805599453;
  } else {
    y = +log1p(size + size * size / (1.0 + +sqrt(size * size + 1.0)));
  }
  return +(x < 0.0 ? -y : x > 0.0 ? y : x);
}
",
        module: "",
    },
    Helper {
        name: "acosh",
        needs: &["NaN", "log", "log1p", "sqrt"],
        asm: "\
function acosh(x) {
  x = +x;
  if (x < 1.0) return +NaN;
  if (x > 1.0e9) return +(+log(x) + 0.6931471805599453);
  x = x - 1.0;
  return +log1p(x + +sqrt(2.0 * x + x * x));
}
",
        module: "",
    },
    Helper {
        name: "atanh",
        needs: &["abs", "log1p"],
        asm: "\
function atanh(x) {
  x = +x;
  var size = 0.0;
  size = +abs(x);
  size = 0.5 * +log1p(2.0 * size / (1.0 - size));
  return +(x < 0.0 ? -size : x > 0.0 ? size : x);
}
",
        module: "",
    },
];

fn all() -> impl Iterator<Item = &'static Helper> {
    HELPERS.iter().chain(MEMORY)
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

/// The names that helpers and what they need take from the module.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let views = VIEWS.iter().map(|v| v.0).chain(["Trap", "initialize"]);
    all().map(|h| h.name).chain(ASM_MATH.iter().copied()).chain(views)
}

/// Adds what helpers need themselves.
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

/// What stands before the functions of an output, and the helpers, a statement a line.
pub(crate) struct Prelude {
    pub(crate) imports: String,
    pub(crate) functions: String,
}

/// Writes what is needed; `scratch` is the address of eight bytes that belong to nobody, where the memory
/// ends (asm.js).
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
