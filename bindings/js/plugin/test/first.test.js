// The first program for bundlers: `examples/first/bundler`.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import * as vite from 'vite';
import { agreement, decodePng, visit } from './browser.js';
import { copy, hasChromium, planish } from './tools.js';

/** Reads the canvas in the task that draws it, and reports its pixels. */
const REPORT = `
const copy = new OffscreenCanvas(320, 180).getContext('2d');
copy.drawImage(document.querySelector('canvas'), 0, 0);
await fetch('/report?pixels', { method: 'POST', body: copy.getImageData(0, 0, 320, 180).data });
`;

test('the first program draws what `planish run` draws', { skip: !hasChromium && 'there is no chromium' }, async () => {
    const root = copy('first');
    fs.appendFileSync(path.join(root, 'main.js'), REPORT);
    await vite.build({ root, configFile: path.join(root, 'vite.config.js'), logLevel: 'warn', build: { outDir: 'out' } });
    planish(root, 'run', 'sun.frag', '--size', '320x180', '-D', 'sky=0.2,0.4,0.8', '-o', 'sun.png');
    const { pixels } = decodePng(path.join(root, 'sun.png'));
    assert.ok(new Set(pixels).size > 50, 'the picture has something to see');
    await visit(path.join(root, 'out'), 'index.html', async (reports) => {
        const drawn = await reports.next('pixels');
        assert.ok(agreement(drawn, pixels) >= 0.999, `${agreement(drawn, pixels)} of the pixels agree`);
    });
});
