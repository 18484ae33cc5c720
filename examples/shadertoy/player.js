// Plays the passes of a document of Shadertoy by WebGPU.

/** Draws the screen from three vertices. */
const VERTEX = `@vertex fn main(@builtin(vertex_index) at: u32) -> @builtin(position) vec4f {
    return vec4f(f32(at & 1) * 4.0 - 1.0, f32(at >> 1) * 4.0 - 1.0, 0.0, 1.0);
}`;

/**
 * A function that draws a frame with these values of uniforms. Textures other than buffers are given by the file that the document names; without
 * one, a channel is black.
 */
export function player(device, context, format, { passes }, textures = {}) {
    const { width, height } = context.canvas;
    const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING;
    // (Shadertoy's have 32 bits; a device filters those by a feature of its own.)
    const buffers = passes.filter(({ name }) => name !== 'Image').map(({ name }) =>
        [name, [0, 1].map(() => device.createTexture({ size: [width, height], format: 'rgba16float', usage }))]);
    const targets = new Map(buffers);
    const black = (dimension) =>
        device.createTexture({ size: [1, 1, dimension === 'cube' ? 6 : 1], format: 'rgba8unorm', usage, dimension: dimension === '3d' ? '3d' : '2d' });
    const steps = passes.map((pass) => step(device, pass, format));

    return (frame, values) => {
        const encoder = device.createCommandEncoder();
        for (const { pass, pipeline, layout, uniforms, samplers } of steps) {
            const { reflection, channels, name } = pass;
            const all = { iResolution: [width, height, 1], iFrameHeight: [height], iFrame: [frame], iChannelResolution: channels.flatMap(() => [width, height, 1, 0]), ...values };
            write(device, uniforms, reflection.uniforms, all);
            const entries = uniforms ? [{ binding: reflection.uniforms.binding, resource: { buffer: uniforms } }] : [];
            for (const { name, binding, dimension } of reflection.textures) {
                const channel = channels.find(({ channel }) => name === `iChannel${channel}`);
                // Of the two pictures of a buffer, this frame draws the one with the number's parity.
                const picture = channel?.buffer ? targets.get(channel.buffer)[(frame + (channel.previous ? 1 : 0)) % 2] : textures[channel?.source] ?? black(dimension);
                entries.push({ binding, resource: picture.createView({ dimension }) });
            }
            for (const { name, binding } of reflection.samplers) entries.push({ binding, resource: samplers.get(name) });
            const view = (targets.get(name)?.[frame % 2] ?? context.getCurrentTexture()).createView();
            const drawing = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
            drawing.setPipeline(pipeline);
            drawing.setBindGroup(1, device.createBindGroup({ layout, entries }));
            drawing.draw(3);
            drawing.end();
        }
        device.queue.submit([encoder.finish()]);
    };
}

/** The pipeline of a pass, its uniforms, and the samplers of its channels. */
function step(device, pass, format) {
    const { code, name, reflection, channels } = pass;
    // (Of the bindings that the program declares: a layout that is derived has only those that it uses.)
    const visibility = GPUShaderStage.FRAGMENT;
    const layout = device.createBindGroupLayout({
        entries: [
            ...(reflection.uniforms ? [{ binding: reflection.uniforms.binding, visibility, buffer: {} }] : []),
            ...reflection.textures.map(({ binding, dimension }) => ({ binding, visibility, texture: { viewDimension: dimension } })),
            ...reflection.samplers.map(({ binding }) => ({ binding, visibility, sampler: {} })),
        ],
    });
    const pipeline = device.createRenderPipeline({
        layout: device.createPipelineLayout({ bindGroupLayouts: [device.createBindGroupLayout({ entries: [] }), layout] }),
        vertex: { module: device.createShaderModule({ code: VERTEX }) },
        fragment: { module: device.createShaderModule({ code, label: name }), targets: [{ format: name === 'Image' ? format : 'rgba16float' }] },
    });
    const { uniforms } = reflection;
    const samplers = reflection.samplers.map(({ name }) => {
        const { filter = 'linear', wrap = 'clamp' } = channels.find(({ channel }) => name === `iChannel${channel}`) ?? {};
        const [magFilter, address] = [filter === 'nearest' ? 'nearest' : 'linear', wrap === 'repeat' ? 'repeat' : 'clamp-to-edge'];
        return [name, device.createSampler({ magFilter, minFilter: magFilter, addressModeU: address, addressModeV: address })];
    });
    const buffer = uniforms && device.createBuffer({ size: uniforms.size, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
    return { pass, pipeline, layout, uniforms: buffer, samplers: new Map(samplers) };
}

/** Writes the uniforms that a pass has, at their offsets. */
function write(device, buffer, block, values) {
    if (!buffer) return;
    const bytes = new DataView(new ArrayBuffer(block.size));
    for (const { name, type, offset } of block.members) {
        const set = /^i/.test(type) ? bytes.setInt32 : bytes.setFloat32;
        (values[name] ?? []).forEach((value, at) => set.call(bytes, offset + 4 * at, value, true));
    }
    device.queue.writeBuffer(buffer, 0, bytes);
}
