// Draws the sky, and reports its pixels; once more when the shader has been replaced.
import { stages } from './sky.frag?wgsl&with=./sky.vert';

const SIZE = 64;

async function draw({ vertex, fragment }) {
    const adapter = await navigator.gpu.requestAdapter();
    const device = await adapter.requestDevice();
    const { uniforms } = fragment.reflection;
    const values = new Float32Array(uniforms.size / 4);
    const set = (name, value) => values.set(value, uniforms.members.find((member) => member.name === name).offset / 4);
    set('time', [1.5]);
    set('zenith', [0.2, 0.4, 0.8]);
    const buffer = device.createBuffer({ size: values.byteLength, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(buffer, 0, values);
    const corners = new Float32Array([-1, -1, 3, -1, -1, 3]);
    const vertices = device.createBuffer({ size: corners.byteLength, usage: GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(vertices, 0, corners);
    const [{ location }] = vertex.reflection.inputs;
    const pipeline = device.createRenderPipeline({
        layout: 'auto',
        vertex: {
            module: device.createShaderModule({ code: vertex.code }),
            buffers: [{ arrayStride: 8, attributes: [{ shaderLocation: location, offset: 0, format: 'float32x2' }] }],
        },
        fragment: { module: device.createShaderModule({ code: fragment.code }), targets: [{ format: 'rgba8unorm' }] },
    });
    const target = device.createTexture({ size: [SIZE, SIZE], format: 'rgba8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(uniforms.group, device.createBindGroup({
        layout: pipeline.getBindGroupLayout(uniforms.group),
        entries: [{ binding: uniforms.binding, resource: { buffer } }],
    }));
    pass.setVertexBuffer(0, vertices);
    pass.draw(3);
    pass.end();
    const read = device.createBuffer({ size: SIZE * SIZE * 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    encoder.copyTextureToBuffer({ texture: target }, { buffer: read, bytesPerRow: SIZE * 4 }, [SIZE, SIZE]);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    return new Uint8Array(read.getMappedRange());
}

const report = (what, body) => fetch(`/report?${what}`, { method: 'POST', body });
const show = (stages) => draw(stages).then((pixels) => report('pixels', pixels), (error) => report('error', String(error)));

// Also of a page that is loaded again, which would pass for a replacement.
await report('loaded', String(performance.timeOrigin));
await show(stages);
import.meta.hot?.accept('./sky.frag?wgsl&with=./sky.vert', (next) => show(next.stages));
