//! Times of both modules in milliseconds, as ratios to the native command: `node time.mjs FOLDER NATIVE`, the time of a shader.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [folder, native] = [process.argv[2], Number(process.argv[3])];
const files = readdirSync(folder).filter((file) => file.endsWith(".frag"));
const sources = files.map((name) => [name, readFileSync(join(folder, name))]);

for (const name of ["planish/shaders", "planish"]) {
  const begin = performance.now();
  const { compile } = await import(name);
  const loaded = performance.now() - begin;
  const rounds = [];
  for (let round = 0; round < 8; round += 1) {
    const begin = performance.now();
    for (const [name, source] of sources) compile(source, "wgsl", { name });
    rounds.push((performance.now() - begin) / sources.length);
  }
  const [first, best] = [rounds[0], Math.min(...rounds)];
  const times = (ms) => `${ms.toFixed(3)} ms (${(ms / native).toFixed(2)} × native)`;
  console.log(`${name}: loaded in ${loaded.toFixed(0)} ms; a shader takes ${times(first)} the first time, then ${times(best)}`);
}
