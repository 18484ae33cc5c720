// Errors and warnings as bundlers show them: a message, a place, and the lines of the source as the command prints them.
import path from 'node:path';
import { PlanishError } from 'planish';

/**
 * @typedef {{ message: string, id?: string, code?: string, frame?: string, loc?: { file: string, line: number, column: number } }} Message
 * @typedef {'esbuild' | 'webpack' | 'rollup'} Form
 */

/**
 * The form of messages of a bundler. esbuild and webpack show the message alone, others the frame as well.
 *
 * @param {string} framework
 * @returns {Form}
 */
export const formOf = (framework) =>
    framework === 'esbuild' || framework === 'bun' ? 'esbuild' : ['webpack', 'rspack', 'rsbuild'].includes(framework) ? 'webpack' : 'rollup';

/**
 * @param {unknown} error
 * @param {string} id
 * @param {string} root
 * @param {Form} form
 * @returns {Message}
 */
export function ofError(error, id, root, form) {
    if (!(error instanceof PlanishError)) return { message: error instanceof Error ? error.message : String(error), id };
    const errors = error.diagnostics.filter((diagnostic) => diagnostic.severity === 'error');
    const [first] = errors;
    if (first === undefined) return { message: error.message, id };
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    return message(first, more, error.message, id, root, form);
}

/**
 * Few bundlers show the frame of a warning: the message has it.
 *
 * @param {import('planish').Diagnostic} warning
 * @param {string} id
 * @param {string} root
 * @param {Form} form
 * @returns {Message}
 */
export function ofWarning(warning, id, root, form) {
    const { frame, ...rest } = message(warning, '', warning.rendered, id, root, form);
    return { ...rest, message: frame ?? rest.message };
}

/**
 * @param {import('planish').Diagnostic} of
 * @param {string} more
 * @param {string} rendered
 * @param {string} id
 * @param {string} root
 * @param {Form} form
 * @returns {Message}
 */
function message(of, more, rendered, id, root, form) {
    const short = `${of.severity}[${of.code}]: ${of.message}${more}`;
    const frame = rendered.trimEnd();
    const { file, line, column } = of;
    const isPlaced = typeof file === 'string' && typeof line === 'number' && typeof column === 'number';
    // esbuild counts columns from 0, editors and people from 1.
    const place = isPlaced ? { file: path.resolve(root, file), line, column: form === 'esbuild' ? column - 1 : column } : undefined;
    // Bundlers show the place with the id, which is therefore that of the file that it is in.
    return { message: form === 'rollup' ? short : frame, id: place?.file ?? id, code: of.code, frame, ...(place && { loc: place }) };
}
