/* Changes of a server: notifications of a legacy one, subscriptions of a modern one. */
import { describe, expect, it } from 'vitest';
import type { ServerConnection } from '../../../src/mcp/client/server-connection.ts';
import type { DefinitionProvider } from '../../../src/mcp/define/definition-provider.ts';
import type { Change } from '../../../src/mcp/server/provider.ts';
import type { Transport } from '../../../src/transport/transport.ts';
import { kitchenSink } from '../../support/mcp-server.ts';
import { connected, failure, inProcess, misbehaving } from '../../support/servers.ts';
import { until } from '../../support/waiting.ts';

describe.each(['legacy', 'modern'] as const)('changes of a %s server', (era) => {
	it('are received for lists without asking', async () => {
		const { provider, changes, connection } = await served(era);
		// A legacy session notifies of lists that its client has read.
		await connection.listAll('tools');
		await connection.listAll('prompts');
		provider.notifyChange({ kind: 'tools' });
		provider.notifyChange({ kind: 'prompts' });
		await until('both are received', () => changes.length === 2);
		expect(changes).toEqual([{ kind: 'tools' }, { kind: 'prompts' }]);
	});

	it('are received for a resource while it is subscribed', async () => {
		const { provider, changes, connection } = await served(era);
		await connection.listAll('tools');
		await connection.subscribeResource('note://one', true);
		provider.notifyChange({ kind: 'resource', uri: 'note://one' });
		provider.notifyChange({ kind: 'resource', uri: 'note://bytes' });
		await until('the update is received', () => changes.length > 0);
		await connection.subscribeResource('note://one', false);
		provider.notifyChange({ kind: 'resource', uri: 'note://one' });
		provider.notifyChange({ kind: 'tools' });
		await until('the change of the list is received', () => changes.length > 1);
		expect(changes).toEqual([{ kind: 'resource', uri: 'note://one' }, { kind: 'tools' }]);
	});

	it('come once each, also while subscriptions are added', async () => {
		const { provider, changes, connection } = await served(era);
		const uris = Array.from({ length: 20 }, (_, index) => `note://${index}`);
		const all = Promise.all(uris.map((uri) => connection.subscribeResource(uri, true)));
		for (const kind of ['tools', 'prompts', 'resources'] as const) {
			await connection.request(`${kind}/list`);
			provider.notifyChange({ kind });
		}
		await all;
		for (const uri of uris) provider.notifyChange({ kind: 'resource', uri });
		await until('all are received', () => changes.length >= 23);
		await connection.request('tools/list');
		expect(changes.filter(({ kind }) => kind !== 'resource')).toHaveLength(3);
		expect(changes.filter(({ kind }) => kind === 'resource')).toHaveLength(20);
	});
});

describe('a subscription to a modern server', () => {
	it.each(['ends-listen', 'cancels-listen'])(
		'is opened again after the server ended it, and reports what may have changed: %s',
		async (how) => {
			const changes: Change[] = [];
			await connected(misbehaving(how), { onChange: (change) => changes.push(change) });
			// One of the first subscription, one of the second, and one for the time between them.
			await until('the subscription was opened again', () => changes.length === 3);
			expect(changes).toEqual([{ kind: 'tools' }, { kind: 'tools' }, { kind: 'tools' }]);
		},
	);

	it('is not repeated when the server does not have the method', async () => {
		const connection = await connected(misbehaving('refuses-listen'));
		expect(await failure(connection.subscribeResource('a:b', true))).toMatchObject({ code: 'rpc' });
		expect((await connection.listAll('tools')).items).toHaveLength(6);
		expect(connection.diagnose().inFlight).toBe(0);
	});

	it('fails for a resource that the server does not accept', async () => {
		const { connection } = await served('modern', (text) =>
			text.replace('"resourceSubscriptions":["note://one"]', '"resourceSubscriptions":[]'),
		);
		const error = await failure(connection.subscribeResource('note://one', true));
		expect(error).toMatchObject({ code: 'not_found', message: expect.stringContaining('note://one') });
	});

	it('fails when the server dies before it answers', async () => {
		const connection = await connected(misbehaving('modern'));
		const lost = failure(connection.request('tools/call', { name: 'exit' }));
		const error = await failure(connection.subscribeResource('a:b', true));
		expect(error.code).toBe('closed');
		await lost;
	});
});

/** A connection to a provider in this process. `rewrite` changes the messages of the server. */
async function served(
	era: 'legacy' | 'modern',
	rewrite: (text: string) => string = (text) => text,
): Promise<{ provider: DefinitionProvider; changes: Change[]; connection: ServerConnection }> {
	const provider = kitchenSink();
	const changes: Change[] = [];
	const connection = await connected(async () => rewriting(inProcess(provider), rewrite), {
		knownEra: era,
		onChange: (change) => changes.push(change),
	});
	if (era === 'modern') await until('the subscription is open', () => connection.diagnose().inFlight === 1);
	return { provider, changes, connection };
}

function rewriting(transport: Transport, rewrite: (text: string) => string): Transport {
	const start = transport.start.bind(transport);
	transport.start = (receiver) =>
		start({
			message: (text) => receiver.message(rewrite(text)),
			oversize: (line) => receiver.oversize(line),
			end: (reason) => receiver.end(reason),
		});
	return transport;
}
