// Shaders alone, in Node.js.

import { readFile } from "node:fs/promises";

import { connect } from "./lib/shading.js";

export { InternalError, PlanishError } from "./lib/errors.js";

const module = await WebAssembly.compile(await readFile(new URL("./shaders.wasm", import.meta.url)));
export const { compile, check, Program, targets, settings, version } = await connect(module);
