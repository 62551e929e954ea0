/* The provider of the conformance suite on stdio; with `--legacy` a server of the legacy era only. */
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { serveProvider } from '../../dist/mcp/index.js';
import { provider } from './provider.mjs';

await serveProvider(provider, process.argv.includes('--legacy') ? { input: withoutDiscover() } : {});

/** The input of a server that knows only the legacy era: it has no `server/discover`. */
function withoutDiscover() {
	const input = new PassThrough();
	const lines = createInterface({ input: process.stdin });
	lines.on('line', (line) => {
		const { id, method } = JSON.parse(line);
		if (method !== 'server/discover') return input.write(`${line}\n`);
		const error = { code: -32601, message: 'Method not found' };
		process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
	});
	lines.on('close', () => input.end());
	return input;
}
