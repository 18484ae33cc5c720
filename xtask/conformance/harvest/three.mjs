//! three: every material with its features in many surroundings, over the real WebGLRenderer. The add-ons are in three-addons.mjs.

import * as THREE from 'three';
import { RectAreaLightUniformsLib } from 'three/examples/jsm/lights/RectAreaLightUniformsLib.js';
import { SunLight } from 'three/examples/jsm/lights/SunLight.js';
import { attempt, Corpus, mockBrowser, mockCanvas, random } from './lib.mjs';
import { addons } from './three-addons.mjs';

const corpus = new Corpus('three');
mockBrowser(corpus);
RectAreaLightUniformsLib.init();

// Textures.

const texture = (settings = {}) => Object.assign(new THREE.DataTexture(new Uint8Array(4 * 4 * 4).fill(128), 4, 4), { needsUpdate: true }, settings);
const uv1 = (settings) => texture({ channel: 1, ...settings });
const cube = () => Object.assign(new THREE.CubeTexture(Array.from({ length: 6 }, () => texture())), { needsUpdate: true });
const refracting = () => Object.assign(cube(), { mapping: THREE.CubeRefractionMapping });
const panorama = () => texture({ mapping: THREE.EquirectangularReflectionMapping });
const gradient = () => Object.assign(new THREE.DataTexture(new Uint8Array(4), 4, 1, THREE.RedFormat), { needsUpdate: true });

// Geometries. Each is a function of the material to an object with that material.

function geometry(extra = {}) {
	const g = new THREE.PlaneGeometry(1, 1, 2, 2);
	const count = g.attributes.position.count;
	const attribute = (size) => new THREE.BufferAttribute(new Float32Array(count * size).fill(0.5), size);
	g.setAttribute('uv1', attribute(2));
	g.setAttribute('uv2', attribute(2));
	g.setAttribute('uv3', attribute(2));
	if (extra.color) g.setAttribute('color', attribute(extra.color));
	if (extra.tangent) g.setAttribute('tangent', attribute(4));
	for (const [name, targets] of Object.entries(extra.morph ?? {})) g.morphAttributes[name] = Array.from({ length: targets }, () => attribute(3));
	if (extra.skin) {
		g.setAttribute('skinIndex', new THREE.Uint16BufferAttribute(new Uint16Array(count * 4), 4));
		g.setAttribute('skinWeight', attribute(4));
	}
	if (extra.bare) g.deleteAttribute('normal');
	return g;
}

const shadowed = (object) => Object.assign(object, { castShadow: true, receiveShadow: true, frustumCulled: false });
const mesh = (extra) => (material) => shadowed(new THREE.Mesh(geometry(extra), material));

function skinned(extra) {
	return (material) => {
		const object = new THREE.SkinnedMesh(geometry({ skin: true, ...extra }), material);
		const bone = new THREE.Bone();
		object.add(bone);
		object.bind(new THREE.Skeleton([bone]));
		return shadowed(object);
	};
}

function instanced({ color, morph } = {}) {
	return (material) => {
		const object = new THREE.InstancedMesh(geometry(morph ? { morph: { position: 2 } } : {}), material, 3);
		if (color) object.setColorAt(0, new THREE.Color(1, 0, 0));
		if (morph) object.setMorphAt(0, new THREE.Mesh(object.geometry, material));
		return shadowed(object);
	};
}

function batched({ color } = {}) {
	return (material) => {
		const object = new THREE.BatchedMesh(2, 64, 128, material);
		const id = object.addInstance(object.addGeometry(geometry()));
		if (color) object.setColorAt(id, new THREE.Color(1, 0, 0));
		return shadowed(object);
	};
}

const SHAPES = {
	plain: mesh(),
	tangents: mesh({ tangent: true }),
	'no-normals': mesh({ bare: true }),
	morph: mesh({ morph: { position: 2 } }),
	'morph-normals': mesh({ morph: { position: 4, normal: 4 } }),
	'morph-colors': mesh({ color: 3, morph: { position: 3, normal: 3, color: 3 } }),
	skinned: skinned(),
	'skinned-morph': skinned({ morph: { position: 2, normal: 2 }, tangent: true }),
	instanced: instanced(),
	'instanced-colors': instanced({ color: true }),
	'instanced-morph': instanced({ color: true, morph: true }),
	batched: batched(),
	'batched-colors': batched({ color: true }),
};

// Surroundings: lights, shadows, fog, environment, clipping, output.

function light(kind, settings = {}, shadow = false) {
	const object = Object.assign(new kind(0xffffff), settings);
	object.position.set(1, 2, 3);
	if (shadow) object.castShadow = true;
	return object;
}
const sun = (shadow) => light(THREE.DirectionalLight, {}, shadow);
const bulb = (shadow) => light(THREE.PointLight, {}, shadow);
const spot = (shadow, settings) => light(THREE.SpotLight, settings, shadow);
const many = (n, make) => Array.from({ length: n }, make);
const planes = (n) => many(n, () => new THREE.Plane(new THREE.Vector3(0, 1, 0), 1));
const SHADOWS = { basic: THREE.BasicShadowMap, pcf: THREE.PCFShadowMap, vsm: THREE.VSMShadowMap };
const allLights = (shadow) => [sun(shadow), bulb(shadow), spot(shadow), light(THREE.HemisphereLight), light(THREE.RectAreaLight), new THREE.AmbientLight()];

const SURROUNDINGS = {
	dark: {},
	sun: { lights: () => [sun()] },
	bulbs: { lights: () => many(4, () => bulb()) },
	spots: { lights: () => many(2, () => spot()) },
	'spot-map': { lights: () => [spot(true, { map: texture() }), spot()], shadows: 'pcf' },
	'spot-map-only': { lights: () => [spot(false, { map: texture() })] },
	hemisphere: { lights: () => [light(THREE.HemisphereLight), new THREE.AmbientLight()] },
	area: { lights: () => many(2, () => light(THREE.RectAreaLight)) },
	probe: { lights: () => [new THREE.LightProbe()] },
	'all-lights': { lights: () => allLights(false) },
	'shadows-basic': { lights: () => allLights(true), shadows: 'basic' },
	'shadows-pcf': { lights: () => allLights(true), shadows: 'pcf' },
	'shadows-vsm': { lights: () => [sun(true), spot(true), bulb()], shadows: 'vsm' },
	'shadows-sun': { lights: () => [light(SunLight, {}, true)], shadows: 'pcf' },
	'many-shadows': { lights: () => [...many(3, () => sun(true)), ...many(2, () => bulb(true)), ...many(2, () => spot(true))], shadows: 'pcf' },
	fog: { fog: () => new THREE.Fog(0xffffff, 1, 10), lights: () => [sun()] },
	'fog-exp2': { fog: () => new THREE.FogExp2(0xffffff, 0.1), lights: () => [sun()] },
	environment: { environment: panorama },
	'environment-cube': { environment: cube, lights: () => [sun(true)], shadows: 'pcf' },
	clipped: { clip: planes(3), lights: () => [sun()] },
	'log-depth': { options: { logarithmicDepthBuffer: true }, lights: () => [sun(true)], shadows: 'pcf', fog: () => new THREE.Fog(0xffffff, 1, 10) },
	orthographic: { camera: () => new THREE.OrthographicCamera(), lights: () => [sun()] },
	'tone-linear': { tone: THREE.LinearToneMapping, lights: () => [sun()] },
	'tone-reinhard': { tone: THREE.ReinhardToneMapping, lights: () => [sun()] },
	'tone-cineon': { tone: THREE.CineonToneMapping, lights: () => [sun()] },
	'tone-aces': { tone: THREE.ACESFilmicToneMapping, lights: () => [sun()] },
	'tone-agx': { tone: THREE.AgXToneMapping, lights: () => [sun()] },
	'tone-neutral': { tone: THREE.NeutralToneMapping, lights: () => [sun()] },
	'linear-output': { output: THREE.LinearSRGBColorSpace, lights: () => [sun()] },
	mediump: { options: { precision: 'mediump' }, lights: () => [sun()] },
};

function newRenderer(options) {
	const renderer = new THREE.WebGLRenderer({ canvas: mockCanvas(corpus), ...options });
	renderer.debug.checkShaderErrors = false;
	return renderer;
}

// One renderer for each surrounding: its program cache saves the time of building the same program twice.
const renderers = new Map();

function render(name, object) {
	const around = SURROUNDINGS[name];
	if (!renderers.has(name)) renderers.set(name, newRenderer(around.options));
	const renderer = renderers.get(name);
	renderer.shadowMap.enabled = around.shadows !== undefined;
	if (around.shadows) renderer.shadowMap.type = SHADOWS[around.shadows];
	renderer.toneMapping = around.tone ?? THREE.NoToneMapping;
	renderer.outputColorSpace = around.output ?? THREE.SRGBColorSpace;
	renderer.clippingPlanes = around.clip ?? [];
	const scene = new THREE.Scene();
	for (const one of around.lights?.() ?? []) scene.add(one);
	scene.fog = around.fog?.() ?? null;
	scene.environment = around.environment?.() ?? null;
	scene.add(object);
	const camera = around.camera?.() ?? new THREE.PerspectiveCamera();
	camera.position.z = 3;
	renderer.render(scene, camera);
}

// Materials: the constructor, the features that it knows (each a set of properties), and whether it is lit.

const common = {
	map: { map: texture() },
	'map-uv1': { map: uv1() },
	alpha: { alphaMap: texture(), transparent: true },
	'alpha-test': { alphaTest: 0.5, map: texture() },
	'alpha-hash': { alphaHash: true },
	'alpha-to-coverage': { alphaToCoverage: true, alphaTest: 0.5, map: texture() },
	'vertex-colors': { vertexColors: true },
	'clip-local': { clippingPlanes: planes(2) },
	'clip-intersection': { clippingPlanes: planes(2), clipIntersection: true },
	'clip-coverage': { clippingPlanes: planes(1), alphaToCoverage: true },
	premultiplied: { premultipliedAlpha: true, transparent: true },
	dithering: { dithering: true },
	'back-side': { side: THREE.BackSide },
	'double-side': { side: THREE.DoubleSide },
	lowp: { precision: 'lowp' },
};
const surface = {
	displacement: { displacementMap: texture() },
	bump: { bumpMap: texture() },
	normal: { normalMap: texture() },
	'normal-double': { normalMap: uv1(), side: THREE.DoubleSide },
	'normal-object': { normalMap: texture(), normalMapType: THREE.ObjectSpaceNormalMap },
	'normal-packed': { normalMap: texture({ format: THREE.RGFormat }) },
	flat: { flatShading: true },
	'flat-bump': { flatShading: true, bumpMap: texture(), side: THREE.DoubleSide },
};
const { flat, 'flat-bump': flatBump, ...smooth } = surface;
const baked = { ao: { aoMap: texture({ channel: 2 }) }, 'light-map': { lightMap: uv1() } };
const glowing = { emissive: { emissiveMap: texture() } };
const reflecting = {
	'env-cube': { envMap: cube() },
	'env-refraction': { envMap: refracting(), combine: THREE.MixOperation },
	'env-panorama': { envMap: panorama() },
	'env-added': { envMap: cube(), combine: THREE.AddOperation },
};
const video = { 'video-map': { map: Object.assign(new THREE.VideoTexture(document.createElement('video')), { colorSpace: THREE.SRGBColorSpace }) } };

const MATERIALS = {
	MeshBasicMaterial: { features: { ...common, ...baked, ...reflecting, ...video, specular: { specularMap: texture(), envMap: cube() }, wireframe: { wireframe: true } } },
	MeshLambertMaterial: { lit: true, features: { ...common, ...surface, ...baked, ...glowing, ...reflecting, specular: { specularMap: texture(), envMap: cube() } } },
	MeshPhongMaterial: { lit: true, features: { ...common, ...surface, ...baked, ...glowing, ...reflecting, specular: { specularMap: texture() } } },
	MeshToonMaterial: { lit: true, features: { ...common, ...smooth, ...baked, ...glowing, gradient: { gradientMap: gradient() } } },
	MeshMatcapMaterial: { features: { ...common, ...surface, matcap: { matcap: texture() } } },
	MeshNormalMaterial: { features: { ...surface, 'clip-local': common['clip-local'], transparent: { transparent: true } } },
	MeshDepthMaterial: {
		features: { map: common.map, alpha: common.alpha, 'alpha-test': common['alpha-test'], displacement: surface.displacement, rgba: { depthPacking: THREE.RGBADepthPacking }, rgb: { depthPacking: THREE.RGBDepthPacking }, rg: { depthPacking: THREE.RGDepthPacking } },
	},
	ShadowMaterial: { lit: true, features: { 'clip-local': common['clip-local'] } },
	MeshStandardMaterial: {
		lit: true,
		features: {
			...common,
			...surface,
			...baked,
			...glowing,
			'env-panorama': reflecting['env-panorama'],
			'env-cube': reflecting['env-cube'],
			roughness: { roughnessMap: texture() },
			metalness: { metalnessMap: texture() },
		},
	},
	MeshPhysicalMaterial: {
		lit: true,
		features: {
			...common,
			...surface,
			...baked,
			...glowing,
			'env-panorama': reflecting['env-panorama'],
			roughness: { roughnessMap: texture(), metalnessMap: texture() },
			clearcoat: { clearcoat: 1 },
			'clearcoat-map': { clearcoat: 1, clearcoatMap: texture() },
			'clearcoat-roughness': { clearcoat: 1, clearcoatRoughnessMap: texture() },
			'clearcoat-normal': { clearcoat: 1, clearcoatNormalMap: texture() },
			'diffuse-roughness': { diffuseRoughness: 0.5, diffuseRoughnessMap: texture() },
			retroreflection: { retroreflectivity: 0.5 },
			sheen: { sheen: 1 },
			'sheen-maps': { sheen: 1, sheenColorMap: texture(), sheenRoughnessMap: texture() },
			iridescence: { iridescence: 1 },
			'iridescence-maps': { iridescence: 1, iridescenceMap: texture(), iridescenceThicknessMap: texture() },
			anisotropy: { anisotropy: 1 },
			'anisotropy-map': { anisotropy: 1, anisotropyMap: texture() },
			transmission: { transmission: 1 },
			'transmission-maps': { transmission: 1, transmissionMap: texture(), thicknessMap: texture(), thickness: 1 },
			dispersion: { transmission: 1, dispersion: 1, thickness: 1, side: THREE.DoubleSide },
			'specular-maps': { specularColorMap: texture(), specularIntensityMap: texture() },
		},
	},
};

// What is drawn as something other than a mesh.
const lines = (material) => {
	const object = new THREE.LineSegments(geometry({ color: 3 }).toNonIndexed(), material);
	return material.isLineDashedMaterial ? object.computeLineDistances() : object;
};
const points = (material) => new THREE.Points(geometry({ color: 4 }), material);
const OTHERS = {
	LineBasicMaterial: { shape: lines, features: { map: common.map, 'vertex-colors': common['vertex-colors'], 'clip-local': common['clip-local'] } },
	LineDashedMaterial: { shape: lines, features: { 'vertex-colors': common['vertex-colors'], premultiplied: common.premultiplied } },
	PointsMaterial: {
		shape: points,
		features: { map: common.map, alpha: common.alpha, 'alpha-test': common['alpha-test'], 'vertex-colors': common['vertex-colors'], 'no-attenuation': { sizeAttenuation: false }, 'clip-local': common['clip-local'] },
	},
	SpriteMaterial: {
		shape: (material) => new THREE.Sprite(material),
		features: { map: common.map, alpha: common.alpha, 'alpha-test': common['alpha-test'], 'no-attenuation': { sizeAttenuation: false }, rotated: { rotation: 1, map: texture() } },
	},
};

const show = (label, name, shape, properties, around) => attempt(corpus, label, () => render(around, shape(new THREE[name](properties))));
const colorful = (properties) => (properties.vertexColors ? mesh({ color: 3 }) : SHAPES.plain);
const merged = (material, names) => Object.assign({}, ...names.map((name) => material.features[name]));

const dice = random(2022);
const pick = (list, n) => {
	const chosen = new Set();
	while (chosen.size < Math.min(n, list.length)) chosen.add(list[dice(list.length)]);
	return [...chosen];
};

for (const [name, material] of Object.entries(MATERIALS)) {
	const short = name.replace(/^Mesh|Material$/g, '').toLowerCase();
	const features = Object.keys(material.features);
	const home = material.lit ? 'all-lights' : 'dark';
	// The bare material in every surrounding and on every shape.
	const around = material.lit ? Object.keys(SURROUNDINGS) : ['dark', 'fog', 'fog-exp2', 'clipped', 'log-depth', 'orthographic', 'tone-aces', 'environment', 'linear-output'];
	for (const where of around) show(`${short}-in-${where}`, name, SHAPES.plain, {}, where);
	for (const [shape, build] of Object.entries(SHAPES)) {
		show(`${short}-${shape}`, name, build, {}, material.lit ? 'shadows-pcf' : 'dark');
	}
	// Each feature alone, then in company, on some shape, somewhere.
	for (const feature of features) {
		show(`${short}-${feature}`, name, colorful(material.features[feature]), material.features[feature], home);
	}
	for (let i = 0; i < features.length * 0.5; i++) {
		const names = pick(features, 2 + dice(4));
		const [shape] = pick(Object.keys(SHAPES), 1);
		const [where] = pick(around, 1);
		show(`${short}-${names.join('-')}-${shape}`, name, SHAPES[shape], merged(material, names), where);
	}
}

for (const [name, { shape, features }] of Object.entries(OTHERS)) {
	const short = name.replace(/Material$/, '').toLowerCase();
	for (const where of ['dark', 'fog', 'fog-exp2', 'log-depth', 'clipped', 'tone-agx']) show(`${short}-in-${where}`, name, shape, {}, where);
	for (const [feature, properties] of Object.entries(features)) show(`${short}-${feature}`, name, shape, properties, 'dark');
	show(`${short}-everything`, name, shape, Object.assign({}, ...Object.values(features)), 'fog');
}

// What the shadow passes draw with, on every shape.
for (const [shape, build] of Object.entries(SHAPES)) {
	for (const feature of ['map', 'alpha', 'alpha-test', 'clip-local']) {
		const { clippingPlanes, ...rest } = common[feature];
		const properties = clippingPlanes ? { clippingPlanes, clipShadows: true } : rest;
		const draw = (material) => Object.assign(build(material), { customDistanceMaterial: new THREE.MeshDistanceMaterial(properties), customDepthMaterial: new THREE.MeshDepthMaterial(properties) });
		show(`shadow-pass-${feature}-${shape}`, 'MeshLambertMaterial', draw, properties, 'shadows-basic');
	}
}

// Backgrounds, environments of each kind, cube targets, read-backs.

const renderer = newRenderer();
const camera = new THREE.PerspectiveCamera();
for (const [label, background] of Object.entries({ texture: texture(), cube: cube(), refraction: refracting(), panorama: panorama() })) {
	for (const blur of [0, 0.5]) {
		attempt(corpus, `background-${label}`, () => {
			const scene = Object.assign(new THREE.Scene(), { background, backgroundBlurriness: blur });
			renderer.render(scene, camera);
		});
	}
}
attempt(corpus, 'pmrem', () => {
	const pmrem = new THREE.PMREMGenerator(renderer);
	const scene = new THREE.Scene();
	scene.add(new THREE.Mesh(new THREE.BoxGeometry(), new THREE.MeshBasicMaterial()));
	pmrem.fromScene(scene, 0.04);
	pmrem.fromEquirectangular(panorama());
	pmrem.fromCubemap(cube());
});
attempt(corpus, 'cube-from-panorama', () => new THREE.WebGLCubeRenderTarget(64).fromEquirectangularTexture(renderer, panorama()));
attempt(corpus, 'cube-camera', () => {
	const scene = new THREE.Scene();
	scene.add(new THREE.Mesh(geometry(), new THREE.MeshStandardMaterial({ envMap: panorama() })));
	new THREE.CubeCamera(0.1, 10, new THREE.WebGLCubeRenderTarget(64)).update(renderer, scene);
});

await addons({ corpus, newRenderer, texture, cube, panorama, geometry, mesh, light });
corpus.write();
