//! How fast programs in VL run, beside the same mathematics by hand: `node benches/vl/run.mjs [rounds]`, in the root of the repository.
//!
//! Each program is written four times: in VL, in Rust, in C and in JavaScript. What Planish makes of VL at -O2 (WebAssembly, an ES module,
//! asm.js; the first two with --fast-math, too) runs in one process of Node.js with Rust's WebAssembly (-C opt-level=3) and the
//! hand-written JavaScript, in turn, and between their rounds so do native programs, each of which takes its own time: Rust's (-C
//! opt-level=3) and, where there is a compiler (`clang` or `gcc`), C's (-O3), by hand and as Planish writes both from VL. Told are the best time of all rounds, how far the median is from
//! it, and how many times that of its peers it is: Rust's WebAssembly and native Rust for WebAssembly, the hand-written program
//! for JavaScript. All must give the same number but for the last digits.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const out = join(root, "target/bench-vl");
const rounds = Number(process.argv[2] ?? 40);
// Sizes to measure, some milliseconds each, and to compare: orbits of many rounds part from each other by what rounding leaves.
const programs = { mandelbrot: [150, 150], nbody: [10_000, 200], pendulum: [40_000, 5000], newton: [30_000, 30_000] };

const tool = (name, ...args) => execFileSync(name, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
const planish = (...args) => tool("cargo", "run", "--quiet", "--release", "--package", "planish-cli", "--", ...args);
const exists = (name) => {
  try { execFileSync(name, ["--version"], { stdio: "ignore" }); return true; } catch { return false; }
};
const compiler = ["clang", "gcc"].find(exists);
if (!compiler) console.log("C is left out: there is neither `clang` nor `gcc`.");

// A native program takes a size for each line that it reads, and answers with the value and the milliseconds.
const RUST_MAIN = `
fn main() {
    for line in std::io::stdin().lines() {
        let size: f64 = std::hint::black_box(line.unwrap().trim().parse().unwrap());
        let start = std::time::Instant::now();
        let value = std::hint::black_box(run(size));
        println!("{value} {}", start.elapsed().as_secs_f64() * 1e3);
    }
}
`;
const C_MAIN = `
#include <stdio.h>
#include <time.h>
int main(void) {
    double size;
    while (scanf("%lf", &size) == 1) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        volatile double value = run(size);
        clock_gettime(CLOCK_MONOTONIC, &end);
        printf("%.17g %.6f\\n", value, (end.tv_sec - start.tv_sec) * 1e3 + (end.tv_nsec - start.tv_nsec) / 1e6);
    }
}
`;
const native = (file) => (sizes) => {
  const answer = execFileSync(file, { input: sizes.join("\n") + "\n", encoding: "utf8" });
  return answer.trim().split("\n").map((line) => line.split(" ").map(Number));
};
const inside = (run) => (sizes) => sizes.map((size) => {
  const start = performance.now();
  const value = run(size);
  return [value, performance.now() - start];
});

async function build(name) {
  const at = (end) => join(out, `${name}.${end}`), source = (end) => join(here, `${name}.${end}`);
  planish("compile", source("vl"), "-O2", "-o", at("wasm"), "-o", at("mjs"), "-o", at("asm.js"));
  planish("compile", source("vl"), "-O2", "--fast-math", "-o", at("fast.wasm"), "-o", at("fast.mjs"));
  tool("rustc", "--edition=2024", "--crate-type=cdylib", "--target=wasm32-unknown-unknown", "-Copt-level=3", "-Cpanic=abort",
    "-o", at("rust.wasm"), source("rs"));
  writeFileSync(at("main.rs"), readFileSync(source("rs"), "utf8").replace(/^\/\/!.*$/gm, "") + RUST_MAIN);
  tool("rustc", "--edition=2024", "--crate-name", name, "-Copt-level=3", "-o", at("rust"), at("main.rs"));
  // What Planish writes calls the crate `libm`: here a module, with the functions of the standard library.
  planish("compile", source("vl"), "-O2", "-o", at("vl.rs"));
  const used = new Set([...readFileSync(at("vl.rs"), "utf8").matchAll(/libm::([a-z0-9]+)\(/g)].map((match) => match[1]));
  const functions = [...used].map((name) => `pub fn ${name}(x: f64) -> f64 { x.${{ fabs: "abs", log: "ln" }[name] ?? name}() }`);
  writeFileSync(at("vl-main.rs"), `${readFileSync(at("vl.rs"), "utf8")}\nmod libm { ${functions.join(" ")} }\n${RUST_MAIN}`);
  tool("rustc", "--edition=2024", "--crate-name", `${name}_vl`, "-Copt-level=3", "-o", at("vl-rust"), at("vl-main.rs"));
  const instance = async (file) => {
    const imports = { math: Math };
    return inside((await WebAssembly.instantiate(readFileSync(file), imports)).instance.exports.run);
  };
  const script = async (file) => inside((await import(pathToFileURL(file))).run);
  const asm = (0, eval)(`(${readFileSync(at("asm.js"), "utf8").replace(/^}\n[^]*$/m, "}")})`);
  const ways = {
    "Rust, native": native(at("rust")),
    "Planish, Rust, native": native(at("vl-rust")),
    "Rust, WebAssembly": await instance(at("rust.wasm")),
    "Planish, WebAssembly": await instance(at("wasm")),
    "  with --fast-math": await instance(at("fast.wasm")),
    "JavaScript": await script(source("mjs")),
    "Planish, JavaScript": await script(at("mjs")),
    "  with --fast-math ": await script(at("fast.mjs")),
    "Planish, asm.js": inside(asm(globalThis, {}, new ArrayBuffer(65536)).run),
  };
  if (compiler) {
    writeFileSync(at("main.c"), readFileSync(source("c"), "utf8") + C_MAIN);
    tool(compiler, "-std=gnu11", "-O3", "-ffp-contract=off", "-o", at("c"), at("main.c"), "-lm");
    ways["C, native"] = native(at("c"));
    planish("compile", source("vl"), "-O2", "--prefix", "vl", "-o", at("vl.c"));
    writeFileSync(at("vl-main.c"), `#include "${name}.vl.h"\n#define run vl_run\n${C_MAIN}`);
    tool(compiler, "-std=gnu11", "-O3", "-ffp-contract=off", "-o", at("vl-c"), at("vl-main.c"), at("vl.c"), "-lm");
    ways["Planish, C, native"] = native(at("vl-c"));
  }
  return ways;
}

mkdirSync(out, { recursive: true });
const peers = {
  "Planish, WebAssembly": ["Rust, WebAssembly", "Rust, native", "C, native"],
  "  with --fast-math": ["Rust, WebAssembly", "Rust, native", "C, native"],
  "Planish, C, native": ["C, native", "Rust, native"], "Planish, Rust, native": ["Rust, native"],
  "Planish, JavaScript": ["JavaScript"], "  with --fast-math ": ["JavaScript"], "Planish, asm.js": ["JavaScript"],
};
for (const [name, [size, compared]] of Object.entries(programs)) {
  const ways = await build(name);
  const times = {}, values = {};
  for (const [way, run] of Object.entries(ways)) { values[way] = run([compared, size])[0][0]; times[way] = []; }
  for (let round = 0; round < rounds; round++) {
    // The first run of a process is for its caches.
    for (const [way, run] of Object.entries(ways)) times[way].push(run(way.endsWith("native") ? [size, size] : [size]).at(-1)[1]);
  }
  const expected = values["JavaScript"];
  for (const [way, value] of Object.entries(values)) {
    if (!(Math.abs(value - expected) <= 1e-6 * Math.abs(expected))) throw new Error(`${name}, ${way}: ${value}, not ${expected}`);
  }
  const best = (way) => Math.min(...times[way]);
  const spread = (way) => { const sorted = times[way].toSorted((a, b) => a - b); return sorted[sorted.length >> 1] / sorted[0]; };
  for (const way of Object.keys(ways)) {
    const ratios = (peers[way] ?? []).filter((peer) => ways[peer]).map((peer) => `${(best(way) / best(peer)).toFixed(3)} of ${peer}`);
    console.log(`${name.padEnd(11)} ${way.padEnd(21)} ${best(way).toFixed(2).padStart(8)} ms  (median ${spread(way).toFixed(2)})  ${ratios.join("; ")}`);
  }
}
