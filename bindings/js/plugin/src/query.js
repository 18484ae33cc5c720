// Requests for programs: `./sky.frag?wgsl&minify&with=./sky.vert`.
import { compile, settings as settingKinds, targets } from 'planish';

/** Extensions of files that Planish reads. */
const PROGRAMS = /\.(frag|vert|comp|glsl|fs|vs|cs|fsh|vsh|wgsl|spv|vl|wasm|wat|ir)$/;

/** Programs that others load too, with queries of their own: what is not a target is not a mistake. */
const SHARED = /\.(wasm|wat|ir|cs)$/;

/** Queries of bundlers, with which a program is something else than a program. */
const OTHERS = new Set(['raw', 'url', 'inline', 'no-inline', 'worker', 'sharedworker', 'init', 'commonjs-proxy']);

/** What Vite adds to an import. */
const MARKS = new Set(['import', 't', 'v']);

/**
 * The request that an id is; `undefined` if it is none of Planish's.
 *
 * @param {string} id
 * @returns {import('./compile.js').Request | undefined}
 * @throws {Error} if its query has no target.
 */
export function parse(id) {
    const at = id.indexOf('?');
    if (at < 0 || id.includes('\0')) return undefined;
    const file = id.slice(0, at);
    if (!PROGRAMS.test(file)) return undefined;
    const pairs = id.slice(at + 1).split('&').filter(Boolean).map(pair).filter(([name]) => !MARKS.has(name));
    const [target, ...others] = pairs.filter(isTarget).map(([name]) => name);
    if (target === undefined) {
        if (pairs.length === 0 || SHARED.test(file) || OTHERS.has(pairs[0][0])) return undefined;
        throw new Error(`${id}: ${withoutTarget(pairs)}`);
    }
    if (others.length > 0) throw new Error(`${id}: one import has one target, not \`${target}\` and \`${others[0]}\``);
    /** @type {Record<string, unknown>} */
    const settings = {};
    /** @type {string[]} */
    const stages = [];
    for (const [name, value] of pairs) {
        if (name === 'with') stages.push(value ?? '');
        else if (!isTarget([name, value])) set(settings, camelCase(name), value);
    }
    if (stages.includes('')) throw new Error(`${id}: \`with\` takes a file, as in \`with=./sky.vert\``);
    return { file, target, settings, stages };
}

/**
 * @param {string} text
 * @returns {[string, string | undefined]}
 */
function pair(text) {
    const at = text.indexOf('=');
    return at < 0 ? [decodeURIComponent(text), undefined] : [text.slice(0, at), decodeURIComponent(text.slice(at + 1))];
}

/** @param {[string, string | undefined]} pair */
const isTarget = ([name, value]) => value === undefined && targets().includes(name);

/** @param {[string, string | undefined][]} pairs */
function withoutTarget(pairs) {
    const kinds = settingKinds();
    const wrong = pairs.map(([name]) => name).find((name) => name !== 'with' && !(camelCase(name) in kinds));
    if (wrong === undefined) return 'the query has no target, such as `wgsl`';
    try {
        // For the message, which has the target that may be meant.
        compile('', wrong);
        return `\`${wrong}\` is no target`;
    } catch (error) {
        return /** @type {Error} */ (error).message;
    }
}

/**
 * Adds a setting. Its value is checked by the compiler.
 *
 * @param {Record<string, unknown>} settings
 * @param {string} name
 * @param {string | undefined} value
 */
function set(settings, name, value) {
    const kind = settingKinds()[name];
    if (kind === 'many') settings[name] = [.../** @type {string[]} */ (settings[name] ?? []), value ?? ''];
    else if (kind === 'one') settings[name] = value ?? '';
    else settings[name] = value === 'false' ? false : (value ?? 'true') === 'true' ? true : value;
}

/** @param {string} name */
export const camelCase = (name) => name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
