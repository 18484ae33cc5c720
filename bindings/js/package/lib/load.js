// Loads a module in browsers and workers.

/** Compiles a module while it arrives; from a server without the type of WebAssembly, when all of it has. */
export async function load(response) {
  const answer = await response;
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${answer.statusText}`);
  const isTyped = answer.headers.get("content-type")?.startsWith("application/wasm");
  return isTyped ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
}
