/* The contract of a source over every kind that a hub opens by itself, a real MCP server, and the hub. */
import { resolve } from 'node:path';
import type { Hub } from '../../src/hub/hub.ts';
import { serveServers } from '../support/served-hub.ts';
import { sourceContract } from '../support/source-contract.ts';

const program = resolve(import.meta.dirname, '../fixtures/mcp-server.mjs');

for (const id of ['tools', 'library', 'storage', 'results', 'server'])
	sourceContract(id, async () => {
		const source = (await openHub()).sources.find((source) => source.id === id);
		if (source === undefined) throw new Error(`the hub has no ${id}`);
		return source;
	});

sourceContract('hub', openHub);

async function openHub(): Promise<Hub> {
	return (await serveServers({ server: { command: process.execPath, args: [program] } })).opened.hub;
}
