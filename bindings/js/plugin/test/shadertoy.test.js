// The example of Shadertoy: a buffer that reads itself, played by WebGPU, beside the same game in JavaScript.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import * as vite from 'vite';
import { visit } from './browser.js';
import { copy, hasChromium } from './tools.js';

const [WIDTH, HEIGHT, CELL, FRAMES] = [256, 160, 4, 25];

/** The cells after so many frames, by the rules of the game. */
function life() {
    const [columns, rows] = [WIDTH / CELL, HEIGHT / CELL];
    const key = (x, y) => ((y + rows) % rows) * columns + ((x + columns) % columns);
    const glider = [[1, 0], [2, 1], [0, 2], [1, 2], [2, 2]].map(([x, y]) => key(x + 3, y + 20));
    const five = [[1, 1], [-1, 0], [0, 0], [0, 1], [0, -1]].map(([x, y]) => key(x + columns / 2, y + rows / 2));
    let cells = new Set([...glider, ...five]);
    for (let frame = 1; frame < FRAMES; frame++) {
        const counts = new Map();
        for (const cell of cells) {
            const [x, y] = [cell % columns, Math.floor(cell / columns)];
            for (const dy of [-1, 0, 1]) for (const dx of [-1, 0, 1]) if (dx || dy) counts.set(key(x + dx, y + dy), (counts.get(key(x + dx, y + dy)) ?? 0) + 1);
        }
        cells = new Set([...counts].filter(([cell, count]) => count === 3 || (count === 2 && cells.has(cell))).map(([cell]) => cell));
    }
    return cells;
}

test('Shadertoy: a document with a buffer that reads itself is played', { skip: !hasChromium && 'there is no chromium' }, async () => {
    const root = copy('shadertoy');
    await vite.build({ root, configFile: false, logLevel: 'error', build: { outDir: 'out', target: 'esnext' } });
    await visit(path.join(root, 'out'), `index.html?frames=${FRAMES}`, async (reports) => {
        const pixels = await reports.next('pixels');
        const cells = life();
        assert.ok(cells.size > 20, 'there is something to see');
        for (let y = 0; y < HEIGHT; y++) {
            for (let x = 0; x < WIDTH; x++) {
                // Rows of the game are counted from below.
                const cell = Math.floor((HEIGHT - 1 - y) / CELL) * (WIDTH / CELL) + Math.floor(x / CELL);
                const at = (y * WIDTH + x) * 4;
                const color = cells.has(cell) ? [255, 204, 51] : [0, 51, 102];
                assert.deepEqual([...pixels.subarray(at, at + 3)], color, `pixel ${x}, ${y}`);
            }
        }
        const unsupported = (await reports.next('unsupported')).toString();
        assert.match(unsupported, /mainSound/);
        assert.match(unsupported, /iChannel1 of `Buffer A` is `keyboard`/);
    });
});
