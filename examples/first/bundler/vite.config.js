import planish from 'unplugin-planish/vite';

export default { plugins: [planish()], build: { target: 'esnext' } };
