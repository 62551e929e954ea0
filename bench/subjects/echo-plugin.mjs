/* The echo tool as a plugin, for what stands behind a hub. */
import { definePlugin } from '../../dist/plugin/index.js';

await definePlugin({
	id: 'tools.echo',
	version: '1.0.0',
	tools: {
		echo: {
			description: 'Say it again',
			inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
			run: ({ text }) => text,
		},
	},
}).run();
