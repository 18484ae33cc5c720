// A library of materials for WebGLRenderer: uniforms, and vertex and fragment shaders in GLSL as `ShaderMaterial` takes them. What is new is that
// they are imported once more, as WGSL.
import { Color, DataTexture, LinearFilter, RepeatWrapping } from 'three';
import dissolveFragment from './shaders/dissolve.frag?raw';
import dissolveVertex from './shaders/dissolve.vert?raw';
import dissolve from './shaders/dissolve.frag?wgsl&with=./dissolve.vert';
import rimFragment from './shaders/rim.frag?raw';
import rimVertex from './shaders/rim.vert?raw';
import rim from './shaders/rim.frag?wgsl&with=./rim.vert';
import rippleFragment from './shaders/ripple.frag?raw';
import rippleVertex from './shaders/ripple.vert?raw';
import ripple from './shaders/ripple.frag?wgsl&with=./ripple.vert';

function checkers(size = 16) {
    const at = (x, y) => ((x ^ y) & 2 ? [230, 180, 90, 255] : [60, 40 + 8 * y, 110, 255]);
    const texels = Array.from({ length: size * size }, (_, i) => at(i % size, Math.floor(i / size)));
    const texture = new DataTexture(new Uint8Array(texels.flat()), size, size);
    texture.magFilter = texture.minFilter = LinearFilter;
    texture.wrapS = texture.wrapT = RepeatWrapping;
    texture.needsUpdate = true;
    return texture;
}

export const LIBRARY = {
    ripple: {
        glsl: { vertexShader: rippleVertex, fragmentShader: rippleFragment },
        stages: ripple.stages,
        uniforms: () => ({ time: { value: 1 }, amplitude: { value: 0.08 }, low: { value: new Color(0x003355) }, high: { value: new Color(0x99ddff) } }),
    },
    rim: {
        glsl: { vertexShader: rimVertex, fragmentShader: rimFragment },
        stages: rim.stages,
        uniforms: () => ({ map: { value: checkers() }, rim: { value: new Color(0xff5522) }, power: { value: 2.5 } }),
    },
    dissolve: {
        glsl: { vertexShader: dissolveVertex, fragmentShader: dissolveFragment },
        stages: dissolve.stages,
        uniforms: () => ({
            color: { value: new Color(0x4477aa) }, ember: { value: new Color(0xffaa22) }, threshold: { value: 0.4 }, octaves: { value: 3 }, glows: { value: true },
        }),
    },
};
