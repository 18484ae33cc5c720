import { unplugin } from './index.js';
export type { Options } from './index.js';

declare const plugin: typeof unplugin.esbuild;
export default plugin;
