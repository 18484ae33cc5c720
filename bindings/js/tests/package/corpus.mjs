//! Compiles programs through the package, and compares with what the native command has written: `node corpus.mjs FOLDER`. The folder has the
// programs in `programs`, and the outputs of the command in `native`: a file where it could, none where it could not.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import * as planish from "planish";
import * as shaders from "planish/shaders";

const [folder] = process.argv.slice(2);
const ENDS = { wgsl: "wgsl", glsl: "glsl", spirv: "spv" };
const files = readdirSync(join(folder, "programs")).sort();
let [same, refused] = [0, 0];
const wrong = [];
for (const file of files) {
  const source = readFileSync(join(folder, "programs", file));
  for (const [target, end] of Object.entries(ENDS)) {
    const written = join(folder, target, `${file}.${end}`);
    const wanted = existsSync(written) ? readFileSync(written) : null;
    for (const { compile, PlanishError } of [planish, shaders]) {
      let given = null;
      try {
        given = Buffer.from(compile(source, target, { name: file }));
      } catch (error) {
        if (!(error instanceof PlanishError)) wrong.push(`${file} as ${target}: ${error.stack}`);
      }
      if (wanted === null && given === null) refused += 1;
      else if (wanted !== null && given?.equals(wanted)) same += 1;
      else wrong.push(`${file} as ${target}: the command ${wanted ? "writes another output" : "writes none"}, the package ${given ? "writes one" : "none"}`);
    }
  }
}
console.log(`${files.length} programs: ${same} outputs are those of the command, ${refused} are refused by both`);
if (wrong.length > 0) {
  console.error(wrong.slice(0, 20).join("\n"));
  console.error(`${wrong.length} outputs differ`);
  process.exit(1);
}
