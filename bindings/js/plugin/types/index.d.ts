import type { UnpluginInstance } from 'unplugin';
import type { Options as CompilerOptions } from 'planish';

/** Options of the plugin. */
export interface Options {
    /** Folders where `#include` looks, after that of the including file; relative ones from the root on. */
    include?: string[];
    /** Settings of all programs, by the names of the options of `planish compile`; those in a query come last. */
    settings?: Omit<CompilerOptions, 'name' | 'includes'>;
    /** A file to which the types of all imported programs are written, such as `src/shaders.d.ts`. */
    types?: string;
    /** The folder that names in messages are relative to: by default that of the bundler. */
    root?: string;
}

export declare const unplugin: UnpluginInstance<Options | undefined, false>;
export default unplugin;
