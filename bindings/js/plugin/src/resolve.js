// Files of imports, as the bundler itself finds them: with its aliases and packages.
import path from 'node:path';

/**
 * @param {any} context Of a hook.
 * @returns {(source: string, importer: string | undefined) => Promise<string | undefined>}
 */
export function resolver(context) {
    // Rollup, Rolldown and Vite.
    if (typeof context.resolve === 'function') {
        return async (source, importer) => {
            const found = await context.resolve(source, importer, { skipSelf: true });
            return found && !found.external ? found.id : undefined;
        };
    }
    const native = context.getNativeBuildContext?.();
    if (native?.framework === 'esbuild') {
        return async (source, importer) => {
            const resolveDir = importer ? path.dirname(importer) : process.cwd();
            const found = await native.build.resolve(source, { kind: 'import-statement', importer, resolveDir });
            return found.errors.length > 0 || found.external ? undefined : found.path;
        };
    }
    const { compiler } = native ?? {};
    if (compiler?.resolverFactory === undefined) {
        return async (source, importer) => path.resolve(importer ? path.dirname(importer) : '', source);
    }
    const resolve = compiler.resolverFactory.get('normal', { dependencyType: 'esm' });
    return (source, importer) =>
        new Promise((done) => {
            const folder = importer ? path.dirname(importer) : compiler.context;
            resolve.resolve({}, folder, source, {}, (/** @type {unknown} */ error, /** @type {unknown} */ found) => {
                done(error || typeof found !== 'string' ? undefined : found);
            });
        });
}
