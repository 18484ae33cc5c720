// The plugin: `import shader from './sky.frag?wgsl'` is its code and its reflection.
import fs from 'node:fs';
import path from 'node:path';
import { createUnplugin } from 'unplugin';
import { Compiler } from './compile.js';
import { formOf, ofError, ofWarning } from './messages.js';
import { EMPTY, declarations, moduleText, requestOf } from './module.js';
import { camelCase, parse } from './query.js';
import { resolver } from './resolve.js';

/** @type {import('unplugin').UnpluginFactory<import('../types/index.js').Options | undefined, false>} */
const factory = (options = {}, meta) => {
    const { settings = {}, include = [], types, root: given } = check(options);
    const form = formOf(meta.framework);
    let compiler = new Compiler(path.resolve(given ?? process.cwd()), include, settings);
    /** Ids of the modules that a file has changed the result of. @type {Map<string, Set<string>>} */
    const users = new Map();
    /** Texts of imports, with the files that they are. @type {Map<string, Map<string, import('./compile.js').Stage[]>>} */
    const imports = new Map();
    /** For each id, the texts of its imports. @type {Map<string, Set<string>>} */
    const requests = new Map();
    /** @param {string} root */
    const setRoot = (root) => {
        if (given === undefined) compiler = new Compiler(root, include, settings);
    };

    /** @param {string} id @param {import('./compile.js').Stage[]} stages */
    function declare(id, stages) {
        if (types === undefined) return;
        for (const request of requests.get(id) ?? []) {
            imports.set(request, (imports.get(request) ?? new Map()).set(id, stages));
        }
        const [file, text] = [path.resolve(compiler.root, types), declarations(imports)];
        if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text) return;
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, text);
    }

    return {
        name: 'unplugin-planish',
        enforce: 'pre',

        async resolveId(source, importer) {
            // (What it throws, all bundlers show. Errors that are reported here, esbuild drops.)
            if (parse(source) === undefined) return null;
            const at = source.indexOf('?');
            const file = await resolver(this)(source.slice(0, at), importer);
            if (file === undefined) return null;
            const id = file + source.slice(at);
            requests.set(id, (requests.get(id) ?? new Set()).add(requestOf(source)));
            return id;
        },

        // (Not only what has been resolved: bundlers keep that from one run to the next.)
        loadInclude: isRequest,

        load(id) {
            const request = parse(id);
            if (request === undefined) return null;
            const { files, result, error } = compiler.load(request);
            for (const file of files) {
                this.addWatchFile(file);
                users.set(file, (users.get(file) ?? new Set()).add(id));
            }
            if (result === undefined) {
                this.error(ofError(error, id, compiler.root, form));
                // esbuild and webpack go on.
                return EMPTY;
            }
            for (const warning of result.warnings) this.warn(ofWarning(warning, id, compiler.root, form));
            declare(id, result.stages);
            return { code: moduleText(result.stages), map: null };
        },

        vite: {
            configResolved: (config) => setRoot(config.root),
            hotUpdate({ file, modules }) {
                const ids = users.get(path.normalize(file)) ?? users.get(file);
                if (ids === undefined) return undefined;
                const graph = this.environment.moduleGraph;
                const known = [...ids].flatMap((id) => graph.getModuleById(id) ?? []);
                // Vite stops at a module that has never been loaded without an error: those that import it are what changes.
                const own = known.flatMap((module) => (module.isSelfAccepting === undefined ? [...module.importers] : [module]));
                // An included file is a module for the graph, without code unless it is imported otherwise.
                return [...new Set([...own, ...modules.filter((module) => module.transformResult)])];
            },
        },
        esbuild: {
            loader: 'js',
            config: (config) => setRoot(path.resolve(config.absWorkingDir ?? process.cwd())),
        },
        webpack: (of) => setRoot(of.context),
        rspack: (of) => setRoot(of.context),
    };
};

/** @param {string} id */
function isRequest(id) {
    try {
        return parse(id) !== undefined;
    } catch {
        return false;
    }
}

/**
 * Options, with names of settings as the compiler has them.
 *
 * @param {import('../types/index.js').Options} options
 */
function check(options) {
    const known = ['include', 'root', 'settings', 'types'];
    for (const name of Object.keys(options)) {
        if (!known.includes(name)) throw new TypeError(`unplugin-planish has no option \`${name}\`; there are ${known.join(', ')}`);
    }
    const settings = Object.entries(options.settings ?? {}).map(([name, value]) => [camelCase(name), value]);
    return { ...options, settings: Object.fromEntries(settings) };
}

export const unplugin = /* @__PURE__ */ createUnplugin(factory);

export default unplugin;
