/*
 * The plain route passes calls on as text; the general route is the reference. The same messages
 * go through both, and the client, the server and the journal must see the same. A listener of
 * calls keeps a hub on the general route.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { messageOf } from '../../src/errors.ts';
import { CallFeed } from '../../src/hub/call-feed.ts';
import { ToolRoute } from '../../src/hub/calls/plain-routes.ts';
import { Catalogue } from '../../src/hub/catalogue/catalogue.ts';
import { ToolExposure } from '../../src/hub/expose/tool-exposure.ts';
import { fileJournal } from '../../src/hub/journal/journal.ts';
import { HubMetrics } from '../../src/hub/metrics/hub-metrics.ts';
import { OneSource } from '../../src/hub/one-source.ts';
import { PlainCall } from '../../src/hub/sources/mcp/plain-call.ts';
import { Log } from '../../src/log.ts';
import { McpSession } from '../../src/mcp/server/mcp-session.ts';
import { EraPatch } from '../../src/mcp/server/plain-messages.ts';
import { IncomingCallTable } from '../../src/rpc/calls/incoming-call-table.ts';
import { Peer } from '../../src/rpc/peer.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';
import { CallGate } from '../../src/trust/call-gate.ts';
import { Policy } from '../../src/trust/policy.ts';
import { type MessageMember, member } from '../../src/wire/message-member.ts';
import { MessageView } from '../../src/wire/message-view.ts';
import { TextTemplate } from '../../src/wire/text-template.ts';
import { gateway, type ServedHub, serveServers } from '../support/served-hub.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

/** A fault may keep an answer from coming at all. */
const FAULT_MS = 5000;
const RUNS = 25;

type Era = 'legacy' | 'modern';
const pairs: readonly { client: Era; server: Era }[] = [
	{ client: 'legacy', server: 'legacy' },
	{ client: 'modern', server: 'modern' },
	{ client: 'legacy', server: 'modern' },
	{ client: 'modern', server: 'legacy' },
];

describe('the plain route', () => {
	afterEach(() => void vi.restoreAllMocks());

	it.each(pairs)(
		'gives a $client client, a $server server and the journal the same as the general route',
		async (pair) => {
			const [plain, general] = [await openRoute(pair), await openRoute({ ...pair, isGeneral: true })];
			await fc.assert(
				fc.asyncProperty(
					fc.array(messageOfEra[pair.client], { minLength: 1, maxLength: 4 }),
					async (texts) => {
						const [seen, wanted] = [await plain.exchange(texts), await general.exchange(texts)];
						expect(inAnyOrder(seen)).toEqual(inAnyOrder(wanted));
					},
				),
				{ numRuns: RUNS },
			);
			const [lines, wantedLines] = [await plain.journal(), await general.journal()];
			expect(sorted(lines)).toEqual(sorted(wantedLines));
			expect(plain.metrics()).toEqual(general.metrics());
			expect(plain.metrics().size).toBeGreaterThan(0);
			expect(plain.plainCount()).toBeGreaterThan(RUNS / 3);
			expect(general.plainCount()).toBe(0);
		},
	);

	it('gives a client of one server, which knows the tools by their own names, the same as the general route', async () => {
		const pair = { client: 'modern', server: 'legacy', isAlone: true } as const;
		const [plain, general] = [await openRoute(pair), await openRoute({ ...pair, isGeneral: true })];
		expect(await inTurn(plain)).toEqual(await inTurn(general));
		expect(await plain.journal()).toEqual(await general.journal());
		expect(plain.plainCount()).toBeGreaterThan(0);
	});

	it('names a tool in the journal as its rule does, for a client of one server too', async () => {
		const more = {
			policy: [
				{ tools: 'gate__p*', action: 'allow' },
				{ tools: '*', action: 'deny' },
			],
		};
		const [plain, general] = [
			await openRoute({ more, isAlone: true }),
			await openRoute({ more, isAlone: true, isGeneral: true }),
		];
		const messages = [request(1, 'params'), request(2, 'count')];
		for (const message of messages)
			expect(withoutFolders(await plain.exchange([message]))).toEqual(
				withoutFolders(await general.exchange([message])),
			);
		const [, allowed, ...refused] = await plain.journal();
		const [, wanted] = await general.journal();
		expect(withoutFolders([allowed])).toEqual(withoutFolders([wanted]));
		expect([allowed, ...refused]).toMatchObject([
			{ name: 'gate__params', policy: 'allow' },
			{ policy: 'deny' },
		]);
		expect(plain.plainCount()).toBe(1);
	});

	it.each(Object.entries(faults))('would be caught with %s', async (_name, { inject, pair = {} }) => {
		const [plain, general] = [await openRoute(pair), await openRoute({ ...pair, isGeneral: true })];
		const wanted = {
			seen: await inTurn(general),
			lines: await general.journal(),
			metrics: general.metrics(),
		};
		inject();
		const given = sleep(FAULT_MS, 'an answer never came');
		const seen = await Promise.race([inTurn(plain).catch(messageOf), given]);
		const found = { seen, lines: await plain.journal(), metrics: plain.metrics() };
		expect(plain.plainCount()).toBeGreaterThan(0);
		expect(found).not.toEqual(wanted);
	});

	it.each(pairs)(
		'shows no difference in the messages that find the faults ($client, $server)',
		async (pair) => {
			const [plain, general] = [await openRoute(pair), await openRoute({ ...pair, isGeneral: true })];
			expect(await inTurn(plain)).toEqual(await inTurn(general));
			expect(await plain.journal()).toEqual(await general.journal());
			expect(plain.metrics()).toEqual(general.metrics());
		},
	);

	it('answers in the order of the server', async () => {
		const route = await openRoute();
		const { answers } = await route.exchange(Array.from({ length: 50 }, (_, id) => request(id, 'count')));
		expect(answers).toMatchObject(Array.from({ length: 50 }, (_, id) => ({ id })));
		expect(route.plainCount()).toBe(50);
	});

	it('is not taken while a listener follows calls', async () => {
		const route = await openRoute();
		await route.exchange([request(1, 'pid')]);
		expect(route.plainCount()).toBe(1);
		const stop = route.served.opened.hub.calls.listen({});
		await route.exchange([request(2, 'pid')]);
		expect(route.plainCount()).toBe(1);
		stop();
		await route.exchange([request(3, 'pid')]);
		expect(route.plainCount()).toBe(2);
	});

	it('is taken where a rule of the policy allows the tool, and the journal names the rule', async () => {
		const allowing = {
			policy: [
				{ tools: 'gate__p*', action: 'allow' },
				{ tools: 'gate__count', action: 'deny' },
			],
		};
		const [plain, general] = [
			await openRoute({ more: allowing }),
			await openRoute({ more: allowing, isGeneral: true }),
		];
		const messages = [request(1, 'params'), request(2, 'count'), request(3, 'echo', '{"text":"no rule"}')];
		for (const message of messages) {
			const wanted = await general.exchange([message]);
			expect(withoutFolders(await plain.exchange([message]))).toEqual(withoutFolders(wanted));
		}
		expect(plain.plainCount()).toBe(2);
		const lines = await plain.journal();
		expect(lines).toMatchObject([
			{},
			{ policy: 'allow', rule: expect.any(String) },
			{ policy: 'deny' },
			{ policy: 'allow' },
		]);
		// The text of a refusal has the folder in it.
		const [first, second, , ...others] = lines;
		const [one, two, , ...wanted] = await general.journal();
		expect(withoutFolders([first, second, ...others])).toEqual(withoutFolders([one, two, ...wanted]));
	});

	it('follows a change of the policy', async () => {
		expect(await callsAroundPolicy()).toEqual([false, true]);
	});

	it('would be caught with the policy of before', async () => {
		vi.spyOn(CallGate.prototype, 'policy', 'get').mockReturnValue(new Policy([]));
		// These move with the configuration too.
		vi.spyOn(Catalogue.prototype, 'generation', 'get').mockReturnValue(1);
		vi.spyOn(ToolExposure.prototype, 'generation', 'get').mockReturnValue(1);
		expect(await callsAroundPolicy()).toEqual([false, false]);
	});

	it('passes a client request of a legacy server to a modern client, as the answer to its request', async () => {
		const route = await openRoute({ client: 'modern' });
		const meta = modernMeta('{"elicitation":{}}');
		const { answers } = await route.exchange([request(1, 'ask', '{}', meta)]);
		expect(route.plainCount()).toBe(1);
		expect(answers).toMatchObject([{ id: 1, result: { resultType: 'input_required', inputRequests: {} } }]);
		const { inputRequests, requestState } = (answers[0] as { result: Record<string, object> }).result;
		const [key = ''] = Object.keys(inputRequests ?? {});
		const responses = JSON.stringify({ [key]: { action: 'accept', content: { who: 'me' } } });
		const retry = request(2, 'ask', '{}', meta).replace(
			'"params":{',
			`"params":{"inputResponses":${responses},"requestState":${JSON.stringify(requestState)},`,
		);
		expect(JSON.stringify(await route.exchange([retry]))).toContain('accept');
	});

	it('refuses a client request that the modern client of a call cannot answer', async () => {
		const [plain, general] = [
			await openRoute({ client: 'modern' }),
			await openRoute({ client: 'modern', isGeneral: true }),
		];
		const asking = request(1, 'ask', '{"fails":true}', modernMeta());
		expect(await plain.exchange([asking])).toEqual(await general.exchange([asking]));
		expect(plain.plainCount()).toBe(1);
	});

	it('follows a change of the tools', async () => {
		const route = await openRoute();
		await route.exchange([request(1, 'change')]);
		await until('the new tool', async () => {
			const { answers } = await route.exchange([request(2, 'extra')]);
			return !JSON.stringify(answers).includes('Unknown tool');
		});
	});

	it('cancels the call at the server and sends no answer', async () => {
		const route = await openRoute();
		route.send(request(1, 'hang'));
		await until('the call at the server', () => route.served.events('called').length > 0);
		route.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
		await until('the cancellation at the server', () => route.served.events('canceled').length > 0);
		expect((await route.exchange([request(2, 'pid')])).answers).toMatchObject([{ id: 2 }]);
		expect(await route.journal()).toMatchObject([
			{ name: 'gate__echo' },
			{ name: 'gate__hang', outcome: 'canceled' },
			{ name: 'gate__pid' },
		]);
	});

	it('says that the outcome is unknown when the server dies during the call', async () => {
		const route = await openRoute();
		const { answers } = await route.exchange([request(1, 'die')]);
		expect(answers).toMatchObject([{ id: 1, error: { data: { outcome: 'unknown' } } }]);
		expect(route.plainCount()).toBe(1);
	});

	it('makes the call of a read-only tool again when the server died during it', async () => {
		const route = await openRoute({ mark: join(temporaryFolder(), 'died') });
		const { answers } = await route.exchange([request(1, 'die-once')]);
		expect(answers).toMatchObject([{ id: 1, result: { content: [{ type: 'text' }] } }]);
		expect(route.plainCount()).toBe(1);
	});

	it('passes a client request of the server to the client of the call', async () => {
		const route = await openRoute({ capabilities: { elicitation: {} } });
		const { answers, received } = await route.exchange([request(1, 'ask')]);
		expect(received).toContain('elicitation/create');
		expect(JSON.stringify(answers)).toContain('accept');
	});

	it('refuses a second call with the id of one in flight', async () => {
		const route = await openRoute();
		const { answers } = await route.exchange([request(1, 'sleep', '{"ms":50}'), request(1, 'pid')]);
		expect(answers).toMatchObject([
			{ id: 1, error: { message: 'id 1 is already in flight' } },
			{ id: 1, result: {} },
		]);
	});
});

const TRACE = '"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"';
const raw = (result: string): string => `{"raw":${JSON.stringify(`"result":${result}`)}}`;

/** Messages that show each fault, those that are sent at once together. */
const probes = [
	request(1, 'line', '{"b":1,"a":[2]}', TRACE),
	request(2, 'steps', '{}', '"progressToken":"mine"'),
	request(3, 'echo', raw('{"content":[],"isError":true}')),
	request(4, 'echo', raw('{"content":[],"resultType":"complete","structuredContent":[1]}')),
	`${request(5, 'params')}\n${request(6, 'params')}`,
];

/** The probes, as a modern client sends them. */
const modernProbes = probes.map((probe) =>
	probe.includes('"_meta":{')
		? probe.replace('"_meta":{', `"_meta":{${modernMeta()},"io.modelcontextprotocol/logLevel":"debug",`)
		: probe.replaceAll(/\}\}$/gm, `,"_meta":{${modernMeta()}}}}`),
);

function inTurn(route: Route): Promise<unknown[]> {
	return (route.era === 'modern' ? modernProbes : probes).reduce<Promise<unknown[]>>(
		async (seen, probe) => [...(await seen), await route.exchange(probe.split('\n'))],
		Promise.resolve([]),
	);
}

/** A fault of the plain route that must not go unnoticed, and the pair of eras that shows it. */
interface Fault {
	readonly inject: () => void;
	readonly pair?: (typeof pairs)[number];
}
const toModern = { client: 'legacy', server: 'modern' } as const;
const toLegacy = { client: 'modern', server: 'legacy' } as const;

const eraFaults: Record<string, Fault> = {
	'a request without the client that a modern server must know': {
		pair: toModern,
		inject: () =>
			wrap(EraPatch, 'request', (_patch, make, ...given) => make(...given).replace('clientInfo', 'client')),
	},
	'the envelope of a modern client at a legacy server': {
		pair: toLegacy,
		inject: () =>
			wrap(EraPatch, 'request', (_patch, _make, view, _begun, { id, name }) =>
				view.with([
					[member.id, id],
					[member.name, name],
					[member.progressToken, id],
				]),
			),
	},
	'the result of a modern server for a legacy client as it is': {
		pair: toModern,
		inject: () => wrap(EraPatch, 'result', (_patch, _make, view) => view.source(member.result)),
	},
	'the result of a legacy server for a modern client as it is': {
		pair: toLegacy,
		inject: () => wrap(EraPatch, 'result', (_patch, _make, view) => view.source(member.result)),
	},
	'the hash of arguments that are not canonical': {
		inject: () => void vi.spyOn(MessageView.prototype, 'isCanonical', 'get').mockReturnValue(true),
	},
};

const sameEra: Record<string, () => void> = {
	'a wrong id of the request': () => changed('with', ([each]) => each !== member.id),
	'the name that clients see': () => changed('with', ([each]) => each !== member.name),
	'the progress token of the client': () => changed('with', ([each]) => each !== member.progressToken),
	'a wrong id of the answer': () =>
		wrap(IncomingCallTable, 'answerCall', (_calls, answer, call, text) =>
			answer(call, text.replace(/"id":[^,]*/, '"id":99')),
		),
	'a result that was changed': () =>
		wrap(IncomingCallTable, 'answerCall', (_calls, answer, call, text) =>
			answer(call, text.replace('text', 'test')),
		),
	'a result that is not adapted to the era of the client': () =>
		wrap(PlainCall, 'resolve', (call) => {
			const result = '{"content":[],"resultType":"complete","structuredContent":[1]}';
			call.from.origin.answerCall(call, `{"jsonrpc":"2.0","id":${call.requestId},"result":${result}}`);
		}),
	'the id of the call before': () =>
		wrap(TextTemplate, 'fill', (_template, fill, view, key) =>
			fill(view, key === '' ? key : String(Number(key) - 1)),
		),
	'the arguments of the call before': () => {
		let before: MessageView | undefined;
		wrap(TextTemplate, 'fill', (_template, fill, view, key) => {
			if (key === '') return fill(view, key);
			const text = fill(before ?? view, key);
			before = view;
			return text;
		});
	},
	'progress behind its answer': () =>
		wrap(PlainCall, 'onProgress', (_call, pass, params) => void setImmediate(() => pass(params))),
	'an answer behind the next one': () => {
		let next = (): void => {};
		wrap(IncomingCallTable, 'answerCall', (_calls, answer, call, text) => {
			if (text.includes('"id":5,')) next = () => answer(call, text);
			else answer(call, text);
			if (text.includes('"id":6,')) next();
		});
	},
	'a call that no metric counts': () =>
		wrap(CallFeed, 'end', (_feed, ended, call, end) => (call.isPlain ? undefined : ended(call, end))),
	'no progress': () => wrap(PlainCall, 'onProgress', () => {}),
	'no log messages': () => void vi.spyOn(PlainCall.prototype, 'tag', 'get').mockReturnValue(() => {}),
	'no journal line': () => wrap(ToolRoute, 'answered', () => {}),
	'a wrong hash of the result': () =>
		wrap(ToolRoute, 'answered', (_route, answered, call, view, result) => answered(call, view, `${result} `)),
	'a failure that counts as success': () =>
		wrap(ToolRoute, 'answered', (_route, answered, call, view, result) =>
			answered(call, new MessageView(view.text.replace('"isError":true', '"isError":false')), result),
		),
};

const faults: Record<string, Fault> = {
	...Object.fromEntries(Object.entries(sameEra).map(([name, inject]) => [name, { inject }])),
	...eraFaults,
};

/** Leave some changes of a text out. */
function changed(method: 'with', isMade: (change: readonly [MessageMember, string]) => boolean): void {
	wrap(MessageView, method, (_view, original, changes) => original(changes.filter(isMade)));
}

type Method = (...args: never[]) => unknown;

/** Replace a method for one test; the replacement gets the object, the method and its arguments. */
function wrap<T extends object, K extends keyof T>(
	{ prototype }: { readonly prototype: T },
	name: K,
	replacement: T[K] extends (...args: infer A) => infer R
		? (self: T, original: (...args: A) => R, ...args: A) => unknown
		: never,
): void {
	const original = prototype[name] as Method;
	// The type of the parameter has checked it.
	const replaced = replacement as unknown as (self: T, original: Method, ...args: never[]) => unknown;
	Object.defineProperty(prototype, name, {
		configurable: true,
		writable: true,
		value(this: T, ...args: never[]) {
			return replaced(this, (...given) => original.apply(this, given), ...args);
		},
	});
	undo.push(() => Object.defineProperty(prototype, name, { value: original }));
}

const undo: (() => void)[] = [];
afterEach(() => {
	for (const restore of undo.splice(0)) restore();
});

const id = fc.oneof(
	fc.nat().map(String),
	fc.string({ maxLength: 5 }).map((text) => JSON.stringify(`k${text}`)),
);
const value = fc.jsonValue({ maxDepth: 2 }).map((each) => JSON.stringify(each));
const results = fc.oneof(
	fc.constantFrom(
		'{"content":[]}',
		'{"content":[{"type":"text","text":"\\u003cé\\ud83d"}], "extra" : 1.0}',
		'{"content":[],"isError":true}',
		'{"content":[],"structuredContent":{"n":12345678901234567890}}',
		'{"content":[],"structuredContent":[1]}',
		'{"content":[],"resultType":"complete"}',
		'{"content":[],"ttlMs":5,"cacheScope":"private"}',
		'{"content":[],"_meta":{}}',
		'{"content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"x"},"a":1}}',
		'{"content":[],"content":[{"type":"text","text":"last"}]}',
		'[]',
		'"text"',
		'null',
	),
	value.map((json) => `{"content":[],"structuredContent":{"value":${json}}}`),
);
const input = fc.oneof(
	results.map(raw),
	fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })).map((each) => JSON.stringify(each)),
	fc.constantFrom('{"a":1.0,"a":2}', '{"text":"\\ud800"}', '{ "text" : "b" }', 'null', '5', '[]'),
);
const meta = fc.constantFrom(
	'',
	'"progressToken":"mine"',
	'"progressToken":7',
	'"progressToken":12345678901234567890',
	'"example.com/x":[1]',
	`${TRACE},"progressToken":1`,
	'"io.modelcontextprotocol/logLevel":"debug"',
);
const tool = fc.constantFrom('echo', 'echo', 'echo', 'params', 'params', 'steps', 'fail', 'none', 'big');
/** Calls in many forms; the ids of one exchange differ by their place in it. */
const messageWith = (meta: fc.Arbitrary<string>): fc.Arbitrary<string> =>
	fc.oneof(
		{
			weight: 8,
			arbitrary: fc
				.tuple(id, tool, input, meta)
				.map(([id, name, json, more]) => request(id, name, json, more)),
		},
		fc.tuple(id, input).map(([id, json]) => `\uFEFF${request(id, 'echo', json)}`),
		fc
			.tuple(id, input)
			.map(
				([id, json]) =>
					`{"params":{"arguments":${json},"\\u006eame":"gate__params","x":1.0},"method":"tools/call","id":${id},"jsonrpc":"2.0"}`,
			),
		fc.tuple(id, input).map(([id, json]) => request(id, 'echo', json).replace('"2.0"', '"2.1"')),
	);

/** The envelope of a modern client, in several forms. */
const envelope = fc
	.tuple(
		fc.constantFrom('{}', '{"elicitation":{}}', '{"tasks":{},"sampling":{}}', '5'),
		fc.constantFrom('', `${TRACE},`, '"example.com/x":[1],'),
		fc.constantFrom('', ',"progressToken":"mine"', ',"progressToken":7'),
	)
	.map(([capabilities, more, token]) => `${more}${modernMeta(capabilities)}${token}`);
const messageOfEra = { legacy: messageWith(meta), modern: messageWith(envelope) };

function modernMeta(capabilities = '{}'): string {
	const name = 'io.modelcontextprotocol/';
	return `"${name}protocolVersion":"2026-07-28","${name}clientCapabilities":${capabilities},"${name}clientInfo":{"name":"test","version":"1"}`;
}

interface Route {
	readonly served: ServedHub;
	readonly era: Era;
	send(text: string): void;
	/** Send messages at once, and wait for an answer to each. */
	exchange(texts: readonly string[]): Promise<Exchanged>;
	journal(): Promise<unknown[]>;
	/** What the metrics count, whatever the route: the value of each series. */
	metrics(): ReadonlyMap<string, number>;
	/** The number of calls that took the plain route. */
	plainCount(): number;
}

/** The messages that a client got. */
interface Exchanged {
	readonly answers: unknown[];
	/** The kinds of all messages in their order: an answer, or a method. */
	readonly order: string[];
	/** The methods of requests and notifications, and their texts. */
	readonly received: string[];
	readonly heardTexts: string[];
}

interface RouteOptions {
	readonly isGeneral?: boolean;
	readonly capabilities?: object;
	readonly mark?: string;
	readonly client?: Era;
	readonly server?: Era;
	/** More of the configuration. */
	readonly more?: object;
	/** Whether it is a client of this server alone. */
	readonly isAlone?: boolean;
}

/** A client of a hub over the server by hand, which runs. */
async function openRoute({
	isGeneral = false,
	capabilities = {},
	mark = '',
	client: era = 'legacy',
	server = 'legacy',
	more = {},
	isAlone = false,
}: RouteOptions = {}): Promise<Route> {
	const file = join(temporaryFolder(), 'journal.ndjson');
	const journal = fileJournal(file, Log.silent);
	const served = await serveServers(
		{ gate: gateway({}, server === 'modern' ? 'modern' : 'normal', { MARK: mark }) },
		{ journal, more },
	);
	const { hub } = served.opened;
	const metrics = new HubMetrics(hub);
	if (isGeneral) hub.calls.listen({});
	let plainCount = 0;
	const forwarder = hub.toolForwarder.bind(hub);
	hub.toolForwarder = (...given) => {
		const routes = forwarder(...given);
		return { take: (view, from) => routes.take(view, from) && ++plainCount > 0 };
	};
	const [client, theirs] = memoryPair();
	const session = new McpSession(isAlone ? new OneSource(hub, 'gate') : hub);
	const peer = new Peer(theirs, session.peerOptions);
	session.connect(peer);
	theirs.start(peer);
	const received: Record<string, unknown>[] = [];
	client.start({
		message: (text) => {
			const found = { ...(JSON.parse(text) as Record<string, unknown>), text };
			received.push(found);
			if ('method' in found && 'id' in found)
				client.post(
					`{"jsonrpc":"2.0","id":${JSON.stringify(found['id'])},"result":{"action":"accept","content":{}}}`,
				);
		},
		oversize: () => {},
		end: () => {},
	});
	const answers = (): Record<string, unknown>[] => received.filter((found) => !('method' in found));
	const exchange: Route['exchange'] = async (texts) => {
		received.length = 0;
		for (const text of texts) client.post(isAlone ? text.replaceAll('gate__', '') : text);
		await until('the answers', () => answers().length >= texts.length);
		const others = received.filter((found) => 'method' in found);
		return {
			answers: answers().map(withoutChance),
			order: received.map(({ method = 'answer' }) => String(method)),
			received: others.map(({ method }) => String(method)),
			heardTexts: others.map(({ text }) => steadyText(text)),
		};
	};
	const initialize = {
		protocolVersion: '2025-11-25',
		capabilities,
		clientInfo: { name: 'test', version: '1' },
	};
	if (era === 'legacy')
		await exchange([
			`{"jsonrpc":"2.0","id":"i","method":"initialize","params":${JSON.stringify(initialize)}}`,
		]);
	if (era === 'legacy') client.post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
	await exchange([request('"s"', 'echo', '{"text":"starts it"}', era === 'modern' ? modernMeta() : '')]);
	return {
		served,
		era,
		send: (text) => client.post(text),
		exchange,
		journal: async () => {
			await journal.close();
			const lines = readFileSync(file, 'utf8').trim().split('\n');
			return lines.map((line) => {
				const {
					at: _at,
					ms: _ms,
					n: _n,
					previous: _previous,
					hash: _hash,
					phases: _phases,
					...rest
				} = JSON.parse(line) as Record<string, unknown>;
				return rest;
			});
		},
		metrics: () => countsIn(metrics.text()),
		plainCount: () => plainCount,
	};
}

/** The counts of calls and of their durations, without the route that they took. */
function countsIn(text: string): Map<string, number> {
	const counts = new Map<string, number>();
	for (const [, name = '', labels = '', value] of text.matchAll(
		/^(orchestra_calls_total|\w+_duration_seconds_count)\{(.*)\} (\d+)$/gm,
	)) {
		const series = `${name}{${labels.replace(/,?orchestra_route="\w+"/, '')}}`;
		counts.set(series, (counts.get(series) ?? 0) + Number(value));
	}
	return counts;
}

/** Whether a call is refused, before and after a rule denies it. */
async function callsAroundPolicy(): Promise<boolean[]> {
	const route = await openRoute({ more: { policy: [{ tools: 'gate__pid', action: 'allow' }] } });
	const isRefused = async (id: number): Promise<boolean> =>
		JSON.stringify(await route.exchange([request(id, 'pid')])).includes('was not called');
	const before = await isRefused(1);
	const file = join(route.served.folder, 'orchestra.json');
	writeFileSync(file, readFileSync(file, 'utf8').replace('"allow"', '"deny"'));
	await route.served.opened.reload();
	return [before, await isRefused(2)];
}

function withoutFolders(seen: unknown): unknown {
	return JSON.parse(JSON.stringify(seen).replaceAll(/orchestra-\w+/g, ''));
}

/** Tokens and request ids of ours count up over a connection, and times differ. */
function withoutChance(answer: Record<string, unknown>): unknown {
	const { text, ...rest } = answer;
	const written = steadyText(text);
	return 'error' in rest
		? { ...rest, error: withoutTimes(rest['error']) }
		: { ...JSON.parse(written.replaceAll(/:N\b/g, ':0')), written };
}

function steadyText(text: unknown): string {
	return String(text)
		.replaceAll(/(\\*"progressToken\\*":)\d+/g, '$1N')
		.replaceAll(/(\\*"id\\*":)\d+(,\\*"method)/g, '$1N$2');
}

/** Without times, and the folder of the test. */
function withoutTimes(error: unknown): unknown {
	const text = JSON.stringify(error).replaceAll(/\d+ ms|orchestra-\w+/g, '');
	return JSON.parse(text.replaceAll(/"elapsedMs":\{[^}]*\}/g, '"elapsedMs":{}'));
}

function request(id: number | string, tool: string, input = '{}', meta = ''): string {
	const more = meta === '' ? '' : `,"_meta":{${meta}}`;
	return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"gate__${tool}","arguments":${input}${more}}}`;
}

/**
 * A call of the plain route may overtake one of the general route. The server does not say which call a log message is
 * about: with several in flight, it depends on the moment who gets it.
 */
function inAnyOrder({ answers, order, heardTexts }: Exchanged): unknown {
	const certain = heardTexts.filter(
		(text) => answers.length === 1 || !text.includes('notifications/message'),
	);
	return { answers: sorted(answers), order: answers.length === 1 && order, received: sorted(certain) };
}

function sorted(values: readonly unknown[]): string[] {
	return values.map((each) => JSON.stringify(each)).sort();
}
