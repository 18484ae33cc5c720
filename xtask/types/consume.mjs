//! Writes for each module of a folder a program in TypeScript that uses all it exports, `NAME.consumer.ts`: how many parameters functions take,
//! what they give where that can be tried, and what values are, all as they are found when the module runs; and a name that is
//! not exported, which must be an error.
//!
//! `node consume.mjs FOLDER` says `CONSUMED modules exports results`.
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const EXACTLY = "type Exactly<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;\n";
let modules = 0, exported = 0, results = 0;

/** The type of a value, as a declaration should have it. */
function typeOf(value) {
  if (Array.isArray(value)) return `[${value.map(typeOf).join(", ")}]`;
  if (value instanceof ArrayBuffer) return "ArrayBuffer";
  return value === undefined ? "void" : typeof value;
}

/** What a function gives for numbers or, if it does not take those, for integers of 64 bits. */
function given(f) {
  for (const one of [1, 1n]) {
    try { return [f(...Array(f.length).fill(one))]; } catch (error) { if (!(error instanceof TypeError)) throw error; }
  }
  return [];
}

for (const file of readdirSync(folder).filter((name) => name.endsWith(".js")).sort()) {
  const module = await import(pathToFileURL(join(folder, file)));
  let text = `import * as program from "./${file}";\n${EXACTLY}`;
  Object.entries(module).forEach(([name, value], number) => {
    exported++;
    const found = `typeof program[${JSON.stringify(name)}]`;
    const says = (what, type) => { text += `export const ${what}${number}: Exactly<${type}> = true;\n`; };
    if (typeof value !== "function") return says("is", `${found}, ${typeOf(value)}`);
    says("takes", `Parameters<${found}>["length"], ${value.length}`);
    const answer = given(value);
    if (answer.length) { results++; says("gives", `ReturnType<${found}>, ${typeOf(answer[0])}`); }
  });
  text += `// @ts-expect-error\nprogram["nobody exports this"];\n`;
  writeFileSync(join(folder, file.replace(/js$/, "consumer.ts")), text);
  modules++;
}
console.log(`CONSUMED ${modules} ${exported} ${results}`);
