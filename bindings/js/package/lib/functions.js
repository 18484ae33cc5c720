// Functions of programs in VL and WebAssembly, over numbers and typed arrays: a module of WebAssembly that the engine runs itself.

import { PlanishError, typeOf } from "./errors.js";

/** The types of numbers: their arrays, and the values that are taken. */
const TYPES = {
  bool: { Array: Uint8Array, wanted: "a boolean", take: (value) => (typeof value === "boolean" ? Number(value) : null) },
  int32: { Array: Int32Array, wanted: "a whole number", take: (value) => (typeof value === "number" ? whole(value) : null) },
  int64: { Array: BigInt64Array, wanted: "a bigint", take: (value) => (typeof value === "bigint" ? wide(value) : null) },
  float32: { Array: Float32Array, wanted: "a number", take: (value) => (typeof value === "number" ? value : null) },
  float64: { Array: Float64Array, wanted: "a number", take: (value) => (typeof value === "number" ? value : null) },
};

function whole(value) {
  if (value === (value | 0)) return value;
  throw new RangeError(`${value} is no whole number of 32 bits`);
}

function wide(value) {
  if (value === BigInt.asIntN(64, value)) return value;
  throw new RangeError(`${value} is no whole number of 64 bits`);
}

/** Elementary functions of the host. */
const MATH = Object.create(Math, { exp2: { value: (x) => 2 ** x } });

/** All functions of a program by name. `again` answers a request after the program of `ask` is gone. */
export function functionsOf(ask, { again = ask, first = 0, suffix = "" } = {}) {
  const [{ functions, isPure }, [bytes]] = ask({ do: "functions" });
  const all = Object.create(null);
  let exports;
  try {
    ({ exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { math: MATH }));
  } catch (error) {
    throw trapped(error);
  }
  for (const { name, type, numbers } of functions) {
    // A program in VL gives the same error once more, with its place.
    const explain = isPure ? (values) => again({ do: "call", function: name }, [bits(numbers[0], values)]) : null;
    all[name] = makeFunction({ name, type, numbers, first, suffix, run: exports[name], explain });
  }
  return Object.freeze(all);
}

function makeFunction({ name, type, numbers, first, suffix, run, explain }) {
  const [params, results] = numbers ?? [[], []];
  const call = (...given) => {
    if (!numbers) throw new TypeError(`\`${name}\` has values that JavaScript cannot hold here: ${type}`);
    if (given.length !== params.length) {
      throw new TypeError(`\`${name}\` takes ${params.length} arguments, not ${given.length}`);
    }
    const inputs = given.map((value, at) => input(value, params[at], `argument ${at + 1} of \`${name}\``));
    const arrays = inputs.filter(ArrayBuffer.isView);
    if (arrays.length === 0) {
      return packed(values(results, safely(run, inputs, explain)).slice(first));
    }
    const [{ length }] = arrays;
    if (arrays.some((array) => array.length !== length)) {
      throw new RangeError(`the arrays of \`${name}\` have different lengths: ${arrays.map((array) => array.length).join(", ")}`);
    }
    const outputs = results.slice(first).map((type) => new TYPES[type].Array(length));
    const isBool = inputs.map((input, at) => params[at] === "bool" && ArrayBuffer.isView(input));
    const element = new Array(inputs.length);
    for (let i = 0; i < length; i += 1) {
      for (let at = 0; at < inputs.length; at += 1) {
        const input = inputs[at];
        element[at] = ArrayBuffer.isView(input) ? (isBool[at] ? Number(input[i] !== 0) : input[i]) : input;
      }
      const result = safely(run, element, explain);
      if (results.length === 1) outputs[0][i] = result;
      else for (let at = 0; at < outputs.length; at += 1) outputs[at][i] = result[first + at];
    }
    return packed(outputs);
  };
  const shown = results.slice(first);
  const list = shown.length === 1 ? shown[0] : shown.length === 0 ? "void" : `(${shown.join(", ")})`;
  const signature = numbers ? `(${params.join(", ")}) -> ${list}` : type;
  Object.defineProperties(call, {
    name: { value: `${name}${suffix}` },
    length: { value: params.length },
    signature: { value: signature, enumerable: true },
  });
  return call;
}

/** An argument: a value of WebAssembly, or an array of the type. */
function input(value, type, what) {
  const { Array: Wanted, wanted, take } = TYPES[type];
  if (value instanceof Wanted) return value;
  if (ArrayBuffer.isView(value)) {
    const convert = `convert it, as by \`${Wanted.name}.from(…)\``;
    throw new TypeError(`${what} is ${typeOf(value)}, and ${Wanted.name} is wanted; ${convert}`);
  }
  const taken = take(value);
  if (taken === null) throw new TypeError(`${what} is ${wanted}, or an array of the type ${Wanted.name}, not ${typeOf(value)}`);
  return taken;
}

/** Calls a function of WebAssembly; a trap is an error of the program's. */
function safely(run, inputs, explain) {
  try {
    return run(...inputs);
  } catch (error) {
    try {
      explain?.(inputs);
    } catch (explained) {
      // (Any other error: the program has been freed.)
      if (explained instanceof PlanishError) throw explained;
    }
    throw trapped(error);
  }
}

/** The results as JavaScript has them. */
function values(types, result) {
  const all = types.length === 0 ? [] : types.length === 1 ? [result] : result;
  return types.map((type, at) => (type === "bool" ? all[at] !== 0 : all[at]));
}

/** One result is itself, several are an array. */
function packed(all) {
  return all.length > 1 ? all : all[0];
}

/** The error of a trap. */
function trapped(error) {
  const isTrap = error instanceof WebAssembly.RuntimeError || /call stack|recursion/i.test(String(error?.message));
  if (!isTrap) return error;
  const message = `the program trapped: ${error.message}`;
  const none = { file: null, line: null, column: null, endLine: null, endColumn: null };
  const rendered = `error[E1301]: ${message}\n`;
  const diagnostic = { severity: "error", code: "E1301", message, ...none, notes: [], help: [], rendered };
  return new PlanishError(rendered.trimEnd(), [diagnostic]);
}

/** The bits of numbers, eight bytes each. */
function bits(types, values) {
  const view = new DataView(new ArrayBuffer(8 * values.length));
  values.forEach((value, at) => {
    if (types[at] === "int64") view.setBigInt64(8 * at, value, true);
    else if (types[at] === "float64") view.setFloat64(8 * at, value, true);
    else if (types[at] === "float32") view.setFloat32(8 * at, value, true);
    else view.setInt32(8 * at, value, true);
  });
  return new Uint8Array(view.buffer);
}
