// Documents of Shadertoy, in Node.js.

import { importer } from "./lib/shadertoy.js";
import { Program } from "./shaders.node.js";

export const shadertoy = importer({ Program });
