// Everything, in browsers and workers.

import { connect } from "./lib/programs.js";
import { load } from "./lib/load.js";

export { InternalError, PlanishError } from "./lib/errors.js";

const module = await load(fetch(new URL("./planish.wasm", import.meta.url)));
export const { compile, check, Program, explain, targets, settings, version } = await connect(module);
