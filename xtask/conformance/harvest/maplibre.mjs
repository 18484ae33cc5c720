//! maplibre-gl: its own Program class over the mock context, for every shader, projection, and way of binding the style's properties.

import { readFileSync, writeFileSync } from 'node:fs';
import { attempt, Corpus, mockBrowser, mockCanvas } from './lib.mjs';

const corpus = new Corpus('maplibre-gl');
mockBrowser(corpus);

// The bundle keeps its shaders and its Program class to itself, so a copy beside it hands them out.
const bundle = new URL('../node_modules/maplibre-gl/dist/maplibre-gl-dev.mjs', import.meta.url);
const opened = new URL('harvest-opened.mjs', bundle);
writeFileSync(opened, `${readFileSync(bundle, 'utf8')}\nexport { shaders, Program };\n`);
const { shaders, Program } = await import(opened);

const context = { gl: mockCanvas(corpus).getContext('webgl2') };
const { prelude, projectionMercator, projectionGlobe, ...layers } = shaders;
const projections = { mercator: [projectionMercator, ''], globe: [projectionGlobe, '#define GLOBE'] };
const EXTRA = { hillshade: [1, 2, 4].map((n) => [`#define NUM_ILLUMINATION_SOURCES ${n}`]) };

/** The properties whose pragmas became `#ifdef HAS_UNIFORM_u_…`. */
const properties = (shader) => [...new Set([...(shader.vertexSource + shader.fragmentSource).matchAll(/HAS_UNIFORM_u_(\w+)/g)].map((m) => m[1]))];

/** Which of them are constant over the layer (a uniform): all, none, each half. */
function bindings(names) {
	if (names.length === 0) return { plain: [] };
	const even = names.filter((_, i) => i % 2 === 0);
	return { constant: names, varying: [], even, odd: names.filter((n) => !even.includes(n)) };
}

for (const [name, shader] of Object.entries(layers)) {
	for (const [projection, [code, define]] of Object.entries(projections)) {
		for (const [binding, uniforms] of Object.entries(bindings(properties(shader)))) {
			for (const [surroundings, overdraw, terrain] of [['', false, false], ['terrain', false, true], ['overdraw', true, false]]) {
				// Overdraw and terrain touch few lines; one binding shows them.
				if ((overdraw && projection === 'globe') || (surroundings && !['constant', 'plain'].includes(binding))) continue;
				for (const extra of EXTRA[name] ?? [[]]) {
					attempt(corpus, `${name}-${projection}-${binding}-${surroundings}`, () => {
						const configuration = { getBinderAttributes: () => [], getBinderUniforms: () => [], getUniforms: () => [], defines: () => uniforms.map((n) => `#define HAS_UNIFORM_u_${n}`) };
						new Program(context, shader, configuration, () => ({}), overdraw, terrain, code, define, extra);
					});
				}
			}
		}
	}
}
corpus.write();
