// Compilation: what both modules of the package have.

import { typeOf } from "./errors.js";
import { frozen, Machine } from "./machine.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The method that sends a request about a program. */
export const ask = Symbol("ask");

/** Name of a source without one. */
const NAME = "shader.frag";

/** The functions and the class of a module. */
export async function connect(module) {
  const machine = await Machine.start(module);
  const [info] = machine.ask({ do: "info" });

  function compile(source, target, options) {
    const { onWarning, ...rest } = isObject(options) ? options : {};
    if (onWarning !== undefined && onWarning !== null && typeof onWarning !== "function") {
      throw new TypeError(`the option \`onWarning\` takes a function, not ${typeOf(onWarning)}`);
    }
    const own = origin(source, isObject(options) ? rest : options);
    const answer = machine.ask({ do: "compile", target: targetName(target), ...own.head }, [own.bytes], own.include);
    if (onWarning) for (const warning of answer[0].warnings ?? []) onWarning(frozen(warning));
    return output(answer);
  }

  function check(source, options) {
    const own = origin(source, options);
    const [diagnostics] = machine.ask({ do: "check", ...own.head }, [own.bytes], own.include);
    return diagnostics.map(frozen);
  }

  class Program {
    /** Number in the instance of a generation. */
    #place = null;
    /** Everything to read it once more. */
    #origin;
    #warnings;
    #dependencies;

    constructor(source, options) {
      if (source instanceof Stages) {
        this.#origin = { ...source, at: options };
        this.#hold(source.programs[options]);
        this.#warnings = source.warnings;
      } else {
        this.#origin = origin(source, options, true);
        this.#warnings = Object.freeze(this.#open().map(frozen));
      }
      this.#dependencies = Object.freeze(this.#origin.dependencies());
    }

    static stages(sources, options) {
      const all = new Stages(sources, options);
      return sources.map((_, at) => new this(all, at));
    }

    #open() {
      const { head, bytes, include, at, blocks } = this.#origin;
      if (blocks) {
        const [{ programs }] = machine.ask({ do: "stages", ...head }, blocks, include);
        for (const [other, program] of programs.entries()) if (other !== at) machine.ask({ do: "free", program });
        return this.#hold(programs[at]);
      }
      const [{ program, warnings }] = machine.ask({ do: "open", ...head }, [bytes], include);
      this.#hold(program);
      this.#origin.close();
      return warnings;
    }

    #hold(program) {
      this.#place = { program, generation: machine.generation };
      freed.register(this, this.#place, this);
    }

    [ask](head, blocks) {
      if (!this.#origin) throw new TypeError("the program has been freed");
      // The module was replaced after a mistake of its own.
      if (this.#place.generation !== machine.generation) {
        freed.unregister(this);
        this.#open();
      }
      return machine.ask({ ...head, program: this.#place.program }, blocks);
    }

    get warnings() {
      return this.#warnings;
    }

    get dependencies() {
      return this.#dependencies;
    }

    emit(target) {
      const answer = this[ask]({ do: "emit", target: targetName(target) });
      const { warnings = [] } = answer[0];
      const isNew = ({ rendered }) => !this.#warnings.some((known) => known.rendered === rendered);
      this.#warnings = Object.freeze([...this.#warnings, ...warnings.filter(isNew).map(frozen)]);
      return output(answer);
    }

    reflect() {
      return JSON.parse(output(this[ask]({ do: "reflect" })));
    }

    free() {
      if (!this.#origin) return;
      this.#origin = null;
      freed.unregister(this);
      release(this.#place);
    }
  }
  if (Symbol.dispose) Program.prototype[Symbol.dispose] = Program.prototype.free;

  /** The stages of a program, which were read together. */
  class Stages {
    constructor(sources, options) {
      if (!Array.isArray(sources) || sources.length === 0) {
        throw new TypeError(`\`stages\` takes an array of sources with their names, not ${Array.isArray(sources) ? "an empty one" : typeOf(sources)}`);
      }
      const names = sources.map(({ name } = {}) => {
        if (typeof name === "string") return name;
        throw new TypeError(`the name of a stage is a string, not ${typeOf(name)}`);
      });
      const own = origin("", options, true);
      this.head = { ...own.head, names };
      this.blocks = sources.map(({ source }) => bytesOf(source, true));
      this.include = own.include;
      this.dependencies = own.dependencies;
      const [{ programs, warnings }] = machine.ask({ do: "stages", ...this.head }, this.blocks, this.include);
      own.close();
      this.programs = programs;
      this.warnings = Object.freeze(warnings.map(frozen));
    }
  }

  function release({ program, generation }) {
    if (generation === machine.generation) machine.ask({ do: "free", program });
  }
  const freed = new FinalizationRegistry(release);

  const targets = () => [...info.targets];
  const settings = () => ({ ...info.settings });
  return { machine, compile, check, Program, targets, settings, version: info.version };
}

const isObject = (value) => value !== null && typeof value === "object";

/** A source with its options, as requests have them. With `keeps` the files that it includes are kept. */
function origin(source, options = {}, keeps = false) {
  if (options === null || typeof options !== "object") {
    throw new TypeError(`the options are an object, not ${typeOf(options)}`);
  }
  const { name = NAME, includes, ...settings } = options;
  if (typeof name !== "string") throw new TypeError(`the option \`name\` takes a string, not ${typeOf(name)}`);
  const given = Object.entries(settings).filter(([, value]) => value !== undefined && value !== null);
  const pairs = given.map(([key, value]) => [key, encoded(value)]);
  let find = finder(includes);
  const found = new Map();
  return {
    head: { name, options: pairs },
    bytes: bytesOf(source, keeps),
    include(file, from, angle) {
      const key = JSON.stringify([file, from, angle]);
      if (!found.has(key)) found.set(key, find ? find(file, from, angle) : null);
      return found.get(key);
    },
    dependencies: () => [...new Set([...found.values()].filter(Boolean).map(([name]) => name))],
    /** Files are asked for once: later ones are those of the first time. */
    close() {
      find = null;
    },
  };
}

function bytesOf(source, keeps) {
  if (typeof source === "string") return encoder.encode(source);
  if (source instanceof Uint8Array) return keeps ? source.slice() : source;
  throw new TypeError(`the source is a string or a Uint8Array, not ${typeOf(source)}`);
}

/** The function that finds files: the name under which a file is known, and its bytes. */
function finder(includes) {
  if (includes === undefined || includes === null) return null;
  if (typeof includes === "function") return (file, from, angle) => fileOf(includes(file, from, angle), file);
  if (typeof includes !== "object") {
    throw new TypeError(`the option \`includes\` takes an object of names and texts, or a function, not ${typeOf(includes)}`);
  }
  return (file) => (Object.hasOwn(includes, file) ? fileOf(includes[file], file) : null);
}

function fileOf(value, file) {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return [file, encoder.encode(value)];
  if (typeof value === "object" && typeof value.name === "string" && typeof value.text === "string") {
    return [value.name, encoder.encode(value.text)];
  }
  throw new TypeError(`an included file, \`${file}\`, is a string, or null if there is none, not ${typeOf(value)}`);
}

/** The value of a setting, as `bindings/js/src/options.rs` reads it. */
function encoded(value) {
  if (Array.isArray(value)) return value.map(scalar);
  if (typeof value === "object" && [Object.prototype, null].includes(Object.getPrototypeOf(value))) {
    return Object.fromEntries(Object.entries(value).map(([key, value]) => [key, scalar(value)]));
  }
  return scalar(value);
}

function scalar(value) {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))) return String(value);
  return typeof value === "number" ? value : { type: [typeOf(value)] };
}

export function targetName(target) {
  if (typeof target === "string") return target;
  throw new TypeError(`the target is a string, not ${typeOf(target)}`);
}

/** What a compilation has written. */
export function output([{ text }, [bytes]]) {
  return text ? decoder.decode(bytes) : bytes;
}
