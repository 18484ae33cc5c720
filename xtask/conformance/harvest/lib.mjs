//! What the harvest scripts share: the collector of shader sources, a mock WebGL context, and just enough of a browser.

import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { GL } from '@luma.gl/webgl/constants';

/** Collects the distinct shader sources of one package; the first name that a source is met under is its name. */
export class Corpus {
	constructor(name) {
		this.package = name;
		this.label = name;
		this.shaders = new Map();
	}

	/** Adds one linked program: what a browser's `linkProgram` would get. */
	program(vertex, fragment, label = this.label) {
		const a = this.#add('vert', vertex, label);
		const b = this.#add('frag', fragment, label);
		a.partner ??= b.file;
		b.partner ??= a.file;
	}

	/** Adds a shader that has no partner of its own. */
	shader(stage, source, label = this.label) {
		this.#add(stage, source, label);
	}

	#add(stage, source, label) {
		const key = stage + source;
		let entry = this.shaders.get(key);
		if (!entry) {
			const hash = createHash('sha256').update(source).digest('hex').slice(0, 8);
			const version = /^\s*#\s*version\s+(\d+(?:[ \t]+es)?)/.exec(source)?.[1].replace(/\s+/, ' ') ?? '100';
			entry = { package: this.package, file: `${slug(label)}-${hash}.${stage}`, stage, version, bytes: Buffer.byteLength(source), source };
			this.shaders.set(key, entry);
		}
		return entry;
	}

	/** Writes every source under `programs/<package>/` and the package's part of the index beside it. */
	write() {
		const folder = new URL(`../programs/${slug(this.package)}/`, import.meta.url);
		rmSync(folder, { recursive: true, force: true });
		mkdirSync(folder, { recursive: true });
		const entries = [...this.shaders.values()].sort((a, b) => (a.file < b.file ? -1 : 1));
		for (const { file, source } of entries) writeFileSync(new URL(file, folder), source);
		const index = entries.map(({ source, ...entry }) => entry);
		writeFileSync(new URL('index.json', folder), JSON.stringify(index, null, 1) + '\n');
		console.log(`${this.package}: ${index.length} distinct shaders`);
	}
}

/** A name that is safe in every file system. */
export function slug(text) {
	return text.replace(/[^A-Za-z0-9.]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 80);
}

/** Runs `action` under a label; a package's own exception is reported and does not stop the harvest. */
export function attempt(corpus, label, action) {
	corpus.label = label;
	try {
		const result = action();
		if (result?.then) return result.catch((error) => complain(corpus, label, error));
		return result;
	} catch (error) {
		complain(corpus, label, error);
	}
}

function complain(corpus, label, error) {
	if (process.env.HARVEST_TRACE) console.error(error);
	console.error(`${corpus.package}: ${label}: ${String(error?.message ?? error).split('\n')[0]}`);
}

/** A generator of pseudorandom numbers below `n` (xorshift32), the same in every run. */
export function random(seed) {
	let state = seed >>> 0 || 1;
	return (n) => {
		state ^= state << 13;
		state >>>= 0;
		state ^= state >>> 17;
		state ^= state << 5;
		state >>>= 0;
		return state % n;
	};
}

const LIMITS = {
	VERSION: 'WebGL 2.0 (mock)',
	SHADING_LANGUAGE_VERSION: 'WebGL GLSL ES 3.00 (mock)',
	VENDOR: 'mock',
	RENDERER: 'mock',
	MAX_TEXTURE_SIZE: 16384,
	MAX_CUBE_MAP_TEXTURE_SIZE: 16384,
	MAX_3D_TEXTURE_SIZE: 2048,
	MAX_ARRAY_TEXTURE_LAYERS: 2048,
	MAX_RENDERBUFFER_SIZE: 16384,
	MAX_VIEWPORT_DIMS: [16384, 16384],
	MAX_TEXTURE_IMAGE_UNITS: 16,
	MAX_VERTEX_TEXTURE_IMAGE_UNITS: 16,
	MAX_COMBINED_TEXTURE_IMAGE_UNITS: 32,
	MAX_VERTEX_ATTRIBS: 16,
	MAX_VERTEX_UNIFORM_VECTORS: 4096,
	MAX_FRAGMENT_UNIFORM_VECTORS: 1024,
	MAX_VARYING_VECTORS: 30,
	MAX_SAMPLES: 4,
	MAX_DRAW_BUFFERS: 8,
	MAX_COLOR_ATTACHMENTS: 8,
	MAX_UNIFORM_BUFFER_BINDINGS: 24,
	MAX_UNIFORM_BLOCK_SIZE: 65536,
	UNIFORM_BUFFER_OFFSET_ALIGNMENT: 256,
	MAX_TEXTURE_MAX_ANISOTROPY_EXT: 16,
	ALIASED_LINE_WIDTH_RANGE: [1, 1],
	ALIASED_POINT_SIZE_RANGE: [1, 1024],
	SCISSOR_BOX: [0, 0, 256, 256],
	VIEWPORT: [0, 0, 256, 256],
	COLOR_CLEAR_VALUE: [0, 0, 0, 0],
	COLOR_WRITEMASK: [true, true, true, true],
	DEPTH_BITS: 24,
	STENCIL_BITS: 8,
	IMPLEMENTATION_COLOR_READ_FORMAT: GL.RGBA,
	IMPLEMENTATION_COLOR_READ_TYPE: GL.UNSIGNED_BYTE,
	CURRENT_PROGRAM: null,
};

/**
 * Extensions that a mock must not promise: most would change the order of events rather than the shaders;
 * `GL_ANGLE_multi_draw` is unknown to glslang (Firefox has none either, and gets the other half of the `#ifdef`).
 */
const ABSENT = /multi_draw|parallel_shader_compile|disjoint_timer|debug_shaders|debug_renderer|multiview|lose_context|polygon_offset|clip_control|render_shared_exponent|multisampled_render/;

/**
 * A WebGL context that draws nothing and remembers every program that is linked.
 *
 * Constants have their real values; `create…` and `get…Location` give fresh objects; everything compiles, links and is
 * complete. `version` 1 answers as a WebGL 1 context with the usual extensions.
 */
export function mockContext(corpus, canvas, version = 2) {
	const limits = new Map(Object.entries(LIMITS).map(([name, value]) => [GL[name] ?? name, value]));
	if (version === 1) {
		limits.set(GL.VERSION, 'WebGL 1.0 (mock)');
		limits.set(GL.SHADING_LANGUAGE_VERSION, 'WebGL GLSL ES 1.0 (mock)');
	}
	const extension = new Proxy({}, { get: (_, name) => constant(name) ?? (() => ({})) });
	const constant = (name) => (typeof name === 'string' && /^[A-Z][A-Z0-9_a-z]*$/.test(name) ? GL[name] ?? GL[name.replace(/_(EXT|OES|WEBGL|ANGLE|KHR|IMG)$/, '')] : undefined);
	const methods = {
		canvas,
		drawingBufferWidth: 256,
		drawingBufferHeight: 256,
		drawingBufferColorSpace: 'srgb',
		getContextAttributes: () => ({ alpha: true, antialias: true, depth: true, stencil: true, premultipliedAlpha: true }),
		isContextLost: () => false,
		getExtension: (name) => (ABSENT.test(name) ? null : extension),
		getSupportedExtensions: () => ['EXT_color_buffer_float', 'OES_texture_float_linear', 'EXT_texture_filter_anisotropic'],
		getParameter: (name) => (limits.has(name) ? limits.get(name) : 0),
		getShaderPrecisionFormat: () => ({ rangeMin: 127, rangeMax: 127, precision: 23 }),
		getError: () => 0,
		checkFramebufferStatus: () => GL.FRAMEBUFFER_COMPLETE,
		createShader: (type) => ({ type, source: '' }),
		shaderSource: (shader, source) => void (shader.source = source),
		getShaderSource: (shader) => shader.source,
		getShaderParameter: () => true,
		getShaderInfoLog: () => '',
		createProgram: () => ({ shaders: [] }),
		attachShader: (program, shader) => void program.shaders.push(shader),
		linkProgram: (program) => {
			const of = (type) => program.shaders.find((s) => s.type === type)?.source;
			corpus.program(of(GL.VERTEX_SHADER), of(GL.FRAGMENT_SHADER), program.label);
		},
		getProgramParameter: (_, name) => (name === GL.LINK_STATUS || name === GL.VALIDATE_STATUS ? true : 0),
		getProgramInfoLog: () => '',
		getAttribLocation: () => -1,
		getUniformLocation: () => null,
		getUniformBlockIndex: () => GL.INVALID_INDEX,
		getActiveAttrib: () => null,
		getActiveUniform: () => null,
		getActiveUniforms: () => [],
		getVertexAttrib: () => 0,
		getTexParameter: () => 0,
		getBufferParameter: () => 0,
		getFramebufferAttachmentParameter: () => 0,
		readPixels: () => {},
		fenceSync: () => ({}),
		clientWaitSync: () => GL.CONDITION_SATISFIED,
		getSyncParameter: () => GL.SIGNALED,
	};
	const WebGL2Only = /^(createVertexArray|texStorage|drawBuffers|vertexAttribDivisor|texImage3D|bindVertexArray|drawArraysInstanced|drawElementsInstanced)/;
	const kind = globalThis[version === 1 ? 'WebGLRenderingContext' : 'WebGL2RenderingContext'];
	if (kind) Object.setPrototypeOf(methods, kind.prototype);
	return new Proxy(methods, {
		get(target, name) {
			if (name in target) return target[name];
			if (typeof name !== 'string') return undefined;
			const value = constant(name);
			if (value !== undefined) return value;
			if (/^[A-Z0-9_]+$/.test(name)) return undefined;
			if (version === 1 && WebGL2Only.test(name)) return undefined;
			if (/^is[A-Z]/.test(name)) return () => true;
			return /^create[A-Z]/.test(name) ? () => ({}) : () => {};
		},
		set(target, name, value) {
			target[name] = value;
			return true;
		},
	});
}

/** A canvas whose WebGL contexts record into `corpus`; its 2D context accepts everything. */
export function mockCanvas(corpus, version = 2) {
	let context;
	const canvas = element('canvas');
	if (globalThis.HTMLCanvasElement) Object.setPrototypeOf(canvas, HTMLCanvasElement.prototype);
	Object.assign(canvas, {
		width: 256,
		height: 256,
		clientWidth: 256,
		clientHeight: 256,
		toDataURL: () => 'data:,',
		getContext(kind) {
			if (kind === '2d') return context2d(canvas);
			if (kind === 'webgl2' && version < 2) return null;
			if (!/^(experimental-)?webgl2?$/.test(kind)) return null;
			context ??= mockContext(corpus, canvas, kind === 'webgl2' ? 2 : 1);
			return context;
		},
	});
	return canvas;
}

function context2d(canvas) {
	const image = (width = 1, height = 1) => ({ width, height, data: new Uint8ClampedArray(width * height * 4) });
	return new Proxy(
		{ canvas, measureText: () => ({ width: 8, actualBoundingBoxAscent: 8, actualBoundingBoxDescent: 2 }), getImageData: (x, y, w, h) => image(w, h), createImageData: image },
		{ get: (target, name) => (name in target ? target[name] : () => new Proxy({}, { get: () => () => {} })), set: (target, name, value) => ((target[name] = value), true) },
	);
}

function element(tag) {
	return {
		tagName: tag.toUpperCase(),
		nodeName: tag.toUpperCase(),
		style: { setProperty() {} },
		dataset: {},
		children: [],
		childNodes: [],
		querySelector: () => null,
		querySelectorAll: () => [],
		classList: { add() {}, remove() {} },
		addEventListener() {},
		removeEventListener() {},
		dispatchEvent() {},
		appendChild: (child) => child,
		removeChild: (child) => child,
		insertBefore: (child) => child,
		setAttribute() {},
		getAttribute: () => null,
		hasAttribute: () => false,
		remove() {},
		contains: () => true,
		cloneNode: () => element(tag),
		get parentNode() {
			return (this.parent ??= element('parent'));
		},
		getRootNode: () => globalThis.document,
		getBoundingClientRect: () => ({ x: 0, y: 0, left: 0, top: 0, right: 256, bottom: 256, width: 256, height: 256 }),
	};
}

/** Installs the browser globals that renderers ask for when they are loaded or built. */
export function mockBrowser(corpus, version = 2) {
	const create = (tag) => (tag === 'canvas' ? mockCanvas(corpus, version) : element(tag));
	const document = Object.assign(element('document'), {
		createElement: create,
		createElementNS: (_, tag) => create(tag),
		createTextNode: () => element('text'),
		createDocumentFragment: () => element('fragment'),
		getElementById: () => null,
		querySelector: () => null,
		querySelectorAll: () => [],
		documentElement: element('html'),
		body: element('body'),
		head: element('head'),
		currentScript: null,
		fonts: { add() {}, ready: Promise.resolve() },
		readyState: 'complete',
	});
	const define = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
	class Anything {
		constructor() {
			Object.assign(this, element('unknown'), { observe() {}, unobserve() {}, disconnect() {} });
		}
	}
	document.defaultView = globalThis;
	define('document', document);
	define('self', globalThis);
	define('window', globalThis);
	define('navigator', { userAgent: 'mock', platform: 'mock', language: 'en', hardwareConcurrency: 2, maxTouchPoints: 0 });
	define('location', { href: 'http://localhost/', protocol: 'http:', host: 'localhost', hostname: 'localhost', origin: 'http://localhost', pathname: '/', search: '', hash: '' });
	document.location = globalThis.location;
	define('getComputedStyle', () => ({ getPropertyValue: () => '' }));
	define('devicePixelRatio', 1);
	define('innerWidth', 256);
	define('innerHeight', 256);
	define('screen', { width: 256, height: 256 });
	for (const name of ['HTMLElement', 'HTMLCanvasElement', 'HTMLImageElement', 'ShadowRoot', 'Document', 'Element', 'Node', 'HTMLVideoElement', 'Image', 'ImageData', 'ImageBitmap', 'VideoFrame', 'OffscreenCanvas', 'WebGLRenderingContext', 'WebGL2RenderingContext', 'CanvasRenderingContext2D', 'XMLHttpRequest', 'ResizeObserver', 'MutationObserver', 'IntersectionObserver', 'FontFace', 'Worker']) {
		if (!(name in globalThis)) define(name, class extends Anything {});
	}
	// Frames and timers are driven by the scripts, never by a clock.
	define('requestAnimationFrame', () => 0);
	define('cancelAnimationFrame', () => {});
	if (!globalThis.addEventListener) define('addEventListener', () => {});
	if (!globalThis.removeEventListener) define('removeEventListener', () => {});
	define('matchMedia', () => ({ matches: false, addEventListener() {}, addListener() {} }));
}
