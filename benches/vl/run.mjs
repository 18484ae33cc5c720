//! How fast programs in VL run, beside the same mathematics by hand: `node benches/vl/run.mjs [rounds]`, in the root of the repository.
//!
//! Each program is written three times: in VL, in Rust and in JavaScript. What Planish makes of VL at -O2 (WebAssembly, an ES module,
//! asm.js) runs in one process of Node.js with Rust's WebAssembly (-C opt-level=3) and the hand-written JavaScript, in turn. Told are the best
//! time of all rounds, and how many times that of its peer it is: Rust's WebAssembly for WebAssembly, the hand-written program for
//! JavaScript. All must give the same number but for the last digits.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const out = join(root, "target/bench-vl");
const rounds = Number(process.argv[2] ?? 9);
// Sizes to measure, and to compare: orbits of many rounds part from each other by what rounding leaves.
const programs = { mandelbrot: [600, 300], nbody: [100_000, 200], pendulum: [500_000, 5000], newton: [300_000, 300_000] };

const tool = (name, ...args) => execFileSync(name, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
const planish = (...args) => tool("cargo", "run", "--quiet", "--release", "--package", "planish-cli", "--", ...args);

async function build(name) {
  const at = (end) => join(out, `${name}.${end}`), source = (end) => join(here, `${name}.${end}`);
  planish("compile", source("vl"), "-O2", "-o", at("wasm"), "-o", at("mjs"), "-o", at("asm.js"));
  tool("rustc", "--edition=2024", "--crate-type=cdylib", "--target=wasm32-unknown-unknown", "-Copt-level=3", "-Cpanic=abort",
    "-o", at("rust.wasm"), source("rs"));
  const instance = async (file) => {
    const imports = { math: Math };
    return (await WebAssembly.instantiate(readFileSync(file), imports)).instance.exports.run;
  };
  const asm = (0, eval)(`(${readFileSync(at("asm.js"), "utf8").replace(/^}\n[^]*$/m, "}")})`);
  return {
    "Rust, WebAssembly": await instance(at("rust.wasm")),
    "Planish, WebAssembly": await instance(at("wasm")),
    "JavaScript": (await import(pathToFileURL(source("mjs")))).run,
    "Planish, JavaScript": (await import(pathToFileURL(at("mjs")))).run,
    "Planish, asm.js": asm(globalThis, {}, new ArrayBuffer(65536)).run,
  };
}

mkdirSync(out, { recursive: true });
const peers = {
  "Planish, WebAssembly": "Rust, WebAssembly", "Planish, JavaScript": "JavaScript", "Planish, asm.js": "JavaScript",
};
for (const [name, [size, compared]] of Object.entries(programs)) {
  const ways = await build(name);
  const times = {}, values = {};
  for (const [way, run] of Object.entries(ways)) { values[way] = run(compared); run(size); times[way] = []; }
  for (let round = 0; round < rounds; round++) {
    for (const [way, run] of Object.entries(ways)) {
      const start = performance.now();
      run(size);
      times[way].push(performance.now() - start);
    }
  }
  const expected = values["JavaScript"];
  for (const [way, value] of Object.entries(values)) {
    if (!(Math.abs(value - expected) <= 1e-6 * Math.abs(expected))) throw new Error(`${name}, ${way}: ${value}, not ${expected}`);
  }
  const best = (way) => Math.min(...times[way]);
  const spread = (way) => { const sorted = times[way].toSorted((a, b) => a - b); return sorted[sorted.length >> 1] / sorted[0]; };
  for (const way of Object.keys(ways)) {
    const ratio = peers[way] ? `${(best(way) / best(peers[way])).toFixed(3)} of ${peers[way]}` : "";
    console.log(`${name.padEnd(11)} ${way.padEnd(21)} ${best(way).toFixed(1).padStart(8)} ms  (median ${spread(way).toFixed(2)})  ${ratio}`);
  }
}
