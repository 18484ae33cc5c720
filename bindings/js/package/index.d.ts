import type { CompileOptions, Diagnostic, Options, Reflection, ShadingBinaryTarget, ShadingTarget, Source } from "./types.js";

export * from "./types.js";

/** Targets whose output is text. */
export type TextTarget =
  | ShadingTarget
  | "alloc"
  | "analysis"
  | "asm"
  | "asmjs"
  | "c"
  | "dts"
  | "graph"
  | "graph-dot"
  | "graph-svg"
  | "graph-text"
  | "js"
  | "mtlx"
  | "rust"
  | "wat";
/** Targets whose output is bytes. */
export type BinaryTarget = ShadingBinaryTarget | "spirv-naga" | "wasm";

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
  /** The header of a program in C; null for other targets. */
  header(target: string): string | null;
  /** Its interface, with the numbers that `emit` gives. */
  reflect(): Reflection;
  /** Draws its fragment shader on the CPU: bytes of red, green, blue and alpha, rows from the top. */
  draw(options: Drawing): Picture;
  /** Its functions, of a program in VL or WebAssembly, by name. They share the memories and variables of one instance. */
  readonly functions: { readonly [name: string]: Callable };
  /**
   * The derivative of a function in VL by each of its parameters that is a float, in reverse mode: one result for each.
   * With `value`, the result of the function comes first.
   */
  gradient(name: string, options?: { value?: boolean }): Callable;
  /** Frees it at once, not when it is collected. It cannot be used any more. */
  free(): void;
  [Symbol.dispose](): void;
}

/** A picture; an `ImageData` where there is that. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

/** A number, or the components in a row: those of a matrix by columns. */
export type Uniform = number | boolean | ArrayLike<number> | readonly boolean[];

/** A texture of 1 to 4 components, rows from the top. */
export interface Texture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array | Uint8ClampedArray | Float32Array;
}

export interface Drawing {
  width: number;
  height: number;
  /** Seconds, for uniforms that are named like a time. */
  time?: number;
  frame?: number;
  /** X and y in pixels from the lower left, or these and those of the last click. */
  mouse?: ArrayLike<number>;
  /** By name; parts are `light.position`, `weights[3]`. */
  uniforms?: { readonly [name: string]: Uniform };
  textures?: { readonly [name: string]: Texture };
  /** The name of the output to draw. */
  output?: string;
}

export type NumberValue = number | bigint | boolean;
export type NumberArray = Uint8Array | Int32Array | BigInt64Array | Float32Array | Float64Array;
export type Result = NumberValue | NumberArray;

/**
 * A function of a program. It takes numbers, or typed arrays of the parameters' types and of one length, for whose elements it is called one
 * after the other. Several results are an array.
 */
export interface Callable {
  // (The types of its arguments are those of the program.)
  (...values: (NumberValue | NumberArray)[]): any;
  readonly name: string;
  readonly length: number;
  /** Such as `(float64, int32) -> float64`. */
  readonly signature: string;
}

/** The page of a code such as `E0301`, in Markdown. */
export function explain(code: string): string;

/** Names of the targets. */
export function targets(): string[];

/** Names of the settings: `flag` (true or false), `one` (a string or number) or `many` (also an array or an object of them). */
export function settings(): { [name: string]: "flag" | "one" | "many" };

export const version: string;
