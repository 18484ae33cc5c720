//! Traps, integers, conversions and bits.

use super::Helper;

/// See the module's documentation.
pub(super) const NUMBERS: &[Helper] = &[
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
    Helper {
        name: "callee",
        needs: &["trap"],
        asm: "",
        module: "\
function callee(table, types, index, type) {
  if (index >= table.length) trap(\"out_of_bounds_table\");
  if (types[index] !== type) trap(types[index] < 0 ? \"uninitialized_element\" : \"indirect_call_type\");
  return table[index];
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
];
