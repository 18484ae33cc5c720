//! three's node materials: the WebGPURenderer on its WebGL 2 backend, which writes its GLSL from the shading language's nodes.

import * as THREE from 'three/webgpu';
import * as TSL from 'three/tsl';
import { RectAreaLightTexturesLib } from 'three/examples/jsm/lights/RectAreaLightTexturesLib.js';
import { attempt, Corpus, mockBrowser, mockCanvas, random } from './lib.mjs';

const corpus = new Corpus('three-nodes');
mockBrowser(corpus);
THREE.RectAreaLightNode.setLTC(RectAreaLightTexturesLib.init());
const load = (path) => import(`three/examples/jsm/tsl/${path}.js`);

const texture = (settings) => Object.assign(new THREE.DataTexture(new Uint8Array(64).fill(128), 4, 4), { needsUpdate: true }, settings);
const cube = () => Object.assign(new THREE.CubeTexture(Array.from({ length: 6 }, () => texture())), { needsUpdate: true });
const panorama = () => texture({ mapping: THREE.EquirectangularReflectionMapping });
const volume = () => Object.assign(new THREE.Data3DTexture(new Uint8Array(32), 2, 2, 2), { needsUpdate: true });

const renderers = new Map();
async function rendererFor(name, settings = {}) {
	if (!renderers.has(name)) {
		const renderer = new THREE.WebGPURenderer({ canvas: mockCanvas(corpus), forceWebGL: true, ...settings });
		await renderer.init();
		renderers.set(name, renderer);
	}
	return renderers.get(name);
}
const renderer = await rendererFor('plain');
const shadowing = await rendererFor('shadows');
shadowing.shadowMap.enabled = true;
const logarithmic = await rendererFor('log-depth', { logarithmicDepthBuffer: true });
const camera = new THREE.PerspectiveCamera();
camera.position.z = 3;

function geometry({ color, tangent, morph } = {}) {
	const g = new THREE.BoxGeometry();
	const { count } = g.attributes.position;
	const attribute = (size) => new THREE.BufferAttribute(new Float32Array(count * size).fill(0.5), size);
	g.setAttribute('uv1', attribute(2));
	if (color) g.setAttribute('color', attribute(color));
	if (tangent) g.setAttribute('tangent', attribute(4));
	if (morph) g.morphAttributes.position = g.morphAttributes.normal = [attribute(3), attribute(3)];
	return g;
}
const shadowed = (object) => Object.assign(object, { castShadow: true, receiveShadow: true, frustumCulled: false });
const SHAPES = {
	plain: (material) => shadowed(new THREE.Mesh(geometry({ color: 4, tangent: true }), material)),
	morphing: (material) => shadowed(new THREE.Mesh(geometry({ morph: true }), material)),
	instanced: (material) => {
		const object = new THREE.InstancedMesh(geometry(), material, 3);
		object.setColorAt(0, new THREE.Color());
		return shadowed(object);
	},
	skinned: (material) => {
		const g = geometry();
		const { count } = g.attributes.position;
		g.setAttribute('skinIndex', new THREE.Uint16BufferAttribute(new Uint16Array(count * 4), 4));
		g.setAttribute('skinWeight', new THREE.BufferAttribute(new Float32Array(count * 4), 4));
		const object = new THREE.SkinnedMesh(g, material);
		const bone = new THREE.Bone();
		object.add(bone);
		object.bind(new THREE.Skeleton([bone]));
		return shadowed(object);
	},
	batched: (material) => {
		const object = new THREE.BatchedMesh(2, 64, 128, material);
		object.setColorAt(object.addInstance(object.addGeometry(new THREE.BoxGeometry())), new THREE.Color());
		return shadowed(object);
	},
};

const light = (kind, shadow, settings) => {
	const object = Object.assign(new kind(0xffffff), settings);
	object.position.set(1, 2, 3);
	if (shadow) object.castShadow = true;
	return object;
};
const SURROUNDINGS = {
	sun: { lights: () => [light(THREE.DirectionalLight)] },
	lamps: { lights: () => [light(THREE.PointLight), light(THREE.SpotLight, false, { map: texture() }), light(THREE.HemisphereLight), new THREE.AmbientLight()] },
	area: { lights: () => [light(THREE.RectAreaLight), new THREE.LightProbe()] },
	'shadows-basic': { shadows: THREE.BasicShadowMap },
	'shadows-pcf': { shadows: THREE.PCFShadowMap },
	'shadows-vsm': { shadows: THREE.VSMShadowMap },
	environment: { environment: panorama, background: panorama },
	fog: { lights: () => [light(THREE.DirectionalLight)], fog: () => new THREE.Fog(0xffffff, 1, 10) },
	'fog-exp2': { fog: () => new THREE.FogExp2(0xffffff, 0.1) },
	'fog-height': { node: (scene) => (scene.fogNode = TSL.fog(TSL.color(0xffffff), TSL.densityFogFactor(0.1))) },
	clipped: { clip: true, lights: () => [light(THREE.DirectionalLight)] },
	'log-depth': { with: logarithmic, lights: () => [light(THREE.DirectionalLight)] },
	'tone-agx': { tone: THREE.AgXToneMapping, lights: () => [light(THREE.DirectionalLight)] },
	'tone-aces': { tone: THREE.ACESFilmicToneMapping },
	'tone-neutral': { tone: THREE.NeutralToneMapping },
	'tone-cineon': { tone: THREE.CineonToneMapping },
};

function draw(label, object, where = 'sun') {
	attempt(corpus, label, () => {
		const around = SURROUNDINGS[where];
		const target = around.with ?? (around.shadows === undefined ? renderer : shadowing);
		if (around.shadows !== undefined) target.shadowMap.type = around.shadows;
		target.toneMapping = around.tone ?? THREE.NoToneMapping;
		const scene = new THREE.Scene();
		const made = typeof object === 'function' ? object() : object;
		if (around.clip) {
			const group = new THREE.ClippingGroup();
			group.clippingPlanes = [new THREE.Plane(new THREE.Vector3(0, 1, 0), 1), new THREE.Plane()];
			scene.add(group.add(made));
		} else scene.add(made);
		const shadow = around.shadows !== undefined;
		const lights = around.lights ?? (shadow ? () => [light(THREE.DirectionalLight, true), light(THREE.SpotLight, true), light(THREE.PointLight, around.shadows !== THREE.VSMShadowMap)] : () => []);
		scene.add(...lights(), new THREE.Object3D());
		scene.fog = around.fog?.() ?? null;
		scene.environment = around.environment?.() ?? null;
		scene.background = around.background?.() ?? null;
		around.node?.(scene);
		target.render(scene, camera);
	});
}

// Materials, alone everywhere and with their features.
const maps = { map: texture() };
const surface = { 'normal-map': { normalMap: texture() }, 'bump-map': { bumpMap: texture() }, displacement: { displacementMap: texture() }, flat: { flatShading: true }, 'double-side': { side: THREE.DoubleSide }, 'vertex-colors': { vertexColors: true }, 'alpha-test': { alphaTest: 0.5, ...maps }, 'alpha-hash': { alphaHash: true }, 'alpha-map': { alphaMap: texture(), transparent: true }, baked: { aoMap: texture(), lightMap: texture({ channel: 1 }) }, emissive: { emissiveMap: texture() } };
const MATERIALS = {
	MeshBasicNodeMaterial: { map: maps, 'vertex-colors': { vertexColors: true }, environment: { envMap: cube() }, baked: surface.baked, 'alpha-test': surface['alpha-test'] },
	MeshLambertNodeMaterial: surface,
	MeshPhongNodeMaterial: { ...surface, specular: { specularMap: texture() } },
	MeshToonNodeMaterial: { gradient: { gradientMap: texture() }, 'normal-map': surface['normal-map'] },
	MeshMatcapNodeMaterial: { matcap: { matcap: texture() }, 'normal-map': surface['normal-map'] },
	MeshNormalNodeMaterial: { 'normal-map': surface['normal-map'], flat: surface.flat },
	MeshStandardNodeMaterial: { ...surface, rough: { roughnessMap: texture(), metalnessMap: texture() }, environment: { envMap: panorama() } },
	MeshPhysicalNodeMaterial: {
		...surface,
		clearcoat: { clearcoat: 1, clearcoatMap: texture(), clearcoatRoughnessMap: texture(), clearcoatNormalMap: texture() },
		sheen: { sheen: 1, sheenColorMap: texture(), sheenRoughnessMap: texture() },
		iridescence: { iridescence: 1, iridescenceMap: texture() },
		anisotropy: { anisotropy: 1, anisotropyMap: texture() },
		transmission: { transmission: 1, transmissionMap: texture(), thickness: 1, thicknessMap: texture() },
		dispersion: { transmission: 1, dispersion: 1, thickness: 1 },
		specular: { specularColorMap: texture(), specularIntensityMap: texture() },
	},
	MeshSSSNodeMaterial: { transmission: { transmission: 1 } },
	ShadowNodeMaterial: {},
};
const dice = random(187);
for (const [name, features] of Object.entries(MATERIALS)) {
	const short = name.replace(/^Mesh|NodeMaterial$/g, '').toLowerCase();
	const make = (properties) => new THREE[name](properties);
	for (const where of Object.keys(SURROUNDINGS)) draw(`${short}-in-${where}`, () => SHAPES.plain(make()), where);
	for (const shape of Object.keys(SHAPES)) draw(`${short}-${shape}`, () => SHAPES[shape](make()), 'shadows-pcf');
	for (const [feature, properties] of Object.entries(features)) draw(`${short}-${feature}`, () => SHAPES.plain(make(properties)), 'lamps');
	const names = Object.keys(features);
	for (let i = 0; i < names.length; i++) {
		const some = [names[i], names[dice(names.length)], names[dice(names.length)]];
		const where = Object.keys(SURROUNDINGS)[dice(Object.keys(SURROUNDINGS).length)];
		draw(`${short}-${some.join('-')}`, () => SHAPES[Object.keys(SHAPES)[dice(5)]](make(Object.assign({}, ...some.map((s) => features[s])))), where);
	}
}
draw('points', () => new THREE.Points(geometry({ color: 4 }), new THREE.PointsNodeMaterial({ map: texture(), vertexColors: true })));
draw('points-instanced', () => new THREE.Sprite(new THREE.PointsNodeMaterial({ size: 3, sizeAttenuation: false })));
draw('sprite', () => new THREE.Sprite(new THREE.SpriteNodeMaterial({ map: texture(), rotation: 1 })), 'fog');
draw('line', () => new THREE.Line(geometry({ color: 3 }), new THREE.LineBasicNodeMaterial({ vertexColors: true })), 'fog');
draw('line-dashed', () => new THREE.LineSegments(geometry().toNonIndexed(), new THREE.LineDashedNodeMaterial({ dashSize: 1, gapSize: 1 })).computeLineDistances());
draw('volume', () => SHAPES.plain(new THREE.VolumeNodeMaterial({ scatteringNode: TSL.Fn(({ positionRay }) => TSL.texture3D(volume(), positionRay).r) })), 'lamps');

// The functions of the shading language, each in the colour of a material.
const { uv, vec2, vec3, vec4, float, int, positionWorld: p, time } = TSL;
const FUNCTIONS = {
	...Object.fromEntries(['mx_noise_float', 'mx_noise_vec3', 'mx_noise_vec4', 'mx_fractal_noise_float', 'mx_fractal_noise_vec2', 'mx_fractal_noise_vec3', 'mx_fractal_noise_vec4', 'mx_cell_noise_float', 'mx_worley_noise_float', 'mx_worley_noise_vec2', 'mx_worley_noise_vec3', 'mx_unifiednoise3d'].map((name) => [name, () => TSL[name](p)])),
	...Object.fromEntries(['mx_rgbtohsv', 'mx_hsvtorgb', 'mx_srgb_texture_to_lin_rec709', 'grayscale', 'hue', 'saturation', 'vibrance', 'luminance', 'cdl', 'posterize', 'acesFilmicToneMapping', 'agxToneMapping', 'neutralToneMapping', 'reinhardToneMapping', 'cineonToneMapping', 'sRGBTransferEOTF', 'sRGBTransferOETF'].map((name) => [name, () => TSL[name](p, float(0.5))])),
	...Object.fromEntries(['blendBurn', 'blendDodge', 'blendScreen', 'blendOverlay', 'blendColor'].map((name) => [name, () => TSL[name](vec4(p, 1), vec4(uv(), 0.5, 0.5))])),
	...Object.fromEntries(['oscSine', 'oscSquare', 'oscTriangle', 'oscSawtooth'].map((name) => [name, () => TSL[name](time)])),
	checker: () => TSL.checker(uv().mul(8)),
	hash: () => TSL.hash(TSL.uint(p.x.mul(100))),
	rand: () => TSL.rand(uv()),
	triplanar: () => TSL.triplanarTexture(TSL.texture(texture())),
	matcap: () => TSL.texture(texture(), TSL.matcapUV),
	parallax: () => TSL.texture(texture(), TSL.parallaxUV(uv(), 0.1)),
	equirect: () => TSL.texture(texture(), TSL.equirectUV()),
	spritesheet: () => TSL.texture(texture(), TSL.spritesheetUV(vec2(4, 4), uv(), time.mul(8))),
	volume: () => TSL.texture3D(volume(), p).rgb,
	cube: () => TSL.cubeTexture(cube()).rgb,
	pmrem: () => TSL.pmremTexture(panorama(), p, float(0.3)),
	derivative: () => TSL.dFdx(p).add(TSL.dFdy(p)).add(TSL.fwidth(p)),
	screen: () => vec3(TSL.screenUV, TSL.viewportLinearDepth),
	behind: () => TSL.viewportSharedTexture(TSL.screenUV).rgb,
	rotate: () => TSL.rotate(p, vec3(time, 1, 0)),
	interleaved: () => TSL.interleavedGradientNoise(TSL.screenCoordinate),
	bits: () => float(TSL.uint(p.x.mul(255)).bitAnd(15).shiftLeft(2).bitXor(7)).div(64),
	ints: () => float(int(p.x.mul(100)).mod(7).sub(int(3)).abs()),
	packed: () => TSL.unpackHalf2x16?.(TSL.packHalf2x16(uv())) ?? uv(),
	matrix: () => TSL.mat3(p, vec3(1, 2, 3), vec3(uv(), 1)).mul(p),
	'loop-if': () => TSL.Fn(() => {
		const sum = float(0).toVar();
		TSL.Loop(8, ({ i }) => {
			TSL.If(sum.greaterThan(4), () => TSL.Break()).ElseIf(i.equal(3), () => TSL.Continue());
			sum.addAssign(TSL.sin(p.x.mul(float(i))));
		});
		return vec3(sum);
	})(),
	'loop-nested': () => TSL.Fn(() => {
		const sum = vec3(0).toVar();
		TSL.Loop({ start: int(0), end: int(4), type: 'int', condition: '<' }, { start: int(4), end: int(0), condition: '>=' }, ({ i, j }) => {
			sum.addAssign(vec3(float(i), float(j), 1).mul(0.1));
		});
		return sum;
	})(),
	switch: () => TSL.Fn(() => {
		const result = vec3(0).toVar();
		TSL.Switch(int(p.x.mul(3))).Case(0, () => result.assign(vec3(1, 0, 0))).Case(1, 2, () => result.assign(vec3(0, 1, 0))).Default(() => result.assign(p));
		return result;
	})(),
	array: () => TSL.Fn(() => {
		const colors = TSL.array([vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1)]);
		return colors.element(int(p.x.abs().mul(2.9)));
	})(),
	'uniform-array': () => TSL.uniformArray([new THREE.Color(1, 0, 0), new THREE.Color(0, 1, 0)]).element(int(p.x.abs())),
	struct: () => {
		const Ray = TSL.struct({ origin: 'vec3', direction: 'vec3', reach: 'float' });
		return TSL.Fn(() => {
			const ray = Ray(p, vec3(0, 0, 1), 2).toVar();
			return ray.get('origin').add(ray.get('direction').mul(ray.get('reach')));
		})();
	},
	discard: () => TSL.Fn(() => {
		TSL.Discard(p.x.lessThan(0));
		return p;
	})(),
	refraction: () => TSL.viewportSharedTexture(TSL.screenUV.add(TSL.normalView.xy.mul(0.1))).rgb,
	glsl: () => TSL.glslFn('vec3 tint(vec3 color, float amount) {\n\treturn mix(color, vec3(dot(color, vec3(0.3, 0.6, 0.1))), amount);\n}')(p, float(0.5)),
};
for (const [name, make] of Object.entries(FUNCTIONS)) {
	for (const kind of ['MeshBasicNodeMaterial', 'MeshStandardNodeMaterial']) {
		draw(`tsl-${name}`, () => SHAPES.plain(Object.assign(new THREE[kind](), { colorNode: make() })));
	}
	// What needs a fragment has no place in a vertex shader.
	if (['behind', 'derivative', 'discard', 'interleaved', 'screen', 'refraction', 'parallax'].includes(name)) continue;
	draw(`tsl-${name}-vertex`, () => SHAPES.plain(Object.assign(new THREE.MeshBasicNodeMaterial(), { positionNode: TSL.positionLocal.add(vec3(make()).mul(0.1)) })));
}
const extras = { 'math/Bayer': ({ bayer16 }) => bayer16(TSL.screenCoordinate), 'display/Shape': ({ circle }) => circle(), 'display/CRT': ({ barrelUV }) => barrelUV() };
for (const [path, make] of Object.entries(extras)) {
	const module = await attempt(corpus, path, () => load(path));
	if (module) draw(`tsl-${path}`, () => SHAPES.plain(Object.assign(new THREE.MeshBasicNodeMaterial(), { colorNode: make(module) })));
}

// Post-processing: a scene pass with several targets, and each effect of the collection on it.
const EFFECTS = {
	AfterImageNode: ({ afterImage }, s) => afterImage(s.color),
	BilateralBlurNode: ({ bilateralBlur }, s) => bilateralBlur(s.color),
	BleachBypass: ({ bleach }, s) => bleach(s.color),
	BloomNode: ({ bloom }, s) => s.color.add(bloom(s.color)),
	CRT: ({ vignette, colorBleeding, scanlines }, s) => vignette(scanlines(s.color), float(0.4)) ?? colorBleeding(s.color),
	ChromaticAberrationNode: ({ chromaticAberration }, s) => chromaticAberration(s.color, 1.0, vec2(0.5, 0.5)),
	DenoiseNode: ({ denoise }, s) => denoise(s.color, s.depth, s.normal, camera),
	DepthOfFieldNode: ({ dof }, s) => dof(s.color, s.viewZ, 1, 1, 1),
	DotScreenNode: ({ dotScreen }, s) => dotScreen(s.color),
	FSR1Node: ({ fsr1 }, s) => fsr1(s.color),
	FXAANode: ({ fxaa }, s) => fxaa(s.color),
	FilmNode: ({ film }, s) => film(s.color),
	GTAONode: ({ ao }, s) => ao(s.depth, s.normal, camera).mul(s.color),
	GaussianBlurNode: ({ gaussianBlur }, s) => gaussianBlur(s.color, null, 4),
	LensflareNode: ({ lensflare }, s) => lensflare(s.color),
	Lut3DNode: ({ lut3D }, s) => lut3D(s.color, TSL.texture3D(volume()), 2, float(1)),
	MotionBlur: ({ motionBlur }, s) => motionBlur(s.color, s.velocity),
	OutlineNode: ({ outline }, s) => outline(s.scene, camera, { selectedObjects: [s.scene.children[0]] }),
	PixelationPassNode: ({ pixelationPass }, s) => pixelationPass(s.scene, camera, TSL.uniform(6), TSL.uniform(0.3), TSL.uniform(0.4)),
	RGBShiftNode: ({ rgbShift }, s) => rgbShift(s.color),
	RetroPassNode: ({ retroPass }, s) => retroPass(s.scene, camera),
	SMAANode: ({ smaa }, s) => smaa(s.color),
	SSAAPassNode: ({ ssaaPass }, s) => ssaaPass(s.scene, camera),
	SSAONode: ({ ssao }, s) => ssao(s.depth, s.normal, camera).mul(s.color),
	SSGINode: ({ ssgi }, s) => ssgi(s.color, s.depth, s.normal, camera),
	SSRNode: ({ ssr }, s) => ssr(s.color, s.depth, s.normal, { metalnessNode: float(1), roughnessNode: float(0.2), camera }),
	SSSNode: ({ sss }, s) => sss(s.depth, camera, s.sun).mul(s.color),
	Sepia: ({ sepia }, s) => sepia(s.color),
	SharpenNode: ({ sharpen }, s) => sharpen(s.color),
	SobelOperatorNode: ({ sobel }, s) => sobel(s.color),
	TRAANode: ({ traa }, s) => traa(s.color, s.depth, s.velocity, camera),
	TAAUNode: ({ taau }, s) => taau(s.color, s.depth, s.velocity, camera),
	TransitionNode: ({ transition }, s) => transition(s.color, s.color, TSL.texture(texture()), float(0.5), float(0.1), int(1)),
	GodraysNode: ({ godrays }, s) => godrays(s.depth, camera, s.sun),
	AnaglyphPassNode: ({ anaglyphPass }, s) => anaglyphPass(s.scene, camera),
	ParallaxBarrierPassNode: ({ parallaxBarrierPass }, s) => parallaxBarrierPass(s.scene, camera),
	OITPassNode: ({ oitPass }, s) => oitPass(s.scene, camera),
	boxBlur: ({ boxBlur }, s) => boxBlur(s.color),
	hashBlur: ({ hashBlur }, s) => hashBlur(s.color),
	radialBlur: ({ radialBlur }, s) => radialBlur(s.color),
	lensDirt: ({ lensDirt }, s) => lensDirt(s.color, TSL.texture(texture())),
};
for (const [name, make] of Object.entries(EFFECTS)) {
	const module = await load(`display/${name}`);
	attempt(corpus, `display-${name}`, () => {
		const scene = new THREE.Scene();
		const sun = light(THREE.DirectionalLight, true);
		scene.add(SHAPES.plain(new THREE.MeshStandardNodeMaterial()), sun);
		shadowing.shadowMap.type = THREE.PCFShadowMap;
		const pass = TSL.pass(scene, camera);
		pass.setMRT(TSL.mrt({ output: TSL.output, normal: TSL.normalView, velocity: TSL.velocity }));
		const s = { scene, sun, color: pass.getTextureNode(), depth: pass.getTextureNode('depth'), normal: pass.getTextureNode('normal'), velocity: pass.getTextureNode('velocity'), viewZ: pass.getViewZNode() };
		const pipeline = new THREE.RenderPipeline(shadowing);
		pipeline.outputNode = make(module, s);
		pipeline.render();
		pipeline.render();
	});
}
corpus.write();
process.exit(0);
