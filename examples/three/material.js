// A material of WebGPURenderer from the WGSL of a `ShaderMaterial`.
import * as TSL from 'three/tsl';
import { NodeMaterial } from 'three/webgpu';

/** What three.js gives to each `ShaderMaterial`. */
const GIVEN = {
    modelMatrix: () => TSL.modelWorldMatrix,
    modelViewMatrix: () => TSL.modelViewMatrix,
    projectionMatrix: () => TSL.cameraProjectionMatrix,
    viewMatrix: () => TSL.cameraViewMatrix,
    // (That of TSL leads to the world, not to the view.)
    normalMatrix: () => TSL.mat3(TSL.cameraViewMatrix).mul(TSL.modelNormalMatrix),
    cameraPosition: () => TSL.cameraPosition,
    gl_FrontFacing: () => TSL.uint(TSL.frontFacing),
};

/**
 * A `NodeMaterial` that runs the two entry points as functions. It has the `uniforms` of a `ShaderMaterial`, whose values may be changed; a
 * texture only before the first frame.
 */
export class ShaderNodeMaterial extends NodeMaterial {
    constructor({ stages, uniforms = {}, ...parameters }) {
        super();
        this.uniforms = uniforms;
        const nodes = new Map();
        const node = (name, type) => {
            if (!nodes.has(name)) nodes.set(name, GIVEN[name]?.() ?? uniformNode(uniforms, name, type));
            return nodes.get(name);
        };
        const vertex = stageFunctions(stages.vertex, 'vertex', node);
        const fragment = stageFunctions(stages.fragment, 'fragment', node);
        const varyings = new Map(vertex.outputs.map(({ name, type }) => [name, TSL.varyingProperty(type, name)]));
        this.vertexNode = TSL.Fn(() => {
            const position = vertex.run(vertex.inputs.map(({ name, type }) => TSL.attribute(name, type))).toVar();
            for (const output of vertex.outputs) varyings.get(output.name).assign(vertex.output(output));
            return position;
        })();
        this.fragmentNode = TSL.Fn(() => fragment.run(fragment.inputs.map(({ name }) => varyings.get(name) ?? node(name))))();
        this.setValues(parameters);
    }
}

/** A uniform of the material as a node that has its value in each frame. */
function uniformNode(uniforms, name, type) {
    const uniform = uniforms[name];
    if (uniform === undefined) throw new Error(`the shader has a uniform \`${name}\`, and the material has none`);
    // (The name is that in WGSL.)
    if (uniform.value?.isTexture) return TSL.texture(uniform.value).setName(name);
    if (!/^(float|int|uint|bool|[iu]?vec[234]|mat[34])$/.test(type)) throw new Error(`\`${name}\` is \`${type}\`: a uniform is a number, a vector or a matrix here`);
    // Truth values are words in memory that the host shares.
    const value = () => (type === 'bool' ? Number(uniform.value) : uniform.value);
    const kind = type === 'bool' ? 'uint' : uniform.value?.isColor ? 'color' : type;
    return TSL.uniform(value(), kind).onObjectUpdate(value);
}

/**
 * The entry point of a stage as functions of nodes: `run` has the inputs, and is the position or the colour; `output` is another output after it.
 * Uniforms are parameters, which it stores where the program reads them.
 */
function stageFunctions({ code, reflection }, stage, node) {
    const { uniforms, textures } = reflection;
    const entry = new RegExp(`@${stage}\\s+fn main\\(([^]*?)\\)(?: -> ([^{]*?))? \\{`);
    const [, parameters, result] = entry.exec(code);
    const inputs = declarations(parameters, reflection.inputs);
    const [type] = result.split(' ').slice(-1);
    // One output is returned by itself, several are in a struct.
    const struct = new RegExp(`struct ${type} \\{([^}]*)\\}`).exec(code)?.[1];
    const outputs = declarations(struct ?? result.replace(/(\S+)$/, 'result: $1'), reflection.outputs);
    const part = ({ printed }) => `planish_${stage}_result${struct === undefined ? '' : `.${printed}`}`;

    const list = inputs.map(({ printed, wgsl }) => `${printed}: ${wgsl}`).join(', ');
    const text = code
        .replace(/^diagnostic\([^)]*\);\s*/, '')
        .replace(entry, `fn planish_${stage}(${list}) -> ${type} {`)
        .replace(/@group\(\d+\) @binding\(\d+\) var(<uniform>)?([^;]*);\n*/g, (_, isBlock, rest) => (isBlock ? `var<private>${rest};\n` : ''));
    const shared = TSL.wgsl(`${text}\nvar<private> planish_${stage}_result: ${type};\n`);

    // (The block has the uniforms of all stages, and those that three.js declares.)
    const isUsed = ({ name }) => new RegExp(`\\b${uniforms.variable}\\.${name}\\b`).test(code);
    const members = (uniforms?.members ?? []).filter(isUsed);
    const memberType = (name) => new RegExp(`^ +(?:@.* )?${name}: (.*),$`, 'm').exec(code)[1];
    const given = [
        ...inputs.map(({ printed, wgsl }) => `in_${printed}: ${wgsl}`),
        ...members.map(({ name }) => `uniform_${name}: ${memberType(name)}`),
        ...textures.map(({ name, dimension }) => `texture_${name}: texture_${dimension}<f32>`),
    ];
    const stores = members.map(({ name }) => `${uniforms.variable}.${name} = uniform_${name};`).join(' ');
    const call = `planish_${stage}_result = planish_${stage}(${inputs.map(({ printed }) => `in_${printed}`).join(', ')});`;
    const [main] = outputs.filter(({ name, location }) => (stage === 'vertex' ? name === 'gl_Position' : location === 0));
    const run = TSL.wgslFn(`fn planish_run_${stage}(${given.join(', ')}) -> vec4f { ${stores} ${call} return ${part(main)}; }`, [shared]);
    return {
        inputs,
        outputs: outputs.filter((output) => output !== main),
        run: (values) => run(...values, ...members.map(({ name, type }) => node(name, type)), ...textures.map(({ name }) => node(name))),
        output: (one) => TSL.wgslFn(`fn planish_${stage}_${one.printed}() -> ${one.wgsl} { return ${part(one)}; }`, [shared])(),
    };
}

/** Declarations such as `@location(0) vUv_1: vec2f`, with the varyings of the reflection that they are. */
function declarations(text, varyings) {
    return [...text.matchAll(/@(location|builtin)\((\w+)\)(?:\s*@[\w(, )]+?)?\s+(\w+): ([\w<>]+)/g)].map(([, kind, place, printed, wgsl]) => {
        const builtin = { position: 'gl_Position', front_facing: 'gl_FrontFacing' }[place];
        const varying = varyings.find((one) => (kind === 'location' ? one.location === Number(place) : one.builtin === builtin));
        if (varying === undefined) throw new Error(`the shader uses \`${place}\`, which materials have not here`);
        return { ...varying, printed, wgsl };
    });
}
