// Errors and warnings in the form of each bundler, queries that are none, and files that are watched.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import * as esbuild from 'esbuild';
import esbuildPlugin from 'unplugin-planish/esbuild';
import rollupPlugin from 'unplugin-planish/rollup';
import vitePlugin from 'unplugin-planish/vite';
import webpackPlugin from 'unplugin-planish/webpack';
import { rollup, watch } from 'rollup';
import * as vite from 'vite';
import webpack from 'webpack';
import { copy, edit } from './tools.js';

const options = { include: ['shaders'] };

/** A copy of the project whose entry is `src/entry.js`, with an import of this text. */
function project(source) {
    const root = copy('project');
    fs.writeFileSync(path.join(root, 'src/entry.js'), `import { code } from '${source}';\nexport default code;\n`);
    return root;
}

/** Rollup, which gives errors and warnings as they come. */
async function build(root, more = {}) {
    const warnings = [];
    const bundle = await rollup({
        input: path.join(root, 'src/entry.js'), plugins: [rollupPlugin({ ...options, root, ...more })], onwarn: (warning) => warnings.push(warning),
    });
    const { output } = await bundle.generate({});
    await bundle.close();
    return { code: output[0].code, watched: bundle.watchFiles.map((file) => path.relative(root, file)), warnings };
}

const failure = (root, more) => build(root, more).then(() => assert.fail('it is built'), (error) => error);

function spoil(root) {
    edit(path.join(root, 'src/lib/clouds.glsl'), 'sum += wave(at)', 'sum += wavy(at)');
}

const SHOWN = ['error[E0301]: unknown function `wavy`', 'src/lib/clouds.glsl:6:16', '^^^^'];

test('Rollup: an error has a place and the lines of the source', async () => {
    const root = project('./sky.frag?wgsl');
    spoil(root);
    const error = await failure(root);
    assert.match(error.message, /error\[E0301\]: unknown function `wavy`/);
    assert.deepEqual(error.loc, { file: path.join(root, 'src/lib/clouds.glsl'), line: 6, column: 16 });
    for (const text of SHOWN) assert.ok(error.frame.includes(text), `${text} in ${error.frame}`);
    assert.equal(error.plugin, 'unplugin-planish');
    assert.ok(error.watchFiles === undefined || error.watchFiles.some((file) => file.endsWith('waves.glsl')));
});

test('Vite: a build ends with the error', async () => {
    const root = project('./sky.frag?wgsl');
    spoil(root);
    const lib = { entry: 'src/entry.js', formats: ['es'] };
    const building = vite.build({ root, logLevel: 'silent', plugins: [vitePlugin(options)], build: { write: false, lib } });
    const error = await building.then(() => assert.fail('it is built'), (error) => error);
    assert.match(error.message, /src\/lib\/clouds\.glsl:6:16\n/);
    for (const text of SHOWN) assert.ok(`${error.message}${error.frame ?? ''}`.includes(text), `${text} in ${error.message}`);
});

test('webpack: an error has the lines of the source', async () => {
    const root = project('./sky.frag?wgsl');
    spoil(root);
    const stats = await new Promise((done, failed) => webpack({
        context: root, mode: 'development', entry: './src/entry.js', plugins: [webpackPlugin(options)], output: { path: path.join(root, 'out') },
    }, (error, stats) => (error ? failed(error) : done(stats))));
    const { errors, warnings } = stats.toJson();
    assert.equal(errors.length, 1);
    assert.equal(warnings.length, 0);
    for (const text of SHOWN) assert.ok(errors[0].message.includes(text), `${text} in ${errors[0].message}`);
});

test('esbuild: an error has a place and the lines of the source', async () => {
    const root = project('./sky.frag?wgsl');
    spoil(root);
    const building = esbuild.build({ absWorkingDir: root, entryPoints: ['src/entry.js'], bundle: true, write: false, logLevel: 'silent', plugins: [esbuildPlugin(options)] });
    const { errors } = await building.then(() => assert.fail('it is built'), (error) => error);
    assert.equal(errors.length, 1);
    for (const text of SHOWN) assert.ok(errors[0].text.includes(text), `${text} in ${errors[0].text}`);
    const { file, line, column } = errors[0].location;
    assert.deepEqual([path.resolve(root, file), line, column], [path.join(root, 'src/lib/clouds.glsl'), 6, 15]);
});

test('warnings are those of the bundler', async () => {
    const root = project('./sky.frag?wgsl');
    edit(path.join(root, 'src/sky.frag'), 'void main() {', 'void main() {\n    float unused = 1.0;');
    const { warnings } = await build(root);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0].message, /warning\[W0101\]: the variable `unused` is never used[^]*src\/sky\.frag:14:11/);
    assert.equal(warnings[0].plugin, 'unplugin-planish');
    assert.deepEqual((await build(root, { settings: { allow: 'unused-variable' } })).warnings, []);
    const denied = await failure(root, { settings: { deny: ['unused-variable'] } });
    assert.match(denied.message, /error\[W0101\]/);
});

const QUERIES = [
    ['./sky.frag?wsgl', /wsgl.*did you mean `wgsl`/],
    ['./sky.frag?wgsl&minfy', /minfy.*did you mean `minify`/],
    ['./sky.frag?minify', /the query has no target, such as `wgsl`/],
    ['./sky.frag?wgsl&glsl', /one import has one target, not `wgsl` and `glsl`/],
    ['./sky.frag?wgsl&with', /`with` takes a file/],
    ['./sky.frag?wgsl&with=./ski.vert', /src\/ski\.vert: there is no such file/],
    ['./sky.frag?wgsl&minify=maybe', /minify/],
    ['./sky.frag?wgsl&level=9', /level/],
    ['./ski.frag?wgsl', /ski\.frag\?wgsl/],
];

for (const [source, message] of QUERIES) {
    test(`an error: ${source}`, async () => {
        const error = await failure(project(source));
        assert.match(error.message, message);
        assert.ok(!error.message.includes('\0'));
    });
}

test('an unknown target is an error in every bundler', async () => {
    const root = project('./sky.frag?wsgl');
    const [entry, told] = [path.join(root, 'src/entry.js'), /wsgl.*did you mean `wgsl`/];
    const message = async (building) => building.then(() => assert.fail('it is built'), (error) => error.message);
    assert.match(await message(esbuild.build({ entryPoints: [entry], bundle: true, write: false, logLevel: 'silent', plugins: [esbuildPlugin()] })), told);
    const lib = { entry, formats: ['es'] };
    assert.match(await message(vite.build({ root, logLevel: 'silent', plugins: [vitePlugin()], build: { write: false, lib } })), told);
    const stats = await new Promise((done) => webpack({ context: root, mode: 'development', entry, plugins: [webpackPlugin()], output: { path: path.join(root, 'out') } },
        (_, stats) => done(stats)));
    assert.match(stats.toString(), told);
});

test('an option that there is not is an error', () => {
    assert.throws(() => rollupPlugin({ includes: [] }), /unplugin-planish has no option `includes`; there are include/);
});

test('queries of others stay with them', async () => {
    const root = project('./sky.frag?raw');
    const other = { name: 'other', resolveId: (id) => (id.endsWith('?raw') ? id : null), load: (id) => (id.endsWith('?raw') ? 'export const code = "raw"' : null) };
    const bundle = await rollup({ input: path.join(root, 'src/entry.js'), plugins: [rollupPlugin({ root }), other] });
    assert.match((await bundle.generate({})).output[0].code, /"raw"/);
});

test('only what is imported is in the bundle', async () => {
    const { code } = await build(project('./sky.frag?wgsl'));
    assert.ok(code.includes('@fragment') && !code.includes('entry_points'));
});

test('settings of all programs, and those of one', async () => {
    const whole = (await build(project('./sky.frag?wgsl'))).code;
    const small = (await build(project('./sky.frag?wgsl'), { settings: { minify: true } })).code;
    const back = (await build(project('./sky.frag?wgsl&minify=false'), { settings: { minify: true } })).code;
    assert.ok(small.length < whole.length);
    assert.equal(back, whole);
    const defined = project('./sky.frag?wgsl&define=time=2.0&define=zenith=vec3(1.0)');
    edit(path.join(defined, 'src/sky.frag'), 'uniform float time;\nuniform vec3 zenith;', '');
    assert.ok((await build(defined)).code.includes('2.0'));
});

test('included files are watched, and files that are missing', async () => {
    const { watched } = await build(project('./sky.frag?wgsl&with=./sky.vert'));
    for (const file of ['src/sky.frag', 'src/sky.vert', 'src/lib/clouds.glsl', 'src/lib/waves.glsl', 'shaders/tone.glsl']) {
        assert.ok(watched.includes(file), `${file} in ${watched}`);
    }
});

/** Changes of a file, and the results of builds after them, in each bundler that watches. */
const WATCHERS = {
    rollup: (root, report) => {
        const watcher = watch({ input: path.join(root, 'src/entry.js'), plugins: [rollupPlugin({ ...options, root })], output: { file: path.join(root, 'out/entry.js') } });
        watcher.on('event', ({ code, error, result }) => {
            result?.close();
            if (code === 'END') report(null);
            if (code === 'ERROR') report(error.message);
        });
        return () => watcher.close();
    },
    webpack: (root, report) => {
        const watching = webpack({
            context: root, mode: 'development', devtool: false, entry: './src/entry.js', plugins: [webpackPlugin(options)],
            output: { path: path.join(root, 'out'), filename: 'entry.js' },
        }).watch({ aggregateTimeout: 20 }, (error, stats) => report(stats.hasErrors() ? stats.toString() : null));
        return () => new Promise((done) => watching.close(done));
    },
    esbuild: async (root, report) => {
        const reporter = { name: 'reporter', setup: (build) => build.onEnd(({ errors }) => report(errors[0]?.text ?? null)) };
        const context = await esbuild.context({
            absWorkingDir: root, entryPoints: ['src/entry.js'], bundle: true, format: 'esm', outfile: 'out/entry.js', logLevel: 'silent',
            plugins: [esbuildPlugin(options), reporter],
        });
        await context.watch();
        return () => context.dispose();
    },
};

for (const [bundler, start] of Object.entries(WATCHERS)) {
    test(`${bundler}: what is included is watched`, async () => {
        const root = project('./sky.frag?wgsl');
        let last = 'nothing';
        let wake = () => {};
        const close = await start(root, (result) => ((last = result), wake()));
        // (Some bundlers build again at once when files are new.)
        const until = async (what, holds) => {
            const end = Date.now() + 20000;
            while (!holds(last)) {
                assert.ok(Date.now() < end, `${what}: the last build gave ${last}`);
                await new Promise((done) => (wake = done) && setTimeout(done, 1000));
            }
            // Watchers compare times, some of them in seconds.
            await new Promise((done) => setTimeout(done, 1100));
        };
        const isWritten = (text) => (error) => error === null && fs.readFileSync(path.join(root, 'out/entry.js'), 'utf8').includes(text);
        try {
            await until('the first build', isWritten('0.3'));
            edit(path.join(root, 'src/lib/waves.glsl'), '0.3', '0.625');
            await until('a file that a file includes', isWritten('0.625'));
            edit(path.join(root, 'src/lib/clouds.glsl'), 'waves.glsl', 'sea.glsl');
            await until('a file that is missing', (error) => error?.includes('sea.glsl'));
            fs.copyFileSync(path.join(root, 'src/lib/waves.glsl'), path.join(root, 'src/lib/sea.glsl'));
            await until('a file that was missing', isWritten('0.625'));
        } finally {
            await close();
        }
    });
}

test('a result is kept for as long as its files are the same', async () => {
    const { Compiler } = await import(new URL('compile.js', import.meta.resolve('unplugin-planish')).href);
    const root = copy('project');
    const compiler = new Compiler(root, ['shaders'], {});
    const load = () => compiler.load({ file: path.join(root, 'src/sky.frag'), target: 'wgsl', settings: {}, stages: [] });
    const first = load();
    assert.ok(first.result);
    assert.equal(load(), first);
    edit(path.join(root, 'shaders/tone.glsl'), '1.25', '1.5');
    assert.notEqual(load().result.stages[0].code, first.result.stages[0].code);
    edit(path.join(root, 'shaders/tone.glsl'), '1.5', '1.25');
    assert.deepEqual(load().result, first.result);
    fs.writeFileSync(path.join(root, 'src/lib/waves.glsl'), 'const int OCTAVES = 1;\nfloat wave(vec2 at) { return at.x; }\n');
    assert.notEqual(load().result.stages[0].code, first.result.stages[0].code);
});
