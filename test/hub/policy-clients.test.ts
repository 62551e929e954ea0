/* Policy, approvals and the journal as users and agents use them: real processes, both SDK clients. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OrchestraClientTransport } from '../../src/transport/sdk/sdk-transport.ts';
import { openHubPlace } from '../support/hub-place.ts';
import { type MctlResult, mctl } from '../support/mctl.ts';
import { manifestOf, shellEvent } from '../support/tool-folder.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const main = resolve(import.meta.dirname, '../../dist/cli/main.js');
const info = { name: 'judge', version: '1' };
const capabilities = { elicitation: {} };
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const configuration = {
	policy: [
		{ tools: 'touch', action: 'ask', reason: 'it writes' },
		{ tools: 'secret', action: 'deny', reason: 'ask the DBA', hide: true },
	],
};
const tools = {
	'tools/touch/manifest.json': manifestOf('touch'),
	'tools/touch/main.sh': `${shellEvent('touch')}\nevent result '{"touched":true}'\nevent done '{"status":"ok"}'\n`,
	'tools/secret/manifest.json': manifestOf('secret'),
	'tools/secret/main.sh': 'exit 1\n',
};

type Answer = { action: 'accept'; content: { decision: string } } | { action: 'decline' };
type Judge = Pick<ClientV2, 'callTool' | 'listTools' | 'close'>;

const judges: Record<string, (place: Place, answer: Answer) => Promise<Judge>> = {
	'SDK v1': openV1,
	'SDK v2, legacy': (place, answer) => openV2(place, answer, 'legacy'),
	'SDK v2, 2026-07-28': (place, answer) => openV2(place, answer, { pin: '2026-07-28' }),
};

describe.each(Object.entries(judges))('%s', (_name, open) => {
	it('asks its user, and the decision counts', async () => {
		const place = workspace();
		const yes = await open(place, { action: 'accept', content: { decision: 'allow once' } });
		expect((await yes.listTools()).tools.map(({ name }) => name)).not.toContain('secret');
		expect(await yes.callTool({ name: 'touch', arguments: {} })).toMatchObject({
			content: [{ text: expect.stringContaining('touched') }],
		});
		expect(await yes.callTool({ name: 'secret', arguments: {} })).toMatchObject({
			isError: true,
			content: [{ text: expect.stringContaining('ask the DBA') }],
		});
		const no = await open(place, { action: 'decline' });
		expect(await no.callTool({ name: 'touch', arguments: {} })).toMatchObject({ isError: true });
		await Promise.all([yes.close(), no.close()]);
		const { stdout } = await place.run('log', '--json');
		const calls: Record<string, unknown>[] = JSON.parse(stdout).calls;
		expect(calls[0]).toMatchObject({ phases: { approval: expect.any(Number), run: expect.any(Number) } });
		expect(calls.map(({ name, policy, outcome }) => [name, policy, outcome])).toEqual([
			['touch', 'approved', 'ok'],
			['secret', 'deny', 'failed'],
			['touch', 'refused', 'failed'],
		]);
		expect((await place.run('log', 'verify')).code).toBe(0);
	});
});

describe('mctl approve', () => {
	it('lets a waiting call of mctl serve go on, once', async () => {
		const place = workspace();
		const client = new ClientV2(info);
		await client.connect(transport(place));
		onTestFinished(() => client.close());
		const result = client.callTool({ name: 'touch', arguments: {} });
		const id = await waitingId(place);
		const shown = (await place.run('approve', 'show', id)).stdout;
		expect(shown).toContain('judge');
		expect(shown).toContain('it writes');
		expect(await place.run('approve', 'allow', id)).toMatchObject({
			code: 0,
			stdout: 'Allowed once: touch\n',
		});
		expect(await result).toMatchObject({ content: [{ text: expect.stringContaining('touched') }] });
		expect(await place.run('approve', 'allow', id)).toMatchObject({ code: 1 });
		expect((await place.run('approve', 'nonsense')).code).toBe(64);
	});

	it('writes a rule with --always, which the next session of the client needs no approval for', async () => {
		const place = workspace();
		const first = new ClientV2(info);
		await first.connect(transport(place));
		onTestFinished(() => first.close());
		const result = first.callTool({ name: 'touch', arguments: {} });
		const allowed = await place.run('approve', 'allow', await waitingId(place), '--always');
		expect(allowed.stdout).toContain(
			'From now on: { "tools": "touch", "clients": "judge", "action": "allow" }',
		);
		expect(await result).toMatchObject({ content: [{ text: expect.stringContaining('touched') }] });
		const second = new ClientV2(info);
		await second.connect(transport(place));
		onTestFinished(() => second.close());
		expect(await second.callTool({ name: 'touch', arguments: {} })).not.toHaveProperty('isError');
		expect((await place.run('policy', 'test', 'touch')).stdout).toContain('touch from mctl: ask');
	});

	it('lets a waiting call of the shared hub go on, and its journal says so', async () => {
		const place = openHubPlace(
			configuration,
			Object.fromEntries(Object.entries(tools).map(([path, text]) => [`work/${path}`, text])),
		);
		await place.start();
		const bridge = place.bridge();
		await bridge.ready();
		bridge.client.send({
			jsonrpc: '2.0',
			id: 2,
			method: 'tools/call',
			params: { name: 'touch', arguments: {} },
		});
		const id = await waitingId(place);
		expect((await place.run('approve', 'deny', id)).stdout).toBe('Denied: touch\n');
		expect(JSON.parse(await bridge.client.answer(2))).toMatchObject({ result: { isError: true } });
		const { stdout } = await place.run('log', '--failed', '--json');
		expect(JSON.parse(stdout).calls).toMatchObject([{ name: 'touch', policy: 'refused', outcome: 'failed' }]);
	});
});

describe('mctl log verify', () => {
	it('names a line that was changed', async () => {
		const place = openHubPlace(
			{},
			{
				'work/tools/touch/manifest.json': tools['tools/touch/manifest.json'],
				'work/tools/touch/main.sh': tools['tools/touch/main.sh'],
			},
		);
		await place.start();
		const bridge = place.bridge();
		await bridge.ready();
		for (const id of [2, 3, 4]) {
			bridge.client.send({
				jsonrpc: '2.0',
				id,
				method: 'tools/call',
				params: { name: 'touch', arguments: {} },
			});
			await bridge.client.answer(id);
		}
		const file = place.folder.journalFile;
		await until('the lines are written', () => readFileSync(file, 'utf8').trim().split('\n').length === 3);
		expect(await place.run('log', 'verify')).toMatchObject({
			code: 0,
			stdout: '3 lines, none changed or missing.\n',
		});
		const lines = readFileSync(file, 'utf8').split('\n');
		writeFileSync(file, lines.with(1, (lines[1] ?? '').replace('"ok"', '"failed"')).join('\n'));
		const verified = await place.run('log', 'verify');
		expect(verified.code).toBe(1);
		expect(verified.stdout).toBe('changed: line 2 of journal.ndjson (number 2) was changed\n');
		expect(verified.stderr).toContain('the journal has 1 damaged place\n');
	});
});

describe('a process without the shared hub', () => {
	it('writes each call to a journal, and mctl log verify notices what is removed of one', async () => {
		const place = workspace({ policy: [{ tools: 'secret', action: 'deny' }] });
		expect((await place.run('call', 'secret')).code).toBe(1);
		expect((await place.serve('touch', { policy: [] })).stdout).toContain('touched');
		const logged = async (): Promise<unknown[]> => {
			const { calls } = JSON.parse((await place.run('log', '--json')).stdout);
			return calls.map(({ client, name, policy }: Record<string, unknown>) => [client, name, policy]);
		};
		expect(await logged()).toEqual([
			['mctl', 'secret', 'deny'],
			['judge', 'touch', undefined],
		]);
		const [call] = JSON.parse((await place.run('log', '--json', '--tool', 'tou*')).stdout).calls;
		expect(call).toMatchObject({ trace: traceparent.split('-')[1], argumentsBytes: 2, outcome: 'ok' });
		expect((await place.run('log', 'verify')).stdout).toBe('2 lines, none changed or missing.\n');
		const [called = '', served = ''] = place.journals();
		rmSync(called);
		rmSync(`${served}.head`);
		expect(await place.run('log', 'verify')).toMatchObject({
			code: 1,
			stdout: [
				`missing: at the end of serve/${basename(called)}, number 1 is missing`,
				`missing: serve/${basename(served)}.head is missing, so lines at the end may be missing too\n`,
			].join('\n'),
		});
	});

	it('warns once when its journal cannot be written, and makes the call', async () => {
		const place = workspace({});
		writeFiles(place.cwd, { blocked: '' });
		const { stdout, stderr } = await place.serve('touch', {}, { XDG_STATE_HOME: join(place.cwd, 'blocked') });
		expect(stdout).toContain('touched');
		expect(stderr.match(/journal/g)).toHaveLength(1);
	});
});

describe('mctl policy test', () => {
	it('says which rule decides, without calling anything', async () => {
		const { run } = workspace();
		const { stdout } = await run('policy', 'test', 'touch', 'a=1');
		expect(stdout).toContain('touch from mctl: ask');
		expect(stdout).toContain('orchestra.json:1');
		expect((await run('policy', 'test', 'other')).stdout).toContain('the default is allow');
		const json = JSON.parse((await run('policy', 'test', 'secret', '--json')).stdout);
		expect(json).toMatchObject({ action: 'deny', rule: { reason: 'ask the DBA', hide: true } });
	});
});

interface Place {
	readonly cwd: string;
	readonly env: Record<string, string>;
	run(...args: string[]): Promise<MctlResult>;
	/** Call a tool through `mctl serve`, with another configuration. */
	serve(tool: string, configuration: object, env?: Record<string, string>): Promise<MctlResult>;
	/** The journals of processes, the oldest first. */
	journals(): string[];
}

function workspace(settings: object = configuration): Place {
	const home = temporaryFolder();
	const cwd = join(home, 'work');
	writeFiles(cwd, { 'orchestra.json': JSON.stringify(settings), ...tools });
	const env = {
		HOME: home,
		XDG_STATE_HOME: join(home, 'state'),
		XDG_CONFIG_HOME: join(home, 'config'),
		ORCHESTRA_TRUST: 'all',
	};
	const request = (id: number, method: string, params: object): string =>
		`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
	const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info };
	return {
		cwd,
		env,
		run: (...args) => mctl(args, { cwd, env }),
		serve: (name, settled, more) => {
			writeFiles(cwd, { 'orchestra.json': JSON.stringify(settled) });
			const input =
				request(1, 'initialize', hello) +
				request(2, 'tools/call', { name, arguments: {}, _meta: { traceparent } });
			return mctl(['serve'], { cwd, env: { ...env, ...more }, input });
		},
		journals: () =>
			readdirSync(join(home, 'state'), { recursive: true, encoding: 'utf8' })
				.filter((path) => /serve\/.*\.ndjson$/.test(path))
				.sort()
				.map((path) => join(home, 'state', path)),
	};
}

async function waitingId(place: Pick<Place, 'run'>): Promise<string> {
	let id = '';
	await until('a call waits', async () => {
		const { stdout } = await place.run('approve', '--json');
		id = JSON.parse(stdout).requests[0]?.id ?? '';
		return id !== '';
	});
	return id;
}

function transport({ cwd, env }: Place): OrchestraClientTransport {
	return new OrchestraClientTransport({ command: process.execPath, args: [main, 'serve'], cwd, env });
}

async function openV1(place: Place, answer: Answer): Promise<Judge> {
	const client = new ClientV1(info, { capabilities });
	client.setRequestHandler(ElicitRequestSchema, () => answer);
	await client.connect(transport(place));
	onTestFinished(() => client.close());
	// The methods that are used here have the same form in both majors.
	return client as unknown as Judge;
}

async function openV2(place: Place, answer: Answer, mode: 'legacy' | { pin: string }): Promise<Judge> {
	const client = new ClientV2(info, { capabilities, versionNegotiation: { mode } });
	client.setRequestHandler('elicitation/create', () => answer);
	await client.connect(transport(place));
	onTestFinished(() => client.close());
	return client;
}
