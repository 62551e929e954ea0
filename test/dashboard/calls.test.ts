/* Calls that the page makes, and the calls that it sees. */
import { describe, expect, it } from 'vitest';
import { type Browser, eventsOf, type Line, openTestDashboard, readLines } from '../support/dashboard.ts';
import { callServer } from '../support/mcp-folder.ts';
import { until } from '../support/waiting.ts';

describe('a call of the page', () => {
	it('streams its number, logs, progress and result, and is a call of the client "dashboard"', async () => {
		const { login } = await openTestDashboard();
		const browser = await login();
		const lines = await browser.call('/api/call', { name: 'py__talk', arguments: {} });
		expect(lines.map(({ kind }) => kind)).toEqual(['started', 'log', 'progress', 'progress', 'result']);
		expect(lines[1]).toMatchObject({
			level: 'warning',
			logger: 'talk',
			text: expect.stringContaining('careful'),
		});
		expect(lines[2]).toMatchObject({ progress: 1, total: 2 });
		expect(lines[4]?.['result'].content[0].text).toMatch(/^done/);
		const details = await browser.get(`/api/calls/${lines[0]?.['number']}`);
		expect(details).toMatchObject({
			client: 'dashboard',
			backend: 'py',
			name: 'py__talk',
			outcome: 'ok',
			progress: [{ progress: 1 }, { progress: 2 }],
			logs: [{ level: 'warning' }],
			arguments: '{}',
			command: "mctl call py__talk --input '{}'",
		});
		expect(details.phases.map(({ name }: { name: string }) => name)).toContain('run');
	});

	it('shows the elicitation of a tool, and goes on with the answer', async () => {
		const { login } = await openTestDashboard();
		const browser = await login();
		const lines = await browser.call('/api/call', { name: 'py__ask', arguments: {} }, async (line: Line) => {
			if (line.kind !== 'ask') return;
			expect(line.elicitation).toMatchObject({ mode: 'form', schema: { required: ['age', 'color'] } });
			const answer = { id: line.elicitation.id, action: 'accept', content: { age: 3, color: 'red' } };
			expect((await browser.post('/api/answer', answer)).status).toBe(200);
			expect((await browser.post('/api/answer', answer)).status).toBe(404);
		});
		expect(JSON.parse(lines.at(-1)?.['result'].content[0].text)).toEqual({
			action: 'accept',
			content: { age: 3, color: 'red' },
		});
	});

	it('is canceled when the page closes the connection', async () => {
		const { login } = await openTestDashboard();
		const browser = await login();
		const leaving = new AbortController();
		const answer = await browser.page('/api/call', {
			method: 'POST',
			body: { name: 'py__hang', arguments: {} },
			signal: leaving.signal,
		});
		let number = 0;
		await readLines(answer, (line) => {
			number = line.number ?? number;
			if (line.kind === 'log') leaving.abort();
		}).catch(() => {});
		await until('it is canceled', async () => {
			return (await browser.get(`/api/calls/${number}`)).outcome === 'canceled';
		});
	});

	it('that fails has its explanation, and one that crashes its server too', async () => {
		const { login } = await openTestDashboard();
		const browser = await login();
		const refused = await browser.call('/api/call', { name: 'py__refuse', arguments: {} });
		expect(refused.at(-1)).toMatchObject({ kind: 'result', result: { isError: true } });
		expect(await browser.get(`/api/calls/${refused[0]?.['number']}`)).toMatchObject({
			outcome: 'failed',
			explanation: { code: 'tool_failed', message: 'not today' },
		});
		const died = await browser.call('/api/call', { name: 'py__die', arguments: {} });
		expect(JSON.stringify(died.at(-1))).toContain('no disk');
		const unknown = await browser.call('/api/call', { name: 'py__nothing', arguments: {} });
		expect(unknown).toMatchObject([
			{ kind: 'error', error: { message: expect.stringContaining('py__nothing') } },
		]);
	});

	it('waits for the user when the policy asks, in the page itself', async () => {
		const policy = [{ tools: 'py__add', action: 'ask', reason: 'money' }];
		const { login } = await openTestDashboard({ more: { policy } });
		const browser = await login();
		const request = { name: 'py__add', arguments: { numbers: [1, 2] } };
		const ask = (action: string, content?: object): Promise<Line[]> =>
			browser.call('/api/call', request, async (line) => {
				if (line.kind !== 'ask') return;
				await browser.post('/api/answer', { id: line.elicitation.id, action, ...(content && { content }) });
			});
		const denied = await ask('decline');
		expect(JSON.stringify(denied.at(-1))).toContain('was not called');
		expect(denied.filter(({ kind }) => kind === 'ask')).toHaveLength(1);
	});

	it('reads prompts and resources as well', async () => {
		const { login } = await openTestDashboard({ servers: {} });
		const browser = await login();
		const { rows } = await browser.get('/api/catalogue');
		const [, uri] = rows.find(([kind]: [string]) => kind === 'resource');
		const lines = await readLines(await browser.page(`/api/resource?uri=${encodeURIComponent(uri)}`));
		expect(lines.at(-1)).toMatchObject({ kind: 'result', result: { contents: [{ uri }] } });
		const prompt = { name: 'explain-failure', arguments: { error: 'refused' } };
		const filled = await browser.call('/api/prompt', prompt);
		expect(filled.at(-1)).toMatchObject({ kind: 'result', result: { messages: [{ role: 'user' }] } });
	});

	it('is refused when too many are in flight', async () => {
		const { login } = await openTestDashboard({ limits: { pageCalls: 1 } });
		const browser = await login();
		const first = await browser.post('/api/call', { name: 'py__hang', arguments: {} });
		expect((await browser.post('/api/call', { name: 'py__add', arguments: {} })).status).toBe(400);
		first.cut();
	});
});

describe('the calls', () => {
	it('are listed newest first, by page and by filter, with those of the journal before them', async () => {
		const journal = [
			{
				at: '2026-01-01T00:00:00.000Z',
				client: 'old',
				backend: 'py',
				method: 'tools/call',
				name: 'py__old',
				ms: 5,
				outcome: 'ok',
			},
			{
				at: '2026-01-01T00:00:01.000Z',
				client: 'old',
				backend: 'py',
				method: 'tools/call',
				name: 'py__bad',
				ms: 9,
				outcome: 'error',
				error: 'timeout',
				phases: { start: 4, run: 5 },
				policy: 'allow',
				rule: 'orchestra.json:3',
				plan: 'b'.repeat(32),
				worker: 'gpu-1',
				trace: 'a'.repeat(32),
			},
			{ not: 'a call' },
		];
		const { login } = await openTestDashboard({
			journal: journal.map((line) => JSON.stringify(line)).join('\n'),
		});
		const browser = await login();
		for (const number of [1, 2]) await add(browser, number);
		await browser.call('/api/call', { name: 'py__refuse', arguments: {} });
		const { rows, next, matched, total } = await browser.get('/api/calls?limit=3');
		expect(rows.map(({ number, name }: Line) => [number, name])).toEqual([
			[5, 'py__refuse'],
			[4, 'py__add'],
			[3, 'py__add'],
		]);
		expect([next, matched, total]).toEqual([3, 5, 5]);
		expect(await browser.get(`/api/calls?before=${next}`)).toMatchObject({
			rows: [
				{ number: 2, name: 'py__bad', error: 'timeout', ms: 9 },
				{ number: 1, name: 'py__old', client: 'old' },
			],
			next: null,
		});
		const numbers = async (query: string): Promise<number[]> =>
			(await browser.get(`/api/calls?${query}`)).rows.map(({ number }: Line) => number);
		expect(await numbers('outcome=failures')).toEqual([5, 2]);
		expect(await numbers('tool=py*add')).toEqual([4, 3]);
		expect(await numbers('client=OLD&outcome=ok')).toEqual([1]);
		expect(await numbers(`since=${Date.now() - 60_000}`)).toEqual([5, 4, 3]);
		expect(await browser.get('/api/calls/2')).toMatchObject({
			number: 2,
			arguments: null,
			phases: [
				{ name: 'start', startMs: 0, ms: 4 },
				{ name: 'run', startMs: 4, ms: 5 },
			],
			policy: 'allow',
			rule: 'orchestra.json:3',
			plan: 'b'.repeat(32),
			worker: 'gpu-1',
			trace: 'a'.repeat(32),
		});
		expect(await browser.get('/api/calls/1')).toMatchObject({ phases: [], policy: null });
		expect((await browser.page('/api/calls/99')).status).toBe(404);
	});

	it('have no secrets', async () => {
		const secret = `sk-${'a1B2c3D4'.repeat(6)}`;
		const { login, served } = await openTestDashboard();
		const browser = await login();
		const client = await served.client({ name: secret });
		await client.call('py__add', { numbers: [1], options: { key: secret } });
		const shown = JSON.stringify([
			await browser.get('/api/calls'),
			await browser.get('/api/calls/1'),
			await browser.get('/api/state'),
		]);
		expect(shown).toContain('py__add');
		expect(shown).not.toContain(secret);
	});

	it('that were recorded have the command that replays them', async () => {
		const { login } = await openTestDashboard({ servers: { py: { ...callServer, record: true } } });
		const browser = await login();
		await add(browser, 1);
		await recorded(browser, 1);
		expect((await browser.get('/api/calls/1'))['replay']).toMatch(
			/^mctl replay \S+recordings\/py\.\S+\.ndjson --against py$/,
		);
	});

	it('that were recorded are made again on request, and the answers are compared', async () => {
		const { login } = await openTestDashboard({ servers: { py: { ...callServer, record: true } } });
		const browser = await login();
		await add(browser, 1);
		await add(browser, 2);
		await recorded(browser, 2);
		const lines = await browser.call('/api/replay', { number: 2 });
		expect(lines[0]).toEqual({ kind: 'started', number: 3 });
		expect(lines.at(-1)).toMatchObject({
			kind: 'result',
			result: { content: [{ text: '2' }] },
			comparison: { isSame: true, differences: [] },
		});
		expect(await browser.get('/api/calls/3')).toMatchObject({
			client: 'dashboard',
			arguments: '{"numbers":[2]}',
		});
		await browser.post('/api/policy', { server: 'py', action: 'deny' });
		const denied = (await browser.call('/api/replay', { number: 1 })).at(-1);
		expect(denied?.comparison.differences).toContainEqual({
			path: 'result.content[0].text',
			before: '1',
			after: expect.stringContaining('the policy denies it'),
		});
	});

	it('are not made again with a replaced secret, without a recording, or before they ended', async () => {
		const secret = `sk-${'a1B2c3D4'.repeat(6)}`;
		const { login } = await openTestDashboard({
			servers: { py: { ...callServer, record: true }, plain: callServer },
		});
		const browser = await login();
		await browser.call('/api/call', {
			name: 'py__add',
			arguments: { numbers: [1], options: { key: secret } },
		});
		await browser.call('/api/call', { name: 'plain__add', arguments: { numbers: [1] } });
		await recorded(browser, 1);
		const refused = async (number: number): Promise<[number, string]> => {
			const answer = await browser.post('/api/replay', { number });
			return [answer.status, (await answer.json())['error'].message];
		};
		expect(await refused(1)).toEqual([400, expect.stringContaining('a secret in its params was replaced')]);
		expect(await refused(2)).toEqual([404, 'no recording of plain has this call']);
		expect(await refused(99)).toEqual([404, expect.stringContaining('no call of a tool with this number')]);
		expect((await browser.get('/api/calls'))['total']).toBe(2);
	});

	it('have a chart of their latency', async () => {
		const { login } = await openTestDashboard();
		const browser = await login();
		await add(browser, 1);
		await browser.call('/api/call', { name: 'py__refuse', arguments: {} });
		const { bucketMs, buckets } = await browser.get('/api/calls/chart');
		expect(bucketMs).toBe(1000);
		const sum = (key: string): number => buckets.reduce((all: number, each: Line) => all + each[key], 0);
		expect([sum('count'), sum('errors')]).toEqual([2, 1]);
	});
});

describe('the event stream', () => {
	it('begins with the state and the approvals, and reports calls as they begin and end', async () => {
		const { login, served } = await openTestDashboard({ limits: { tickMs: 20, stateMs: 40 } });
		const browser = await login();
		const events = eventsOf(await browser.page('/api/events'));
		const first = [(await events.next()).value, (await events.next()).value];
		expect(first.map(({ name }) => name)).toEqual(['state', 'approvals']);
		const client = await served.client({ name: 'agent' });
		await client.call('py__add', { numbers: [1] });
		const { data } = await next(
			events,
			({ name, data: event }) => name === 'calls' && event.rows.at(-1).outcome === 'ok',
		);
		expect(data.rows.at(-1)).toMatchObject({ number: 1, client: 'agent', name: 'py__add' });
		const state = await next(events, ({ name, data: event }) => name === 'state' && event.hub.calls === 1);
		expect(state.data.clients).toMatchObject([
			{ transport: 'dashboard' },
			{ name: 'agent', calls: 1, era: 'legacy' },
		]);
	});

	it('shows a call that runs, in detail, and its end', async () => {
		const { login } = await openTestDashboard({ limits: { tickMs: 20 } });
		const browser = await login();
		const call = await browser.post('/api/call', { name: 'py__hang', arguments: {} });
		const events = eventsOf(await browser.page('/api/events?call=1'));
		const running = await next(events, ({ name, data }) => name === 'call' && data.logs.length > 0);
		expect(running.data).toMatchObject({
			number: 1,
			outcome: 'running',
			phase: 'run',
			phases: [{ name: 'run' }],
			logs: [{ text: 'hanging' }],
		});
		call.cut();
		const canceled = await next(events, ({ name, data }) => name === 'call' && data.outcome === 'canceled');
		expect(canceled.data.phase).toBeNull();
	});

	it('shows the lines of a server as it writes them, those of stdout that are no messages too', async () => {
		const script = `echo "stray line"; exec "${callServer.command}" "${callServer.args[0]}"`;
		const noisy = { command: 'sh', args: ['-c', script] };
		const { login } = await openTestDashboard({ servers: { py: noisy }, limits: { tickMs: 20 } });
		const browser = await login();
		const events = eventsOf(await browser.page('/api/events?server=py'));
		await events.next();
		await browser.call('/api/call', { name: 'py__die', arguments: {} });
		const { data } = await next(
			events,
			({ name, data: event }) => name === 'log' && JSON.stringify(event).includes('no disk'),
		);
		expect(data).toMatchObject({ server: 'py', dropped: 0 });
		const page = await browser.get('/api/servers/py');
		expect(page.log.map(({ stream, text }: Line) => `${stream} ${text}`)).toEqual(
			expect.arrayContaining(['stdout stray line', 'stderr no disk']),
		);
		expect(page.history.map(({ state }: Line) => state)).toEqual(['started', 'ended']);
	});

	it('pings a page that gets nothing else, so that it can tell an idle hub from one that hangs', async () => {
		const limits = { tickMs: 20, stateMs: 60_000, pingMs: 50 };
		const { login } = await openTestDashboard({ servers: {}, limits });
		const events = eventsOf(await (await login()).page('/api/events'));
		for (const _ of [1, 2]) expect((await next(events, ({ name }) => name === 'ping')).data).toEqual({});
	});

	it('ends with the listener', async () => {
		const { login, http } = await openTestDashboard({ servers: {} });
		const stream = await (await login()).page('/api/events');
		const read = stream.text();
		await http.close();
		expect(await read).toContain('event: state');
	});
});

async function recorded(browser: Browser, number: number): Promise<void> {
	const isRecorded = async (): Promise<boolean> =>
		(await browser.get(`/api/calls/${number}`))['replay'] !== null;
	await until('the recording is on disk', isRecorded);
}

async function add(browser: Browser, number: number): Promise<void> {
	await browser.call('/api/call', { name: 'py__add', arguments: { numbers: [number] } });
}

type SentEvent = Awaited<ReturnType<ReturnType<typeof eventsOf>['next']>>['value'];

async function next(
	events: ReturnType<typeof eventsOf>,
	isWanted: (event: SentEvent) => boolean,
): Promise<SentEvent> {
	for (;;) {
		const { value, done } = await events.next();
		if (done) throw new Error('the stream ended');
		if (isWanted(value)) return value;
	}
}
