//! Documents of Shadertoy: passes in their order, bindings of channels, what is left out, and documents that are none.

import assert from "node:assert/strict";
import { test } from "node:test";

import { PlanishError } from "planish/shaders";
import { shadertoy } from "planish/shadertoy";

const SAMPLER = { filter: "mipmap", wrap: "repeat", vflip: "true", srgb: "false", internal: "byte" };

function pass(type, name, code, inputs = [], outputs = []) {
  return { type, name, code, inputs, outputs: outputs.map((id) => ({ id, channel: 0 })), description: "" };
}

function input(channel, type, id, filepath = "") {
  return { channel, type, id, filepath, sampler: SAMPLER, published: 1 };
}

const image = (code, inputs) => pass("image", "Image", code, inputs, ["4dfGRr"]);
const WHOLE = "void mainImage(out vec4 fragColor, in vec2 fragCoord) { fragColor = ";

/** Two buffers that read each other, on a picture, a cube and a volume. */
const DOCUMENT = {
  ver: "0.1",
  info: { id: "x", name: "Two buffers" },
  renderpass: [
    image(`${WHOLE}texture(iChannel0, fragCoord / iResolution.xy) * weight + texture(iChannel1, vec3(1.0)); }`, [
      input(1, "cubemap", "c", "/media/a/forest.png"),
      input(0, "buffer", "B"),
    ]),
    pass("buffer", "Buf B", `${WHOLE}texelFetch(iChannel3, ivec2(fragCoord), 0); }`, [
      input(3, "buffer", "A"),
      input(1, "texture", "t"),
    ], ["B"]),
    pass("common", "", "const float weight = 0.5;"),
    pass("buffer", "Buffer A", `${WHOLE}texture(iChannel2, fragCoord) + texture(iChannel0, vec3(iTime)) + texture(iChannel1, fragCoord); }`, [
      input(2, "buffer", "B"),
      input(0, "volume", "v", "/media/a/noise.bin"),
      input(1, "webcam", "w"),
    ], ["A"]),
  ],
};

test("passes are in the order in which they are drawn, with their channels", () => {
  const { name, passes, unsupported } = shadertoy(DOCUMENT);
  assert.equal(name, "Two buffers");
  assert.deepEqual(passes.map(({ name }) => name), ["Buffer A", "Buffer B", "Image"]);
  const [a, b, screen] = passes;
  const channels = ({ channels }) => channels.map(({ channel, kind, buffer, previous }) => [channel, kind, buffer, previous]);
  assert.deepEqual(channels(a), [[2, "buffer", "Buffer B", true], [0, "volume", undefined, undefined]]);
  assert.deepEqual(channels(b), [[3, "buffer", "Buffer A", false], [1, "texture", undefined, undefined]]);
  assert.deepEqual(channels(screen), [[1, "cubemap", undefined, undefined], [0, "buffer", "Buffer B", false]]);
  for (const { code, reflection, channels } of passes) {
    for (const { channel, texture, sampler } of channels.filter(({ texture }) => texture)) {
      assert.match(code, new RegExp(`@group\\(${texture.group}\\) @binding\\(${texture.binding}\\) var iChannel${channel}: `));
      assert.match(code, new RegExp(`@group\\(${sampler.group}\\) @binding\\(${sampler.binding}\\) var iChannel${channel}_sampler`));
    }
    assert.ok(reflection.entry_points[0].stage === "fragment");
  }
  const [, unread] = b.channels;
  assert.ok(unread.texture === null && unread.sampler === null);
  assert.match(a.code, /iChannel0: texture_3d<f32>/);
  assert.match(screen.code, /iChannel1: texture_cube<f32>/);
  assert.deepEqual(screen.channels[0].source, "/media/a/forest.png");
  assert.ok(screen.channels[0].flipY && screen.channels[0].wrap === "repeat" && screen.channels[0].filter === "mipmap");
  assert.match(screen.code, /weight|0\.5/);
  // Rows of the screen are counted from below, those of buffers as they are read.
  assert.ok(screen.reflection.uniforms.members.some(({ name }) => name === "iFrameHeight"));
  assert.ok(!a.code.includes("iFrameHeight"));
  assert.equal(unsupported.length, 1);
  assert.equal(unsupported[0].message, "iChannel1 of `Buffer A` is `webcam`: it is a camera, which is no texture; it is empty");
});

test("in GLSL, and with settings", () => {
  const { passes } = shadertoy(JSON.stringify(DOCUMENT), { target: "glsl", minify: true });
  for (const { code } of passes) assert.match(code, /^#version 300 es\n/);
  assert.ok(!passes[2].code.includes("iFrameHeight"));
  const small = shadertoy(DOCUMENT, { minify: true }).passes[0].code;
  assert.ok(small.length < shadertoy(DOCUMENT).passes[0].code.length);
});

test("sound and cubes that are drawn are left out, and named", () => {
  const sound = pass("sound", "Sound", "vec2 mainSound(int samp, float time) { return vec2(sin(440.0 * time)); }");
  const cube = pass("cubemap", "Cube A", "void mainCubemap(out vec4 color, in vec2 at, in vec3 from, in vec3 to) { color = vec4(to, 1.0); }");
  const { passes, unsupported } = shadertoy({ renderpass: [image(`${WHOLE}vec4(1.0); }`), sound, cube] });
  assert.deepEqual(passes.map(({ name }) => name), ["Image"]);
  assert.deepEqual(unsupported.map(({ pass, what }) => [pass, what]), [["Sound", "mainSound"], ["Cube A", "mainCubemap"]]);
  for (const { what, message } of unsupported) assert.ok(message.includes(`\`${what}\``));
});

test("documents of the site's interface, and of its export of several", () => {
  const shader = { info: { name: "One" }, renderpass: [{ ...image(`${WHOLE}texture(iChannel0, fragCoord); }`), inputs: [{ id: 257, ctype: "keyboard", src: "/presets/tex00.jpg", channel: 0, sampler: SAMPLER }] }] };
  for (const document of [{ Shader: shader }, { userName: "a", shaders: [shader] }, [shader]]) {
    const { name, unsupported } = shadertoy(document);
    assert.equal(name, "One");
    assert.match(unsupported[0].message, /iChannel0 of `Image` is `keyboard`: it is the keys that are pressed/);
  }
});

test("errors name the tab that they are in", () => {
  const failure = (document) => {
    try {
      shadertoy(document);
    } catch (error) {
      assert.ok(error instanceof PlanishError);
      return error;
    }
    assert.fail("it is compiled");
  };
  const common = pass("common", "Common", "\nfloat twice(float x) { return y; }");
  const { message, diagnostics } = failure({ renderpass: [image(`${WHOLE}vec4(twice(1.0)); }`), common] });
  assert.match(message, /unknown name `y`[^]*Common:2:31/);
  assert.deepEqual([diagnostics[0].file, diagnostics[0].line], ["Common", 2]);
  const [own] = failure({ renderpass: [image(`\n\n${WHOLE}vec4(twice(1.0)); }`)] }).diagnostics;
  assert.deepEqual([own.file, own.line], ["Image", 3]);
});

const WRONG = [
  ["{", /^the document is not JSON/],
  [null, /as its site exports it, not null/],
  [{}, /not an object without `renderpass`/],
  [[], /has 0 shaders/],
  [{ renderpass: [] }, /has no pass `image`/],
  [{ renderpass: [image(`${WHOLE}vec4(1.0); }`), { type: "vertex", code: "" }] }, /pass 2 of the document has the type `vertex`/],
  [{ renderpass: [image(undefined)] }, /pass 1 of the document has no code/],
  [{ renderpass: [image("", [input(4, "texture", "a")])] }, /channel 4; there are 0 to 3/],
  [{ renderpass: [image("", [input(0, "buffer", "a")])] }, /a buffer that the document does not have/],
  [{ renderpass: [image(""), pass("buffer", "Buffer E", "")] }, /`Buffer E`; buffers are Buffer A to Buffer D/],
  [{ renderpass: [image(""), pass("buffer", "Buf A", ""), pass("buffer", "Buffer A", "")] }, /two passes `Buffer A`/],
];

for (const [document, message] of WRONG) {
  test(`a document that is none: ${message.source}`, () => assert.throws(() => shadertoy(document), { name: "TypeError", message }));
}
