//! Nothing leaks: the memory of the module does not grow with the number of compilations.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { connect as connectPrograms } from "./node_modules/planish/lib/programs.js";
import { connect as connectShading } from "./node_modules/planish/lib/shading.js";
import { GREY, INCLUDING, VL } from "./common.mjs";

const open = async (connect, name) =>
  connect(await WebAssembly.compile(await readFile(new URL(`./node_modules/planish/${name}.wasm`, import.meta.url))));

/** How many: the chore `cargo xtask npm` says it. */
const COUNT = Number(process.env.PLANISH_COMPILATIONS ?? 100_000);

test(`${COUNT} compilations`, async () => {
  const { compile, machine, PlanishError } = await open(connectShading, "shaders");
  const once = () => {
    compile(GREY, "wgsl");
    assert.throws(() => compile("void main() {", "wgsl"), PlanishError);
  };
  for (let i = 0; i < 50; i += 1) once();
  const before = machine.memoryBytes;
  for (let i = 0; i < COUNT / 2; i += 1) once();
  assert.equal(machine.memoryBytes, before);
});

test("programs that are freed, failures, and functions that throw", async () => {
  const { Program, check, machine } = await open(connectPrograms, "planish");
  const includes = () => {
    throw new Error("no");
  };
  const once = () => {
    const program = new Program(GREY);
    program.draw({ width: 2, height: 2 });
    program.emit("spirv");
    program.free();
    const functions = new Program(VL, { name: "f.vl" });
    functions.gradient("f");
    assert.throws(() => functions.gradient("both"));
    assert.throws(() => functions.functions.refuse(-1));
    functions.free();
    assert.throws(() => check(INCLUDING, { includes }), /no/);
    assert.throws(() => new Program("void main() {"));
  };
  for (let i = 0; i < 20; i += 1) once();
  const before = machine.memoryBytes;
  for (let i = 0; i < 200; i += 1) once();
  assert.equal(machine.memoryBytes, before);
});

test("programs that are collected", { skip: typeof gc !== "function" && "without --expose-gc" }, async () => {
  const { Program, machine } = await open(connectPrograms, "planish");
  const some = async () => {
    for (let i = 0; i < 300; i += 1) new Program(GREY);
    for (let i = 0; i < 3; i += 1) {
      gc();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  await some();
  await some();
  const before = machine.memoryBytes;
  for (let i = 0; i < 10; i += 1) await some();
  assert.equal(machine.memoryBytes, before);
});
