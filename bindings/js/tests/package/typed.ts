// Uses all types of the package; read by the TypeScript compiler, strictly, and not run.

import * as planish from "planish";
import { compile, InternalError, PlanishError, Program } from "planish";
import type { Callable, Diagnostic, Drawing, FindInclude, Options, Picture, Reflection, Settings } from "planish";
import * as shaders from "planish/shaders";

const text: string = compile("", "wgsl");
const bytes: Uint8Array = compile(new Uint8Array(), "spirv", { name: "a.frag", minify: true });
const either: string | Uint8Array = compile("", String("wgsl"));
const small: string = shaders.compile("", "hlsl", { shaderModel: "6.0" });
const module: Uint8Array = compile("", "wasm");

const find: FindInclude = (name, from, angle) => (angle ? null : { name: `${from}/${name}`, text: "" });
const settings: Settings = { level: "s", define: { A: 1, B: "2" }, limit: ["unroll-growth=1"], flatten: true, glslVersion: 300 };
const options: Options = { ...settings, includes: find, name: "a.frag" };
compile("", "glsl", { includes: { "a.glsl": "", "b.glsl": { name: "/b.glsl", text: "" } } });

const found: Diagnostic[] = planish.check("", options);
for (const { severity, code, message, file, line, column, endLine, endColumn, notes, help, rendered } of found) {
  const place: (number | null)[] = [line, column, endLine, endColumn];
  const texts: (string | null)[] = [severity, code, message, file, ...notes, ...help, rendered];
  console.log(place, texts);
}
try {
  compile("", "wgsl");
} catch (error) {
  if (error instanceof PlanishError) console.log(error.diagnostics[0]?.line, error.message);
  if (error instanceof InternalError) console.log(error.cause);
}

const program = new Program("", options);
const reflection: Reflection = program.reflect();
const sizes: (number | undefined)[] = reflection.uniform_blocks.map(({ size }) => size);
const stages = reflection.entry_points.map(({ stage }) => stage === "vertex");
const drawing: Drawing = { width: 4, height: 2, mouse: [1, 2], uniforms: { a: 1, b: true, c: [1, 2], d: new Float32Array(3) } };
const picture: Picture = program.draw({ ...drawing, textures: { map: { width: 1, height: 1, data: new Uint8Array(4) } }, output: "a" });
const loud: string = compile("", "wgsl", { onWarning: ({ code }) => console.log(code) });
const again: Picture = program.draw({ width: 1, height: 1, textures: { map: picture } });
const square: Callable | undefined = program.functions["square"];
const squares: Float64Array = square?.(new Float64Array(3));
const gradient: Callable = program.gradient("square", { value: true });
const warnings: readonly Diagnostic[] = program.warnings;
const dependencies: readonly string[] = program.dependencies;
const header: string | null = program.header("c");
const graph: string = program.emit("graph-svg");
program.free();

const kinds: { [name: string]: "flag" | "one" | "many" } = planish.settings();
const pages: string[] = [planish.explain("E0301"), planish.version, ...planish.targets(), ...shaders.targets()];
console.log(loud, text, bytes, either, small, module, sizes, stages, again, squares, gradient.signature, warnings, dependencies, header, graph);
console.log(kinds, pages);

// @ts-expect-error: there is no such option.
compile("", "wgsl", { minfy: true });
// @ts-expect-error: a flag is no text.
compile("", "wgsl", { minify: "true" });
// @ts-expect-error: SPIR-V is bytes.
const wrong: string = compile("", "spirv");
// @ts-expect-error: the smaller module draws nothing.
new shaders.Program("").draw(drawing);
// @ts-expect-error: warnings are read only.
program.warnings.push(found[0]);
console.log(wrong);
