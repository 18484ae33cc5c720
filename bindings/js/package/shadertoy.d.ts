import type { Diagnostic, Reflection, Settings } from "./types.js";

/**
 * The passes of a shader that Shadertoy has exported, as programs for WebGPU or WebGL. Throws a `PlanishError` with the name of the tab if one has
 * errors, and a `TypeError` if the document is none of Shadertoy's.
 */
export function shadertoy(document: string | object, options?: ShadertoyOptions): Shadertoy;

export interface ShadertoyOptions extends Omit<Settings, "flipFragCoord" | "from" | "prelude" | "stage"> {
  /** `wgsl` unless another is given. GLSL is of version 300 es. */
  target?: "wgsl" | "glsl";
}

export interface Shadertoy {
  name: string;
  /** In the order in which they are drawn in each frame: the buffers, then `Image`, which is the screen. */
  passes: ShadertoyPass[];
  /** Parts of the document that are left out. */
  unsupported: ShadertoyUnsupported[];
}

/** A fragment shader that is drawn over the whole of its target. */
export interface ShadertoyPass {
  name: "Buffer A" | "Buffer B" | "Buffer C" | "Buffer D" | "Image";
  code: string;
  /**
   * Its uniforms `iTime`, `iResolution` and so on are the members of `reflection.uniforms`. In WGSL, `Image` has one more, `iFrameHeight`: the
   * height of the screen, since WebGPU counts rows from the top.
   */
  reflection: Reflection;
  channels: ShadertoyChannel[];
  warnings: Diagnostic[];
}

export interface ShadertoyChannel {
  channel: 0 | 1 | 2 | 3;
  kind: "buffer" | "texture" | "cubemap" | "volume";
  /** The pass whose picture it is, of a `buffer`. */
  buffer?: ShadertoyPass["name"];
  /** Whether it is the picture of the frame before: the pass is drawn later, or is the same. */
  previous?: boolean;
  /** The file of another one, on the site. */
  source?: string;
  /** Whether its last row is uploaded first. */
  flipY?: boolean;
  filter: "nearest" | "linear" | "mipmap";
  wrap: "clamp" | "repeat";
  /** Where the texture is bound; `null` if the program does not read it. */
  texture: { group: number; binding: number } | null;
  /** Where the sampler is bound; `null` likewise. */
  sampler: { group: number; binding: number } | null;
}

export interface ShadertoyUnsupported {
  pass: string;
  channel?: number;
  /** Such as `mainSound` or `keyboard`. */
  what: string;
  message: string;
}
