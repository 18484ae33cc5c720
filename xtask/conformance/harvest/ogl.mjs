//! ogl: the programs of its extras over a mock WebGL 2 and WebGL 1 context, the GLTF program under each set of defines.

import * as OGL from 'ogl';
import { attempt, Corpus, mockBrowser, mockCanvas } from './lib.mjs';

const corpus = new Corpus('ogl');
mockBrowser(corpus);

for (const webgl of [2, 1]) {
	const renderer = new OGL.Renderer({ canvas: mockCanvas(corpus, webgl), webgl });
	const { gl } = renderer;
	const camera = new OGL.Camera(gl);
	const box = () => new OGL.Box(gl);
	const mesh = () => new OGL.Mesh(gl, { geometry: box(), program: new OGL.NormalProgram(gl) });
	const draw = (scene) => renderer.render({ scene, camera });
	const make = {
		'normal-program': () => draw(mesh()),
		flowmap: () => new OGL.Flowmap(gl).update(),
		post: () => {
			const post = new OGL.Post(gl);
			post.addPass();
			post.addPass({ fragment: 'precision highp float;\nuniform sampler2D tMap;\nvarying vec2 vUv;\nvoid main() {\n\tgl_FragColor = texture2D(tMap, vUv).bgra;\n}' });
			post.render({ scene: mesh(), camera });
		},
		polyline: () => draw(new OGL.Polyline(gl, { points: [new OGL.Vec3(0, 0, 0), new OGL.Vec3(1, 0, 0), new OGL.Vec3(1, 1, 0)], uniforms: { uColor: { value: new OGL.Color('#fff') } } }).mesh),
		'polyline-screen': () => draw(new OGL.Polyline(gl, { points: [new OGL.Vec3(0, 0, 0), new OGL.Vec3(1, 0, 0)], uniforms: { uThickness: { value: 20 }, uMiter: { value: 0.5 } } }).mesh),
		shadow: () => {
			const shadow = new OGL.Shadow(gl, {});
			const caster = mesh();
			shadow.add({ mesh: caster });
			shadow.render({ scene: caster });
		},
		wire: () => draw(new OGL.WireMesh(gl, { geometry: box() })),
		gpgpu: () => {
			const gpgpu = new OGL.GPGPU(gl, {});
			gpgpu.addPass();
			gpgpu.render();
		},
		axes: () => draw(new OGL.AxesHelper(gl)),
		grid: () => draw(new OGL.GridHelper(gl)),
		'face-normals': () => draw(new OGL.FaceNormalsHelper(mesh())),
		'vertex-normals': () => draw(new OGL.VertexNormalsHelper(mesh())),
	};
	for (const [label, action] of Object.entries(make)) attempt(corpus, `${label}-webgl${webgl}`, action);
}
corpus.write();
