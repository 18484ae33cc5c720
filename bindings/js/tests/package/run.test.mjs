//! Programs that run: pictures, functions of VL and WebAssembly, gradients.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { inflateSync } from "node:zlib";

import { PlanishError, Program } from "planish";

import { example, native, VL, WAT } from "./common.mjs";

const LEVEL =
  "precision highp float;\nuniform float level;\nuniform vec2 at;\n" +
  "void main() { gl_FragColor = vec4(level, gl_FragCoord.xy / 4.0, at.x); }\n";
const TEXTURED =
  "precision highp float;\nuniform sampler2D map;\n" +
  "void main() { gl_FragColor = texture2D(map, gl_FragCoord.xy / vec2(4.0, 2.0)); }\n";

/** The pixels of a PNG with four bytes a pixel, which is not interlaced. */
function readPng(file) {
  let at = 8;
  let [width, height] = [0, 0];
  const data = [];
  while (at < file.length) {
    const length = file.readUInt32BE(at);
    const kind = file.toString("latin1", at + 4, at + 8);
    if (kind === "IHDR") [width, height] = [file.readUInt32BE(at + 8), file.readUInt32BE(at + 12)];
    if (kind === "IDAT") data.push(file.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const rows = inflateSync(Buffer.concat(data));
  const pixels = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y += 1) {
    const filter = rows[y * (width * 4 + 1)];
    for (let i = 0; i < width * 4; i += 1) {
      const left = i >= 4 ? pixels[y * width * 4 + i - 4] : 0;
      const up = y > 0 ? pixels[(y - 1) * width * 4 + i] : 0;
      const corner = i >= 4 && y > 0 ? pixels[(y - 1) * width * 4 + i - 4] : 0;
      const guess = left + up - corner;
      const near = [left, up, corner].reduce((a, b) => (Math.abs(guess - b) < Math.abs(guess - a) ? b : a));
      pixels[y * width * 4 + i] = (rows[y * (width * 4 + 1) + 1 + i] + [0, left, up, (left + up) >> 1, near][filter]) % 256;
    }
  }
  return { width, height, data: pixels };
}

for (const file of ["apollonian.frag", "bricks.frag", "checker_floor.frag", "clock.frag"]) {
  test(`the picture of ${file} is that of the command`, () => {
    const folder = mkdtempSync(join(tmpdir(), "planish-"));
    const args = ["--size", "48x27", "--time", "1.5", "--engine", "eval"];
    native(["run", example("shaders", file), "-o", join(folder, "a.png"), ...args]);
    const wanted = readPng(readFileSync(join(folder, "a.png")));
    const source = readFileSync(example("shaders", file), "utf8");
    const picture = new Program(source, { name: file }).draw({ width: 48, height: 27, time: 1.5 });
    assert.deepEqual([picture.width, picture.height], [48, 27]);
    assert.ok(picture.data instanceof Uint8ClampedArray && new Set(picture.data).size > 3);
    assert.deepEqual(picture.data, wanted.data);
  });
}

test("uniforms by name", () => {
  const program = new Program(LEVEL);
  const { data } = program.draw({ width: 4, height: 2, uniforms: { level: 0.5, at: [0.25, 1] } });
  assert.deepEqual([...data.subarray(0, 4)], [128, 32, 96, 64]);
  const same = program.draw({ width: 4, height: 2, uniforms: { level: 0.5, at: new Float32Array([0.25, 1]) } });
  assert.deepEqual(same.data, data);
  const draw = (uniforms) => () => program.draw({ width: 4, height: 2, uniforms });
  assert.throws(draw({ levle: 1 }), (error) => error instanceof PlanishError && /there is no `levle`; there are: /.test(error.message));
  assert.throws(draw({ at: [1, 2, 3] }), (error) => error instanceof PlanishError && /has 2 components, not 3/.test(error.message));
  for (const wrong of [null, "0.5", [null], {}, [[1]], new DataView(new ArrayBuffer(8)), 1n]) {
    assert.throws(draw({ level: wrong }), (error) => error instanceof TypeError && /takes a number or an array of numbers/.test(error.message));
  }
  assert.deepEqual([...draw({ level: NaN, at: [0, 0] })().data.subarray(0, 1)], [0]);
});

test("wrong drawings", () => {
  const program = new Program(LEVEL);
  for (const [width, height] of [[0, 1], [16385, 1], [-1, 1], [2 ** 40, 1], [1.5, 2], [NaN, 1], [Infinity, 1]]) {
    assert.throws(() => program.draw({ width, height }), (error) => error instanceof RangeError && /no size of a picture/.test(error.message));
  }
  const size = { width: 4, height: 2 };
  const wrong = [{ time: "now" }, { frame: 1.5 }, { frame: -1 }, { mouse: 1 }, { mouse: "ab" }, { mouse: [1, 2, 3] }];
  wrong.push({ textures: 7 }, { uniforms: 7 }, { output: 3 }, { size: 3 }, { width: "4" });
  for (const options of [undefined, null, 7, {}, ...wrong.map((options) => ({ ...size, ...options }))]) {
    assert.throws(() => program.draw(options), (error) => error instanceof TypeError || error instanceof RangeError, JSON.stringify(options));
  }
  assert.throws(() => program.draw({ width: 1, height: 1, output: "nothing" }), PlanishError);
  const vertex = new Program("void main() { gl_Position = vec4(0.0); }", { name: "a.vert" });
  assert.throws(() => vertex.draw({ width: 1, height: 1 }), PlanishError);
  const endless = "precision highp float; uniform float x; void main() { while (x < 2.0) {} gl_FragColor = vec4(1.0); }";
  assert.throws(() => new Program(endless).draw({ width: 1, height: 1 }), (error) => error.diagnostics[0].code === "E1303");
});

test("textures", () => {
  const program = new Program(TEXTURED);
  const draw = (map) => [...program.draw({ width: 2, height: 1, textures: { map } }).data];
  const bytes = Uint8ClampedArray.of(255, 0, 0, 255, 0, 255, 0, 128);
  assert.deepEqual(draw({ width: 1, height: 1, data: Uint8Array.of(10) }).slice(0, 4), [10, 10, 10, 255]);
  assert.deepEqual(draw({ width: 1, height: 1, data: Float32Array.of(0.5, 1) }).slice(0, 4), [128, 255, 0, 255]);
  assert.equal(draw({ width: 2, height: 1, data: bytes }).length, 8);
  for (const map of [null, 7, {}, { width: 1, height: 1, data: [1] }, { width: 1, height: 1, data: new Int32Array(4) }]) {
    assert.throws(() => draw(map), (error) => error instanceof TypeError && /the texture `map` is an ImageData/.test(error.message));
  }
  for (const size of [{ width: 3, height: 1 }, { width: 0, height: 1 }, { width: 2 ** 20, height: 1 }, {}]) {
    assert.throws(() => draw({ ...size, data: bytes }), (error) => error instanceof RangeError && /1 to 4 components/.test(error.message));
  }
  assert.throws(() => program.draw({ width: 1, height: 1, textures: { mop: { width: 1, height: 1, data: bytes.subarray(4) } } }), /there is no `mop`/);
});

const vl = new Program(VL, { name: "f.vl" }).functions;
const wat = new Program(WAT, { name: "f.wat" }).functions;
const near = (given, wanted) => assert.ok(Math.abs(given - wanted) <= 1e-12 * Math.max(1, Math.abs(wanted)), `${given}, not ${wanted}`);

test("names and signatures", () => {
  assert.ok(["f", "both", "pick", "refuse", "power"].every((name) => name in vl));
  assert.equal(vl.f.signature, "(float64, float64) -> float64");
  assert.deepEqual([vl.f.name, vl.f.length], ["f", 2]);
  assert.equal(vl.both.signature, "(float64) -> (float64, bool)");
  assert.equal(wat.wide.signature, "(int64, float32) -> (int64, float32)");
  assert.equal(wat.nothing.signature, "() -> void");
  assert.ok(Object.isFrozen(vl) && vl.toString === undefined);
  assert.deepEqual(Object.keys(new Program(LEVEL).functions), []);
});

test("numbers", () => {
  near(vl.f(2, 1), 2 * Math.sin(1));
  assert.deepEqual(vl.both(-3), [9, true]);
  assert.equal(vl.pick(false, 2), -2);
  assert.equal(wat.div(7, -2), -3);
  assert.deepEqual(wat.wide(2n ** 40n, 0.5), [2n ** 40n + 1n, 1]);
  assert.deepEqual([wat.count(), wat.count(), wat.nothing()], [1, 2, undefined]);
});

test("typed arrays", () => {
  const x = Float64Array.from({ length: 1000 }, (_, i) => i / 100 - 5);
  const all = vl.f(x, 1);
  assert.ok(all instanceof Float64Array && all.length === 1000);
  all.forEach((value, i) => near(value, x[i] * Math.sin(1)));
  const [squares, negative] = vl.both(x);
  assert.ok(squares.every((value, i) => value === x[i] * x[i]));
  assert.ok(negative instanceof Uint8Array && negative.every((value, i) => value === Number(x[i] < 0)));
  // A byte that is neither 0 nor 1 is true.
  assert.deepEqual([...vl.pick(Uint8Array.of(0, 1, 2, 255), 1)], [-1, 1, 1, 1]);
  assert.deepEqual([...wat.div(Int32Array.of(7, -8, 9), 2)], [3, -4, 4]);
  assert.deepEqual(wat.wide(BigInt64Array.of(1n), Float32Array.of(0.5)), [BigInt64Array.of(2n), Float32Array.of(1)]);
  assert.deepEqual(vl.f(new Float64Array(0), 1), new Float64Array(0));
  assert.deepEqual([...vl.f(x.subarray(2, 4), x.subarray(2, 4))].length, 2);
  assert.throws(() => vl.f(new Float64Array(3), new Float64Array(4)), (error) => error instanceof RangeError && /different lengths: 3, 4/.test(error.message));
});

test("nothing is converted", () => {
  for (const array of [new Float32Array(3), new Int32Array(3), new Uint8ClampedArray(3), new DataView(new ArrayBuffer(8))]) {
    assert.throws(() => vl.f(array, 1), (error) => error instanceof TypeError && /and Float64Array is wanted; convert it/.test(error.message));
  }
  for (const value of [null, undefined, "1", [1], true, 1n, {}]) {
    assert.throws(() => vl.f(value, 1), (error) => error instanceof TypeError && /argument 1 of `f` is a number, or an array/.test(error.message));
  }
  for (const value of ["1", true, 1n]) assert.throws(() => wat.div(1, value), /argument 2 of `div` is a whole number/);
  for (const value of [2 ** 31, 0.5, NaN]) assert.throws(() => wat.div(value, 1), (error) => error instanceof RangeError && /32 bits/.test(error.message));
  assert.throws(() => wat.wide(2n ** 63n, 1), (error) => error instanceof RangeError && /64 bits/.test(error.message));
  assert.throws(() => wat.wide(1, 1), /is a bigint/);
  assert.throws(() => vl.f(1), (error) => error instanceof TypeError && /takes 2 arguments, not 1/.test(error.message));
  assert.throws(() => wat.reference(null), /values that JavaScript cannot hold/);
});

test("traps are errors", () => {
  assert.throws(() => vl.refuse(Float64Array.of(4, -1)), (error) => {
    assert.ok(error instanceof PlanishError && /x is negative/.test(error.message), error.stack);
    assert.equal(error.diagnostics[0].code, "E1301");
    assert.equal(error.diagnostics[0].file, "f.vl");
    return true;
  });
  assert.throws(() => wat.div(1, 0), (error) => error instanceof PlanishError && error.diagnostics[0].code === "E1301");
  assert.throws(() => wat.deep(1), (error) => error instanceof PlanishError && error.diagnostics[0].code === "E1301");
  assert.deepEqual([wat.div(4, 2), vl.refuse(4)], [2, 2]);
  const starting = "(module (func $start unreachable) (start $start) (func (export \"f\")))";
  assert.throws(() => new Program(starting, { name: "s.wat" }).functions, (error) => error.diagnostics[0].code === "E1301");
  const importing = "(module (import \"a\" \"b\" (func $b)) (func (export \"f\") call $b))";
  assert.throws(() => new Program(importing, { name: "i.wat" }).functions, PlanishError);
});

test("functions outlive their program", () => {
  const program = new Program(VL, { name: "f.vl" });
  const { f, refuse } = program.functions;
  const gradient = program.gradient("refuse");
  program.free();
  near(f(2, 1), 2 * Math.sin(1));
  assert.throws(() => refuse(-1), (error) => error instanceof PlanishError && error.diagnostics[0].code === "E1301");
  assert.equal(gradient(4), 0.25);
  assert.throws(() => gradient(-1), PlanishError);
});

test("gradients", () => {
  const program = new Program(VL, { name: "f.vl" });
  const gradient = program.gradient("f");
  assert.deepEqual([gradient.name, gradient.signature], ["f_gradient", "(float64, float64) -> (float64, float64)"]);
  const [byX, byY] = gradient(Float64Array.of(1, 2), 0.5);
  byX.forEach((value) => near(value, Math.sin(0.5)));
  byY.forEach((value, i) => near(value, (i + 1) * Math.cos(0.5)));
  const all = program.gradient("f", { value: true })(2, 1);
  [2 * Math.sin(1), Math.sin(1), 2 * Math.cos(1)].forEach((wanted, i) => near(all[i], wanted));
  // A boolean has no derivative; a loop and a condition do.
  assert.deepEqual([...program.gradient("pick")(Uint8Array.of(1, 0), 3)], [1, -1]);
  const [byBase] = program.gradient("power")(Float64Array.of(1.5, -2), 5);
  byBase.forEach((value, i) => near(value, 5 * [1.5, -2][i] ** 4));
  assert.throws(() => program.gradient("refuse")(-1), /x is negative/);
  assert.throws(() => program.gradient("g"), /there is no function `g`; there are: /);
  assert.throws(() => program.gradient("both"), /has no gradient/);
  assert.throws(() => program.gradient(), TypeError);
  assert.throws(() => program.gradient("f", { value: 1 }), TypeError);
  assert.throws(() => new Program(WAT, { name: "f.wat" }).gradient("stored"), /only functions in VL/);
});
