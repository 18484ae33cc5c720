//! luma.gl: shader passes through its ShaderPassRenderer, the engine's models, glTF materials and the material modules, on its real WebGL device.

import { attempt, Corpus, mockBrowser, mockCanvas, random } from './lib.mjs';

const corpus = new Corpus('luma.gl');
mockBrowser(corpus);
process.browser = true; // or its canvas would be a bare object
const { webgl2Adapter } = await import('@luma.gl/webgl');
const engine = await import('@luma.gl/engine');
const effects = await import('@luma.gl/effects');
const tools = await import('@luma.gl/shadertools');
// Not exported: the package calls it for each primitive of a scene.
const { createGLTFModel } = await import(new URL('../node_modules/@luma.gl/gltf/dist/gltf/create-gltf-model.js', import.meta.url));

const canvas = mockCanvas(corpus);
const device = await webgl2Adapter.create({ createCanvasContext: { canvas, width: 64, height: 64, autoResize: false } });

// Effects: single passes, pipelines, and the factories of pipelines with their options.
const PIPELINES = {
	createBloomShaderPassPipeline: [{}, { lensEffects: {} }, { levels: 3 }],
	createOutlineShaderPassPipeline: [{}],
	createVolumetricFogShaderPassPipeline: [{}],
};
for (const [name, value] of Object.entries(effects)) {
	const passes = typeof value === 'function' ? (PIPELINES[name] ?? [{}]).map((options) => () => value(options)) : [() => value];
	for (const pass of passes) {
		attempt(corpus, `pass-${name}`, () => {
			const made = pass();
			const parts = made.steps?.map((step) => step.shaderPass) ?? [made];
			// Some passes exist for WebGPU only.
			if (parts.some((part) => !part.fs)) return;
			new engine.ShaderPassRenderer(device, { shaderPasses: [made] });
		});
	}
}

// The engine's own models.
const texture = () => device.createTexture({ width: 4, height: 4, format: 'rgba8unorm' });
attempt(corpus, 'background', () => new engine.BackgroundTextureModel(device, { backgroundTexture: texture() }));
attempt(corpus, 'background-blend', () => new engine.BackgroundTextureModel(device, { backgroundTexture: texture(), blend: true }));
const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const lamps = { DirectionalLightModel: { type: 'directional', direction: [0, 0, 1] }, PointLightModel: { type: 'point', position: [0, 1, 0] }, SpotLightModel: { type: 'spot', position: [0, 1, 0], direction: [0, -1, 0] } };
for (const [name, lamp] of Object.entries(lamps)) attempt(corpus, name, () => new engine[name](device, { lights: [{ color: [255, 255, 255], intensity: 1, ...lamp }], viewMatrix: identity, projectionMatrix: identity }));
attempt(corpus, 'clip-space', () => new engine.ClipSpace(device, { fs: '#version 300 es\nprecision highp float;\nin vec2 uv;\nout vec4 color;\nvoid main() {\n\tcolor = vec4(uv, 0.0, 1.0);\n}' }));

// glTF: the defines that its parser infers from primitives and materials.
const GEOMETRY = ['HAS_NORMALS', 'HAS_TANGENTS', 'HAS_UV', 'HAS_UV_1', 'HAS_SKIN'];
const MATERIAL = [
	'ALPHA_CUTOFF', 'HAS_BASECOLORMAP', 'HAS_METALROUGHNESSMAP', 'HAS_NORMALMAP', 'HAS_OCCLUSIONMAP', 'HAS_EMISSIVEMAP', 'HAS_CLEARCOATMAP', 'HAS_CLEARCOATNORMALMAP', 'HAS_CLEARCOATROUGHNESSMAP',
	'HAS_SHEENCOLORMAP', 'HAS_SHEENROUGHNESSMAP', 'HAS_SPECULARCOLORMAP', 'HAS_SPECULARINTENSITYMAP', 'HAS_TRANSMISSIONMAP', 'HAS_THICKNESSMAP', 'HAS_IRIDESCENCEMAP', 'HAS_IRIDESCENCETHICKNESSMAP', 'HAS_ANISOTROPYMAP', 'HAS_BUMPMAP',
	'HAS_DIFFUSETRANSMISSIONMAP', 'HAS_DIFFUSETRANSMISSIONCOLORMAP', 'HAS_MULTISCATTERCOLORMAP',
];
const SCENE = ['USE_LIGHTS', 'USE_IBL', 'USE_TEX_LOD', 'USE_MATERIAL_EXTENSIONS', 'USE_SCENE_COLOR_MANAGEMENT', 'USE_SCENE_ENVIRONMENT', 'USE_TRANSMISSION_FRAMEBUFFER', 'MANUAL_SRGB', 'SRGB_FAST_APPROXIMATION', 'PBR_DEBUG'];
const GLTF_BASE = ['HAS_NORMALS', 'HAS_UV', 'USE_LIGHTS'];

function gltf(label, names, options = {}) {
	attempt(corpus, `gltf-${label}`, () => {
		const defines = Object.fromEntries(names.map((name) => [name, true]));
		createGLTFModel(device, {
			geometry: new engine.CubeGeometry(),
			parsedPPBRMaterial: { defines, bindings: {}, uniforms: {}, parameters: {}, glParameters: {}, generatedTextures: [] },
			...(/USE_SCENE|USE_TRANSMISSION/.test(names.join()) ? { modelOptions: { modules: [tools.pbrScene, tools.pbrMaterial, ...(defines.HAS_SKIN ? [tools.skin] : [])] } } : {}),
			...options,
		});
	});
}
gltf('bare', []);
gltf('base', GLTF_BASE);
for (const name of [...GEOMETRY, ...SCENE]) gltf(name, [...GLTF_BASE, name]);
for (const name of MATERIAL) gltf(name, [...GLTF_BASE, 'USE_MATERIAL_EXTENSIONS', name]);
gltf('everything', [...GEOMETRY, ...MATERIAL, ...SCENE]);
gltf('instanced', GLTF_BASE, { instanceMatrices: [identity, identity] });
const dice = random(94);
for (let i = 0; i < 12; i++) {
	const names = [...GEOMETRY, ...MATERIAL, ...SCENE].filter(() => dice(3) === 0);
	gltf(`mix-${i}`, [...GLTF_BASE, ...names]);
}

// Material modules in the shaders that an application writes around them.
const LIT_VERTEX = (module) => `#version 300 es
in vec3 positions;
in vec3 normals;
in vec2 texCoords;
out vec3 vPosition;
out vec3 vNormal;
out vec2 vUV;
out vec3 vLit;
layout(std140) uniform appUniforms {
	mat4 modelMatrix;
	mat4 viewProjectionMatrix;
	vec3 eyePosition;
} app;
void main() {
	vPosition = (app.modelMatrix * vec4(positions, 1.0)).xyz;
	vNormal = mat3(app.modelMatrix) * normals;
	vUV = texCoords;
	vLit = ${module === 'gouraudMaterial' ? 'lighting_getLightColor(vec3(1.0), app.eyePosition, vPosition, normalize(vNormal))' : 'vec3(1.0)'};
	gl_Position = app.viewProjectionMatrix * vec4(vPosition, 1.0);
}`;
const SHADE = {
	lambertMaterial: 'vec4(lighting_getLightColor(surface, app.eyePosition, vPosition, normalize(vNormal)), 1.0)',
	phongMaterial: 'vec4(lighting_getLightColor(surface, app.eyePosition, vPosition, normalize(vNormal)), 1.0)',
	gouraudMaterial: 'vec4(surface * vLit, 1.0)',
	waterMaterial: 'water_getColor(app.eyePosition, vPosition, normalize(vNormal), vUV)',
};
const LIT_FRAGMENT = (module) => `#version 300 es
precision highp float;
in vec3 vPosition;
in vec3 vNormal;
in vec2 vUV;
in vec3 vLit;
uniform sampler2D colorMap;
layout(std140) uniform appUniforms {
	mat4 modelMatrix;
	mat4 viewProjectionMatrix;
	vec3 eyePosition;
} app;
out vec4 fragColor;
void main() {
	vec3 surface = texture(colorMap, vec2(vUV.x, 1.0 - vUV.y)).rgb;
	fragColor = ${SHADE[module]};
}`;
const app = { name: 'app', uniformTypes: { modelMatrix: 'mat4x4<f32>', viewProjectionMatrix: 'mat4x4<f32>', eyePosition: 'vec3<f32>' } };
const model = (label, vs, fs, modules, defines = {}) => attempt(corpus, label, () => new engine.Model(device, { vs, fs, modules, defines, geometry: new engine.CubeGeometry() }));
for (const name of Object.keys(SHADE)) {
	model(`material-${name}`, LIT_VERTEX(name), LIT_FRAGMENT(name), [app, tools[name]]);
	model(`material-${name}-skin`, LIT_VERTEX(name).replace('vec4(positions, 1.0)', 'getSkinMatrix(weights, joints) * vec4(positions, 1.0)').replace('in vec2 texCoords;', 'in vec2 texCoords;\nin vec4 weights;\nin uvec4 joints;'), LIT_FRAGMENT(name), [app, tools[name], tools.skin]);
}

// Picking, each way.
for (const name of ['legacyColorPicking', 'indexPicking', 'colorPicking', 'indexColorPicking']) {
	const module = engine[name];
	const set = name === 'legacyColorPicking' ? 'picking_setPickingColor(vec3(1.0))' : 'picking_setObjectIndex(1)';
	const vs = `#version 300 es\nin vec3 positions;\nvoid main() {\n\t${set};\n\tgl_Position = vec4(positions, 1.0);\n}`;
	const fs = `#version 300 es\nprecision highp float;\nout vec4 fragColor;\nvoid main() {\n\tfragColor = picking_filterColor(vec4(1.0));\n}`;
	model(`picking-${name}`, vs, fs, [module]);
}

// Double precision from two floats, functions of its arithmetic in a vertex shader.
const FP64 = ['sum_fp64(a, b)', 'sub_fp64(a, b)', 'mul_fp64(a, b)', 'div_fp64(a, b)', 'sqrt_fp64(a)', 'sin_fp64(a)', 'cos_fp64(a)', 'tan_fp64(a)', 'exp_fp64(a)', 'log_fp64(a)', 'asin_fp64(a)', 'acos_fp64(a)', 'atan_fp64(a)', 'atan2_fp64(a, b)', 'abs_fp64(a)', 'radians_fp64(a)', 'mix_fp64(a, b, 0.5)', 'nint_fp64(a)'];
for (const call of FP64) {
	const vs = `#version 300 es\nin vec2 positions;\nuniform vec2 a, b;\nout vec2 result;\nvoid main() {\n\tresult = ${call};\n\tgl_Position = vec4(positions + result, 0.0, 1.0);\n}`;
	const fs = '#version 300 es\nprecision highp float;\nin vec2 result;\nout vec4 fragColor;\nvoid main() {\n\tfragColor = vec4(result, 0.0, 1.0);\n}';
	for (const module of ['fp64', 'fp64arithmetic']) {
		if (module === 'fp64arithmetic' && !/^(sum|sub|mul|div|sqrt)/.test(call)) continue;
		model(`${module}-${call.split('(')[0]}`, vs, fs, [tools[module]]);
	}
}
model('random', '#version 300 es\nin vec2 positions;\nout vec2 uv;\nvoid main() {\n\tuv = positions;\n\tgl_Position = vec4(positions, 0.0, 1.0);\n}', '#version 300 es\nprecision highp float;\nin vec2 uv;\nout vec4 fragColor;\nvoid main() {\n\tfragColor = vec4(vec3(random(vec3(12.9898, 78.233, 151.7182), 0.0)), 1.0);\n}', [tools.random]);
corpus.write();
process.exit(0); // its timers would keep the process
