/* Every message that the client writes is valid in the official schema of its revision. */
import { expect, it } from 'vitest';
import type { Transport } from '../../../src/transport/transport.ts';
import { schemaFaults } from '../../support/mcp-schemas.ts';
import { kitchenSink } from '../../support/mcp-server.ts';
import { clientOf, failure, inProcess } from '../../support/servers.ts';

it.each([
	['legacy', '2025-11-25'],
	['modern', '2026-07-28'],
] as const)('messages to a %s server fit the schema of %s', async (knownEra, version) => {
	const sent: string[] = [];
	const client = await clientOf(recorded(inProcess(kitchenSink()), sent), {
		knownEra,
		elicit: () => ({ action: 'accept', content: { name: 'Ann' } }),
		sample: () => ({ role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'none' }),
		roots: () => [{ uri: 'file:///work' }],
	});
	await client.ping();
	await client.setLogLevel('info');
	await client.listTools();
	await client.listPrompts();
	await client.listResources();
	await client.listResourceTemplates();
	await client.subscribe('note://one');
	await client.unsubscribe('note://one');
	await client.callTool('everything', {}, { onProgress: () => {}, onLog: () => {} });
	await client.getPrompt('greet', { who: 'Ann' });
	await client.readResource('note://one');
	const ref = { type: 'ref/prompt', name: 'greet' } as const;
	await client.complete({ ref, argument: { name: 'who', value: '' } });
	await failure(client.callTool('hang', {}, { timeoutMs: 10 }));
	const messages = sent.map((text) => JSON.parse(text));
	expect(messages.length).toBeGreaterThan(12);
	expect(messages.flatMap((message) => schemaFaults(version, definitionOf(message), message))).toEqual([]);
	expect(messages.every((message) => knownEra === 'legacy' || message.method !== undefined)).toBe(true);
});

function definitionOf(message: { id?: unknown; method?: string }): string {
	if (message.method === undefined) return 'JSONRPCResponse';
	return message.id === undefined ? 'ClientNotification' : 'ClientRequest';
}

function recorded(transport: Transport, sent: string[]): Transport {
	const post = transport.post.bind(transport);
	transport.post = (text) => {
		sent.push(text);
		return post(text);
	};
	return transport;
}
