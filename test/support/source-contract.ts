/* What every source holds to: one suite, run over each kind, and over the hub, which is one too. */
import { describe, expect, it } from 'vitest';
import type { Source } from '../../src/hub/source.ts';
import { CallContext } from '../../src/mcp/server/call-context.ts';
import { calls } from '../../src/mcp/server/methods.ts';
import type { Call, CallMethod, CallParams } from '../../src/mcp/server/provider.ts';
import { type ItemKind, lists } from '../../src/protocol/item-lists.ts';
import { answerValue } from '../../src/protocol/mcp-types.ts';
import { negotiate } from '../../src/protocol/revisions.ts';
import { IncomingCall } from '../../src/rpc/calls/incoming-call.ts';
import { failure } from './servers.ts';

/** @param open called for each test; the suite closes it */
export function sourceContract(name: string, open: () => Promise<Source>): void {
	describe(`the source ${name}`, () => {
		it('lists items of each declared kind, each with its own name, and again the same ones', async () => {
			const source = await open();
			for (const kind of kindsOf(source)) {
				const { key } = lists[kind];
				const names = (await source.list(kind)).map((item) => item[key]);
				expect(names.every((each) => typeof each === 'string')).toBe(true);
				expect(new Set(names).size).toBe(names.length);
				expect((await source.list(kind)).map((item) => item[key])).toEqual(names);
			}
			await source.close();
		});

		it('refuses each declared method about an item that it does not have', async () => {
			const source = await open();
			for (const kind of kindsOf(source)) await source.list(kind);
			for (const method of methodsOf(source)) {
				const refused = async (): Promise<unknown> => {
					const result = await source.request(unknownCall(method));
					// A tool that is unknown to a server is its result.
					if (answerValue(result)['isError'] === true) throw new Error('it failed');
					return result;
				};
				await failure(refused());
			}
			await source.close();
		});

		it('closes twice', async () => {
			const source = await open();
			await Promise.all([source.close(), source.close()]);
			await source.close();
		});
	});
}

function kindsOf({ capabilities }: Source): ItemKind[] {
	const kinds: ItemKind[] = ['tools', 'prompts', 'resources', 'templates', 'skills'];
	return kinds.filter((kind) => capabilities.includes(lists[kind].capability));
}

function methodsOf({ capabilities }: Source): CallMethod[] {
	const methods: CallMethod[] = [
		'tools/call',
		'prompts/get',
		'resources/read',
		'skills/get',
		'resources/directory/read',
	];
	return methods.filter((method) => capabilities.includes(calls[method].capability));
}

const unknown: CallParams = {
	'tools/call': { name: 'no-such-tool', arguments: {} },
	'prompts/get': { name: 'no-such-prompt', arguments: {} },
	'resources/read': { uri: 'no-such:resource' },
	'completion/complete': {
		ref: { type: 'ref/prompt', name: 'no-such-prompt' },
		argument: { name: 'a', value: '' },
		context: {},
	},
	'skills/get': { uri: 'skill://no-such/skill/SKILL.md' },
	'resources/directory/read': { uri: 'skill://no-such' },
};

function unknownCall(method: CallMethod): Call {
	const params = unknown[method];
	const client = {
		revision: negotiate(undefined),
		capabilities: {},
		clientInfo: { name: 'contract', version: '1' },
		sessionId: 'contract',
		logLevel: () => undefined,
		notify: () => {},
	};
	const context = new CallContext(client, new IncomingCall('1', method, { ...params }), {});
	// The params are those of the method.
	return { method, params, context } as Call;
}
