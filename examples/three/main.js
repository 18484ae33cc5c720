// One scene, drawn by both renderers: the materials are those of the library, in GLSL and in WGSL.
import * as THREE from 'three';
import { WebGPURenderer } from 'three/webgpu';
import { LIBRARY } from './library.js';
import { ShaderNodeMaterial } from './material.js';

const SIZE = 200;

function scene(material) {
    const scene = new THREE.Scene();
    scene.background = new THREE.Color(0x223344);
    const add = (name, geometry, place) => {
        const mesh = new THREE.Mesh(geometry, material(LIBRARY[name]));
        place(mesh);
        scene.add(mesh);
    };
    add('ripple', new THREE.PlaneGeometry(4, 4, 48, 48), (mesh) => (mesh.position.y = -0.9, mesh.rotation.x = -1.2));
    add('rim', new THREE.SphereGeometry(0.6, 48, 24), (mesh) => (mesh.position.set(-0.75, 0.3, 0), mesh.rotation.y = 0.5));
    add('dissolve', new THREE.TorusGeometry(0.45, 0.2, 32, 64), (mesh) => (mesh.position.set(0.75, 0.3, 0), mesh.rotation.set(0.6, 0.4, 0)));
    return scene;
}

async function draw(renderer, material) {
    const camera = new THREE.PerspectiveCamera(50, 1, 0.1, 20);
    camera.position.set(0, 0.4, 3);
    camera.lookAt(0, 0, 0);
    renderer.setPixelRatio(1);
    renderer.setSize(SIZE, SIZE);
    document.body.append(renderer.domElement);
    await renderer.init?.();
    renderer.render(scene(material), camera);
    // Pixels of a canvas are there until the next task.
    const copy = new OffscreenCanvas(SIZE, SIZE).getContext('2d');
    copy.drawImage(renderer.domElement, 0, 0);
    return copy.getImageData(0, 0, SIZE, SIZE).data;
}

const report = (what, body) => fetch(`/report?${what}`, { method: 'POST', body }).catch(() => {});
try {
    const webgl = ({ glsl, uniforms }) => new THREE.ShaderMaterial({ ...glsl, uniforms: uniforms() });
    const webgpu = ({ stages, uniforms }) => new ShaderNodeMaterial({ stages, uniforms: uniforms() });
    await report('webgl', await draw(new THREE.WebGLRenderer({ antialias: false }), webgl));
    await report('webgpu', await draw(new WebGPURenderer({ antialias: false }), webgpu));
} catch (error) {
    await report('error', `${error}\n${error.stack}`);
}
