//! pixi.js: the programs of its batcher, meshes, graphics, text, particles, filters and blend modes, as its GlProgram prepares them.

import { attempt, Corpus, mockBrowser, mockCanvas } from './lib.mjs';

const corpus = new Corpus('pixi.js');
mockBrowser(corpus);
const PIXI = await import('pixi.js');
const blendModes = await import('pixi.js/advanced-blend-modes');

const keep = (label, program) => corpus.program(program.vertex, program.fragment, label);
const sprite = () => new PIXI.Sprite(PIXI.Texture.WHITE);

// Filters, with the settings that change their programs.
const FILTERS = {
	alpha: () => [new PIXI.AlphaFilter()],
	'color-matrix': () => [new PIXI.ColorMatrixFilter()],
	displacement: () => [new PIXI.DisplacementFilter({ sprite: sprite() })],
	noise: () => [new PIXI.NoiseFilter()],
	mask: () => ['alpha', 'red', 'green'].map((channel) => new PIXI.MaskFilter({ sprite: sprite(), channel })),
	blur: () => [5, 7, 9, 11, 13, 15].flatMap((kernelSize) => [true, false].map((horizontal) => new PIXI.BlurFilterPass({ horizontal, kernelSize, strength: 8, quality: 4 }))),
};
for (const [label, make] of Object.entries(FILTERS)) attempt(corpus, label, () => make().forEach((filter) => keep(`filter-${label}`, filter.glProgram)));
for (const [name, Blend] of Object.entries(blendModes)) attempt(corpus, name, () => keep(`blend-${name}`, new Blend().glProgram));

// Shaders made of bits; the batch size is what the device's texture units allow.
const { compileHighShaderGlProgram: compile, colorBitGl, generateTextureBatchBitGl: batch, localUniformBitGl, roundPixelsBitGl, textureBitGl, tilingBitGl, localUniformMSDFBitGl, mSDFBitGl, globalUniformsUBOBitGl } = PIXI;
const BITS = {
	mesh: () => [localUniformBitGl, textureBitGl, roundPixelsBitGl],
	'tiling-sprite': () => [localUniformBitGl, tilingBitGl, roundPixelsBitGl],
};
for (const units of [1, 2, 4, 8, 16]) {
	BITS[`batch-${units}`] = () => [colorBitGl, batch(units), roundPixelsBitGl];
	BITS[`graphics-${units}`] = () => [colorBitGl, batch(units), localUniformBitGl, roundPixelsBitGl];
	BITS[`sdf-text-${units}`] = () => [colorBitGl, batch(units), localUniformMSDFBitGl, mSDFBitGl, roundPixelsBitGl];
}
for (const [name, bits] of Object.entries(BITS)) attempt(corpus, name, () => keep(name, compile({ name, bits: bits() })));
void globalUniformsUBOBitGl;

attempt(corpus, 'particles', () => keep('particles', new PIXI.ParticleShader().glProgram));

// The real renderer, for what only it builds (and as a check that the rest is what it links).
await attempt(corpus, 'renderer', async () => {
	const renderer = new PIXI.WebGLRenderer();
	await renderer.init({ canvas: mockCanvas(corpus), width: 64, height: 64 });
	const stage = new PIXI.Container();
	const graphics = new PIXI.Graphics().rect(0, 0, 10, 10).fill(0xff0000).circle(5, 5, 3).stroke({ width: 2, color: 0x00ff00 });
	stage.addChild(sprite(), graphics, new PIXI.TilingSprite({ texture: PIXI.Texture.WHITE, width: 20, height: 20 }));
	const filtered = sprite();
	filtered.filters = [new PIXI.BlurFilter(), new PIXI.NoiseFilter(), new PIXI.ColorMatrixFilter()];
	stage.addChild(filtered);
	const particles = new PIXI.ParticleContainer();
	particles.addParticle(new PIXI.Particle(PIXI.Texture.WHITE));
	stage.addChild(particles, new PIXI.MeshSimple({ texture: PIXI.Texture.WHITE, vertices: new Float32Array(8), uvs: new Float32Array(8), indices: new Uint32Array([0, 1, 2, 1, 2, 3]) }));
	renderer.render(stage);
});
corpus.write();
