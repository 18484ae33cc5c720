// Builds by each bundler: what imports give is what the command writes, and the picture is that of `planish run`.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import esbuildPlugin from 'unplugin-planish/esbuild';
import rollupPlugin from 'unplugin-planish/rollup';
import vitePlugin from 'unplugin-planish/vite';
import webpackPlugin from 'unplugin-planish/webpack';
import { rollup } from 'rollup';
import * as vite from 'vite';
import webpack from 'webpack';
import { agreement, decodePng, visit } from './browser.js';
import { copy, hasChromium, planish } from './tools.js';

const options = { include: ['shaders'] };

/** A build of `src/programs.js` in a folder, to `out/programs.js`. */
const BUILDS = {
    vite: (root) => vite.build({
        root, logLevel: 'warn', plugins: [vitePlugin(options)],
        build: { outDir: 'out', minify: false, lib: { entry: 'src/programs.js', formats: ['es'], fileName: () => 'programs.js' } },
    }),
    rollup: async (root) => {
        const bundle = await rollup({ input: path.join(root, 'src/programs.js'), plugins: [rollupPlugin({ ...options, root })] });
        await bundle.write({ file: path.join(root, 'out/programs.js') });
        await bundle.close();
    },
    webpack: (root) => new Promise((done, failed) => webpack({
        context: root, mode: 'development', devtool: false, entry: './src/programs.js', plugins: [webpackPlugin(options)],
        experiments: { outputModule: true }, output: { path: path.join(root, 'out'), filename: 'programs.js', library: { type: 'module' } },
    }, (error, stats) => {
        if (error || stats.hasErrors() || stats.hasWarnings()) failed(error ?? new Error(stats.toString()));
        else done();
    })),
    esbuild: (root) => esbuild.build({
        absWorkingDir: root, entryPoints: ['src/programs.js'], bundle: true, format: 'esm', outfile: 'out/programs.js', plugins: [esbuildPlugin(options)],
    }),
};

for (const [bundler, build] of Object.entries(BUILDS)) {
    test(`${bundler}: imports are what the command writes`, async () => {
        const root = copy('project');
        await build(root);
        fs.writeFileSync(path.join(root, 'out/package.json'), '{ "type": "module" }');
        const programs = await import(pathToFileURL(path.join(root, 'out/programs.js')).href);
        const command = (...args) => planish(root, 'compile', '-I', 'shaders', ...args);
        const wgsl = command('src/sky.frag', '--emit=wgsl').toString();
        assert.equal(programs.code, wgsl);
        assert.equal(programs.sky.code, wgsl);
        assert.deepEqual(programs.reflection, JSON.parse(command('src/sky.frag', '--emit=reflect')));
        const small = command('src/sky.frag', '--emit=wgsl', '--minify', '-Os', '-DFAST').toString();
        assert.equal(programs.small.code, small);
        assert.ok(small.length < wgsl.length);
        assert.ok(programs.words.code instanceof Uint8Array);
        assert.deepEqual(Buffer.from(programs.words.code), command('src/sky.frag', '--emit=spirv'));
        command('src/sky.frag', 'src/sky.vert', '-o', 'out/sky.frag.wgsl', '-o', 'out/sky.vert.wgsl');
        for (const [stage, file] of [['fragment', 'sky.frag'], ['vertex', 'sky.vert']]) {
            assert.equal(programs.stages[stage].code, fs.readFileSync(path.join(root, `out/${file}.wgsl`), 'utf8'));
            assert.equal(programs.stages[stage].reflection.entry_points[0].stage, stage);
        }
        assert.equal(programs.double.code, command('src/double.vl', '--emit=js').toString());
        const { double } = await import(`data:text/javascript,${encodeURIComponent(programs.double.code)}`);
        assert.equal(double(21), 42);
    });
}

test('Vite: the built page draws what `planish run` draws', { skip: !hasChromium && 'there is no chromium' }, async () => {
    const root = copy('project');
    // `--flip-frag-coord` is not needed: the shader does not ask where its fragments are.
    await vite.build({ root, logLevel: 'warn', plugins: [vitePlugin(options)], build: { outDir: 'out', target: 'esnext' } });
    planish(root, 'run', 'src/sky.frag', '-I', 'shaders', '--size', '64x64', '--time', '1.5', '-D', 'zenith=0.2,0.4,0.8', '-o', 'sky.png');
    const { pixels } = decodePng(path.join(root, 'sky.png'));
    assert.ok(new Set(pixels).size > 50, 'the picture has something to see');
    await visit(path.join(root, 'out'), 'index.html', async (reports) => {
        await reports.next('loaded');
        const drawn = await reports.next('pixels');
        assert.ok(agreement(drawn, pixels) >= 0.999, `${agreement(drawn, pixels)} of the pixels agree`);
    });
});
