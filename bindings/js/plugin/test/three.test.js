// The example of three.js: the same scene by both renderers.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import * as vite from 'vite';
import { agreement, visit } from './browser.js';
import { copy, hasChromium } from './tools.js';

test('three.js: materials in WGSL on WebGPURenderer draw what they draw in GLSL on WebGLRenderer', { skip: !hasChromium && 'there is no chromium' }, async () => {
    const root = copy('three');
    await vite.build({ root, configFile: path.join(root, 'vite.config.js'), logLevel: 'error', build: { outDir: 'out', minify: false, chunkSizeWarningLimit: 1e6 } });
    await visit(path.join(root, 'out'), 'index.html', async (reports) => {
        const webgl = await reports.next('webgl');
        const webgpu = await reports.next('webgpu');
        const colors = new Set(Array.from({ length: webgl.length / 4 }, (_, at) => webgl.readUInt32LE(at * 4)));
        assert.ok(colors.size > 2000, `${colors.size} colours are something to see`);
        const agreed = agreement(webgl, webgpu);
        if (process.env.PICTURES) (await import('node:fs')).writeFileSync(process.env.PICTURES, Buffer.concat([webgl, webgpu]));
        assert.ok(agreed >= 0.999, `${agreed} of the pixels agree`);
    });
});
