// Files of `#include`: of the including file's folder, of configured folders, and the chunks of three.js.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** A lookup that a compilation has made. @typedef {{ name: string, from: string, angle: boolean, file?: string, text?: string }} Lookup */

/** Finds included files for one compilation, and remembers them. */
export class Includes {
    /** @type {Lookup[]} */
    lookups = [];

    /** Files that were looked for: those that are there, and those whose appearance would change the result. @type {Set<string>} */
    files = new Set();

    /**
     * @param {string} root Folder to which names in messages are relative.
     * @param {string[]} folders Absolute paths.
     * @param {boolean} chunks Whether `<name>` may be a chunk of three.js.
     */
    constructor(root, folders, chunks) {
        this.root = root;
        this.folders = folders;
        this.chunks = chunks;
    }

    /**
     * @param {string} name
     * @param {string} from
     * @param {boolean} angle
     * @returns {{ name: string, text: string } | undefined}
     */
    find(name, from, angle) {
        const { file, text } = this.look(name, from, angle);
        this.lookups.push({ name, from, angle, file, text });
        return file === undefined || text === undefined ? undefined : { name: shown(this.root, file), text };
    }

    /**
     * @param {string} name
     * @param {string} from
     * @param {boolean} angle
     * @returns {{ file?: string, text?: string }}
     */
    look(name, from, angle) {
        const own = angle ? [] : [path.dirname(path.resolve(this.root, from))];
        const candidates = [...own, ...this.folders].map((folder) => path.resolve(folder, name));
        if (this.chunks && angle) {
            const more = [...candidates, ...chunkFolders(this.root).map((folder) => path.resolve(folder, name))];
            candidates.splice(0, Infinity, ...more.flatMap((file) => [file, `${file}.glsl`, `${file}.glsl.js`]));
        }
        for (const file of candidates) {
            this.files.add(file);
            const text = read(file);
            if (text !== undefined) return { file, text: this.chunks && file.endsWith('.js') ? chunk(text) : text };
        }
        return {};
    }

    /** Whether the same lookups find the same texts now. @param {Lookup[]} lookups */
    finds(lookups) {
        return lookups.every(({ name, from, angle, file, text }) => {
            const now = this.look(name, from, angle);
            return now.file === file && now.text === text;
        });
    }
}

/** The name of a file in messages: from the root on, with slashes. @param {string} root @param {string} file */
export function shown(root, file) {
    return path.relative(root, file).split(path.sep).join('/');
}

/** The text of a file; `undefined` if it is none. @param {string} file */
export function read(file) {
    try {
        return fs.readFileSync(file, 'utf8');
    } catch {
        return undefined;
    }
}

/** The folder of the chunks of the three.js that a project uses, if it does. @param {string} root */
function chunkFolders(root) {
    try {
        const main = createRequire(path.join(root, 'package.json')).resolve('three');
        return [path.join(path.dirname(main), '../src/renderers/shaders/ShaderChunk')];
    } catch {
        return [];
    }
}

/** The GLSL of a module whose default export is a template; places in it are those in the module. @param {string} module */
function chunk(module) {
    const [start, end] = [module.indexOf('`'), module.lastIndexOf('`')];
    if (start < 0 || start === end || !module.slice(0, start).includes('export default')) return module;
    return module.slice(0, start + 1).replace(/[^\r\n]/g, ' ') + module.slice(start + 1, end);
}
