//! Gives WGSL files to Dawn, without a GPU: modules and pipelines. The first argument is the folder of the packages, the others are
//! files, after `--`.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, ...files] = process.argv.slice(2);
const { create, globals } = await import(pathToFileURL(path.join(folder, 'node_modules/webgpu/index.js')));
Object.assign(globalThis, globals);
// What `create` returns must stay alive as long as its devices.
globalThis.gpu = create(['backend=null']);
const adapter = await globalThis.gpu.requestAdapter();
const limits = {};
for (const name of ['maxColorAttachmentBytesPerSample', 'maxInterStageShaderVariables', 'maxStorageTexturesPerShaderStage',
    'maxSampledTexturesPerShaderStage', 'maxSamplersPerShaderStage', 'maxBindGroups', 'maxStorageBuffersPerShaderStage']) {
    if (adapter.limits[name] !== undefined) limits[name] = adapter.limits[name];
}
const device = await adapter.requestDevice({ requiredFeatures: [...adapter.features], requiredLimits: limits });

// What the code makes, and the error that it gives, if any.
async function scoped(make) {
    device.pushErrorScope('validation');
    const made = make();
    const error = await device.popErrorScope();
    return [made, error?.message];
}

const FORMATS = { f: 'float32', i: 'sint32', u: 'uint32' };
const letter = (type) => (/^(vec\d)?(<)?[iu]/.exec(type.replace(/^vec\d/, ''))?.[0].at(-1)) ?? 'f';
const size = (type) => Number(/^vec(\d)/.exec(type)?.[1] ?? 1);

// Entry points of a text: stage, name, inputs with a location, and outputs.
function entries(text) {
    const found = [];
    for (const at of text.matchAll(/@(vertex|fragment|compute)\b[^;{]*?fn\s+(\w+)\s*\(/g)) {
        let depth = 1, end = at.index + at[0].length;
        const start = end;
        for (; depth > 0; end++) depth += text[end] === '(' ? 1 : text[end] === ')' ? -1 : 0;
        const result = /^\s*->\s*([^{]*)\{/.exec(text.slice(end))?.[1]?.trim() ?? '';
        const struct = new RegExp(`struct\\s+${result}\\s*\\{([^}]*)\\}`).exec(text)?.[1] ?? result.replace(/(\S+)$/, 'x: $1');
        const locations = (list) => [...list.matchAll(/@location\((\d+)\)((?:\s*@\w+(?:\([^)]*\))?)*)\s*\w+\s*:\s*(\w+(?:<\w+>)?)/g)]
            .map(([, location, attributes, type]) => ({ location: Number(location), attributes, type }));
        found.push({
            stage: at[1], name: at[2], inputs: locations(text.slice(start, end)), outputs: locations(struct),
            depth: struct.includes('frag_depth') || result.includes('frag_depth'), dual: struct.includes('blend_src'),
        });
    }
    return found;
}

function pipeline(module, entry) {
    const entryPoint = entry.name;
    if (entry.stage === 'compute') return device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint } });
    if (entry.stage === 'vertex') {
        const attributes = entry.inputs.map(({ location, type }, i) => ({
            shaderLocation: location, offset: 16 * i, format: FORMATS[letter(type)] + (size(type) > 1 ? `x${size(type)}` : ''),
        }));
        const buffers = attributes.length ? [{ arrayStride: 16 * attributes.length, attributes }] : [];
        return device.createRenderPipeline({
            layout: 'auto', vertex: { module, entryPoint, buffers }, primitive: { topology: 'triangle-list' },
            depthStencil: { format: 'depth32float', depthCompare: 'always', depthWriteEnabled: false },
        });
    }
    const varyings = entry.inputs.map(({ location, attributes, type }) => `@location(${location}) ${attributes} v${location}: ${type},`);
    const code = `struct Out { @builtin(position) position: vec4f, ${varyings.join(' ')} }
@vertex fn main() -> Out { var out: Out; return out; }`;
    const vertex = { module: device.createShaderModule({ code }), entryPoint: 'main' };
    const targets = [];
    for (const { location, type } of entry.outputs) {
        const channels = ['', 'r', 'rg', 'rgba', 'rgba'][size(type) === 3 ? 2 : size(type)];
        targets[location] = { format: channels + { f: entry.dual ? '8unorm' : '16float', i: '8sint', u: '8uint' }[letter(type)] };
    }
    return device.createRenderPipeline({
        layout: 'auto', vertex, fragment: { module, entryPoint, targets: Array.from(targets, (t) => t ?? null) },
        depthStencil: { format: 'depth32float', depthCompare: 'always', depthWriteEnabled: entry.depth },
    });
}

let [faults, pipelines] = [0, 0];
for (const file of files) {
    const code = fs.readFileSync(file, 'utf8');
    const [module] = await scoped(() => device.createShaderModule({ code }));
    const messages = (await module.getCompilationInfo()).messages.filter((m) => m.type === 'error');
    const told = messages.map((m) => `${m.lineNum}:${m.linePos} ${m.message}`);
    if (!told.length) {
        for (const entry of entries(code)) {
            const [, error] = await scoped(() => pipeline(module, entry));
            pipelines++;
            // A limit of the device is none of the language.
            if (error && !error.includes('exceeds the maximum per-stage limit')) told.push(`${entry.stage} ${entry.name}: ${error}`);
        }
    }
    if (told.length) {
        faults++;
        console.log(`${file}\n    ${told.slice(0, 3).join('\n    ')}`);
    }
}
console.log(`TINT ${files.length} files, ${pipelines} pipelines, ${faults} faults`);
process.exit(faults ? 1 : 0);
