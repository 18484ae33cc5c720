// Types of imports: those of every target, and those of the shaders themselves.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { targets } from 'planish';
import rollupPlugin from 'unplugin-planish/rollup';
import { rollup } from 'rollup';
import { copy } from './tools.js';

const tsc = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

/** Messages of the TypeScript compiler about a text in a project. */
function messages(root, text) {
    fs.writeFileSync(path.join(root, 'src/user.ts'), text);
    const flags = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2023,dom,esnext.disposable', '--module', 'esnext', '--moduleResolution', 'bundler'];
    try {
        execFileSync(process.execPath, [tsc, ...flags, 'src/user.ts', ...declared(root)], { cwd: root, encoding: 'utf8' });
        return '';
    } catch (error) {
        return error.stdout;
    }
}

const declared = (root) => (fs.existsSync(path.join(root, 'src/shaders.d.ts')) ? ['src/shaders.d.ts'] : []);

test('imports of every target have types', () => {
    const root = copy('project');
    const uses = targets().map((target, at) => {
        const ty = ['spirv', 'spirv-naga', 'wasm', 'object'].includes(target) ? 'Uint8Array' : 'string';
        return `import { code as code${at} } from './sky.frag?${target}';\nimport one${at} from './sky.frag?minify&${target}';
export const text${at}: ${ty} = code${at} ?? one${at}.code;\n`;
    });
    const head = '/// <reference types="unplugin-planish/client" />\n';
    const used = `import { reflection, stages } from './sky.frag?with=./sky.vert&wgsl';
export const offset: number | undefined = reflection.uniforms?.members[0].offset;
export const vertex: string | undefined = stages?.vertex?.code;\n`;
    assert.equal(messages(root, head + uses.join('') + used), '');
    assert.match(messages(root, `${head}import { code } from './sky.frag?wgsl';\nexport const bytes: Uint8Array = code;\n`), /TS2322/);
});

test('shaders have types of their own', async () => {
    const root = copy('project');
    fs.writeFileSync(path.join(root, 'src/entry.js'), "import './sky.frag?wgsl&with=./sky.vert&minify';\nimport './sky.frag?wgsl';\nimport '../src/sky.frag?spirv';\n");
    const plugin = rollupPlugin({ include: ['shaders'], types: 'src/shaders.d.ts', root });
    await (await rollup({ input: path.join(root, 'src/entry.js'), plugins: [plugin] })).close();
    const used = `import sky, { reflection, stages } from './sky.frag?wgsl&with=./sky.vert&minify';
import words from '../src/sky.frag?spirv';
export const offset: 0 = reflection.uniforms.members[0].offset;
export const name: 'zenith' = sky.reflection.uniforms.members[1].name;
export const inputs: readonly ['position'] = [stages.vertex.reflection.inputs[0].name];
export const bytes: Uint8Array = words.code;\n`;
    assert.equal(messages(root, used), '');
    const wrong = messages(root, used.replace('offset: 0', 'offset: 4').replace('members[1].name', 'members[2].name'));
    assert.match(wrong, /TS2322[^]*TS2493|TS2493[^]*TS2322/);
});

test('the plugin itself has no type errors', () => {
    const root = copy('project');
    const own = path.join(path.dirname(fileURLToPath(import.meta.resolve('unplugin-planish'))), '..');
    for (const folder of ['src', 'types']) fs.cpSync(path.join(own, folder), path.join(root, 'plugin', folder), { recursive: true });
    const compilerOptions = {
        strict: true, noEmit: true, allowJs: true, checkJs: true, skipLibCheck: true, target: 'es2023', lib: ['es2023', 'dom', 'esnext.disposable'],
        module: 'nodenext', types: ['node'],
    };
    fs.writeFileSync(path.join(root, 'plugin/tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src', 'types'] }));
    fs.writeFileSync(path.join(root, 'plugin/package.json'), '{ "type": "module" }');
    execFileSync(process.execPath, [tsc, '-p', 'plugin'], { cwd: root, stdio: 'inherit' });
});
