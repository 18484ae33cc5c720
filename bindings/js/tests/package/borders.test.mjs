//! Mistakes at the border: types, sizes, functions that throw, programs that are freed, mistakes of the module.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import * as planish from "planish";
import * as shaders from "planish/shaders";

import { connect } from "./node_modules/planish/lib/programs.js";
import { GREY, INCLUDING } from "./common.mjs";

const WRONG = [
  [{ minfy: true }, TypeError, /there is no option `minfy`; did you mean `minify`\?/],
  [{ glsl_version: "300es" }, TypeError, /did you mean `glslVersion`/],
  [{ include: {} }, TypeError, /did you mean `includes`/],
  [{ minify: "yes" }, TypeError, /`minify` takes true or false, not a string/],
  [{ minify: 1 }, TypeError, /`minify` takes true or false, not a number/],
  [{ level: true }, TypeError, /`level` takes a string or a number, not a boolean/],
  [{ level: 9 }, RangeError, /there is no optimization level `9`/],
  [{ level: [1] }, TypeError, /`level` takes a string or a number, not an array/],
  [{ level: NaN }, RangeError, /`NaN`/],
  [{ define: [null] }, TypeError, /`define` takes strings and numbers, not null/],
  [{ define: { A: () => 1 } }, TypeError, /`define` takes strings and numbers, not a function/],
  [{ define: new Date() }, TypeError, /`define` takes a string, an array of strings, or an object of strings, not a Date/],
  [{ define: Symbol("a") }, TypeError, /not a symbol/],
  [{ passes: "inlin" }, RangeError, /there is no pass `inlin`/],
  [{ glslVersion: new Uint8Array(1) }, TypeError, /not a Uint8Array/],
  [{ override: { NOTHING: 1 } }, planish.PlanishError, /NOTHING/],
  [{ name: 7 }, TypeError, /`name` takes a string, not a number/],
  [{ includes: 7 }, TypeError, /`includes` takes an object of names and texts, or a function, not a number/],
];

for (const [options, kind, message] of WRONG) {
  test(`wrong options: ${message.source}`, () => {
    for (const use of [planish.check, (...args) => new planish.Program(...args), (a, b) => planish.compile(a, "wgsl", b)]) {
      if (use === planish.check && kind === planish.PlanishError) continue;
      assert.throws(() => use(GREY, options), (error) => error instanceof kind && message.test(error.message));
    }
  });
}

test("wrong arguments", () => {
  for (const source of [null, undefined, 7, ["a"], {}, new ArrayBuffer(4), new Float32Array(1)]) {
    for (const use of [planish.check, (source) => new planish.Program(source), (source) => planish.compile(source, "wgsl")]) {
      assert.throws(() => use(source), (error) => error instanceof TypeError && /the source is a string or a Uint8Array/.test(error.message));
    }
  }
  assert.throws(() => planish.compile(GREY, "wgls"), (error) => error instanceof RangeError && /did you mean `wgsl`/.test(error.message));
  assert.throws(() => planish.compile(GREY), /the target is a string, not undefined/);
  assert.throws(() => planish.check(GREY, "minify"), /the options are an object, not a string/);
  assert.throws(() => planish.check(GREY, null), /the options are an object, not null/);
  assert.throws(() => planish.explain("E9999"), (error) => error instanceof RangeError && /there is no code `E9999`/.test(error.message));
  assert.throws(() => planish.explain(301), TypeError);
  assert.throws(() => planish.Program(GREY), TypeError);
});

test("sources that are no text, or belong to a language that a module leaves out", () => {
  assert.equal(planish.check(Uint8Array.of(0xff, 0xfe, 0), { name: "a.frag" })[0].severity, "error");
  assert.deepEqual(planish.check(new TextEncoder().encode(GREY)), []);
  assert.ok(planish.check("\ud800").length > 0);
  assert.ok(planish.check("").length > 0);
  for (const [name, source] of [["a.vl", "1"], ["a.wat", "(module)"], ["a.wasm", Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)]]) {
    assert.throws(() => shaders.compile(source, "wgsl", { name }), (error) => error.diagnostics[0].code === "E0711");
  }
  assert.throws(() => shaders.compile(GREY, "wasm"), (error) => error.diagnostics[0].code === "E0711");
});

test("huge sources", () => {
  const comment = `/*${"x".repeat(2 ** 24)}*/`;
  assert.deepEqual(planish.check(comment + GREY), []);
  // More than WebAssembly's memory has.
  const huge = new Uint8Array(2 ** 31);
  assert.throws(() => planish.check(huge), (error) => error instanceof RangeError && /there is no memory/.test(error.message));
  assert.deepEqual(planish.check(GREY), []);
});

test("deeply nested programs are errors", () => {
  for (const [open, close] of [["(", ")"], ["-", ""], ["vec4(", ")"]]) {
    for (const depth of [100, 1000, 10_000, 100_000]) {
      const source = `void main() { gl_FragColor = vec4(${open.repeat(depth)}1.0${close.repeat(depth)}); }`;
      try {
        planish.compile(source, "wgsl", { name: "deep.frag" });
      } catch (error) {
        if (error instanceof planish.InternalError) assert.match(error.message, /nested too deeply/);
        else assert.ok(error instanceof planish.PlanishError, error.stack);
      }
      assert.deepEqual(planish.check(GREY), []);
    }
  }
});

test("an exception of the function comes out", () => {
  class Refused extends Error {}
  const includes = (name) => {
    throw new Refused(name);
  };
  const uses = [
    () => planish.compile(INCLUDING, "glsl", { includes }),
    () => planish.check(INCLUDING, { includes }),
    () => new planish.Program(INCLUDING, { includes }),
  ];
  for (const use of uses) {
    for (let i = 0; i < 50; i += 1) assert.throws(use, (error) => error instanceof Refused && error.message === "tint.glsl");
  }
  const nothing = () => {
    throw undefined;
  };
  assert.throws(() => planish.compile(INCLUDING, "glsl", { includes: nothing }), (error) => error === undefined);
  for (const wrong of [7, true, {}, [], Promise.resolve("")]) {
    const includes = () => wrong;
    assert.throws(() => planish.compile(INCLUDING, "glsl", { includes }), /is a string, or null if there is none, not/);
  }
  assert.throws(() => planish.compile(INCLUDING, "glsl", { includes: { "tint.glsl": 7 } }), TypeError);
});

test("a function may compile itself", () => {
  const length = planish.compile(GREY, "wgsl").length;
  const includes = () => {
    assert.throws(() => planish.compile("void main() {", "wgsl"), planish.PlanishError);
    return `#define TINT ${planish.compile(GREY, "wgsl").length}.0\n`;
  };
  assert.match(planish.compile(INCLUDING, "glsl", { includes }), new RegExp(String(length)));
});

test("a freed program is an error", () => {
  const program = new planish.Program(GREY);
  program.free();
  program.free();
  for (const use of [() => program.emit("wgsl"), () => program.reflect(), () => program.draw({ width: 1, height: 1 })]) {
    assert.throws(use, (error) => error instanceof TypeError && /has been freed/.test(error.message));
  }
  assert.deepEqual(program.warnings, []);
  if (Symbol.dispose) {
    const other = new planish.Program(GREY);
    other[Symbol.dispose]();
    assert.throws(() => other.emit("wgsl"), /has been freed/);
  }
});

test("after a mistake of its own the module is replaced", async () => {
  const file = new URL("./node_modules/planish/planish.wasm", import.meta.url);
  const own = await connect(await WebAssembly.compile(await readFile(file)));
  let asked = 0;
  const includes = () => {
    asked += 1;
    return "#define TINT 0.25\n";
  };
  const program = new own.Program(INCLUDING, { includes });
  const before = program.emit("wgsl");
  assert.throws(
    () => own.machine.ask({ do: "panic", message: "it was this" }),
    (error) => error.name === "InternalError" && /internal error of Planish: it was this \(.*session\.rs/.test(error.message),
  );
  assert.equal(own.machine.generation, 1);
  // It is read once more, from what was read before.
  assert.equal(program.emit("wgsl"), before);
  assert.equal(asked, 1);
  program.free();
  // In the middle of a compilation, too.
  const failing = () => own.machine.ask({ do: "panic", message: "inside" });
  assert.throws(() => own.compile(INCLUDING, "wgsl", { includes: failing }), /inside/);
  assert.equal(own.compile(INCLUDING, "wgsl", { includes }), before);
  // Stages are read together again, and each keeps its own.
  const FLAT = "void main() { gl_Position = vec4(0.0); }";
  const stages = own.Program.stages([{ name: "a.vert", source: FLAT }, { name: "a.frag", source: INCLUDING }], { includes });
  const written = stages.map((stage) => stage.emit("wgsl"));
  assert.throws(() => own.machine.ask({ do: "panic", message: "stages" }), /stages/);
  assert.deepEqual(stages.map((stage) => stage.emit("wgsl")), written);
  for (const stage of stages) stage.free();
  // A freed program of an instance that is gone.
  const lost = new own.Program(GREY);
  assert.throws(() => own.machine.ask({ do: "panic", message: "again" }), /again/);
  lost.free();
  assert.equal(own.machine.generation, 4);
  // Without memory.
  const most = new Uint8Array(2 ** 31 - 2 ** 16);
  assert.throws(() => own.check(most, { name: "a.frag" }), (error) => ["InternalError", "RangeError"].includes(error.name));
  assert.equal(own.compile(INCLUDING, "wgsl", { includes }), before);
});
