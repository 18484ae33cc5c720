// A running development server of Vite: shaders and what they include are replaced in the page, and errors are shown there.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import planishPlugin from 'unplugin-planish/vite';
import * as vite from 'vite';
import { Reports, agreement, decodePng, open } from './browser.js';
import { copy, edit, hasChromium, planish } from './tools.js';

/** Reports the text of Vite's overlay when it appears. */
const OVERLAY = `
new MutationObserver((records) => {
    for (const node of records.flatMap((record) => [...record.addedNodes])) {
        if (node.localName === 'vite-error-overlay') fetch('/report?overlay', { method: 'POST', body: node.shadowRoot.querySelector('.window').innerText });
    }
}).observe(document, { childList: true, subtree: true });`;

/** Serves a copy of the project after `prepare`, opens its page, and calls `use`. */
async function develop(prepare, use) {
    const root = copy('project');
    prepare(root);
    const reports = new Reports();
    const reporter = {
        name: 'reporter',
        configureServer: (server) => void server.middlewares.use((request, response, next) => reports.take(request, response) || next()),
        transformIndexHtml: () => [{ tag: 'script', children: OVERLAY, injectTo: 'head-prepend' }],
    };
    const logger = vite.createLogger('silent');
    const messages = [];
    for (const level of ['warn', 'error']) logger[level] = (message) => messages.push(message);
    const server = await vite.createServer({
        root, configFile: false, customLogger: logger, server: { port: 0, host: '127.0.0.1' },
        plugins: [planishPlugin({ include: ['shaders'] }), reporter],
    });
    await server.listen();
    const close = open(server.resolvedUrls.local[0]);
    try {
        await use(root, reports, messages);
    } finally {
        await close();
        await server.close();
    }
}

/** Checks that the page reports the picture of the files as they are now. */
async function drawn(root, reports) {
    const pixels = await reports.next('pixels');
    planish(root, 'run', 'src/sky.frag', '-I', 'shaders', '--size', '64x64', '--time', '1.5', '-D', 'zenith=0.2,0.4,0.8', '-o', 'sky.png');
    const agreed = agreement(pixels, decodePng(path.join(root, 'sky.png')).pixels);
    assert.ok(agreed >= 0.999, `${agreed} of the pixels agree`);
    return pixels;
}

/** The watcher of Vite drops a change of a file that comes within 50 ms of the one before: a person is slower. */
const PAUSE = 500;

const skip = !hasChromium && 'there is no chromium';

test('Vite: a changed shader is replaced in the page, and one whose included file changes', { skip }, async () => {
    await develop(() => {}, async (root, reports, messages) => {
        await reports.next('loaded');
        let before = await drawn(root, reports);
        const changes = [
            ['src/sky.frag', 'uv.y)', 'uv.y * uv.y)'],
            ['src/lib/waves.glsl', 'OCTAVES = 4', 'OCTAVES = 2'],
            ['shaders/tone.glsl', '1.25', '1.1'],
        ];
        for (const [file, old, now] of changes) {
            edit(path.join(root, file), old, now);
            // Not `loaded`: the page is the same.
            const after = await drawn(root, reports);
            assert.ok(agreement(before, after) < 0.9, `${file} changes the picture`);
            before = after;
        }
        edit(path.join(root, 'src/sky.vert'), '0.5 + 0.5', '0.5 + 0.25');
        assert.ok(agreement(before, await reports.next('pixels')) < 0.9, 'the other stage changes the picture');
        assert.deepEqual(messages, []);
    });
});

test('Vite: an error in an included file is shown with its lines, and goes away', { skip }, async () => {
    await develop(() => {}, async (root, reports, messages) => {
        await reports.next('loaded');
        await drawn(root, reports);
        const waves = path.join(root, 'src/lib/waves.glsl');
        edit(waves, 'cos(at.y)', 'cos(hat.y)');
        const overlay = (await reports.next('overlay')).toString();
        const shown = ['error[E0301]: unknown name `hat`', 'src/lib/waves.glsl:5:', 'cos(hat.y)', '^^^'];
        for (const text of shown) assert.ok(overlay.includes(text), `${text} in ${overlay}`);
        for (const text of shown) assert.ok(messages.join('\n').includes(text), `${text} in ${messages}`);
        await wait(PAUSE);
        edit(waves, 'cos(hat.y)', 'cos(at.y)');
        await drawn(root, reports);
    });
});

test('Vite: a page that opens with an error is loaded again when that is mended', { skip }, async () => {
    const waves = (root) => path.join(root, 'src/lib/waves.glsl');
    await develop((root) => edit(waves(root), 'cos(at.y)', 'cos(hat.y)'), async (root, reports) => {
        assert.match((await reports.next('overlay')).toString(), /unknown name `hat`/);
        edit(waves(root), 'cos(hat.y)', 'cos(at.y)');
        await reports.next('loaded');
        await drawn(root, reports);
    });
});
