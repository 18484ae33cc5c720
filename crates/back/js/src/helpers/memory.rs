//! Helpers that read and write memory at computed addresses.

use super::Helper;

/// See the module's documentation.
pub(super) const MEMORY: &[Helper] = &[
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
        name: "length_of",
        needs: &[],
        asm: "",
        module: "\
function length_of(slice, type, count) {
  if (slice[Symbol.toStringTag] !== type) throw new TypeError(`a slice is expected as ${type}`);
  if (slice.length % count !== 0) throw new RangeError(`a slice has elements of ${count} numbers`);
  if (slice.byteLength > 4294967295) throw new RangeError(\"a slice has less than 4 GiB\");
  return slice.length / count;
}
",
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
    Helper {
        name: "init",
        needs: &["within"],
        asm: "",
        module: "\
function init(view, address, data, offset, length) {
  within(data, offset, length);
  within(view, address, length);
  new Uint8Array(view.buffer, address, length).set(data.subarray(offset, offset + length));
}
",
    },
];
