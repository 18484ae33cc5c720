//! The package in headless Chromium, as it is, without a bundler: on a page, and in a worker.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { compile, Program } from "planish";

import { example } from "./common.mjs";

const ROOT = fileURLToPath(new URL(".", import.meta.url));
const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
const FILE = "bricks.frag";

const PAGE = `<!doctype html><script type="importmap">{ "imports": { "planish": "/node_modules/planish/index.js",
"planish/shaders": "/node_modules/planish/shaders.js" } }</script><canvas width="48" height="27"></canvas><script type="module">
const answer = {};
try {
  const source = await (await fetch("/source")).text();
  const { Program, compile, PlanishError } = await import("planish");
  answer.wgsl = compile(source, "wgsl", { name: "${FILE}" });
  const picture = new Program(source, { name: "${FILE}" }).draw({ width: 48, height: 27, time: 1.5 });
  answer.isImageData = picture instanceof ImageData;
  const context = document.querySelector("canvas").getContext("2d");
  context.putImageData(picture, 0, 0);
  answer.pixels = [...context.getImageData(0, 0, 48, 27).data];
  try { compile("void main() {", "wgsl"); } catch (error) { answer.error = error instanceof PlanishError && error.message; }
  answer.square = new Program("(define (f x) (* x x)) (export f (real)) 0", { name: "f.vl" }).functions.f(3);
  const worker = new Worker("/worker.mjs", { type: "module" });
  worker.postMessage(source);
  answer.worker = await new Promise((resolve, reject) => { worker.onmessage = ({ data }) => resolve(data); worker.onerror = reject; });
} catch (error) {
  answer.failed = String(error?.stack ?? error?.message ?? error);
}
await fetch("/answer", { method: "POST", body: JSON.stringify(answer) });
</script>`;

// (Messages that arrive while a module is imported would be lost.)
const WORKER = `const planish = import("/node_modules/planish/shaders.js");
onmessage = async ({ data }) => postMessage((await planish).compile(data, "wgsl", { name: "${FILE}" }));`;

const skip = !process.env.PLANISH_CHROMIUM && "no Chromium";
test("a page and a worker", { skip, timeout: 120_000 }, async () => {
  const source = await readFile(example("shaders", FILE), "utf8");
  const inMemory = { "/": ["text/html", PAGE], "/source": ["text/plain", source], "/worker.mjs": ["text/javascript", WORKER] };
  let answered;
  const answer = new Promise((resolve) => (answered = resolve));
  const server = createServer(async (request, response) => {
    if (request.method === "POST") {
      let text = "";
      for await (const part of request) text += part;
      response.end();
      return answered(JSON.parse(text));
    }
    try {
      const [type, body] = inMemory[request.url] ?? [TYPES[extname(request.url)], await readFile(join(ROOT, normalize(request.url)))];
      response.writeHead(200, { "content-type": type ?? "application/octet-stream" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const profile = mkdtempSync(join(tmpdir(), "planish-chromium-"));
  const options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", `--user-data-dir=${profile}`];
  const url = `http://127.0.0.1:${server.address().port}/`;
  // (It stays until it is ended: a debugging port keeps it.)
  const browser = spawn(process.env.PLANISH_CHROMIUM, [...options, "--remote-debugging-port=0", url], { stdio: "ignore" });
  try {
    const ended = new Promise((resolve) => browser.on("exit", (status) => resolve({ failed: `Chromium ended with ${status}` })));
    const late = new Promise((resolve) => setTimeout(resolve, 100_000, { failed: "the page does not answer" }).unref());
    const seen = await Promise.race([answer, ended, late]);
    assert.equal(seen.failed, undefined);
    const wgsl = compile(source, "wgsl", { name: FILE });
    assert.equal(seen.wgsl, wgsl);
    assert.equal(seen.worker, wgsl);
    assert.ok(seen.isImageData);
    const { data } = new Program(source, { name: FILE }).draw({ width: 48, height: 27, time: 1.5 });
    // (What a canvas stores is multiplied by its alpha, which is 255 here.)
    assert.ok([...data].every((value, i) => i % 4 !== 3 || value === 255));
    assert.deepEqual(seen.pixels, [...data]);
    assert.match(seen.error, /error\[E0/);
    assert.equal(seen.square, 9);
  } finally {
    browser.kill();
    await new Promise((resolve) => (browser.exitCode === null && browser.signalCode === null ? browser.on("exit", resolve) : resolve()));
    server.close();
    server.closeAllConnections();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
});
