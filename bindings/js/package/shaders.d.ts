import type { CompileOptions, Diagnostic, Options, Reflection, ShadingBinaryTarget, ShadingTarget, Source } from "./types.js";

export * from "./types.js";

export type TextTarget = ShadingTarget;
export type BinaryTarget = ShadingBinaryTarget;

/** The program, written for one target. Throws a `PlanishError` if it has errors. */
export function compile(source: Source, target: BinaryTarget, options?: CompileOptions): Uint8Array;
export function compile(source: Source, target: TextTarget, options?: CompileOptions): string;
export function compile(source: Source, target: string, options?: CompileOptions): string | Uint8Array;

/** Errors and warnings of a program, which is not optimized. */
export function check(source: Source, options?: Options): Diagnostic[];

/** A program that was read and optimized. */
export class Program {
  constructor(source: Source, options?: Options);
  /** The stages of one program, in the order of the sources: their varyings get the same locations, and their loose uniforms are one block. */
  static stages(sources: readonly { name: string; source: Source }[], options?: Omit<Options, "name">): Program[];
  /** Those of reading it, and of what has been written. */
  readonly warnings: readonly Diagnostic[];
  /** Names of the included files that were read, each once. */
  readonly dependencies: readonly string[];
  emit(target: BinaryTarget): Uint8Array;
  emit(target: TextTarget): string;
  emit(target: string): string | Uint8Array;
  /** Its interface, with the numbers that `emit` gives. */
  reflect(): Reflection;
  /** Frees it at once, not when it is collected. It cannot be used any more. */
  free(): void;
  [Symbol.dispose](): void;
}

/** Names of the targets. */
export function targets(): string[];

/** Names of the settings: `flag` (true or false), `one` (a string or number) or `many` (also an array or an object of them). */
export function settings(): { [name: string]: "flag" | "one" | "many" };

export const version: string;
