// An instance of a module of WebAssembly, and messages to and from it.
//
// A message is `length · JSON · length · bytes · …`; see `bindings/js/src/message.rs`. A trap in the module, which follows a mistake of Planish's own, leaves it in
// an unknown state: it is then replaced by a new instance, with a new generation, in which programs are read once more when they are used.

import { InternalError, PlanishError } from "./errors.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Bytes that a message may have: the memory of WebAssembly ends at 4 GiB. */
const MOST_BYTES = 2 ** 31;

export class Machine {
  /** A new one. To instantiate a large module is asynchronous where engines want that. */
  static async start(module) {
    const machine = new Machine(module);
    machine.#use(await WebAssembly.instantiate(module, machine.#imports()));
    return machine;
  }

  /** Grows by one whenever the instance is replaced. */
  generation = 0;
  #module;
  #exports;
  #memory;
  /** The files of the request that is being answered: `(name, from, angle) => [name, bytes]`, or null. */
  #include = null;
  /** An exception of that function. */
  #thrown = null;
  /** The message of a panic. */
  #panic = "";

  constructor(module) {
    this.#module = module;
  }

  #imports() {
    const generation = this.generation;
    return {
      planish: {
        planish_include: (name, nameSize, from, fromSize, angle) => {
          const found = this.#found(this.#text(name, nameSize), this.#text(from, fromSize), angle !== 0);
          // The function may have sent requests, one of which may have failed so that the instance is no longer in use.
          if (this.generation !== generation) throw new InternalError("Planish failed while it looked for a file");
          if (!found) return 0;
          this.#write([encoder.encode(JSON.stringify(found[0])), found[1]]);
          return 1;
        },
        planish_panic: (text, size) => {
          this.#panic = this.#text(text, size);
        },
      },
    };
  }

  #use({ exports }) {
    this.#exports = exports;
    this.#memory = exports.memory;
  }

  /** The answer to a request: its object, and its blocks as arrays of bytes. */
  ask(head, blocks = [], include = null) {
    if (!this.#exports) throw new InternalError("Planish has failed, and starts again: try once more in a moment");
    const generation = this.generation;
    const [outerInclude, outerThrown] = [this.#include, this.#thrown];
    this.#include = include;
    this.#thrown = null;
    try {
      this.#write([encoder.encode(JSON.stringify(head)), ...blocks]);
      const size = this.#exports.planish_answer() >>> 0;
      const answer = this.#read(this.#exports.planish_output() >>> 0, size);
      this.#exports.planish_clear();
      if (this.#thrown) throw this.#thrown.error;
      return answer;
    } catch (error) {
      const own = isOfTheEngine(error) ? this.#failed(error, generation) : error;
      throw this.#thrown ? this.#thrown.error : own;
    } finally {
      this.#include = outerInclude;
      this.#thrown = outerThrown;
    }
  }

  /** The error of a trap, after which there is a new instance. */
  #failed(error, generation) {
    const deep = /stack|recursion/i.test(error.message);
    const panic = this.#panic || (deep ? "the program is nested too deeply for the stack of this engine" : error.message);
    this.#panic = "";
    if (this.generation === generation) this.#replace();
    return new InternalError(`internal error of Planish: ${panic}`, { cause: error });
  }

  #replace() {
    this.generation += 1;
    this.#exports = this.#memory = null;
    try {
      this.#use(new WebAssembly.Instance(this.#module, this.#imports()));
    } catch {
      // Some engines make instances of large modules only asynchronously on the main thread.
      const { generation } = this;
      WebAssembly.instantiate(this.#module, this.#imports()).then((instance) => {
        if (this.generation === generation) this.#use(instance);
      });
    }
  }

  /** Bytes of memory that the instance has. */
  get memoryBytes() {
    return this.#memory.buffer.byteLength;
  }

  #found(name, from, angle) {
    if (this.#thrown || !this.#include) return null;
    try {
      return this.#include(name, from, angle);
    } catch (error) {
      // WebAssembly is left in the usual way, and the error comes out when the request has ended.
      this.#thrown = { error };
      return null;
    }
  }

  #text(at, size) {
    return decoder.decode(new Uint8Array(this.#memory.buffer, at >>> 0, size >>> 0));
  }

  /** Writes a message to the input. */
  #write(parts) {
    const size = parts.reduce((size, part) => size + 4 + part.byteLength, 0);
    const at = size < MOST_BYTES ? this.#exports.planish_input(size) >>> 0 : 0;
    if (at === 0) throw new RangeError(`a program and its data have ${size} bytes, and there is no memory for them`);
    const view = new DataView(this.#memory.buffer, at, size);
    const bytes = new Uint8Array(this.#memory.buffer, at, size);
    let next = 0;
    for (const part of parts) {
      view.setUint32(next, part.byteLength, true);
      bytes.set(part, next + 4);
      next += 4 + part.byteLength;
    }
  }

  /** Reads a message; an error that it is is thrown. */
  #read(at, size) {
    const view = new DataView(this.#memory.buffer, at, size);
    const parts = [];
    for (let next = 0; next < size; ) {
      const length = view.getUint32(next, true);
      // (A copy: the memory may move.)
      parts.push(new Uint8Array(this.#memory.buffer.slice(at + next + 4, at + next + 4 + length)));
      next += 4 + length;
    }
    const { ok, error } = JSON.parse(decoder.decode(parts[0]));
    if (!error) return [ok, parts.slice(1)];
    this.#exports.planish_clear();
    if (error.kind === "type") throw new TypeError(error.message);
    if (error.kind === "range") throw new RangeError(error.message);
    const { diagnostics } = error;
    throw new PlanishError(diagnostics.map(({ rendered }) => rendered).join("").trimEnd(), diagnostics.map(frozen));
  }
}

/** Whether an error comes from the engine that runs WebAssembly: a trap, or the end of its stack. */
function isOfTheEngine(error) {
  if (error instanceof WebAssembly.RuntimeError) return true;
  // Engines have different errors at the end of the stack.
  return !(error instanceof PlanishError) && /call stack|recursion/i.test(String(error?.message));
}

export function frozen(diagnostic) {
  Object.freeze(diagnostic.notes);
  Object.freeze(diagnostic.help);
  return Object.freeze(diagnostic);
}
