// Everything, in Node.js.

import { readFile } from "node:fs/promises";

import { connect } from "./lib/programs.js";

export { InternalError, PlanishError } from "./lib/errors.js";

const module = await WebAssembly.compile(await readFile(new URL("./planish.wasm", import.meta.url)));
export const { compile, check, Program, explain, targets, settings, version } = await connect(module);
