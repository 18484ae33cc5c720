#!/usr/bin/env node
// The command `planish`: the program itself, as WebAssembly on Node.js's WASI.

import { readFile } from "node:fs/promises";
import { env, exit, platform, stderr } from "node:process";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker, workerData } from "node:worker_threads";

/** MiB of the stack: nested programs need more than the main thread has. */
const STACK = 64;

if (isMainThread) {
  // (The worker has the process's own streams: it writes to them synchronously.)
  const worker = new Worker(fileURLToPath(import.meta.url), {
    argv: process.argv.slice(2),
    env: process.env,
    resourceLimits: { stackSizeMb: STACK },
    workerData: { folder: process.cwd() },
    // What WASI says about itself.
    execArgv: [...process.execArgv, "--no-warnings"],
  });
  worker.on("message", (status) => exit(status));
  worker.on("error", (error) => {
    stderr.write(`error: ${error.message}\n`);
    exit(101);
  });
} else {
  const { WASI } = await import("node:wasi");
  const { parentPort } = await import("node:worker_threads");
  const folder = platform === "win32" ? "/" : workerData.folder;
  const wasi = new WASI({
    version: "preview1",
    args: ["planish", ...process.argv.slice(2)],
    // The program begins in this folder.
    env: { ...env, PWD: folder },
    // (Windows has no root of all drives: there the command reaches what is below the current folder.)
    preopens: { "/": platform === "win32" ? workerData.folder : "/" },
    returnOnExit: true,
  });
  const module = await WebAssembly.compile(await readFile(new URL("../command.wasm", import.meta.url)));
  const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
  parentPort.postMessage(wasi.start(instance));
}
