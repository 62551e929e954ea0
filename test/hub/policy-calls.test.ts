/* The policy in front of the calls of a hub, with approvals that must not let the wrong call through. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PolicyRule } from '../../src/config/configuration.ts';
import { ToolExposure } from '../../src/hub/expose/tool-exposure.ts';
import { Hub } from '../../src/hub/hub.ts';
import { OneSource } from '../../src/hub/one-source.ts';
import { Log } from '../../src/log.ts';
import { McpSession, sharedState } from '../../src/mcp/server/mcp-session.ts';
import type { CallToolResult, InputRequired } from '../../src/protocol/mcp-types.ts';
import { Peer } from '../../src/rpc/peer.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';
import { ApprovalFiles } from '../../src/trust/approval-files.ts';
import type { ApprovalRequest } from '../../src/trust/approval-request.ts';
import { Approvals } from '../../src/trust/approvals.ts';
import { CallGate } from '../../src/trust/call-gate.ts';
import { decideApproval } from '../../src/trust/decide-approval.ts';
import { Policy } from '../../src/trust/policy.ts';
import { type AbleSource, fakeSource } from '../support/fake-source.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const MODERN = 'io.modelcontextprotocol/';
const elicitation = { elicitation: { form: {} } };
const accepted = { action: 'accept', content: { decision: 'allow once' } };

describe('a denied tool', () => {
	it('gives a failed result with the reason and is not called', async () => {
		const hub = guard([rule({ tools: ['write'], action: 'deny', reason: 'ask the DBA' })]);
		const { call } = hub.connect();
		expect(await call('write')).toEqual({
			content: [{ type: 'text', text: 'write was not called: ask the DBA (rule orchestra.json:1)' }],
			isError: true,
		});
		expect(await call('read')).toMatchObject({ content: [{ text: 'read {}' }] });
		expect(hub.calls).toEqual(['read']);
	});

	it('is left out of the lists of its clients with "hide"', async () => {
		const hub = guard([rule({ tools: ['write'], clients: ['agent'], action: 'deny', hide: true })]);
		expect(await hub.connect({ name: 'agent' }).tools()).toEqual(['read']);
		expect(await hub.connect({ name: 'other' }).tools()).toEqual(['read', 'write']);
	});
});

describe('a view of one source', () => {
	it('follows the rules for the names of the whole hub', async () => {
		const hub = guard([rule({ tools: ['counting__write'], action: 'deny', hide: true })], {
			qualifiesNames: true,
		});
		const client = hub.connect({ view: 'counting' });
		expect(await client.tools()).toEqual(['read']);
		expect(await client.call('write')).toMatchObject({ isError: true });
		expect(await client.call('read')).toMatchObject({ content: [{ text: 'read {}' }] });
		expect(hub.calls).toEqual(['read']);
	});
});

describe('the tool search', () => {
	it('neither finds a hidden tool nor calls a denied one', async () => {
		const hub = guard(
			[rule({ tools: ['write'], action: 'deny', hide: true }), rule({ tools: ['read'], action: 'deny' })],
			{ searches: true },
		);
		const { call } = hub.connect();
		expect(await call('describe_tool', { name: 'write' })).toMatchObject({ isError: true });
		expect(await call('describe_tool', { name: 'read' })).not.toHaveProperty('isError');
		expect(await call('call_tool', { name: 'read', arguments: {} })).toMatchObject({
			isError: true,
			content: [{ text: expect.stringContaining('the policy denies it') }],
		});
		expect(hub.calls).toEqual([]);
	});
});

describe('a tool that needs approval', () => {
	it('waits for an approval, and progress names it', async () => {
		const hub = guard();
		const client = hub.connect();
		const result = client.call('write', { a: 1 });
		const request = await hub.pending();
		await until('progress is sent', () => client.progress().length > 0);
		expect(client.progress()[0]).toContain(`mctl approve allow ${request.id}`);
		expect(request).toMatchObject({
			tool: 'write',
			client: 'agent',
			arguments: [{ name: 'a', text: '1' }],
			rule: 'orchestra.json:1',
		});
		expect(hub.calls).toEqual([]);
		hub.files.answer(request, 'allow');
		expect(await result).toMatchObject({ content: [{ text: 'write {"a":1}' }] });
		expect(hub.files.list()).toEqual([]);
	});

	it('keeps the deadline of its client alive with progress, for longer than the deadline', async () => {
		const deadlineMs = 1500;
		const hub = guard(undefined, { progressMs: 100 });
		const client = hub.connect();
		const since = performance.now();
		const result = client.call('write', {}, { timeoutMs: deadlineMs });
		const request = await hub.pending();
		await until('the deadline would be over', () => performance.now() - since > deadlineMs + 500);
		expect(client.progress().length).toBeGreaterThan(2);
		hub.files.answer(request, 'allow');
		expect(await result).toMatchObject({ content: [{ text: 'write {}' }] });
	});

	it('is not called when a user denies it', async () => {
		const hub = guard();
		const result = hub.connect().call('write');
		hub.files.answer(await hub.pending(), 'deny');
		expect(await result).toMatchObject({
			isError: true,
			content: [{ text: expect.stringContaining('denied') }],
		});
		expect(hub.calls).toEqual([]);
	});

	it('needs another approval for the same call again', async () => {
		const hub = guard();
		const { call } = hub.connect();
		const first = call('write', { a: 1 });
		const request = await hub.pending();
		hub.files.answer(request, 'allow');
		await first;
		const again = call('write', { a: 1 });
		const second = await hub.pending();
		expect(second.id).not.toBe(request.id);
		hub.files.answer(second, 'deny');
		expect(await again).toMatchObject({ isError: true });
		expect(hub.calls).toEqual(['write']);
	});

	it.each([
		['other arguments', { input: { a: 2 } }],
		['another client', { name: 'other' }],
		['another session of a client with the same name', {}],
		['another tool', { tool: 'read' }],
	])(
		'is not approved by the approval of a call with %s',
		async (_what, {
			input = { a: 1 },
			name = 'agent',
			tool = 'write',
		}: { input?: object; name?: string; tool?: string }) => {
			const hub = guard();
			const canceled = hub.connect().start('write', { a: 1 });
			const request = await hub.pending();
			await canceled.cancel();
			hub.files.answer(request, 'allow');
			await until('the approval was taken', () => hub.files.list().length === 0);
			const result = hub.connect({ name }).call(tool, input);
			hub.files.answer(await hub.pending(), 'deny');
			expect(await result).toMatchObject({ isError: true });
			expect(hub.calls).toEqual([]);
		},
	);

	it('uses the approval of a caller that left once, for the same call', async () => {
		const hub = guard();
		const client = hub.connect();
		await client.start('write', { a: 1, b: 2 }).cancel();
		hub.files.answer(await hub.pending(), 'allow');
		await until('the approval was taken', () => hub.files.list().length === 0);
		const results = [client.call('write', { b: 2, a: 1 }), client.call('write', { a: 1, b: 2 })];
		expect(await Promise.race(results)).toMatchObject({
			content: [{ text: expect.stringContaining('write') }],
		});
		hub.files.answer(await hub.pending(), 'deny');
		await Promise.all(results);
		expect(hub.calls).toEqual(['write']);
	});

	it('lets one of two equal calls through with one approval', async () => {
		const hub = guard();
		const { call } = hub.connect();
		const results = [call('write'), call('write')];
		await until('both wait', () => hub.files.list().length === 2);
		const [one, other] = hub.files.list();
		if (!one || !other) throw new Error('expected two requests');
		expect(hub.files.answer(one, 'allow')).toBe(true);
		expect(hub.files.answer(one, 'allow')).toBe(false);
		await Promise.race(results);
		expect(hub.calls).toEqual(['write']);
		hub.files.answer(other, 'deny');
		await Promise.all(results);
		expect(hub.calls).toEqual(['write']);
	});

	it('is refused when no user answers in time, and a late answer does nothing', async () => {
		const hub = guard(undefined, { approvalMs: 100 });
		const { call } = hub.connect();
		const result = call('write');
		const request = await hub.pending();
		expect(await result).toMatchObject({
			isError: true,
			content: [{ text: expect.stringContaining('no user approved') }],
		});
		hub.files.answer(request, 'allow');
		expect(await call('write')).toMatchObject({ isError: true });
		expect(hub.calls).toEqual([]);
	});

	it('does not accept an answer for another call under its id', async () => {
		const hub = guard(undefined, { approvalMs: 1000 });
		const result = hub.connect().call('write', { a: 1 });
		const request = await hub.pending();
		hub.files.answer({ ...request, argumentsSha256: '00' }, 'allow');
		expect(await result).toMatchObject({ isError: true });
		expect(hub.calls).toEqual([]);
	});

	it('is refused when the policy changed while it waited', async () => {
		const hub = guard();
		const result = hub.connect().call('write');
		const request = await hub.pending();
		hub.change([rule({ action: 'ask', reason: 'new' })]);
		hub.files.answer(request, 'allow');
		expect(await result).toMatchObject({
			isError: true,
			content: [{ text: expect.stringContaining('changed') }],
		});
		expect(hub.calls).toEqual([]);
	});

	it.each([
		['goes on when the rule that asked is still the one that decides', 'ask', ['write']],
		['goes on when a new rule allows it', 'allow', ['write']],
		['is refused when a new rule denies it', 'deny', []],
	] as const)('%s, although the policy changed while it waited', async (_what, action, calls) => {
		const hub = guard([rule({ line: 1 })]);
		const results = [hub.connect().call('write'), hub.connect().call('read')];
		await until('both wait', () => hub.files.list().length === 2);
		const added = rule({
			tools: [action === 'ask' ? 'read' : 'write'],
			action: action === 'ask' ? 'allow' : action,
		});
		hub.change([added, rule({ line: 2 })]);
		for (const request of hub.files.list())
			hub.files.answer(request, request.tool === 'write' ? 'allow' : 'deny');
		const [written, read] = await Promise.all(results);
		expect(written).toMatchObject(
			action === 'deny' ? { isError: true } : { content: [{ text: 'write {}' }] },
		);
		expect(JSON.stringify(read)).toContain('its user denied the call');
		expect(hub.calls).toEqual(calls);
	});

	it('is refused when the hub closes', async () => {
		const hub = guard();
		const result = hub.connect().call('write');
		await hub.pending();
		await hub.close();
		expect(await result).toMatchObject({ isError: true });
		expect(hub.files.list()).toEqual([]);
	});
});

describe('a client that can ask its user', () => {
	it.each([
		['accepts', accepted, ['write']],
		['chooses to deny', { action: 'accept', content: { decision: 'deny' } }, []],
		['accepts without a choice', { action: 'accept' }, []],
		['declines', { action: 'decline' }, []],
		['cancels', { action: 'cancel' }, []],
	])('decides in the legacy era: the user %s', async (_how, answer, calls) => {
		const hub = guard();
		const elicitations: unknown[] = [];
		const onClientRequest = (params: unknown): unknown => {
			elicitations.push(params);
			return answer;
		};
		await hub.connect({ capabilities: elicitation, onClientRequest }).call('write', { path: 'a\u202etxt' });
		expect(hub.calls).toEqual(calls);
		expect(elicitations).toMatchObject([{ message: expect.stringContaining('Allow the call of write?') }]);
		expect(JSON.stringify(elicitations)).toContain(
			'Client: agent\\nArguments:\\n  path: \\"a\\\\u202etxt\\"',
		);
	});

	it('shows each argument on a line of its own, short ones first, and what it shortens with length and hash', async () => {
		const hub = guard();
		let message = '';
		const onClientRequest = (params: { message: string }): unknown => {
			({ message } = params);
			return { action: 'decline' };
		};
		const text = `x"\n  path: "/tmp/harmless"\n${'y'.repeat(1000)}`;
		await hub
			.connect({ capabilities: elicitation, onClientRequest })
			.call('write', { text, path: '/etc/passwd' });
		expect(message.split('\n').filter((line) => line.startsWith('  '))).toEqual([
			'  path: "/etc/passwd"',
			expect.stringMatching(
				/^ {2}text: \(the start of 1,027 characters, SHA-256 [\da-f]{64}\) "x\\"\\n {2}path: .*y…$/,
			),
		]);
	});

	it('decides in the modern era, with the retry of the request', async () => {
		const hub = guard();
		const { modern } = hub.connect();
		const elicited = await modern('write', {});
		expect(elicited).toMatchObject({ resultType: 'input_required' });
		const [key = ''] = Object.keys(elicited['inputRequests'] as object);
		const retry = { requestState: elicited['requestState'], inputResponses: { [key]: accepted } };
		expect(await modern('write', {}, retry)).toMatchObject({ content: [{ text: 'write {}' }] });
		await expect(modern('write', {}, retry)).rejects.toThrow('its call has ended');
		await expect(modern('write', { other: 1 }, retry)).rejects.toThrow('another request');
		expect(hub.calls).toEqual(['write']);
	});

	it('is asked once for a call in which the server asks for input too', async () => {
		const hub = guard(undefined, { asksFirst: true });
		const seen: string[] = [];
		const onClientRequest = (params: { message: string }): unknown => {
			seen.push(params.message.split('\n')[0] ?? '');
			return params.message.startsWith('Allow') ? accepted : { action: 'accept', content: { name: 'Ann' } };
		};
		const { call } = hub.connect({ capabilities: elicitation, onClientRequest });
		expect(await call('write')).toMatchObject({ content: [{ text: 'write {}' }] });
		expect(seen).toEqual(['Allow the call of write?', 'Which name?']);
	});

	it.each([
		['answers alone', false, 'own'],
		['answers alone, of another session', false, 'other'],
		['the state of another session', true, 'other'],
	] as const)('is asked again when a retry has %s', async (_what, hasState, session) => {
		const hub = guard(undefined, { asksFirst: true });
		const own = hub.connect();
		const elicited = await own.modern('write', {});
		const [key = ''] = Object.keys(elicited['inputRequests'] as object);
		const { requestState } = elicited;
		const approved = await own.modern('write', {}, { requestState, inputResponses: { [key]: accepted } });
		expect(approved).toMatchObject({ inputRequests: inputRequest.inputRequests });
		const client = session === 'own' ? own : hub.connect();
		const inputResponses = { name: { action: 'accept', content: { name: 'Ann' } } };
		const state = hasState ? { requestState: approved['requestState'] } : {};
		const retried = await client.modern('write', {}, { inputResponses, ...state });
		expect(JSON.stringify(retried)).toContain('Allow the call of write?');
		expect(hub.calls).toEqual([]);
	});

	it('falls back to mctl approve when asking fails', async () => {
		const hub = guard();
		const onClientRequest = (): never => {
			throw new Error('no window');
		};
		const result = hub.connect({ capabilities: elicitation, onClientRequest }).call('write');
		hub.files.answer(await hub.pending(), 'allow');
		expect(await result).toMatchObject({ content: [{ text: 'write {}' }] });
	});
});

describe('decideApproval', () => {
	it('decides nothing when "always" cannot become a rule', async () => {
		const hub = guard();
		const result = hub.connect({ name: '' }).call('write');
		const request = await hub.pending();
		const choice = { decision: 'allow', isAlways: true, environment: {} } as const;
		await expect(decideApproval(hub.files, request, choice)).rejects.toThrow('a client without a name');
		expect(hub.files.answerTo(request)).toBeUndefined();
		hub.files.answer(request, 'deny');
		expect(await result).toMatchObject({ isError: true });
	});
});

describe('ApprovalFiles', () => {
	it('ignores and removes requests of dead processes, expired ones and damaged files', () => {
		const folder = temporaryFolder();
		const files = new ApprovalFiles(folder);
		const request = { ...blank, id: 'aaaaaa', expiresAt: new Date(Date.now() + 60_000).toISOString() };
		files.publish({ ...request, pid: 2 ** 22 + 1 });
		files.publish({ ...request, id: 'bbbbbb', expiresAt: new Date(0).toISOString() });
		writeFileSync(join(folder, 'cccccc.json'), '{"id":', { mode: 0o600 });
		expect(files.list()).toEqual([]);
		expect(files.has('aaaaaa') || files.has('bbbbbb') || files.has('cccccc')).toBe(false);
	});
});

const blank: ApprovalRequest = {
	id: 'aaaaaa',
	client: 'c',
	session: 's',
	tool: 't',
	argumentsSha256: '',
	policyVersion: '',
	arguments: [],
	rule: '',
	reason: undefined,
	root: '/',
	pid: process.pid,
	askedAt: new Date().toISOString(),
	expiresAt: new Date().toISOString(),
};

interface ClientOptions {
	readonly name?: string;
	readonly capabilities?: object;
	readonly onClientRequest?: (params: never) => unknown;
	/** The only source that it sees. */
	readonly view?: string;
}

interface Guarded {
	readonly files: ApprovalFiles;
	/** The tools that were called. */
	readonly calls: string[];
	/** The one request that waits. */
	pending(): Promise<ApprovalRequest>;
	change(rules: readonly PolicyRule[]): void;
	connect(options?: ClientOptions): GuardedClient;
	close(): Promise<void>;
}

interface GuardedClient {
	call(tool: string, input?: object, options?: object): Promise<Record<string, unknown>>;
	modern(tool: string, input: object, more?: object): Promise<Record<string, unknown>>;
	start(tool: string, input: object): { cancel(): Promise<unknown> };
	tools(): Promise<string[]>;
	progress(): string[];
}

function rule(fields: Partial<PolicyRule> = {}): PolicyRule {
	const all = { tools: ['*'], clients: ['*'], when: undefined, reason: undefined, hide: false };
	return { ...all, action: 'ask', file: 'orchestra.json', line: 1, ...fields };
}

function guard(
	rules: readonly PolicyRule[] = [rule()],
	{
		approvalMs,
		progressMs,
		asksFirst = false,
		qualifiesNames = false,
		searches = false,
	}: {
		approvalMs?: number;
		progressMs?: number;
		asksFirst?: boolean;
		qualifiesNames?: boolean;
		searches?: boolean;
	} = {},
): Guarded {
	const files = new ApprovalFiles(join(temporaryFolder(), 'approvals'));
	const calls: string[] = [];
	let policy = new Policy([rules]);
	const approvals = new Approvals({ files, log: Log.silent, approvalMs });
	const gate = new CallGate({ policy: () => policy, approvals, root: '/project', progressMs });
	const hub = new Hub({
		sources: [{ ...countingSource(calls, asksFirst), qualifiesNames } as AbleSource],
		gate,
		...(searches && { exposure: searching() }),
	});
	const shared = sharedState();
	onTestFinished(() => hub.close());
	return {
		files,
		calls,
		pending: async () => {
			await until('a call waits', () => files.list().length > 0);
			const [request] = files.list();
			if (!request) throw new Error('the request is gone');
			return request;
		},
		change: (next) => {
			policy = new Policy([next]);
		},
		connect: (options) => connect(hub, shared, options),
		close: () => hub.close(),
	};
}

function searching(): ToolExposure {
	const toolList = { expose: 'search', exposeAbove: undefined, always: [] } as const;
	const settings = { toolList, views: {}, clients: {}, mcpServers: [] };
	return new ToolExposure({ settings: () => settings, log: Log.silent });
}

function countingSource(calls: string[], asksFirst: boolean): AbleSource {
	const inputSchema = { type: 'object' } as const;
	return fakeSource('counting', {
		lists: { tools: () => ['read', 'write'].map((name) => ({ name, inputSchema })) },
		callTool: ({ name, arguments: input }, context): CallToolResult | InputRequired => {
			if (asksFirst && context.inputResponses === undefined) return inputRequest;
			calls.push(name);
			return { content: [{ type: 'text', text: `${name} ${JSON.stringify(input)}` }] };
		},
	});
}

const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
const inputRequest: InputRequired = {
	resultType: 'input_required',
	inputRequests: {
		name: { method: 'elicitation/create', params: { message: 'Which name?', requestedSchema } },
	},
};

function connect(
	hub: Hub,
	shared: ReturnType<typeof sharedState>,
	{ name = 'agent', capabilities = {}, onClientRequest, view }: ClientOptions = {},
): GuardedClient {
	const [ours, theirs] = memoryPair();
	const session = new McpSession(view === undefined ? hub : new OneSource(hub, view), { shared });
	const server = new Peer(theirs, session.peerOptions);
	session.connect(server);
	theirs.start(server);
	const received: string[] = [];
	const peer = new Peer(ours, {
		onNotification: (_method, params) => received.push(JSON.stringify(params)),
		// Each test knows the form of its elicitations.
		onRequest: ({ params }) => onClientRequest?.(params as never),
	});
	ours.start(peer);
	const clientInfo = { name, version: '1' };
	const ready = peer.request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
	const request = async (
		method: string,
		params: object,
		options: object = {},
	): Promise<Record<string, unknown>> => {
		await ready;
		return (await peer.request(method, params, options)) as Record<string, unknown>;
	};
	const callTool = (tool: string, input: object, options: object = {}): Promise<Record<string, unknown>> =>
		request('tools/call', { name: tool, arguments: input }, { onProgress: () => {}, ...options });
	const envelope = {
		[`${MODERN}protocolVersion`]: '2026-07-28',
		[`${MODERN}clientCapabilities`]: elicitation,
		[`${MODERN}clientInfo`]: clientInfo,
	};
	return {
		call: (tool, input = {}, options = {}) =>
			callTool(tool, input, {
				onProgress: (params: unknown) => received.push(JSON.stringify(params)),
				...options,
			}),
		modern: (tool, input, more = {}) =>
			request('tools/call', { name: tool, arguments: input, ...more, _meta: envelope }),
		start: (tool, input) => {
			const controller = new AbortController();
			const result = callTool(tool, input, { signal: controller.signal }).catch((error: unknown) => error);
			return {
				cancel: async () => {
					await until('the call is sent', () => hub.sources.length > 0);
					await request('ping', {});
					controller.abort();
					await result;
					await request('ping', {});
				},
			};
		},
		tools: async () => {
			const { tools } = await request('tools/list', {});
			return (tools as { name: string }[]).map((tool) => tool.name);
		},
		progress: () => received,
	};
}
