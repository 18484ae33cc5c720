//! Compilations: the same bytes as the command writes, errors with places, included files, settings.

import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import * as planish from "planish";
import * as shaders from "planish/shaders";

import { example, GREY, INCLUDING, native } from "./common.mjs";

const COMPILED = [
  ["apollonian.frag", "wgsl", {}],
  ["aurora.frag", "glsl", { level: 2 }],
  ["basket.frag", "spirv", {}],
  ["bitmap_text.frag", "wgsl", { minify: true }],
  ["blackbody.frag", "glsl", { glslVersion: "300es" }],
  ["blinds.frag", "hlsl", { shaderModel: "6.0" }],
  ["blinn_phong.frag", "reflect", {}],
  ["bricks.frag", "msl", { mslVersion: 2.3 }],
  ["burning_ship.frag", "wasm", { level: "s" }],
  ["caustics.frag", "spirv", { spirvVersion: "1.3" }],
  ["collatz.frag", "js", {}],
  ["clock.frag", "glsl", { limit: ["unroll-iterations=4", "unroll-growth=100"] }],
  ["clouds.frag", "graph", { flatten: true }],
];

const folder = mkdtempSync(join(tmpdir(), "planish-"));

for (const [file, target, settings] of COMPILED) {
  test(`${file} as ${target} is what the command writes`, () => {
    copyFileSync(example("shaders", file), join(folder, file));
    const options = Object.entries(settings).flatMap(([key, value]) => {
      const name = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      if (name === "level") return [`-O${value}`];
      return [value].flat().map((one) => (one === true ? `--${name}` : `--${name}=${one}`));
    });
    native(["compile", file, `--emit=${target}`, "-o", "out", ...options], { cwd: folder });
    const wanted = readFileSync(join(folder, "out"));
    const source = readFileSync(example("shaders", file));
    for (const { compile, Program, targets } of [planish, shaders]) {
      if (!targets().includes(target)) continue;
      const given = compile(source, target, { name: file, ...settings });
      assert.equal(given instanceof Uint8Array, ["spirv", "wasm"].includes(target));
      assert.ok(Buffer.from(given).equals(wanted));
      if (["graph", "wasm"].includes(target)) continue;
      const program = new Program(source.toString(), { name: file, ...settings });
      assert.deepEqual(program.emit(target), given);
      program.free();
    }
  });
}

test("an error has diagnostics with places", () => {
  const source = "void main() {\n  gl_FragColor = vec4(levle);\n  float x = true;\n}\n";
  for (const { compile, PlanishError } of [planish, shaders]) {
    let error;
    try {
      compile(source, "wgsl", { name: "a.frag" });
    } catch (thrown) {
      error = thrown;
    }
    assert.ok(error instanceof PlanishError && error instanceof Error);
    assert.equal(error.name, "PlanishError");
    assert.match(error.message, /a\.frag:2:23/);
    assert.deepEqual(error.diagnostics.map(({ code }) => code), ["E0301", "E0403", "W0101", "E0302"]);
    const [first] = error.diagnostics;
    assert.equal(first.severity, "error");
    assert.deepEqual([first.file, first.line, first.column, first.endLine, first.endColumn], ["a.frag", 2, 23, 2, 28]);
    assert.match(first.message, /unknown name `levle`/);
    assert.ok(error.message.includes(first.rendered.trimEnd()));
    assert.match(error.diagnostics[1].help[0], /mediump/);
    assert.ok(Object.isFrozen(first) && Object.isFrozen(first.help));
  }
  assert.match(planish.explain("e0301"), /^# E0301: /);
});

test("check returns errors and warnings", () => {
  assert.deepEqual(planish.check(GREY), []);
  const source = "precision mediump float;\nvoid main() { float unused; gl_FragColor = vec4(1.0); }\n";
  const [warning] = planish.check(source, { name: "w.frag" });
  assert.equal(warning.severity, "warning");
  assert.equal(warning.line, 2);
  assert.equal(new planish.Program(source).warnings[0].code, warning.code);
  assert.throws(() => planish.compile(source, "glsl", { deny: "unused-variable" }), planish.PlanishError);
  assert.deepEqual(planish.check(source, { allow: ["unused-variable"] }), []);
});

test("reflection is an object", () => {
  for (const { Program } of [planish, shaders]) {
    const { uniforms, entry_points } = new Program(GREY).reflect();
    assert.equal(uniforms.members[0].name, "level");
    assert.equal(entry_points[0].stage, "fragment");
  }
});

test("included files are those of an object or of a function", () => {
  const text = "#define TINT 0.25\n";
  const wanted = planish.compile(INCLUDING, "glsl", { includes: { "tint.glsl": text } });
  assert.match(wanted, /0\.25/);
  const asked = [];
  const includes = (name, from, angle) => {
    asked.push([name, from, angle]);
    return name === "tint.glsl" ? text : null;
  };
  assert.equal(planish.compile(INCLUDING, "glsl", { name: "a.frag", includes }), wanted);
  assert.deepEqual(asked, [["tint.glsl", "a.frag", false]]);
  const program = new planish.Program(INCLUDING, { name: "a.frag", includes });
  assert.deepEqual(program.dependencies, ["tint.glsl"]);
  assert.deepEqual(new planish.Program(GREY).dependencies, []);
  for (const includes of [undefined, null, {}, () => null, () => undefined]) {
    assert.throws(() => planish.compile(INCLUDING, "glsl", { includes }), /tint\.glsl/);
  }
  // Names of an object's prototype are no files.
  const strange = INCLUDING.replace("tint.glsl", "toString");
  assert.throws(() => planish.compile(strange, "glsl", { includes: {} }), /toString/);
});

test("a function may say the name under which it knows a file", () => {
  const source = INCLUDING.replace("tint.glsl", "a/one.glsl");
  let asked = [];
  const includes = (text) => (name, from) => {
    asked.push([name, from]);
    if (name === "a/one.glsl") return { name: "/lib/a/one.glsl", text: '#include "two.glsl"\n' };
    return { name: "/lib/a/two.glsl", text };
  };
  const program = new planish.Program(source, { name: "/src/a.frag", includes: includes("#define TINT 0.25\n") });
  assert.deepEqual(asked, [["a/one.glsl", "/src/a.frag"], ["two.glsl", "/lib/a/one.glsl"]]);
  assert.deepEqual(program.dependencies, ["/lib/a/one.glsl", "/lib/a/two.glsl"]);
  const found = planish.check(source, { name: "/src/a.frag", includes: includes("float x = true;\n#define TINT x\n") });
  const [error] = found.filter(({ severity }) => severity === "error");
  assert.deepEqual([error.file, error.line], ["/lib/a/two.glsl", 1]);
});

test("settings have the names of options", () => {
  const known = planish.settings();
  assert.deepEqual([known.minify, known.define, known.glslVersion], ["flag", "many", "one"]);
  const source = "precision mediump float;\nvoid main() { gl_FragColor = vec4(A, B, 0.0, 1.0); }\n";
  const texts = [
    planish.compile(source, "glsl", { define: { A: 0.25, B: "0.5" } }),
    planish.compile(source, "glsl", { define: ["A=0.25", "B=0.5"], minify: null, from: "glsl", webgl: undefined }),
    planish.compile(source, "glsl", { define: { A: "0.25", B: 0.5 }, flatten: false }),
  ];
  assert.ok(texts[0] === texts[1] && texts[1] === texts[2] && texts[0].includes("0.25"));
});

test("the declarations name every option", () => {
  const declared = readFileSync(new URL("./node_modules/planish/types.d.ts", import.meta.url), "utf8");
  const [, body] = declared.match(/export interface Settings \{([^]*?)\n\}/);
  const names = [...body.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => name).sort();
  assert.deepEqual(names, Object.keys(planish.settings()).sort());
});

test("targets", () => {
  const all = planish.targets();
  assert.ok(["wgsl", "spirv", "reflect", "wasm", "analysis"].every((name) => all.includes(name)));
  assert.ok(!all.includes("object"));
  const few = shaders.targets();
  assert.ok(["glsl", "wgsl", "spirv", "msl", "hlsl", "reflect"].every((name) => few.includes(name)));
  assert.ok(!few.includes("wasm"));
  assert.equal(planish.version.split(".").length, 3);
  assert.equal(shaders.version, planish.version);
});

test("headers of programs in C", () => {
  const program = new planish.Program("(define (f x) (* x x)) (export f (real)) 0", { name: "f.vl", prefix: "mine" });
  assert.match(program.header("c"), /mine_f/);
  assert.match(program.emit("c"), /mine_f/);
  assert.equal(new planish.Program(GREY).header("wgsl"), null);
});

const VERTEX = "attribute vec2 at;\nvarying vec2 uv;\nvarying float extra;\nvoid main() { extra = at.x; uv = at; gl_Position = vec4(at, 0.0, 1.0); }\n";
const FRAGMENT = "precision highp float;\nvarying vec2 uv;\nuniform float level;\nvoid main() { gl_FragColor = vec4(uv, level, 1.0); }\n";

test("the stages of a program fit together, as in the command", () => {
  writeFileSync(join(folder, "pair.vert"), VERTEX);
  writeFileSync(join(folder, "pair.frag"), FRAGMENT);
  native(["compile", "pair.vert", "pair.frag", "-o", "pair.vert.wgsl", "-o", "pair.frag.wgsl"], { cwd: folder });
  for (const { Program } of [planish, shaders]) {
    const stages = Program.stages([
      { name: "pair.vert", source: VERTEX },
      { name: "pair.frag", source: Buffer.from(FRAGMENT) },
    ]);
    const written = stages.map((stage) => stage.emit("wgsl"));
    assert.deepEqual(written, ["vert", "frag"].map((stage) => readFileSync(join(folder, `pair.${stage}.wgsl`), "utf8")));
    assert.equal(stages[0].reflect().entry_points[0].stage, "vertex");
    // (Alone, the second varying would be the first.)
    assert.equal(stages[1].reflect().inputs[0].location, stages[0].reflect().outputs.find(({ name }) => name === "uv").location);
    stages[0].free();
    assert.equal(stages[1].emit("wgsl"), written[1]);
    assert.throws(() => Program.stages([]), /`stages` takes an array of sources with their names, not an empty one/);
    assert.throws(() => Program.stages([{ source: VERTEX }]), /the name of a stage is a string, not undefined/);
    assert.throws(() => Program.stages([{ name: "a.frag", source: 1 }]), /the source is a string or a Uint8Array, not a number/);
  }
});

test("compile gives warnings to a function", () => {
  const points = "#version 450\nvoid main() { gl_Position = vec4(0.0); gl_PointSize = 2.0; }\n";
  const unused = "precision mediump float;\nvoid main() { float unused; gl_FragColor = vec4(1.0); }\n";
  for (const { compile } of [planish, shaders]) {
    const found = (source, target, options) => {
      const warnings = [];
      compile(source, target, { ...options, onWarning: (warning) => warnings.push(warning) });
      return warnings;
    };
    const [one, ...others] = found(points, "wgsl", { name: "points.vert" });
    assert.deepEqual([one.severity, one.code, one.file, one.line], ["warning", "W0151", "points.vert", 2]);
    assert.ok(Object.isFrozen(one));
    assert.equal(others.length, 0);
    assert.equal(found(unused, "wgsl")[0].line, 2);
    const options = { glslVersion: "300es", vulkan: false, minify: true };
    assert.deepEqual(found(GREY, "wgsl", options).map(({ message }) => message), ["the option `glslVersion` has no effect on wgsl"]);
    assert.deepEqual(found(GREY, "glsl", options), []);
    assert.deepEqual(found(GREY, "wgsl", { ...options, allow: "all" }), []);
    assert.throws(() => compile(GREY, "wgsl", { ...options, deny: "W0151" }), planish.PlanishError);
    const stop = new Error("the user's own");
    assert.throws(() => compile(points, "wgsl", { name: "points.vert", onWarning: () => { throw stop; } }), stop);
    assert.throws(() => compile(GREY, "wgsl", { onWarning: "loud" }), { name: "TypeError", message: /`onWarning` takes a function, not a string/ });
    assert.equal(compile(GREY, "glsl", { onWarning: null }), compile(GREY, "glsl"));
  }
});

test("warnings of writing are warnings of the program", () => {
  const { Program } = shaders;
  const program = new Program("#version 300 es\nvoid main() { gl_PointSize = 2.0; gl_Position = vec4(1.0); }", { name: "a.vert" });
  assert.equal(program.warnings.length, 0);
  program.emit("glsl");
  assert.equal(program.warnings.length, 0);
  for (let times = 0; times < 2; times++) {
    program.emit("wgsl");
    assert.deepEqual(program.warnings.map(({ code }) => code), ["W0151"]);
  }
});
