// Chromium with WebGPU on SwiftShader, and pages that report to the tests by `fetch('/report?NAME', { method: 'POST', body })`.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';

const FLAGS = [
    '--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader',
    // (Without these, the canvas of WebGPU cannot be read.)
    '--enable-features=Vulkan', '--use-vulkan=swiftshader', '--use-angle=vulkan',
];

const SWIFTSHADER = '/usr/lib/chromium/vk_swiftshader_icd.json';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.json': 'application/json', '.wasm': 'application/wasm' };

/** Reports of a page, in their order. */
export class Reports {
    constructor() {
        this.come = [];
        this.waiting = undefined;
    }

    /** Takes a request to `/report`, if it is one. */
    take(request, response) {
        const url = new URL(request.url, 'http://localhost');
        if (url.pathname !== '/report') return false;
        const parts = [];
        request.on('data', (part) => parts.push(part));
        request.on('end', () => {
            this.come.push({ name: url.search.slice(1), body: Buffer.concat(parts) });
            this.waiting?.();
            response.end();
        });
        return true;
    }

    /** The next report, which must have this name. */
    async next(name, seconds = 60) {
        const end = Date.now() + seconds * 1000;
        while (this.come.length === 0) {
            const left = end - Date.now();
            if (left <= 0) throw new Error(`the page has not reported \`${name}\` in ${seconds} seconds`);
            await new Promise((done) => {
                const timer = setTimeout(done, left);
                this.waiting = () => (clearTimeout(timer), done());
            });
        }
        const { name: found, body } = this.come.shift();
        if (found !== name) throw new Error(`the page reports \`${found}\`, not \`${name}\`: ${body.toString().slice(0, 2000)}`);
        return body;
    }
}

/** Opens a page. The result closes it. */
export function open(url, log = () => {}) {
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'planish-chromium-'));
    const browser = spawn('chromium', [...FLAGS, '--enable-logging=stderr', `--user-data-dir=${profile}`, url], {
        stdio: ['ignore', 'ignore', 'pipe'],
        // WebGL, which would take another driver of Vulkan that is installed.
        env: { ...process.env, VK_DRIVER_FILES: SWIFTSHADER, VK_ICD_FILENAMES: SWIFTSHADER },
    });
    browser.on('error', log);
    browser.stderr.on('data', (text) => /CONSOLE/.test(text) && log(String(text)));
    const ended = new Promise((done) => browser.on('close', done));
    return async () => {
        browser.kill();
        await ended;
        fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    };
}

/** Serves a folder and opens a page of it, calls `use` with its reports, and closes it. */
export async function visit(folder, page, use) {
    const reports = new Reports();
    const server = http.createServer((request, response) => {
        if (reports.take(request, response)) return;
        const file = path.join(folder, decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
        fs.readFile(file, (error, bytes) => {
            response.statusCode = error ? 404 : 200;
            response.setHeader('content-type', TYPES[path.extname(file)] ?? 'application/octet-stream');
            response.end(bytes);
        });
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    const close = open(`http://127.0.0.1:${server.address().port}/${page}`, console.error);
    try {
        return await use(reports);
    } finally {
        await close();
        server.closeAllConnections();
        server.close();
    }
}

/** Width, height and bytes of red, green, blue and alpha, of a PNG of 8 bits that is not interlaced. */
export function decodePng(file) {
    const bytes = fs.readFileSync(file);
    const parts = [];
    let header;
    for (let at = 8; at < bytes.length; ) {
        const size = bytes.readUInt32BE(at);
        const [name, data] = [bytes.toString('latin1', at + 4, at + 8), bytes.subarray(at + 8, at + 8 + size)];
        if (name === 'IHDR') header = data;
        if (name === 'IDAT') parts.push(data);
        at += size + 12;
    }
    const [width, height, depth, color] = [header.readUInt32BE(0), header.readUInt32BE(4), header[8], header[9]];
    const channels = { 2: 3, 6: 4 }[color];
    if (depth !== 8 || channels === undefined || header[12] !== 0) throw new Error(`${file} is another kind of PNG`);
    const packed = zlib.inflateSync(Buffer.concat(parts));
    const stride = width * channels;
    const rows = Buffer.alloc(stride * height);
    for (let y = 0; y < height; y++) {
        const filter = packed[y * (stride + 1)];
        for (let x = 0; x < stride; x++) {
            const left = x < channels ? 0 : rows[y * stride + x - channels];
            const up = y === 0 ? 0 : rows[(y - 1) * stride + x];
            const corner = x < channels || y === 0 ? 0 : rows[(y - 1) * stride + x - channels];
            const guess = left + up - corner;
            const [a, b, c] = [left, up, corner].map((value) => Math.abs(guess - value));
            const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
            const add = [0, left, up, (left + up) >> 1, paeth][filter];
            rows[y * stride + x] = packed[y * (stride + 1) + 1 + x] + add;
        }
    }
    if (channels === 4) return { width, height, pixels: rows };
    const pixels = Buffer.alloc(width * height * 4, 255);
    for (let at = 0; at < width * height; at++) rows.copy(pixels, at * 4, at * 3, at * 3 + 3);
    return { width, height, pixels };
}

/** The part of pixels whose channels are all within 1/255: docs/gpu.md wants 99.9 % of them. */
export function agreement(one, other) {
    if (one.length !== other.length) throw new Error(`pictures of ${one.length} and ${other.length} bytes`);
    let same = 0;
    for (let at = 0; at < one.length; at += 4) {
        same += [0, 1, 2, 3].every((channel) => Math.abs(one[at + channel] - other[at + channel]) <= 1) ? 1 : 0;
    }
    return same / (one.length / 4);
}
