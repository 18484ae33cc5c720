//! cesium's models: glTF made here, over every attribute, material extension and option that changes the pipeline's shaders.

import { random } from './lib.mjs';

const FLOAT = 5126;
const UBYTE = 5121;
const USHORT = 5123;
const TYPES = { 1: 'SCALAR', 2: 'VEC2', 3: 'VEC3', 4: 'VEC4', 16: 'MAT4' };

/** A glTF with one primitive of three vertices; attributes and textures all read the same small buffers. */
function gltf({ attributes = ['POSITION', 'NORMAL'], material = {}, extensions = [], mode = 4, skin = false, targets = 0, instances = false }) {
	const accessors = [];
	const floats = new Float32Array(48).map((_, i) => (i % 5) / 4);
	const buffers = [data(floats), data(new Uint8Array(64)), data(new Float32Array(16).map((_, i) => (i % 5 === 0 ? 1 : 0)))];
	const accessor = (size, componentType = FLOAT, view = 0, count = 3) => accessors.push({ bufferView: view, componentType, count, type: TYPES[size], min: Array(size).fill(0), max: Array(size).fill(1) }) - 1;
	const SIZES = { POSITION: [3], NORMAL: [3], TANGENT: [4], TEXCOORD: [2], COLOR: [4], JOINTS: [4, USHORT, 1], WEIGHTS: [4], _FEATURE_ID: [1], _TEMPERATURE: [1] };
	const list = [...attributes, ...(skin ? ['JOINTS_0', 'WEIGHTS_0'] : [])];
	const primitive = { attributes: Object.fromEntries(list.map((name) => [name, accessor(...SIZES[name.replace(/_\d$/, '')])])), material: 0, mode };
	if (targets) primitive.targets = Array.from({ length: targets }, () => ({ POSITION: accessor(3), NORMAL: accessor(3) }));
	const node = { mesh: 0, ...(skin ? { skin: 0 } : {}) };
	const used = Object.keys(material.extensions ?? {});
	if (instances) node.extensions = { EXT_mesh_gpu_instancing: { attributes: { TRANSLATION: accessor(3), ...(instances === 'all' ? { ROTATION: accessor(4), SCALE: accessor(3) } : {}) } } };
	return {
		asset: { version: '2.0' },
		extensionsUsed: [...new Set([...used, ...extensions, ...(instances ? ['EXT_mesh_gpu_instancing'] : [])])],
		scene: 0,
		scenes: [{ nodes: skin ? [0, 1] : [0] }],
		nodes: [node, ...(skin ? [{ name: 'joint' }] : [])],
		meshes: [{ primitives: [primitive], ...(targets ? { weights: Array(targets).fill(0.5) } : {}) }],
		...(skin ? { skins: [{ joints: [1], inverseBindMatrices: accessor(16, FLOAT, 2, 1) }] } : {}),
		materials: [material],
		textures: [{ source: 0 }],
		images: [{ uri: 'data:image/png;base64,iVBORw0KGgo=' }],
		accessors,
		bufferViews: buffers.map((buffer, i) => ({ buffer: i, byteLength: buffer.byteLength })),
		buffers,
	};
}

function data(array) {
	const bytes = Buffer.from(array.buffer);
	return { byteLength: bytes.length, uri: `data:application/octet-stream;base64,${bytes.toString('base64')}` };
}

const t = (extra = {}) => ({ index: 0, ...extra });
const moved = { extensions: { KHR_texture_transform: { offset: [0.1, 0.2], rotation: 1, scale: [2, 2] } } };
const MATERIALS = {
	plain: {},
	textured: { pbrMetallicRoughness: { baseColorTexture: t(), metallicRoughnessTexture: t() }, normalTexture: t(), occlusionTexture: t(), emissiveTexture: t(), emissiveFactor: [1, 1, 1] },
	transformed: { pbrMetallicRoughness: { baseColorTexture: t(moved), metallicRoughnessTexture: t({ texCoord: 1, ...moved }) }, normalTexture: t(moved), emissiveTexture: t(moved), emissiveFactor: [1, 1, 1] },
	masked: { alphaMode: 'MASK', alphaCutoff: 0.3, pbrMetallicRoughness: { baseColorTexture: t(), baseColorFactor: [1, 1, 1, 0.5] } },
	blended: { alphaMode: 'BLEND', doubleSided: true, pbrMetallicRoughness: { baseColorFactor: [1, 0, 0, 0.5], metallicFactor: 0.3, roughnessFactor: 0.2 } },
	unlit: { extensions: { KHR_materials_unlit: {} }, pbrMetallicRoughness: { baseColorTexture: t() } },
	specular: { extensions: { KHR_materials_specular: { specularFactor: 0.5, specularTexture: t(), specularColorTexture: t(), specularColorFactor: [1, 0, 0] } } },
	glossy: { extensions: { KHR_materials_pbrSpecularGlossiness: { diffuseTexture: t(), specularGlossinessTexture: t(), glossinessFactor: 0.5, diffuseFactor: [1, 0, 0, 1], specularFactor: [0.1, 0.2, 0.3] } } },
	anisotropic: { extensions: { KHR_materials_anisotropy: { anisotropyStrength: 0.6, anisotropyRotation: 1, anisotropyTexture: t() } } },
	clearcoat: { extensions: { KHR_materials_clearcoat: { clearcoatFactor: 1, clearcoatRoughnessFactor: 0.1, clearcoatTexture: t(), clearcoatRoughnessTexture: t(), clearcoatNormalTexture: t() } } },
};
const FULL = ['POSITION', 'NORMAL', 'TANGENT', 'TEXCOORD_0', 'TEXCOORD_1', 'COLOR_0'];
const SHAPES = {
	plain: {},
	bare: { attributes: ['POSITION'] },
	full: { attributes: FULL },
	featured: { attributes: ['POSITION', 'NORMAL', '_FEATURE_ID_0'] },
	points: { attributes: ['POSITION', 'COLOR_0'], mode: 0 },
	lines: { attributes: ['POSITION', 'COLOR_0'], mode: 1 },
	skinned: { attributes: ['POSITION', 'NORMAL', 'TEXCOORD_0'], skin: true },
	morphing: { attributes: ['POSITION', 'NORMAL', 'TEXCOORD_0'], targets: 3 },
	instanced: { instances: 'some' },
	'instanced-all': { attributes: FULL, instances: 'all' },
};

/** Draws every model into the corpus, with the tools of cesium.mjs. */
export async function models({ C, draw, pause, SCENES }) {
	const shown = async (label, shape, material, options = {}, where = ['plain']) => {
		await draw(`model-${label}`, async (scene) => {
			const { change, ...rest } = options;
			const model = await C.Model.fromGltfAsync({ gltf: gltf({ attributes: FULL, ...shape, material }), scene, asynchronous: false, incrementallyLoadTextures: false, upAxis: C.Axis.Y, modelMatrix: C.Transforms.eastNorthUpToFixedFrame(C.Cartesian3.fromDegrees(0, 0, 1000)), ...(typeof rest.make === 'function' ? rest.make(scene) : rest) });
			await pause();
			change?.(model, scene);
			return model;
		}, { where, frames: 8 });
	};
	const all = Object.keys(SCENES);
	for (const [name, material] of Object.entries(MATERIALS)) await shown(name, {}, material, {}, ['plain', 'shadows', 'webgl1', 'flat']);
	for (const [name, shape] of Object.entries(SHAPES)) {
		await shown(name, shape, MATERIALS.plain, {}, all);
		if (shape.attributes?.includes('TEXCOORD_0')) await shown(`${name}-textured`, shape, MATERIALS.textured);
	}

	const planes = () => new C.ClippingPlaneCollection({ planes: [new C.ClippingPlane(C.Cartesian3.UNIT_X, 0), new C.ClippingPlane(C.Cartesian3.UNIT_Y, 0)], edgeWidth: 2, unionClippingRegions: true });
	const code = (text, extra = {}) => new C.CustomShader({ fragmentShaderText: text, ...extra });
	const OPTIONS = {
		color: { color: C.Color.RED.withAlpha(0.5), colorBlendMode: C.ColorBlendMode.MIX, colorBlendAmount: 0.3 },
		silhouette: { silhouetteColor: C.Color.LIME, silhouetteSize: 4 },
		clipped: { make: () => ({ clippingPlanes: planes() }) },
		split: { splitDirection: C.SplitDirection.LEFT },
		culled: { backFaceCulling: false },
		outlined: { showOutline: true, outlineColor: C.Color.BLUE },
		lit: { lightColor: new C.Cartesian3(1, 0.5, 0.5) },
		'no-shadows': { shadows: C.ShadowMode.DISABLED },
		'harmonics': { make: () => ({ imageBasedLighting: new C.ImageBasedLighting({ sphericalHarmonicCoefficients: Array.from({ length: 9 }, () => new C.Cartesian3(0.1, 0.1, 0.1)), imageBasedLightingFactor: new C.Cartesian2(0.5, 0.5) }) }) },
		'no-environment': { make: () => ({ imageBasedLighting: new C.ImageBasedLighting({ imageBasedLightingFactor: C.Cartesian2.ZERO }) }) },
		attenuated: { pointCloudShading: new C.PointCloudShading({ attenuation: true, eyeDomeLighting: true }) },
		'custom-modify': { customShader: code('void fragmentMain(FragmentInput fsInput, inout czm_modelMaterial material) {\n\tmaterial.diffuse = fsInput.attributes.normalEC * 0.5 + 0.5;\n}') },
		'custom-replace': { customShader: code('void fragmentMain(FragmentInput fsInput, inout czm_modelMaterial material) {\n\tmaterial.diffuse = vec3(fsInput.attributes.texCoord_0, u_amount);\n\tmaterial.alpha = 0.5;\n}', { mode: C.CustomShaderMode.REPLACE_MATERIAL, lightingModel: C.LightingModel.UNLIT, translucencyMode: C.CustomShaderTranslucencyMode.TRANSLUCENT, uniforms: { u_amount: { type: C.UniformType.FLOAT, value: 0.5 } } }) },
		'custom-vertex': { customShader: code('void fragmentMain(FragmentInput fsInput, inout czm_modelMaterial material) {\n\tmaterial.specular = vec3(v_height);\n\tmaterial.roughness = 0.2;\n}', { vertexShaderText: 'void vertexMain(VertexInput vsInput, inout czm_modelVertexOutput vsOutput) {\n\tv_height = vsInput.attributes.positionMC.z;\n\tvsOutput.positionMC += 0.1 * vsInput.attributes.normalMC;\n}', varyings: { v_height: C.VaryingType.FLOAT }, lightingModel: C.LightingModel.PBR }) },
	};
	for (const [name, options] of Object.entries(OPTIONS)) {
		const { make, ...plain } = options;
		await shown(name, name === 'attenuated' ? { mode: 0 } : {}, MATERIALS.textured, make ? { make } : plain, ['plain', 'shadows']);
	}

	// Styles and several things at once.
	const style = new C.Cesium3DTileStyle({ color: "color('red', 0.5)", show: 'true', pointSize: '${POSITION}[0] > 0.5 ? 5.0 : 3.0' });
	await shown('styled', SHAPES.featured, MATERIALS.plain, { change: (model) => void (model.style = style) });
	await shown('styled-points', SHAPES.points, MATERIALS.plain, { change: (model) => (model.style = new C.Cesium3DTileStyle({ color: '${COLOR} * vec4(1.0, 0.5, 0.5, 1.0)', pointSize: '4.0', show: '${POSITION}[1] >= 0.0' })) });
	const dice = random(7);
	const pick = (table) => Object.keys(table)[dice(Object.keys(table).length)];
	for (let i = 0; i < 24; i++) {
		const [shape, material, option] = [pick(SHAPES), pick(MATERIALS), pick(OPTIONS)];
		const { make, ...plain } = OPTIONS[option];
		const attributes = [...new Set([...(SHAPES[shape].attributes ?? []), ...FULL])];
		await shown(`${shape}-${material}-${option}`, { ...SHAPES[shape], attributes }, MATERIALS[material], make ? { make } : plain, [all[dice(all.length)]]);
	}
}
