//! Runs the programs and calls of `list.txt`: a line for each program of asm.js that the engine takes as such, and one for
// each call.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const KINDS = [
  "unreachable", "division_by_zero", "integer_overflow", "invalid_conversion", "out_of_bounds_memory",
  "out_of_bounds_table", "uninitialized_element", "indirect_call_type", "stack_overflow", "user",
];
const view = new DataView(new ArrayBuffer(8));

/** Bits as a value; asm.js has integers only where there are others. */
function value(type, bits, asm) {
  view.setBigUint64(0, BigInt.asUintN(64, bits));
  switch (type) {
    case "bool": return asm ? Number(bits) : bits !== 0n;
    case "i32": return view.getInt32(4);
    case "u32": return asm ? view.getInt32(4) : view.getUint32(4);
    case "i64": return view.getBigInt64(0);
    case "u64": return view.getBigUint64(0);
    case "f32": return view.getFloat32(4);
    default: return view.getFloat64(0);
  }
}

/** A value as bits; it must be one of the type. */
function bits(type, x, asm) {
  const must = (holds) => { if (!holds) throw new TypeError(`${String(x)} is no ${type}`); };
  view.setBigUint64(0, 0n);
  switch (type) {
    case "bool": must(asm ? x === 0 || x === 1 : typeof x === "boolean"); view.setUint32(4, Number(x)); break;
    case "i32": must((x | 0) === x && !Object.is(x, -0)); view.setInt32(4, x); break;
    case "u32": must((asm ? x | 0 : x >>> 0) === x && !Object.is(x, -0)); view.setUint32(4, x); break;
    case "i64": must(BigInt.asIntN(64, x) === x); view.setBigInt64(0, x); break;
    case "u64": must(BigInt.asUintN(64, x) === x); view.setBigUint64(0, x); break;
    case "f32": must(Object.is(Math.fround(x), x)); view.setFloat32(4, x); break;
    default: must(typeof x === "number"); view.setFloat64(0, x);
  }
  return view.getBigUint64(0).toString(16);
}

/** A value of a shape, of scalars: 0 is one of them. */
function built(shape, next) {
  if (shape === 0) return next();
  if (Array.isArray(shape)) return shape.map((part) => built(part, next));
  return Object.fromEntries(Object.entries(shape).map(([key, part]) => [key, built(part, next)]));
}

/** The scalars of a value, which must have the shape. */
function scalars(shape, x) {
  if (shape === null) return [];
  if (shape === 0) return [x];
  const keys = Object.keys(shape);
  if (Array.isArray(shape) !== Array.isArray(x) || keys.join() !== Object.keys(x).join()) {
    throw new TypeError(`${JSON.stringify(x)} has another shape than ${JSON.stringify(shape)}`);
  }
  return keys.flatMap((key) => scalars(shape[key], x[key]));
}

/** What the next program reads, and what it has written: bits. */
let tape = [], written;
const real = {
  read_real: () => value("f64", BigInt(tape.shift())),
  write_real: (x) => { written?.push(bits("f64", x)); },
};

/** What the programs import. */
const world = { ...real, trap(kind) { throw Object.assign(new Error("trap"), { kind: KINDS[kind] }); } };
const host = new Proxy({}, { get: (_, module) => module === "planish" ? real : new Proxy({}, { get: () => (...args) => args[0] ?? 0 }) });

async function load(program) {
  if (program.instance && !program.fresh) return program.instance;
  if (program.kind === "asm") {
    program.text ??= readFileSync(program.file, "utf8");
    program.factory ??= (0, eval)(`(${program.text.replace(/^}\n[^]*$/m, "}")})`);
    const heap = new ArrayBuffer(Number(/bytes = (\d+)/.exec(program.text)?.[1] ?? 65536));
    const functions = program.factory(globalThis, world, heap);
    functions.initialize?.();
    if (!program.checked) {
      program.checked = true;
      console.log(%IsAsmWasmCode(program.factory) ? `valid ${program.file}` : `invalid ${program.file}`);
    }
    program.instance = { functions, heap: new DataView(heap) };
  } else {
    program.count = (program.count ?? 0) + 1;
    const exports = await import(`${pathToFileURL(program.file)}?${program.count}`);
    program.instance = { functions: exports.instantiate ? exports.instantiate(host) : exports };
  }
  return program.instance;
}

/** All results of a call; asm.js leaves those behind the first one in the heap. */
function results(program, instance, types, first) {
  if (program.kind !== "asm") return types.length === 0 ? [] : types.length === 1 ? [first] : first;
  const base = program.pages * 65536;
  return types.map((type, i) => {
    if (i === 0) return first;
    const at = base + 8 * i;
    if (type === "f64") return instance.heap.getFloat64(at, true);
    return type === "f32" ? instance.heap.getFloat32(at, true) : instance.heap.getInt32(at, true);
  });
}

const list = readFileSync(join(dirname(fileURLToPath(import.meta.url)), "list.txt"), "utf8").trim().split("\n");
const programs = [];
for (const line of list) {
  const words = line.split(" ");
  const items = (text) => text.slice(1, -1).split(",").filter((t) => t !== "");
  if (words[0] === "tape") {
    tape = items(words[1]);
    written = [];
    continue;
  }
  if (words[0] !== "call") {
    programs.push({ kind: words[0], file: words[1], pages: Number(words[2]), fresh: words[3] === "1" });
    continue;
  }
  const program = programs[Number(words[1])];
  const asm = program.kind === "asm";
  const [params, args, types] = words.slice(3, 6).map(items);
  const signature = asm ? 0 : JSON.parse(words[6]);
  const instance = await load(program);
  const flat = params.map((type, i) => value(type, BigInt(args[i]), asm));
  const taken = flat.values();
  const values = signature ? signature.params.map((shape) => built(shape, () => taken.next().value)) : flat;
  try {
    const first = instance.functions[words[2]](...values);
    const all = signature ? scalars(signature.result, first) : results(program, instance, types, first);
    const given = all.map((x, i) => bits(types[i], x, asm)).concat(written ?? []);
    written = undefined;
    console.log(`is ${given.join(" ")}`);
  } catch (error) {
    if (error instanceof RangeError && error.message.includes("call stack")) console.log("trap stack_overflow");
    else if (error instanceof RangeError && error.message.includes("the DataView")) console.log("trap out_of_bounds_memory");
    else if (error.kind) console.log(`trap ${error.kind}`);
    else { console.log(`error ${words[2]}: ${error.stack}`); process.exit(1); }
  }
}
