//! three's add-ons: the shader collection, post-processing passes, objects, helpers and effects that carry shaders of their own.

import { readdirSync } from 'node:fs';
import * as THREE from 'three';
import { attempt } from './lib.mjs';

const ROOT = new URL('../node_modules/three/examples/jsm/', import.meta.url);
const load = (path) => import(`three/examples/jsm/${path}.js`);

/** Renders every add-on into `corpus`. `kit` holds the builders of three.mjs. */
export async function addons(kit) {
	const { corpus, newRenderer } = kit;
	const renderer = newRenderer();
	renderer.shadowMap.enabled = true;
	const camera = new THREE.PerspectiveCamera();
	camera.position.z = 3;
	const scene = () => {
		const s = new THREE.Scene();
		const box = new THREE.Mesh(new THREE.BoxGeometry(), new THREE.MeshStandardMaterial({ map: kit.texture() }));
		box.castShadow = box.receiveShadow = true;
		s.add(box, kit.light(THREE.DirectionalLight, {}, true));
		return s;
	};
	const draw = (object) => renderer.render(scene().add(object), camera);
	const full = { ...kit, renderer, camera, scene, draw };
	await shaderCollection(full);
	await passes(full);
	await objects(full);
	await helpers(full);
	await effects(full);
	await patched(full);
	attempt(corpus, 'done', () => renderer.dispose());
}

async function shaderCollection({ corpus, draw }) {
	for (const file of readdirSync(new URL('shaders/', ROOT)).sort()) {
		const module = await load(`shaders/${file.replace('.js', '')}`);
		for (const [name, shader] of Object.entries(module)) {
			if (!shader?.fragmentShader) continue;
			attempt(corpus, `shaders-${name}`, () => {
				const { uniforms = {}, defines = {}, vertexShader, fragmentShader, glslVersion } = shader;
				const material = new THREE.ShaderMaterial({ uniforms: THREE.UniformsUtils.clone(uniforms), defines: { ...defines }, vertexShader, fragmentShader, glslVersion: glslVersion ?? null });
				draw(new THREE.Mesh(new THREE.PlaneGeometry(), material));
			});
		}
	}
}

async function passes({ corpus, renderer, camera, scene, texture, cube }) {
	const { EffectComposer } = await load('postprocessing/EffectComposer');
	const size = new THREE.Vector2(256, 256);
	const lut = Object.assign(new THREE.Data3DTexture(new Uint8Array(32), 2, 2, 2), { needsUpdate: true });
	const background = (s) => [camera, cube(), 0.5];
	// How each pass is built, where its constructor wants more than a scene and a camera.
	const build = {
		BloomPass: () => [1, 25, 4],
		BokehPass: (s) => [s, camera, { focus: 1, aperture: 0.025, maxblur: 0.01 }],
		CubeTexturePass: background,
		DotScreenPass: () => [],
		AfterimagePass: () => [],
		FXAAPass: () => [],
		FilmPass: () => [],
		GlitchPass: () => [],
		HalftonePass: () => [{}],
		LUTPass: () => [{ lut, intensity: 1 }],
		OutlinePass: (s) => [size, s, camera, [s.children[0]]],
		OutputPass: () => [],
		RenderPixelatedPass: (s) => [6, s, camera],
		RenderTransitionPass: (s) => [s, camera, scene(), camera],
		SMAAPass: () => [],
		SSRPass: (s) => [{ renderer, scene: s, camera, selects: [s.children[0]], bouncing: true }],
		SavePass: () => [],
		TexturePass: () => [texture()],
		UnrealBloomPass: () => [size, 1.5, 0.4, 0.85],
	};
	for (const file of readdirSync(new URL('postprocessing/', ROOT)).sort()) {
		const name = file.replace('.js', '');
		if (['EffectComposer', 'Pass', 'ShaderPass', 'ClearPass', 'MaskPass'].includes(name)) continue;
		const { [name]: Pass } = await load(`postprocessing/${name}`);
		const variants = VARIANTS[name] ?? [() => {}];
		variants.forEach((change) =>
			attempt(corpus, `pass-${name}`, () => {
				const s = scene();
				const pass = new Pass(...(build[name]?.(s) ?? [s, camera]));
				change(pass, renderer);
				const composer = new EffectComposer(renderer);
				composer.addPass(pass);
				composer.render(0.1);
				composer.render(0.1);
				renderer.toneMapping = THREE.NoToneMapping;
			}),
		);
	}
}

const tone = (mapping) => (_, renderer) => (renderer.toneMapping = mapping);
const output = (value) => (pass) => (pass.output = value);
/** Settings under which a pass compiles other shaders. */
const VARIANTS = {
	OutputPass: [THREE.NoToneMapping, THREE.LinearToneMapping, THREE.ReinhardToneMapping, THREE.CineonToneMapping, THREE.ACESFilmicToneMapping, THREE.AgXToneMapping, THREE.NeutralToneMapping].map(tone),
	GTAOPass: [0, 1, 2, 3, 4, 5, -1].map(output),
	SSAOPass: [0, 1, 2, 3, 4].map(output),
	SAOPass: [0, 1, 2].map(output),
	SSRPass: [
		(pass) => (pass.distanceAttenuation = true),
		(pass) => (pass.distanceAttenuation = false),
		(pass) => (pass.fresnel = false),
		(pass) => (pass.infiniteThick = true),
		(pass) => (pass.blur = false),
		(pass) => (pass.bouncing = false),
	],
	OutlinePass: [() => {}, (pass) => (pass.usePatternTexture = true), (pass) => (pass.edgeGlow = 1)],
};

async function objects({ corpus, draw, texture, cube, camera, renderer, scene }) {
	const plane = () => new THREE.PlaneGeometry(10, 10);
	const make = {
		'objects/Sky': ({ Sky }) => new Sky(),
		'objects/Water': ({ Water }) => new Water(plane(), { waterNormals: texture(), fog: true }),
		'objects/Water2': ({ Water }) => new Water(plane(), { normalMap0: texture(), normalMap1: texture() }),
		'objects/Water2 flow map': ({ Water }) => new Water(plane(), { normalMap0: texture(), normalMap1: texture(), flowMap: texture() }),
		'objects/Reflector': ({ Reflector }) => new Reflector(plane()),
		'objects/ReflectorForSSRPass': ({ ReflectorForSSRPass }) => new ReflectorForSSRPass(plane()),
		'objects/Refractor': ({ Refractor }) => new Refractor(plane()),
		'objects/GroundedSkybox': ({ GroundedSkybox }) => new GroundedSkybox(texture(), 15, 100),
		'objects/Lensflare': ({ Lensflare, LensflareElement }) => {
			const flare = new Lensflare();
			flare.addElement(new LensflareElement(texture(), 512, 0));
			return flare;
		},
		'objects/ShadowMesh': ({ ShadowMesh }) => new ShadowMesh(new THREE.Mesh(plane(), new THREE.MeshBasicMaterial())),
		'lines/Line2': ({ Line2 }, { LineGeometry }, { LineMaterial }) => line(Line2, LineGeometry, LineMaterial, {}),
	};
	for (const [label, build] of Object.entries(make)) {
		const path = label.split(' ')[0];
		const modules = path === 'lines/Line2' ? [await load(path), await load('lines/LineGeometry'), await load('lines/LineMaterial')] : [await load(path)];
		attempt(corpus, label, () => draw(build(...modules)));
	}
	const [{ Line2 }, { LineGeometry }, { LineMaterial }] = [await load('lines/Line2'), await load('lines/LineGeometry'), await load('lines/LineMaterial')];
	const settings = { dashed: { dashed: true, dashSize: 1, gapSize: 1 }, world: { worldUnits: true }, 'world-dashed': { worldUnits: true, dashed: true }, coverage: { alphaToCoverage: true }, 'world-coverage': { worldUnits: true, alphaToCoverage: true, vertexColors: true } };
	for (const [label, properties] of Object.entries(settings)) attempt(corpus, `line2-${label}`, () => draw(line(Line2, LineGeometry, LineMaterial, properties)));
	const { LDrawConditionalLineMaterial } = await load('materials/LDrawConditionalLineMaterial');
	attempt(corpus, 'ldraw-conditional-line', () => draw(new THREE.LineSegments(plane(), new LDrawConditionalLineMaterial())));
	const { InstancedFlow, Flow } = await load('modifiers/CurveModifier');
	const curve = new THREE.CatmullRomCurve3([new THREE.Vector3(), new THREE.Vector3(1, 0, 0), new THREE.Vector3(1, 1, 0)]);
	for (const kind of ['MeshStandardMaterial', 'MeshBasicMaterial', 'MeshPhongMaterial']) {
		attempt(corpus, `flow-${kind}`, () => {
			const flow = new Flow(new THREE.Mesh(plane(), new THREE[kind]()));
			flow.updateCurve(0, curve);
			draw(flow.object3D);
		});
		attempt(corpus, `instanced-flow-${kind}`, () => {
			const flow = new InstancedFlow(2, 1, plane(), new THREE[kind]());
			flow.updateCurve(0, curve);
			draw(flow.object3D);
		});
	}
	void [cube, camera, renderer, scene];
}

function line(Line2, LineGeometry, LineMaterial, properties) {
	const shape = new LineGeometry();
	shape.setPositions([0, 0, 0, 1, 1, 1, 2, 0, 0]);
	shape.setColors([1, 0, 0, 0, 1, 0, 0, 0, 1]);
	return new Line2(shape, new LineMaterial({ linewidth: 2, ...properties })).computeLineDistances();
}

async function helpers({ corpus, draw, texture, cube, renderer, scene, camera, light }) {
	const { LightProbeHelper } = await load('helpers/LightProbeHelper');
	attempt(corpus, 'light-probe-helper', () => draw(new LightProbeHelper(new THREE.LightProbe())));
	const { TextureHelper } = await load('helpers/TextureHelper');
	const array = Object.assign(new THREE.DataArrayTexture(new Uint8Array(32), 2, 2, 2), { needsUpdate: true });
	const volume = Object.assign(new THREE.Data3DTexture(new Uint8Array(32), 2, 2, 2), { needsUpdate: true });
	for (const [label, one] of Object.entries({ plain: texture(), cube: cube(), array, volume })) attempt(corpus, `texture-helper-${label}`, () => draw(new TextureHelper(one)));
	const { LightProbeGridWebGL } = await load('lighting/LightProbeGridWebGL');
	const { LightProbeGridHelperWebGL: LightProbeGridHelper } = await load('helpers/LightProbeGridHelperWebGL');
	attempt(corpus, 'light-probe-grid', () => {
		const grid = new LightProbeGridWebGL(2, 2, 2);
		const s = scene();
		grid.bake(renderer, s);
		s.add(grid, new LightProbeGridHelper(grid));
		for (const kind of ['MeshLambertMaterial', 'MeshPhongMaterial', 'MeshPhysicalMaterial', 'MeshToonMaterial']) s.add(new THREE.Mesh(new THREE.BoxGeometry(), new THREE[kind]()));
		renderer.render(s, camera);
	});
	const { ShadowMapViewer } = await load('utils/ShadowMapViewer');
	attempt(corpus, 'shadow-map-viewer', () => {
		const lamp = light(THREE.DirectionalLight, {}, true);
		renderer.render(scene().add(lamp), camera);
		new ShadowMapViewer(lamp).render(renderer);
	});
	const { ProgressiveLightMap } = await load('misc/ProgressiveLightMap');
	attempt(corpus, 'progressive-light-map', () => {
		const s = scene();
		const map = new ProgressiveLightMap(renderer, 64);
		map.addObjectsToLightMap(s.children.slice());
		map.update(camera);
		map.update(camera);
	});
	const { GPUComputationRenderer } = await load('misc/GPUComputationRenderer');
	attempt(corpus, 'gpu-computation', () => {
		const gpu = new GPUComputationRenderer(16, 16, renderer);
		const state = gpu.createTexture();
		const shader = 'void main() { vec2 uv = gl_FragCoord.xy / resolution.xy; gl_FragColor = texture2D(heights, uv) * 0.5; }';
		const variable = gpu.addVariable('heights', shader, state);
		gpu.setVariableDependencies(variable, [variable]);
		gpu.init();
		gpu.compute();
	});
	const { decompress } = await load('utils/WebGLTextureUtils');
	attempt(corpus, 'decompress', () => decompress(texture(), 64, renderer));
}

async function effects({ corpus, renderer, scene, camera }) {
	for (const name of ['AnaglyphEffect', 'ParallaxBarrierEffect', 'OutlineEffect', 'StereoEffect']) {
		const { [name]: Effect } = await load(`effects/${name}`);
		attempt(corpus, `effect-${name}`, () => {
			const s = scene();
			for (const kind of ['MeshBasicMaterial', 'MeshLambertMaterial', 'MeshPhongMaterial', 'MeshToonMaterial']) s.add(new THREE.Mesh(new THREE.BoxGeometry(), new THREE[kind]()));
			new Effect(renderer).render(s, camera);
		});
	}
}

/** Cascaded shadow maps patch the chunks and the materials that they are told of, so they come last. */
async function patched({ corpus, newRenderer, scene, camera }) {
	const { CSM } = await load('csm/CSM');
	const renderer = newRenderer();
	renderer.shadowMap.enabled = true;
	for (const fade of [false, true]) {
		for (const cascades of [2, 4]) {
			for (const kind of ['MeshPhongMaterial', 'MeshStandardMaterial', 'MeshLambertMaterial', 'MeshToonMaterial']) {
				attempt(corpus, `csm-${cascades}-${fade ? 'fade-' : ''}${kind}`, () => {
					const s = new THREE.Scene();
					const csm = new CSM({ camera, parent: s, cascades, lightDirection: new THREE.Vector3(1, -1, 1) });
					csm.fade = fade;
					const material = new THREE[kind]();
					csm.setupMaterial(material);
					const box = new THREE.Mesh(new THREE.BoxGeometry(), material);
					box.receiveShadow = box.castShadow = true;
					s.add(box);
					csm.update();
					renderer.render(s, camera);
				});
			}
		}
	}
}
