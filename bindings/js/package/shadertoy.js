// Documents of Shadertoy, in browsers and workers.

import { importer } from "./lib/shadertoy.js";
import { Program } from "./shaders.js";

export const shadertoy = importer({ Program });
