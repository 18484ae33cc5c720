// The command with which results are compared, and copies of the project.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after } from 'node:test';

const here = import.meta.dirname;

/** What the command `planish` writes, run in a folder. */
export function planish(folder, ...args) {
    return execFileSync(process.env.PLANISH ?? 'planish', args, { cwd: folder, maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'ignore'] });
}

/** A copy of a folder beside this file, which is removed at the end. It is in the folder of the packages, so that it can import them. */
export function copy(name) {
    const folder = fs.mkdtempSync(path.join(here, `.${name}-`));
    fs.cpSync(path.join(here, name), folder, { recursive: true });
    after(() => fs.rmSync(folder, { recursive: true, force: true }));
    return fs.realpathSync(folder);
}

/** Replaces a text in a file, which must have it. */
export function edit(file, before, then) {
    const text = fs.readFileSync(file, 'utf8');
    if (!text.includes(before)) throw new Error(`${file} has no ${before}`);
    fs.writeFileSync(file, text.replace(before, then));
}

/** Whether Chromium is installed. */
export const hasChromium = (process.env.PATH ?? '').split(path.delimiter).some((folder) => fs.existsSync(path.join(folder, 'chromium')));
