// Programs that are compiled, and kept for as long as what they were made from is the same.
import fs from 'node:fs';
import path from 'node:path';
import { PlanishError, Program, compile } from 'planish';
import { Includes, shown } from './includes.js';

/**
 * @typedef {{ file: string, target: string, settings: Record<string, unknown>, stages: string[] }} Request
 * @typedef {{ stage?: string | null, code: string | Uint8Array, reflection: unknown }} Stage
 * @typedef {{ stages: Stage[], warnings: import('planish').Diagnostic[] }} Result The first stage is the one that was asked for.
 * @typedef {{ sources: Buffer[], lookups: import('./includes.js').Lookup[], files: string[], result?: Result, error?: unknown }} Entry
 */

/** Targets that are one graph: their reading differs from that of other targets. */
const GRAPHS = new Set(['graph', 'graph-text', 'graph-dot', 'graph-svg', 'mtlx']);

export class Compiler {
    /** @type {Map<string, Entry>} */
    entries = new Map();

    /**
     * @param {string} root Folder to which names in messages are relative.
     * @param {string[]} folders Folders of included files, from the root on.
     * @param {Record<string, unknown>} settings Settings of all programs.
     */
    constructor(root, folders, settings) {
        this.root = root;
        this.folders = folders.map((folder) => path.resolve(root, folder));
        this.settings = settings;
    }

    /**
     * The result of a request, and the files that it depends on, also if it is an error.
     *
     * @param {Request} request
     * @returns {Entry}
     */
    load(request) {
        const settings = { ...this.settings, ...request.settings };
        const paths = [request.file, ...request.stages.map((stage) => path.resolve(path.dirname(request.file), stage))];
        /** @type {Buffer[]} */
        const sources = [];
        for (const file of paths) {
            try {
                sources.push(fs.readFileSync(file));
            } catch (error) {
                const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
                const why = code === 'ENOENT' ? 'there is no such file' : message;
                return { sources, lookups: [], files: paths, error: new Error(`${shown(this.root, file)}: ${why}`) };
            }
        }
        const key = JSON.stringify([paths, request.target, settings]);
        const known = this.entries.get(key);
        const includes = () => new Includes(this.root, this.folders, [settings.prelude ?? []].flat().includes('three'));
        if (known?.sources.every((source, at) => source.equals(sources[at])) && includes().finds(known.lookups)) return known;
        const found = includes();
        /** @type {Entry} */
        const entry = { sources, lookups: found.lookups, files: [] };
        try {
            const named = paths.map((file, at) => ({ name: shown(this.root, file), source: sources[at] }));
            entry.result = build(named, request.target, { ...settings, includes: found.find.bind(found) });
        } catch (error) {
            entry.error = error;
        }
        entry.files = [...new Set([...paths, ...found.files])];
        this.entries.set(key, entry);
        return entry;
    }
}

/**
 * @param {{ name: string, source: Uint8Array }[]} sources
 * @param {string} target
 * @param {import('planish').Options} options
 * @returns {Result}
 */
function build(sources, target, options) {
    const [{ name, source }] = sources;
    const programs = sources.length === 1 ? [new Program(source, { ...options, name })] : Program.stages(sources, options);
    try {
        const stages = programs.map((program) => {
            const isGraph = GRAPHS.has(target) && programs.length === 1;
            const code = isGraph ? compile(source, target, { ...options, name }) : program.emit(target);
            const reflection = reflect(program);
            return { stage: reflection?.entry_points[0]?.stage, code, reflection };
        });
        // Each stage has the warnings of reading all.
        const warnings = new Map(programs.flatMap((program) => program.warnings).map((warning) => [warning.rendered, warning]));
        return { stages, warnings: [...warnings.values()] };
    } finally {
        programs.forEach((program) => program.free());
    }
}

/** The interface of a program; `null` if it has none, such as one in VL that calls itself. @param {Program} program */
function reflect(program) {
    try {
        return program.reflect();
    } catch (error) {
        if (error instanceof PlanishError) return null;
        throw error;
    }
}
