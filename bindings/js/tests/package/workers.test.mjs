//! Workers: each has a module of its own; one that is ended in the middle of its work harms no other.

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

import { GREY } from "./common.mjs";

const ENDLESS = "precision highp float; uniform float x; void main() { float a = x; for (int i = 0; i < 1000; i++) a = sin(a); gl_FragColor = vec4(a); }";

if (!isMainThread) {
  const { compile, Program } = await import("planish");
  if (workerData === "compile") parentPort.postMessage(compile(GREY, "wgsl"));
  parentPort.postMessage("begins");
  if (workerData === "draw") new Program(ENDLESS).draw({ width: 4096, height: 4096 });
} else {
  const { compile } = await import("planish");
  const file = new URL(import.meta.url);

  test("workers compile", async () => {
    const workers = Array.from({ length: 4 }, () => new Worker(file, { workerData: "compile" }));
    const answers = await Promise.all(workers.map((worker) => once(worker, "message")));
    for (const [answer] of answers) assert.equal(answer, compile(GREY, "wgsl"));
    await Promise.all(workers.map((worker) => worker.terminate()));
  });

  test("a worker is ended while it draws", async () => {
    const worker = new Worker(file, { workerData: "draw" });
    assert.deepEqual(await once(worker, "message"), ["begins"]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const begin = performance.now();
    assert.equal(await worker.terminate(), 1);
    assert.ok(performance.now() - begin < 10_000);
    assert.match(compile(GREY, "wgsl"), /@fragment/);
  });
}
