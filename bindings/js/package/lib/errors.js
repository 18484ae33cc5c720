// The errors of both modules of the package.

/** A program that cannot be compiled or run. The message has the lines of the source. */
export class PlanishError extends Error {
  constructor(message, diagnostics = []) {
    super(message);
    this.diagnostics = diagnostics;
  }
}
Object.defineProperty(PlanishError.prototype, "name", { value: "PlanishError", configurable: true, writable: true });

/** A mistake of Planish's own, or a limit of the engine that runs it. */
export class InternalError extends Error {}
Object.defineProperty(InternalError.prototype, "name", { value: "InternalError", configurable: true, writable: true });

/** The name of the type of a value, for messages. */
export function typeOf(value) {
  if (value === null) return "null";
  if (value === undefined) return "undefined";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "function") return "a function";
  if (typeof value !== "object") return /^[aeiou]/.test(typeof value) ? `an ${typeof value}` : `a ${typeof value}`;
  const name = Object.getPrototypeOf(value)?.constructor?.name ?? "Object";
  return name === "Object" ? "an object" : `${/^[AEIO]/.test(name) ? "an" : "a"} ${name}`;
}
