//! postprocessing: every effect and pass, alone and merged into one shader as its EffectPass does, over three's real WebGLRenderer.

import * as THREE from 'three';
import * as PP from 'postprocessing';
import { attempt, Corpus, mockBrowser, mockCanvas, random } from './lib.mjs';

const corpus = new Corpus('postprocessing');
mockBrowser(corpus);

const texture = () => Object.assign(new THREE.DataTexture(new Uint8Array(64), 4, 4), { needsUpdate: true });
const camera = new THREE.PerspectiveCamera();
const scene = new THREE.Scene();
const box = new THREE.Mesh(new THREE.BoxGeometry(), new THREE.MeshBasicMaterial());
scene.add(box);
const sun = new THREE.Mesh(new THREE.SphereGeometry(), new THREE.MeshBasicMaterial({ transparent: true, depthWrite: false }));
const lights = [sun];
const normals = () => new THREE.Texture();
const cubeLut = (size) => PP.LookupTexture.createNeutral(size);

function newRenderer(options) {
	const renderer = new THREE.WebGLRenderer({ canvas: mockCanvas(corpus), antialias: false, ...options });
	renderer.debug.checkShaderErrors = false;
	return renderer;
}
const renderers = { plain: newRenderer(), 'log-depth': newRenderer({ logarithmicDepthBuffer: true }) };
const orthographic = new THREE.OrthographicCamera();

/** Renders passes through a composer; twice, since some materials change after the first frame. */
function compose(passes, { renderer = renderers.plain, settings = {} } = {}) {
	const composer = new PP.EffectComposer(renderer, settings);
	composer.addPass(new PP.RenderPass(scene, camera));
	for (const pass of passes) composer.addPass(pass);
	composer.setSize(256, 256, false);
	composer.render(0.016);
	composer.render(0.016);
}
const apply = (label, ...effects) => attempt(corpus, label, () => compose([new PP.EffectPass(camera, ...effects.map((make) => make()))]));
const values = (enumeration) => Object.entries(enumeration);

// Every effect with its usual settings, and the settings that change its shader.
const EFFECTS = {
	ascii: () => new PP.ASCIIEffect({ asciiTexture: new PP.ASCIITexture() }),
	bloom: () => new PP.BloomEffect({ mipmapBlur: false }),
	'bloom-mipmap': () => new PP.BloomEffect({ mipmapBlur: true, luminanceThreshold: 0.4 }),
	bokeh: () => new PP.BokehEffect(),
	brightness: () => new PP.BrightnessContrastEffect({ brightness: 0.1 }),
	aberration: () => new PP.ChromaticAberrationEffect(),
	'aberration-radial': () => new PP.ChromaticAberrationEffect({ radialModulation: true }),
	'color-average': () => new PP.ColorAverageEffect(),
	'color-depth': () => new PP.ColorDepthEffect({ bits: 8 }),
	depth: () => new PP.DepthEffect({ inverted: true }),
	'depth-of-field': () => new PP.DepthOfFieldEffect(camera, { focusDistance: 0.1 }),
	dots: () => new PP.DotScreenEffect(),
	fxaa: () => new PP.FXAAEffect(),
	gamma: () => new PP.GammaCorrectionEffect(),
	glitch: () => new PP.GlitchEffect({ perturbationMap: new PP.NoiseTexture(64, 64) }),
	'god-rays': () => new PP.GodRaysEffect(camera, sun, {}),
	grid: () => new PP.GridEffect(),
	hue: () => new PP.HueSaturationEffect(),
	lens: () => new PP.LensDistortionEffect(),
	'lut-1d': () => new PP.LUT1DEffect(texture()),
	'lut-3d': () => new PP.LUT3DEffect(cubeLut(8)),
	'lut-3d-tetrahedral': () => new PP.LUT3DEffect(cubeLut(8), { tetrahedralInterpolation: true }),
	'lut-3d-linear': () => new PP.LUT3DEffect(cubeLut(8), { inputColorSpace: THREE.LinearSRGBColorSpace }),
	noise: () => new PP.NoiseEffect(),
	'noise-premultiplied': () => new PP.NoiseEffect({ premultiply: true }),
	outline: () => Object.assign(new PP.OutlineEffect(scene, camera), { selection: new PP.Selection([box]) }),
	'outline-xray': () => new PP.OutlineEffect(scene, camera, { xRay: false, patternTexture: texture() }),
	pixelation: () => new PP.PixelationEffect(8),
	scanline: () => new PP.ScanlineEffect(),
	'scanline-scroll': () => new PP.ScanlineEffect({ scrollSpeed: 0.1 }),
	'selective-bloom': () => new PP.SelectiveBloomEffect(scene, camera, { mipmapBlur: true }),
	sepia: () => new PP.SepiaEffect(),
	'shock-wave': () => new PP.ShockWaveEffect(camera, new THREE.Vector3()),
	ssao: () => new PP.SSAOEffect(camera, normals(), { worldDistanceThreshold: 20, worldDistanceFalloff: 5, worldProximityThreshold: 0.4, worldProximityFalloff: 0.1 }),
	'ssao-depth-aware': () => new PP.SSAOEffect(camera, normals(), { normalDepthBuffer: texture(), depthAwareUpsampling: true, distanceScaling: false, worldDistanceThreshold: 20, worldDistanceFalloff: 5, worldProximityThreshold: 0.4, worldProximityFalloff: 0.1 }),
	texture: () => new PP.TextureEffect({ texture: texture() }),
	'texture-uv': () => Object.assign(new PP.TextureEffect({ texture: texture() }), { aspectCorrection: true }),
	'tilt-shift': () => new PP.TiltShiftEffect(),
	'realistic-bokeh': () => new PP.RealisticBokehEffect({ focus: 1 }),
	'realistic-bokeh-manual': () => new PP.RealisticBokehEffect({ focus: 1, rings: 5, samples: 4, showFocus: true, manualDoF: true, pentagon: true }),
	vignette: () => new PP.VignetteEffect(),
	'vignette-eskil': () => new PP.VignetteEffect({ technique: PP.VignetteTechnique.ESKIL }),
	...Object.fromEntries(values(PP.ToneMappingMode).map(([name, mode]) => [`tone-${name}`, () => new PP.ToneMappingEffect({ mode })])),
	...Object.fromEntries(values(PP.SMAAPreset).flatMap(([preset, value]) => values(PP.EdgeDetectionMode).map(([edges, mode]) => [`smaa-${preset}-${edges}`, () => new PP.SMAAEffect({ preset: value, edgeDetectionMode: mode })]))),
	...Object.fromEntries(values(PP.PredicationMode).map(([name, predicationMode]) => [`smaa-predication-${name}`, () => new PP.SMAAEffect({ predicationMode, edgeDetectionMode: PP.EdgeDetectionMode.COLOR })])),
	...Object.fromEntries(values(PP.KernelSize).map(([name, kernelSize]) => [`god-rays-blur-${name}`, () => new PP.GodRaysEffect(camera, lights[0], { kernelSize, samples: 30 + 10 * kernelSize })])),
};
for (const [name, make] of Object.entries(EFFECTS)) apply(name, make);

// Each effect under other cameras and depth buffers, where its shader reads the depth.
for (const [name, make] of Object.entries(EFFECTS)) {
	attempt(corpus, `${name}-orthographic`, () => compose([new PP.EffectPass(orthographic, make())]));
}
for (const name of ['depth', 'depth-of-field', 'ssao', 'realistic-bokeh', 'bloom']) {
	attempt(corpus, `${name}-log-depth`, () => compose([new PP.EffectPass(camera, EFFECTS[name]())], { renderer: renderers['log-depth'] }));
}

// Every blend function, and several effects merged into one pass.
for (const [name, blendFunction] of values(PP.BlendFunction)) {
	apply(`blend-${name}`, () => Object.assign(new PP.SepiaEffect({ blendFunction })), () => new PP.NoiseEffect({ blendFunction }));
}
const dice = random(6);
const convolving = (effect) => (effect.getAttributes() & PP.EffectAttribute.CONVOLUTION) !== 0;
const mergeable = Object.keys(EFFECTS).filter((name) => attempt(corpus, name, () => !convolving(EFFECTS[name]())) === true);
for (let i = 0; i < 40; i++) {
	// One of a kind: two tone mappings would declare the same uniform.
	const names = [...new Map(Array.from({ length: 2 + dice(4) }, () => mergeable[dice(mergeable.length)]).map((name) => [name.split('-')[0], name])).values()];
	apply(`merged-${names.join('-')}`, ...names.map((name) => EFFECTS[name]));
}

// Passes and materials that effects are made of.
const PASSES = {
	blur: () => new PP.BlurPass(),
	...Object.fromEntries(values(PP.KernelSize).map(([name, kernelSize]) => [`kawase-${name}`, () => new PP.KawaseBlurPass({ kernelSize })])),
	...Object.fromEntries([3, 9, 15, 35, 63].map((kernelSize) => [`gaussian-${kernelSize}`, () => new PP.GaussianBlurPass({ kernelSize })])),
	'box-blur': () => new PP.BoxBlurPass({ kernelSize: 5 }),
	'box-blur-bilateral': () => new PP.BoxBlurPass({ kernelSize: 7, bilateral: true }),
	'mipmap-blur': () => new PP.MipmapBlurPass(),
	'tilt-shift-blur': () => new PP.TiltShiftBlurPass(),
	copy: () => new PP.CopyPass(),
	'depth-copy': () => new PP.DepthCopyPass(),
	'depth-copy-rgba': () => new PP.DepthCopyPass({ depthPacking: THREE.RGBADepthPacking }),
	'depth-picking': () => new PP.DepthPickingPass(),
	'depth-downsampling': () => new PP.DepthDownsamplingPass({ normalBuffer: texture() }),
	'depth-downsampling-plain': () => new PP.DepthDownsamplingPass(),
	depth: () => new PP.DepthPass(scene, camera),
	luminance: () => new PP.LuminancePass(),
	'luminance-color': () => new PP.LuminancePass({ colorOutput: true, luminanceRange: new THREE.Vector2(0.2, 0.8) }),
	'adaptive-luminance': () => new PP.AdaptiveLuminancePass(texture(), { minLuminance: 0.1 }),
	normal: () => new PP.NormalPass(scene, camera),
	mask: () => new PP.MaskPass(scene, camera),
	...Object.fromEntries(values(PP.MaskFunction).map(([name, maskFunction]) => [`mask-${name}`, () => new PP.ShaderPass(Object.assign(new PP.MaskMaterial(texture()), { maskFunction }))])),
	'edge-detection-depth': () => new PP.ShaderPass(new PP.EdgeDetectionMaterial(new THREE.Vector2(), PP.EdgeDetectionMode.DEPTH)),
	...Object.fromEntries(values(PP.DepthTestStrategy).map(([name, depthMode]) => [`depth-mask-${name}`, () => new PP.ShaderPass(Object.assign(new PP.DepthMaskMaterial(), { keepFar: name !== 'DISCARD_MAX_DEPTH', maxDepthStrategy: depthMode }))])),
	...Object.fromEntries([0, 1, 2, 3].map((mode) => [`circle-of-confusion-${mode}`, () => new PP.ShaderPass(new PP.CircleOfConfusionMaterial(mode % 2 ? camera : orthographic))])),
	'bokeh-fill': () => new PP.ShaderPass(new PP.BokehMaterial(true, true)),
	'bokeh-background': () => new PP.ShaderPass(new PP.BokehMaterial(false, false)),
	'god-rays': () => new PP.ShaderPass(new PP.GodRaysMaterial(new THREE.Vector2())),
	outline: () => new PP.ShaderPass(new PP.OutlineMaterial(new THREE.Vector2())),
	'depth-comparison': () => new PP.ShaderPass(new PP.DepthComparisonMaterial(texture(), camera)),
	'depth-comparison-orthographic': () => new PP.ShaderPass(new PP.DepthComparisonMaterial(texture(), orthographic)),
	downsampling: () => new PP.ShaderPass(new PP.DownsamplingMaterial()),
	upsampling: () => new PP.ShaderPass(new PP.UpsamplingMaterial()),
	ssao: () => new PP.ShaderPass(new PP.SSAOMaterial(camera)),
};
for (const [name, make] of Object.entries(PASSES)) attempt(corpus, `pass-${name}`, () => compose([make()]));

// Half-float and high-precision buffers, and several samples, change the defines of some passes.
for (const [label, settings] of Object.entries({ half: { frameBufferType: THREE.HalfFloatType }, samples: { multisampling: 4, frameBufferType: THREE.HalfFloatType } })) {
	attempt(corpus, `composer-${label}`, () => compose([new PP.EffectPass(camera, EFFECTS.bloom(), EFFECTS.vignette()), new PP.EffectPass(camera, EFFECTS['bloom-mipmap'](), EFFECTS['tone-AGX']?.() ?? EFFECTS.sepia()), PASSES['depth-copy']()], { settings }));
}

corpus.write();
