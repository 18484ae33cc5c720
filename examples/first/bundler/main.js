// Draws `sun.frag` on WebGPU.
import { code, reflection } from './sun.frag?wgsl';

const corners = `@vertex fn main(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(vec2f(f32(i & 1), f32(i >> 1)) * 4 - 1, 0, 1);
}`;
const device = await (await navigator.gpu.requestAdapter()).requestDevice();
const context = document.querySelector('canvas').getContext('webgpu');
const format = navigator.gpu.getPreferredCanvasFormat();
context.configure({ device, format });
const [vertex, fragment] = [corners, code].map((code) => ({ module: device.createShaderModule({ code }) }));
const pipeline = device.createRenderPipeline({ layout: 'auto', vertex, fragment: { ...fragment, targets: [{ format }] } });
const { group, binding, size, members } = reflection.uniforms;
const buffer = device.createBuffer({ size, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
device.queue.writeBuffer(buffer, members.find(({ name }) => name === 'sky').offset, new Float32Array([0.2, 0.4, 0.8]));
const layout = pipeline.getBindGroupLayout(group);
const view = context.getCurrentTexture().createView();
const encoder = device.createCommandEncoder();
const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
pass.setPipeline(pipeline);
pass.setBindGroup(group, device.createBindGroup({ layout, entries: [{ binding, resource: { buffer } }] }));
pass.draw(3);
pass.end();
device.queue.submit([encoder.finish()]);
