//! @cesium/engine: a real Scene over the mock context; every shader program that anything in it asks the cache for. Models are in cesium-models.mjs.

import { attempt, Corpus, mockBrowser, mockCanvas, random } from './lib.mjs';
import { models } from './cesium-models.mjs';

const corpus = new Corpus('cesium');
mockBrowser(corpus);
const C = await import('@cesium/engine');
const source = (path) => import(`../node_modules/@cesium/engine/Source/${path}.js`);
const { default: ShaderCache } = await source('Renderer/ShaderCache');

// Programs link when they are first drawn; link them when they are asked for, whatever then happens to the frame.
for (const method of ['getShaderProgram', 'getDerivedShaderProgram', 'createDerivedShaderProgram', 'replaceDerivedShaderProgram']) {
	const original = ShaderCache.prototype[method];
	if (!original) continue;
	ShaderCache.prototype[method] = function (...args) {
		const program = original.apply(this, args);
		if (program) void program.allUniforms;
		return program;
	};
}
// Pictures arrive at once, and are blank.
C.Resource._Implementations.createImage = (request, crossOrigin, deferred) => deferred.resolve(Object.assign(mockCanvas(corpus), { width: 4, height: 4 }));
C.Resource._Implementations.loadImageElement = C.Resource._Implementations.createImage;
C.FeatureDetection.supportsWebP._result = false;
C.RequestScheduler.throttleRequests = false;
// It asks for a real document before it offers `sanitize`.
(await import('dompurify')).default.sanitize ??= (html) => html;

const time = C.JulianDate.fromIso8601('2024-06-01T12:00:00Z');
function newScene(options = {}, contextOptions = {}) {
	const scene = new C.Scene({ canvas: mockCanvas(corpus, contextOptions.requestWebgl1 ? 1 : 2), contextOptions, ...options });
	scene.rethrowRenderErrors = true;
	scene.camera.setView({ destination: C.Cartesian3.fromDegrees(0, 0, 1000000) });
	return scene;
}
const SCENES = {
	plain: newScene(),
	flat: newScene({ mapMode2D: C.MapMode2D.ROTATE }),
	'no-log-depth': newScene({ orderIndependentTranslucency: false }),
	shadows: newScene({ shadows: true }),
	webgl1: newScene({}, { requestWebgl1: true }),
};
SCENES['no-log-depth'].logarithmicDepthBuffer = false;
SCENES.flat.morphTo2D(0);
SCENES.shadows.highDynamicRange = true;
const pause = () => new Promise((resolve) => setImmediate(resolve));

/** Draws one thing for a few frames in a scene, and picks it. */
async function draw(label, make, { where = ['plain'], frames = 3 } = {}) {
	for (const name of where) {
		const scene = SCENES[name];
		await attempt(corpus, `${label}-${name}`, async () => {
			const thing = scene.primitives.add(await make(scene));
			try {
				for (let i = 0; i < frames; i++) {
					scene.render(time);
					await pause();
				}
				if (name === 'plain') scene.pick(new C.Cartesian2(128, 128));
			} finally {
				scene.primitives.remove(thing);
			}
		});
	}
}

// Geometry with each appearance and material.
const instance = (geometry, attributes = {}) => new C.GeometryInstance({ geometry, attributes });
const red = () => C.ColorGeometryInstanceAttribute.fromColor(C.Color.RED.withAlpha(0.5));
const opaque = () => C.ColorGeometryInstanceAttribute.fromColor(C.Color.RED);
const rectangle = (vertexFormat) => new C.RectangleGeometry({ rectangle: C.Rectangle.fromDegrees(-5, -5, 5, 5), vertexFormat, height: 1000 });
const line = (options) => new C.PolylineGeometry({ positions: C.Cartesian3.fromDegreesArray([0, 0, 5, 0, 5, 5]), width: 10, ...options });
const primitive = (instances, appearance, options = {}) => new C.Primitive({ geometryInstances: instances, appearance, asynchronous: false, ...options });
const everywhere = { where: Object.keys(SCENES) };

await attempt(corpus, 'empty', async () => {
	for (const [name, scene] of Object.entries(SCENES)) {
		corpus.label = `scene-${name}`;
		for (let i = 0; i < 3; i++) scene.render(time);
		await pause();
	}
});

const types = Object.keys(C.Material._materialCache._materials).sort();
for (const type of types) {
	const material = () => C.Material.fromType(type);
	if (type.startsWith('Polyline') || ['Color', 'Fade', 'Stripe', 'Image'].includes(type)) {
		await draw(`polyline-${type}`, () => primitive(instance(line({ vertexFormat: C.PolylineMaterialAppearance.VERTEX_FORMAT })), new C.PolylineMaterialAppearance({ material: material() })));
		await draw(`polylines-${type}`, () => {
			const lines = new C.PolylineCollection();
			lines.add({ positions: C.Cartesian3.fromDegreesArray([0, 0, 5, 0, 5, 5]), width: 5, material: material() });
			return lines;
		}, type === 'Color' ? everywhere : {});
		if (type.startsWith('Polyline')) continue;
	}
	const supports = ['BASIC', 'TEXTURED', 'ALL'];
	for (const support of supports) {
		const { [support]: materialSupport } = C.MaterialAppearance.MaterialSupport;
		await draw(`material-${type}-${support}`, () => primitive(instance(rectangle(materialSupport.vertexFormat)), new C.MaterialAppearance({ material: material(), materialSupport, faceForward: support === 'BASIC', translucent: support !== 'ALL' })), support === 'ALL' && ['Water', 'NormalMap', 'Grid'].includes(type) ? everywhere : {});
	}
	await draw(`surface-${type}`, () => primitive(instance(rectangle(C.EllipsoidSurfaceAppearance.VERTEX_FORMAT)), new C.EllipsoidSurfaceAppearance({ material: material(), aboveGround: true })));
	await draw(`ellipsoid-${type}`, () => new C.EllipsoidPrimitive({ center: C.Cartesian3.fromDegrees(0, 0, 1000), radii: new C.Cartesian3(500000, 500000, 500000), material: material() }), type === 'Color' ? everywhere : {});
	await draw(`viewport-${type}`, () => new C.ViewportQuad(new C.BoundingRectangle(0, 0, 20, 20), material()));
}

for (const flat of [false, true]) {
	for (const translucent of [false, true]) {
		const label = `instance-color${flat ? '-flat' : ''}${translucent ? '-translucent' : ''}`;
		await draw(label, () => primitive(instance(rectangle(flat ? C.PerInstanceColorAppearance.FLAT_VERTEX_FORMAT : C.PerInstanceColorAppearance.VERTEX_FORMAT), { color: translucent ? red() : opaque() }), new C.PerInstanceColorAppearance({ flat, translucent, closed: !translucent }), { shadows: C.ShadowMode.ENABLED, compressVertices: !flat }), everywhere);
	}
}
await draw('instance-conditions', () => primitive(instance(rectangle(C.PerInstanceColorAppearance.VERTEX_FORMAT), { color: opaque(), show: new C.ShowGeometryInstanceAttribute(true), distanceDisplayCondition: new C.DistanceDisplayConditionGeometryInstanceAttribute(1, 1e9) }), new C.PerInstanceColorAppearance({ faceForward: true })), everywhere);
await draw('polyline-color', () => primitive(instance(line({ vertexFormat: C.PolylineColorAppearance.VERTEX_FORMAT, colors: [C.Color.RED, C.Color.BLUE, C.Color.LIME] })), new C.PolylineColorAppearance()), everywhere);
for (const name of ['normal', 'tangent', 'bitangent', 'st']) {
	await draw(`debug-${name}`, () => primitive(instance(rectangle(C.VertexFormat.ALL)), new C.DebugAppearance({ attributeName: name })));
}
await draw('depth-fail', () => primitive(instance(rectangle(C.PerInstanceColorAppearance.VERTEX_FORMAT), { color: opaque(), depthFailColor: red() }), new C.PerInstanceColorAppearance(), { depthFailAppearance: new C.PerInstanceColorAppearance({ translucent: true }) }));
await draw('classification', () => new C.ClassificationPrimitive({ asynchronous: false, geometryInstances: instance(C.BoxGeometry.fromDimensions({ dimensions: new C.Cartesian3(1e5, 1e5, 1e5), vertexFormat: C.PerInstanceColorAppearance.VERTEX_FORMAT }), { color: red(), show: new C.ShowGeometryInstanceAttribute(true) }) }), { where: ['plain', 'flat'] });

// Collections.
const near = new C.NearFarScalar(1, 0.5, 1e7, 1);
const BILLBOARDS = { plain: {}, scaled: { scaleByDistance: near }, faded: { translucencyByDistance: near }, offset: { pixelOffset: new C.Cartesian2(3, 4), pixelOffsetScaleByDistance: near }, conditioned: { distanceDisplayCondition: new C.DistanceDisplayCondition(1, 1e7), disableDepthTestDistance: 1e5 }, aligned: { alignedAxis: C.Cartesian3.UNIT_Z, rotation: 1, sizeInMeters: true } };
for (const [name, options] of Object.entries(BILLBOARDS)) {
	for (const blendOption of [C.BlendOption.OPAQUE, C.BlendOption.TRANSLUCENT, C.BlendOption.OPAQUE_AND_TRANSLUCENT]) {
		await draw(`billboards-${name}-${blendOption}`, (scene) => {
			const all = new C.BillboardCollection({ scene, blendOption });
			all.add({ position: C.Cartesian3.fromDegrees(0, 0), image: Object.assign(mockCanvas(corpus), { width: 4, height: 4 }), ...options });
			return all;
		}, { frames: 4, ...(name === 'plain' ? everywhere : {}) });
	}
	await draw(`points-${name}`, () => {
		const all = new C.PointPrimitiveCollection();
		const { alignedAxis, rotation, sizeInMeters, pixelOffset, pixelOffsetScaleByDistance, ...rest } = options;
		all.add({ position: C.Cartesian3.fromDegrees(0, 0), ...rest });
		return all;
	}, everywhere);
}
await draw('clouds', () => {
	const clouds = new C.CloudCollection({ noiseDetail: 16 });
	clouds.add({ position: C.Cartesian3.fromDegrees(0, 0, 1000), scale: new C.Cartesian2(20, 12), slice: 0.3 });
	return clouds;
}, { where: ['plain', 'webgl1'] });
await draw('clouds-debug', () => {
	const clouds = new C.CloudCollection({ debugBillboards: true, debugEllipsoids: true });
	clouds.add({ position: C.Cartesian3.fromDegrees(0, 0, 1000) });
	return clouds;
});

// Sky, post-processing, shadows.
for (const [name, scene] of Object.entries(SCENES)) {
	for (const [what, change] of Object.entries({
		sky: () => Object.assign(scene, { skyAtmosphere: new C.SkyAtmosphere(), sun: new C.Sun(), moon: new C.Moon() }),
		'sky-per-fragment': () => Object.assign(scene.skyAtmosphere, { perFragmentAtmosphere: true, hueShift: 0.1 }),
		'sky-box': () => (scene.skyBox = new C.SkyBox({ sources: Object.fromEntries(['positiveX', 'negativeX', 'positiveY', 'negativeY', 'positiveZ', 'negativeZ'].map((side) => [side, Object.assign(mockCanvas(corpus), { width: 4, height: 4 })])) })),
		'ambient-occlusion': () => (scene.postProcessStages.ambientOcclusion.enabled = true),
		bloom: () => (scene.postProcessStages.bloom.enabled = true),
		fxaa: () => (scene.postProcessStages.fxaa.enabled = true),
		hdr: () => (scene.highDynamicRange = true),
		translucent: () => (scene.fog.enabled = true),
	})) {
		await attempt(corpus, `${what}-${name}`, async () => {
			change();
			for (let i = 0; i < 3; i++) {
				scene.render(time);
				await pause();
			}
		});
	}
}
for (const mapper of ['REINHARD', 'MODIFIED_REINHARD', 'FILMIC', 'ACES', 'PBR_NEUTRAL']) {
	await attempt(corpus, `tonemapper-${mapper}`, () => {
		SCENES.plain.postProcessStages.tonemapper = C.Tonemapper[mapper];
		SCENES.plain.render(time);
	});
}
for (const name of Object.keys(C.PostProcessStageLibrary).filter((key) => /^create.*(?<!AmbientOcclusion|Bloom|FXAA|PbrNeutralTonemapping|AutoExposure)Stage$/.test(key)).sort()) {
	for (const where of ['plain', 'webgl1']) {
		await attempt(corpus, `stage-${name}-${where}`, async () => {
			const { postProcessStages } = SCENES[where];
			const stage = postProcessStages.add(name === 'createSilhouetteStage' ? C.PostProcessStageLibrary[name]() : C.PostProcessStageLibrary[name](true));
			SCENES[where].render(time);
			await pause();
			SCENES[where].render(time);
			postProcessStages.remove(stage);
		});
	}
}

await globe();
await models({ C, draw, pause, SCENES });
corpus.write();
process.exit(0);

/** The globe's surface shaders, through the set that builds them tile by tile. */
async function globe() {
	const [{ default: GlobeSurfaceShaderSet }, { default: TerrainEncoding }, { default: ShaderSource }] = [await source('Scene/GlobeSurfaceShaderSet'), await source('Core/TerrainEncoding'), await source('Renderer/ShaderSource')];
	const [{ default: GlobeVS }, { default: GlobeFS }, { default: AtmosphereCommon }, { default: GroundAtmosphere }] = [await source('Shaders/GlobeVS'), await source('Shaders/GlobeFS'), await source('Shaders/AtmosphereCommon'), await source('Shaders/GroundAtmosphere')];
	const flags = [
		'applyBrightness', 'applyContrast', 'applyHue', 'applySaturation', 'applyGamma', 'applyAlpha', 'applyDayNightAlpha', 'applySplit', 'hasWaterMask', 'showReflectiveOcean', 'showOceanWaves', 'enableLighting', 'dynamicAtmosphereLighting',
		'dynamicAtmosphereLightingFromSun', 'showGroundAtmosphere', 'perFragmentGroundAtmosphere', 'hasVertexNormals', 'useWebMercatorProjection', 'enableFog', 'clippedByBoundaries', 'hasImageryLayerCutout', 'colorCorrect', 'highlightFillTile',
		'colorToAlpha', 'hasGeodeticSurfaceNormals', 'hasExaggeration', 'showUndergroundColor', 'translucent',
	];
	const dice = random(11);
	const build = (label, where, chosen, textures, quantized, material) =>
		attempt(corpus, `globe-${label}`, () => {
			const { context, frameState, mode } = SCENES[where];
			const set = new GlobeSurfaceShaderSet();
			set.baseVertexShaderSource = new ShaderSource({ sources: [AtmosphereCommon, GroundAtmosphere, GlobeVS] });
			set.baseFragmentShaderSource = new ShaderSource({ sources: [AtmosphereCommon, GroundAtmosphere, GlobeFS] });
			if (material) {
				set.material = C.Material.fromType(material);
				set.baseFragmentShaderSource = new ShaderSource({ sources: [AtmosphereCommon, GroundAtmosphere, set.material.shaderSource, GlobeFS] });
			}
			const corner = new C.Cartesian3(1, 1, 1);
			const box = new C.AxisAlignedBoundingBox(C.Cartesian3.ZERO, quantized ? corner : new C.Cartesian3(1e6, 1e6, 1e6));
			const encoding = new TerrainEncoding(C.Cartesian3.ZERO, box, 0, 100, C.Matrix4.IDENTITY, chosen.includes('hasVertexNormals'), true, chosen.includes('hasGeodeticSurfaceNormals'), 1, 0);
			set.getShaderProgram({ frameState: { ...frameState, context, mode }, surfaceTile: { renderedMesh: { encoding } }, numberOfDayTextures: textures, ...Object.fromEntries(chosen.map((flag) => [flag, true])) });
		});
	for (const textures of [0, 1, 2, 4, 8]) build(`textures-${textures}`, 'plain', [], textures, false);
	for (const flag of flags) build(flag, 'plain', [flag, 'enableLighting'], 2, true);
	for (const where of ['plain', 'flat', 'no-log-depth', 'webgl1']) for (let i = 0; i < 6; i++) build(`mix-${i}-${where}`, where, flags.filter(() => dice(3) === 0), 1 + dice(4), dice(2) === 0);
	for (const material of types.filter((type) => /^(Elevation|Slope|Aspect|Color|Water)/.test(type))) build(`material-${material}`, 'plain', ['hasVertexNormals', 'showGroundAtmosphere'], 1, false, material);
}
