//! gl-transitions: each transition inside the frame that the gl-transition runners put around it.

import { createRequire } from 'node:module';
import { Corpus } from './lib.mjs';

const corpus = new Corpus('gl-transitions');
const transitions = createRequire(import.meta.url)('gl-transitions');

const VERTEX = `attribute vec2 _p;
varying vec2 _uv;
void main() {
	gl_Position = vec4(_p, 0.0, 1.0);
	_uv = vec2(0.5, 0.5) * (_p + vec2(1.0, 1.0));
}`;

/** How the pictures are fitted when their shape differs from the canvas's. */
const FIT = {
	cover: (r) => `0.5 + (uv - 0.5) * vec2(min(ratio / ${r}, 1.0), min(${r} / ratio, 1.0))`,
	contain: (r) => `0.5 + (uv - 0.5) * vec2(max(ratio / ${r}, 1.0), max(${r} / ratio, 1.0))`,
	stretch: () => 'uv',
};

function fragment(glsl, fit) {
	return `precision highp float;
varying vec2 _uv;
uniform sampler2D from, to;
uniform float progress, ratio, _fromR, _toR;

vec4 getFromColor(vec2 uv) {
	return texture2D(from, ${FIT[fit]('_fromR')});
}
vec4 getToColor(vec2 uv) {
	return texture2D(to, ${FIT[fit]('_toR')});
}
${glsl}
void main() {
	gl_FragColor = transition(_uv);
}`;
}

const FITS = Object.keys(FIT);
transitions.forEach(({ name, glsl }, i) => corpus.program(VERTEX, fragment(glsl, FITS[i % FITS.length]), name));
corpus.write();
