//! glsl-noise: each noise function as glslify inlines it (private names suffixed, pragmas resolved) in the shaders that people use it for.

import { readdirSync, readFileSync } from 'node:fs';
import { Corpus } from './lib.mjs';

const corpus = new Corpus('glsl-noise');
const ROOT = new URL('../node_modules/glsl-noise/', import.meta.url);

const VERTEX = `attribute vec3 position;
attribute vec2 uv;
varying vec2 vUv;
void main() {
	vUv = uv;
	gl_Position = vec4(position, 1.0);
}`;

/** Renames what a module defines, as glslify does, and returns its text and the name of what it exports. */
function inline(source, suffix) {
	const exported = /#pragma glslify:\s*export\(\s*(\w+)\s*\)/.exec(source)[1];
	const text = source.replace(/#pragma glslify:.*\n?/g, '');
	const defined = new Set([...text.matchAll(/^\s*(?:float|vec[234])\s+(\w+)\s*\(/gm)].map((m) => m[1]));
	const names = new RegExp(`\\b(${[...defined].join('|')})\\b`, 'g');
	return { text: text.replace(names, `$1_${suffix}`), call: `${exported}_${suffix}` };
}

const modules = readdirSync(ROOT, { withFileTypes: true })
	.filter((entry) => entry.isDirectory())
	.map((entry) => entry.name)
	.sort()
	.flatMap((family) => readdirSync(new URL(`${family}/`, ROOT)).sort().map((file) => ({ family, file, dimensions: Number(file[0]) })))
	.map((module, i) => ({ ...module, ...inline(readFileSync(new URL(`${module.family}/${module.file}`, ROOT), 'utf8'), `1_${i}`) }));

/** A point of the right dimension, and the period where the family wants one. */
function args({ family, dimensions }, scale) {
	const point = { 2: `p.xy * ${scale}`, 3: `vec3(p.xy, time) * ${scale}`, 4: `vec4(p.xy, time, 0.5) * ${scale}` }[dimensions];
	return family === 'periodic' ? `${point}, vec${dimensions}(10.0)` : point;
}

const HEAD = 'precision highp float;\nvarying vec2 vUv;\nuniform float time;\n';
for (const module of modules) {
	const { family, file, text, call } = module;
	const label = `${family}-${file.replace('.glsl', '')}`;
	const at = (scale) => `${call}(${args(module, scale)})`;
	const gray = `void main() {\n\tvec2 p = vUv;\n\tfloat n = ${at('8.0')};\n\tgl_FragColor = vec4(vec3(n * 0.5 + 0.5), 1.0);\n}`;
	const fbm = `void main() {\n\tvec2 p = vUv;\n\tfloat sum = 0.0, amplitude = 0.5;\n\tfor (int i = 0; i < 5; i++) {\n\t\tsum += amplitude * ${at('4.0')};\n\t\tp *= 2.0;\n\t\tamplitude *= 0.5;\n\t}\n\tgl_FragColor = vec4(vec3(sum), 1.0);\n}`;
	const turbulence = `void main() {\n\tvec2 p = vUv * 3.0;\n\tfloat n = abs(${at('1.0')}) + 0.5 * abs(${at('2.0')}) + 0.25 * abs(${at('4.0')});\n\tgl_FragColor = vec4(mix(vec3(0.1, 0.2, 0.5), vec3(1.0, 0.9, 0.7), smoothstep(0.1, 0.9, n)), 1.0);\n}`;
	for (const [use, main] of Object.entries({ gray, fbm, turbulence })) corpus.program(VERTEX, HEAD + text + main, `${label}-${use}`);
	// Displacement in the vertex shader.
	const displaced = `attribute vec3 position;\nattribute vec3 normal;\nuniform mat4 projectionMatrix, modelViewMatrix;\nuniform float time;\nvarying float height;\n${text}void main() {\n\tvec3 p = position;\n\theight = ${at('2.0')};\n\tgl_Position = projectionMatrix * modelViewMatrix * vec4(position + normal * height, 1.0);\n}`;
	corpus.program(displaced, 'precision mediump float;\nvarying float height;\nvoid main() {\n\tgl_FragColor = vec4(vec3(height), 1.0);\n}', `${label}-displace`);
}
// Several modules in one shader, as glslify bundles them.
for (const family of ['simplex', 'classic', 'periodic']) {
	const some = modules.filter((m) => m.family === family);
	const sum = some.map((m) => `${m.call}(${args(m, '2.0')})`).join(' + ');
	corpus.program(VERTEX, `${HEAD}${some.map((m) => m.text).join('\n')}\nvoid main() {\n\tvec2 p = vUv;\n\tgl_FragColor = vec4(vec3(${sum}), 1.0);\n}`, `${family}-all`);
}
corpus.write();
