/* The echo server behind our HTTP listener. Prints its URL; runs until its stdin ends. */
import { serveHttp } from '../../dist/index.js';
import { provide } from '../../dist/mcp/index.js';

const large = 'x'.repeat(10 * 1024 * 1024);
const provider = provide({
	name: 'echo',
	version: '1.0.0',
	tools: {
		echo: {
			description: 'Give back the text.',
			inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
			run: ({ text }) => text,
		},
		large: { run: () => large },
	},
});
const serving = await serveHttp(provider, { token: process.argv[2] });
process.stdout.write(`${serving.url}\n`);
process.stdin.resume().on('end', () => serving.close());
