// The module that an import gives, and its declarations.

/**
 * @param {import('./compile.js').Stage[]} stages
 * @returns {string}
 */
export function moduleText(stages) {
    const [own] = stages;
    const lines = [`export const code = ${codeText(own.code)};`, `export const reflection = ${JSON.stringify(own.reflection)};`];
    if (stages.length > 1) {
        const others = stages.slice(1).map(({ stage, code, reflection }) =>
            `${stage}: { code: ${codeText(code)}, reflection: ${JSON.stringify(reflection)} }`);
        lines.push(`export const stages = { ${[`${own.stage}: { code, reflection }`, ...others].join(', ')} };`);
    }
    lines.push(`export default { code, reflection${stages.length > 1 ? ', stages' : ''} };`);
    return `${lines.join('\n')}\n`;
}

/** A module with the same names, for bundlers that go on after an error. */
export const EMPTY = 'export const code = undefined, reflection = undefined, stages = undefined;\nexport default {};\n';

/** @param {string | Uint8Array} code */
function codeText(code) {
    if (typeof code === 'string') return JSON.stringify(code);
    return `/* @__PURE__ */ Uint8Array.from(atob("${Buffer.from(code).toString('base64')}"), (byte) => byte.charCodeAt(0))`;
}

/**
 * Declarations of the modules that were imported, by what stands in the imports.
 *
 * @param {Map<string, Map<string, import('./compile.js').Stage[]>>} imports For each text of an import, the files that it was and their stages.
 * @returns {string}
 */
export function declarations(imports) {
    const modules = [...imports].sort(([a], [b]) => (a < b ? -1 : 1)).map(([request, files]) => {
        // One text that is several files has what they share.
        const [stages] = files.values();
        const reflection = files.size > 1 ? () => `import('planish').Reflection` : typeOf;
        const part = (/** @type {import('./compile.js').Stage} */ { code, reflection: of }) =>
            `{ code: ${typeof code === 'string' ? 'string' : 'Uint8Array'}; reflection: ${reflection(of)} }`;
        const lines = [`const shader: ${part(stages[0])}${stages.length > 1 ? ` & { stages: typeof stages }` : ''};`];
        lines.push(`export const code: typeof shader.code;`, `export const reflection: typeof shader.reflection;`);
        if (stages.length > 1) lines.push(`export const stages: { ${stages.map((one) => `${one.stage}: ${part(one)}`).join('; ')} };`);
        lines.push('export default shader;');
        return `declare module ${JSON.stringify(`*${request}`)} {\n${lines.map((line) => `    ${line}\n`).join('')}}\n`;
    });
    return `// Written by unplugin-planish: the shaders that this project imports.\n${modules.join('')}`;
}

/** The part of an import's text that is the same wherever it stands: without the folders before. @param {string} source */
export const requestOf = (source) => source.replace(/^(?:@?\/|(?:\.\.?\/)+)/, '');

/** The type of a JSON value, with the texts and numbers that it has. @param {unknown} value @returns {string} */
function typeOf(value) {
    if (Array.isArray(value)) return `readonly [${value.map(typeOf).join(', ')}]`;
    if (value === null || typeof value !== 'object') return JSON.stringify(value);
    return `{ ${Object.entries(value).map(([name, part]) => `readonly ${JSON.stringify(name)}: ${typeOf(part)}`).join('; ')} }`;
}
