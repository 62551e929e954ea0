/* `npm run test:all`: `npm test` with the long tests. */
process.env['ORCHESTRA_TESTS'] = 'all';
await import('./test.mjs');
