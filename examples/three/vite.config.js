import planish from 'unplugin-planish/vite';
import { defineConfig } from 'vite';

export default defineConfig({
    // Chunks of three.js are found in the package `three`, unless `chunks` has one of that name.
    plugins: [planish({ include: ['chunks'], settings: { prelude: 'three' } })],
    build: { target: 'esnext' },
});
