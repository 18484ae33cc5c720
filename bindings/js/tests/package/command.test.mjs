//! The command of the package, as `npx planish` runs it, beside the native one.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { example, GREY, INCLUDING } from "./common.mjs";

const folder = mkdtempSync(join(tmpdir(), "planish-"));
const program = fileURLToPath(new URL("./node_modules/.bin/planish", import.meta.url));

/** Runs one of the commands in the folder. */
function run(command, args, input = "") {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, input, maxBuffer: 2 ** 28 });
  return { status, stdout, stderr: stderr.toString() };
}

const both = (args, input) => [run(program, args, input), run(process.env.PLANISH_COMMAND, args, input)];

mkdirSync(join(folder, "shaders"));
for (const file of ["bricks.frag", "caustics.frag"]) copyFileSync(example("shaders", file), join(folder, "shaders", file));
writeFileSync(join(folder, "tint.glsl"), "#define TINT 0.25\n");
writeFileSync(join(folder, "including.frag"), INCLUDING);
writeFileSync(join(folder, "broken.frag"), "void main() {\n  gl_FragColor = vec4(levle);\n}\n");
writeFileSync(join(folder, "fib.wat"), `(module (func $f (export "fib") (param i32) (result i32)
  (if (result i32) (i32.lt_u (local.get 0) (i32.const 2)) (then (local.get 0))
    (else (i32.add (call $f (i32.sub (local.get 0) (i32.const 1))) (call $f (i32.sub (local.get 0) (i32.const 2))))))))`);
writeFileSync(join(folder, "a.vl"), "(* 6 7)");

const SAME = [
  ["--version"],
  ["targets"],
  ["explain", "E0301"],
  ["compile", "shaders/bricks.frag", "--emit=wgsl"],
  ["compile", "shaders/bricks.frag", "--emit=spirv", "-O2"],
  ["compile", "./shaders/../shaders/bricks.frag", "--emit=glsl", "--minify"],
  ["compile", join(folder, "including.frag"), "--emit=wgsl"],
  ["compile", "including.frag", "--emit=wgsl", "--depfile", "-", "-o", "including.wgsl"],
  ["compile", "broken.frag", "--emit=wgsl"],
  ["compile", "nothing.frag", "--emit=wgsl"],
  ["compile", "shaders/bricks.frag", "--emit=wgls"],
  ["compile", "shaders/bricks.frag", "-o", "shaders/bricks.frag"],
  ["check", "broken.frag", "shaders/bricks.frag", "--message-format=json"],
  ["run", "fib.wat", "--invoke", "fib", "20"],
  ["run", "a.vl"],
  ["nothing"],
];

for (const args of SAME) {
  test(`planish ${args.join(" ").replace(folder, "DIR")}`, () => {
    const [given, wanted] = both(args);
    // (WASI has other numbers of errors.)
    const said = ({ stderr }) => stderr.replace(/os error \d+/, "os error");
    assert.equal(said(given), said(wanted));
    assert.ok(given.stdout.equals(wanted.stdout), given.stdout.toString());
    assert.equal(given.status, wanted.status);
  });
}

test("standard input", () => {
  const [given, wanted] = both(["compile", "-", "--stdin-name", "grey.frag", "--emit=wgsl"], GREY);
  assert.deepEqual(given, wanted);
  assert.equal(given.status, 0);
});

test("files are written, and replaced", () => {
  for (let i = 0; i < 2; i += 1) {
    const { status, stderr } = run(program, ["compile", "shaders/bricks.frag", "shaders/caustics.frag", "--emit=wgsl,spirv", "--out-dir", "build"]);
    assert.equal(status, 0, stderr);
  }
  const wanted = run(process.env.PLANISH_COMMAND, ["compile", "shaders/caustics.frag", "--emit=spirv"]).stdout;
  assert.ok(readFileSync(join(folder, "build/caustics.frag.spv")).equals(wanted));
  assert.ok(existsSync(join(folder, "build/bricks.frag.wgsl")));
});

test("a picture", () => {
  const args = ["run", "shaders/bricks.frag", "--size", "32x18", "--engine", "eval", "-o"];
  assert.equal(run(program, [...args, "a.png"]).status, 0);
  assert.equal(run(process.env.PLANISH_COMMAND, [...args, "b.png"]).status, 0);
  assert.ok(readFileSync(join(folder, "a.png")).equals(readFileSync(join(folder, "b.png"))));
});

test("what WASI has not is an error", () => {
  for (const [args, message] of [
    [["repl"], /has no `repl`/],
    [["reduce", "broken.frag", "--while", "true"], /has no `reduce`/],
    [["run", "fib.wat", "--dir", "."], /--dir and --env are for them/],
    [["run", "a.vl", "--timeout", "1"], /cannot start a thread/],
  ]) {
    const { status, stderr } = run(program, args);
    assert.match(stderr, message);
    assert.equal(status, 2);
  }
});
