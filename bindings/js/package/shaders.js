// Shaders alone, in browsers and workers.

import { connect } from "./lib/shading.js";
import { load } from "./lib/load.js";

export { InternalError, PlanishError } from "./lib/errors.js";

const module = await load(fetch(new URL("./shaders.wasm", import.meta.url)));
export const { compile, check, Program, targets, settings, version } = await connect(module);
