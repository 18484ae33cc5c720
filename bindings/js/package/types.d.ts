/** What both modules of the package have. */

/** Text, or the bytes of SPIR-V, WebAssembly or UTF-8. */
export type Source = string | Uint8Array;

/** Finds a file of `#include`: its text, or also the name under which it is known from then on; `null` if there is none. */
export type FindInclude = (
  name: string,
  from: string,
  /** Whether the name was in `<>`. */
  angle: boolean,
) => string | { name: string; text: string } | null | undefined;

/** A value of a setting. */
export type Value = string | number | bigint;
/** Values of a setting that may be given several times; an object has `NAME=VALUE`. */
export type Values = Value | readonly Value[] | { readonly [name: string]: Value };

/** Settings, named like the options of `planish compile`. */
export interface Settings {
  adjustDepth?: boolean;
  allow?: Values;
  approximate?: boolean;
  bind?: Values;
  comments?: boolean;
  debugInfo?: boolean;
  defaultVersion?: Value;
  define?: Values;
  deny?: Values;
  expandLerp?: boolean;
  fastMath?: boolean;
  /** Names of functions with commas between them; `true`: the entry points. */
  flatten?: boolean | string;
  flipFragCoord?: Value;
  flipY?: boolean;
  from?: Language;
  fused?: string;
  glslVersion?: Value;
  group?: Value;
  hint?: Values;
  inlineAll?: boolean;
  lanes?: Value;
  leaf?: Values;
  /** As `-O`. */
  level?: 0 | 1 | 2 | "0" | "1" | "2" | "s";
  limit?: Values;
  location?: Values;
  minify?: boolean;
  mslArgumentBuffers?: boolean;
  mslIndex?: Values;
  mslVersion?: Value;
  ops?: string;
  override?: Values;
  passes?: string;
  prefix?: string;
  prelude?: Values;
  shaderModel?: Value;
  spirvVersion?: Value;
  stage?:
    | "vertex" | "fragment" | "compute" | "geometry" | "tessellation_control" | "tessellation_evaluation"
    | "task" | "mesh" | "ray_generation" | "intersection" | "any_hit" | "closest_hit" | "miss" | "callable"
    | "vert" | "frag" | "comp" | "geom" | "tesc" | "tese" | "rgen" | "rint" | "rahit" | "rchit" | "rmiss" | "rcall";
  target?: string;
  uniform?: Values;
  vectorize?: boolean;
  vulkan?: boolean;
  warn?: Values;
  webgl?: Value;
}

export type Language = "glsl" | "wgsl" | "spirv" | "wasm" | "vl" | "ir";

export interface Options extends Settings {
  /** The name of the source in messages; its extension selects language and stage. */
  name?: string;
  /** Files of `#include`: texts by name, or a function. */
  includes?: { readonly [name: string]: string | { name: string; text: string } } | FindInclude | null;
}

export interface CompileOptions extends Options {
  /** Called for each warning about the program, its options and what is written, before `compile` returns. What it throws, `compile` throws. */
  onWarning?: ((warning: Diagnostic) => void) | null;
}

/** A message about a program. Lines and columns count from 1; they are null if it is about no place in a text. */
export interface Diagnostic {
  readonly severity: "error" | "warning" | "remark";
  /** Such as `E0301`. */
  readonly code: string;
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly endLine: number | null;
  readonly endColumn: number | null;
  readonly notes: readonly string[];
  readonly help: readonly string[];
  /** The message with the lines of the source. */
  readonly rendered: string;
}

/** A program that cannot be compiled or run. */
export class PlanishError extends Error {
  constructor(message: string, diagnostics?: readonly Diagnostic[]);
  readonly diagnostics: readonly Diagnostic[];
}

/** A mistake of Planish's own, or a limit of the engine that runs it. */
export class InternalError extends Error {}

/** The interface of a program: the JSON that `docs/targets/reflection.md` describes. */
export interface Reflection {
  schema: number;
  entry_points: EntryPoint[];
  inputs: Varying[];
  outputs: Varying[];
  /** The block of the uniforms outside of blocks. */
  uniforms: { type: string; variable: string; group: number; binding: number; size: number; members: Member[] } | null;
  push_constants: { name: string; type: string; size?: number; members?: Member[] } | null;
  uniform_blocks: BlockBinding[];
  storage_blocks: BlockBinding[];
  textures: ImageBinding[];
  samplers: (Binding & { comparison: boolean })[];
  images: ImageBinding[];
  combined?: { name: string; texture: Half; sampler: Half | null }[];
  constants: { name: string; id: number; unnumbered?: true; type: string; default: number | boolean | null }[];
  metal?: MetalArgument[];
  direct3d?: { name: string; class: "b" | "t" | "s" | "u"; register: number; space?: number; group?: number; binding?: number }[];
  names?: { kind: "global" | "function" | "struct" | "member"; original: string; printed: string }[];
}

export interface MetalArgument {
  name: string;
  table: "buffer" | "texture" | "sampler" | "id";
  index: number;
  /** The number of the argument buffer that it is in. */
  argument_buffer?: number;
  group?: number;
  binding?: number;
}

export interface EntryPoint {
  name: string;
  stage: "vertex" | "fragment" | "compute" | "geometry" | "tessellation_control" | "tessellation_evaluation"
    | "task" | "mesh" | "task_nv" | "mesh_nv" | "ray_generation" | "intersection" | "any_hit" | "closest_hit" | "miss" | "callable"
    | null;
  local_size?: [number, number, number];
  local_size_ids?: [number | null, number | null, number | null];
  early_fragment_tests?: boolean;
  depth?: "any" | "greater" | "less" | "unchanged";
}

export interface Varying {
  name: string;
  type: string;
  used: boolean;
  builtin?: string;
  location?: number;
  locations?: number;
  interpolation?: "smooth" | "flat" | "noperspective" | "pervertex";
}

/** A member of a block; sizes and offsets are in bytes. */
export interface Member {
  name: string;
  type: string;
  offset: number;
  size: number;
  stride?: number;
  row_major?: boolean;
  members?: Member[];
}

export interface Binding {
  /** The name in the source. */
  name: string;
  /** The name in the output. */
  variable: string;
  type: string;
  group: number;
  binding: number;
  array?: { binding: number; element: number };
  /** Whether it stands for all elements of an array whose length the host decides on. */
  unbounded?: true;
}

export interface BlockBinding extends Binding {
  block?: string;
  access?: "read" | "write" | "read_write";
  size?: number;
  members?: Member[];
}

export interface ImageBinding extends Binding {
  dimension: "1d" | "2d" | "3d" | "cube" | "rect" | "buffer" | "subpass";
  arrayed: boolean;
  multisampled: boolean;
  comparison: boolean;
  sampled: "f32" | "i32" | "u32";
  combined: boolean;
  format?: string;
  access?: "read" | "write" | "read_write";
}

export interface Half {
  name: string;
  group: number;
  binding: number;
}

/** Targets of shaders whose output is text. */
export type ShadingTarget = "glsl" | "wgsl" | "msl" | "hlsl" | "reflect" | "ir" | "dump";
/** Targets of shaders whose output is bytes. */
export type ShadingBinaryTarget = "spirv";
