// Documents of Shadertoy, as its site exports them: their passes as programs for WebGPU or WebGL.

import { typeOf } from "./errors.js";

/** Passes that are drawn, in the order in which Shadertoy draws them. */
const ORDER = ["Buffer A", "Buffer B", "Buffer C", "Buffer D", "Image"];

/** The uniform with the height of the screen, which is added to `Image`. */
const HEIGHT = "iFrameHeight";

/** Sampler of each kind of input that a host can give. */
const SAMPLERS = { buffer: "sampler2D", texture: "sampler2D", cubemap: "samplerCube", volume: "sampler3D" };

/** Inputs that need more than a texture. */
const OTHERS = {
  keyboard: "the keys that are pressed",
  mic: "a microphone",
  music: "sound",
  musicstream: "sound",
  video: "a video",
  webcam: "a camera",
};

/** The function `shadertoy` over a module. */
export function importer({ Program }) {
  return function shadertoy(document, options = {}) {
    const { target = "wgsl", ...settings } = options;
    if (target !== "wgsl" && target !== "glsl") throw new TypeError(`the target is "wgsl" or "glsl", not ${JSON.stringify(target)}`);
    const { info = {}, renderpass } = shaderOf(document);
    const passes = renderpass.map(passOf);
    const common = passes.filter(({ type }) => type === "common").map(({ code }) => code).join("\n");
    const drawn = passes.filter(({ type }) => type === "buffer" || type === "image");
    const buffers = new Map(drawn.filter(({ type }) => type === "buffer").flatMap(({ ids, name }) => ids.map((id) => [id, name])));
    drawn.sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name));
    const twice = drawn.find(({ name }, at) => name === drawn[at - 1]?.name);
    if (twice) throw new TypeError(`the document has two passes \`${twice.name}\``);
    const unsupported = passes.flatMap(unsupportedPass);
    const compiled = drawn.map((pass, at) => {
      const inputs = pass.inputs.map((input) => inputOf(input, pass, buffers));
      unsupported.push(...inputs.flatMap(({ unsupported }) => unsupported ?? []));
      const program = new Program(sourceOf(pass, common, inputs), {
        ...settings,
        name: pass.name,
        from: "glsl",
        stage: "fragment",
        prelude: "shadertoy",
        // WebGPU counts the rows of the screen from the top. Those of a buffer have the same number when they are read.
        ...(target !== "glsl" && pass.name === "Image" && { flipFragCoord: HEIGHT }),
        ...(target === "glsl" && { glslVersion: settings.glslVersion ?? "300es" }),
      });
      try {
        const [code, reflection] = [program.emit(target), program.reflect()];
        const channels = inputs.filter((input) => !input.unsupported).map((input) => channelOf(input, reflection, drawn, at));
        return { name: pass.name, code, reflection, channels, warnings: [...program.warnings] };
      } finally {
        program.free();
      }
    });
    return { name: info.name ?? "", passes: compiled, unsupported };
  };
}

/** The shader of a document: of the site's export of one or of several, and of its interface. */
function shaderOf(document) {
  if (typeof document === "string") {
    try {
      document = JSON.parse(document);
    } catch (error) {
      throw new TypeError(`the document is not JSON: ${error.message}`);
    }
  }
  const list = Array.isArray(document) ? document : document?.shaders;
  if (Array.isArray(list) && list.length !== 1) {
    throw new TypeError(`the document has ${list.length} shaders: pass one of them`);
  }
  const shader = list?.[0] ?? document?.Shader ?? document;
  if (!Array.isArray(shader?.renderpass)) {
    const given = shader === null || typeof shader !== "object" ? typeOf(shader) : "an object without `renderpass`";
    throw new TypeError(`the document is a shader of Shadertoy as its site exports it, not ${given}`);
  }
  if (!shader.renderpass.some((pass) => pass?.type === "image")) throw new TypeError("the document has no pass `image`");
  return shader;
}

/** A pass with its name in the site. */
function passOf(pass, at) {
  const { type, code, inputs = [], outputs = [] } = pass ?? {};
  const ids = outputs.map((output) => String(output?.id));
  const known = ["buffer", "image", "common", "sound", "cubemap"];
  if (!known.includes(type)) throw new TypeError(`pass ${at + 1} of the document has the type \`${type}\`; there are ${known.join(", ")}`);
  if (typeof code !== "string") throw new TypeError(`pass ${at + 1} of the document has no code`);
  if (!Array.isArray(inputs)) throw new TypeError(`the inputs of pass ${at + 1} of the document are no list`);
  if (type !== "buffer") return { type, name: { image: "Image", common: "Common", sound: "Sound", cubemap: "Cube A" }[type], code, inputs, ids };
  const letter = /^buf(?:fer)? ?([A-D])$/i.exec(String(pass.name ?? "").trim())?.[1].toUpperCase();
  if (letter === undefined) throw new TypeError(`pass ${at + 1} of the document is \`${pass.name}\`; buffers are Buffer A to Buffer D`);
  return { type, name: `Buffer ${letter}`, code, inputs, ids };
}

function unsupportedPass({ type, name }) {
  if (type === "sound") return [{ pass: name, what: "mainSound", message: "`mainSound` computes sound, not a picture: the pass `Sound` is left out" }];
  if (type === "cubemap") {
    return [{ pass: name, what: "mainCubemap", message: "`mainCubemap` draws the six sides of a cube: the pass `Cube A` is left out, and its readers get an empty one" }];
  }
  return [];
}

/** An input of a pass: its kind, and the buffer that it is. */
function inputOf(input, pass, buffers) {
  const kind = input?.type ?? input?.ctype;
  const { channel, sampler = {} } = input ?? {};
  if (!Number.isInteger(channel) || channel < 0 || channel > 3) {
    throw new TypeError(`an input of \`${pass.name}\` has the channel ${JSON.stringify(channel)}; there are 0 to 3`);
  }
  const source = input.filepath ?? input.src ?? "";
  const about = { channel, kind, source, sampler };
  if (kind in SAMPLERS && kind !== "buffer") return about;
  if (kind === "buffer") {
    const letter = /buffer0([0-3])/.exec(source)?.[1];
    const buffer = buffers.get(String(input.id)) ?? (letter && `Buffer ${"ABCD"[letter]}`);
    if (buffer === undefined) throw new TypeError(`channel ${channel} of \`${pass.name}\` is a buffer that the document does not have`);
    return { ...about, buffer };
  }
  const why = kind in OTHERS ? `it is ${OTHERS[kind]}, which is no texture` : "there is no such kind of input";
  const message = `iChannel${channel} of \`${pass.name}\` is \`${kind}\`: ${why}; it is empty`;
  return { ...about, unsupported: [{ pass: pass.name, channel, what: String(kind), message }] };
}

/** The program of a pass. Errors name the tab that they are in. */
function sourceOf({ name, code }, common, inputs) {
  const samplers = inputs.map(({ channel, kind }) => `uniform highp ${SAMPLERS[kind] ?? "sampler2D"} iChannel${channel};\n`);
  return `${samplers.join("")}#line 1 "Common"\n${common}\n#line 1 "${name}"\n${code}\n`;
}

/** A channel as the host needs it. */
function channelOf({ channel, kind, source, sampler, buffer }, reflection, drawn, at) {
  const place = (list) => {
    const found = list.find(({ name }) => name === `iChannel${channel}`);
    return found ? { group: found.group, binding: found.binding } : null;
  };
  const { filter = "linear", wrap = "clamp", vflip = "false" } = sampler;
  const about = { channel, kind, filter, wrap, texture: place(reflection.textures), sampler: place(reflection.samplers) };
  if (kind !== "buffer") return { ...about, source, flipY: String(vflip) === "true" };
  const from = drawn.findIndex(({ name }) => name === buffer);
  if (from < 0) throw new TypeError(`\`${drawn[at].name}\` reads \`${buffer}\`, which the document does not have`);
  return { ...about, buffer, previous: from >= at };
}
