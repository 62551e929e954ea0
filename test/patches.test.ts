/*
 * Ten common changes as patches of a few source files each, as ARCHITECTURE.md describes them. All of them apply to
 * this tree at any time; with all tests they are applied together to a copy of it, built and used.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { OrchestraError } from '../src/errors.ts';
import type * as HubModule from '../src/hub/hub.ts';
import type * as JournalLineModule from '../src/hub/journal/journal-line.ts';
import type * as HubMetricsModule from '../src/hub/metrics/hub-metrics.ts';
import { Log } from '../src/log.ts';
import type * as RestartPolicyModule from '../src/rpc/restart-policy.ts';
import { runsAllTests } from './support/all-tests.ts';
import { atEndOfFile } from './support/at-end.ts';
import { until } from './support/waiting.ts';
import { temporaryFolder, writeFiles } from './support/workspace.ts';

const root = resolve(import.meta.dirname, '..');
/** Most source files of a patch. */
const FILES_LIMIT = 4;
const BUILD_MS = 300_000;
const patches = readdirSync(join(root, 'test/patches')).filter((name) => name.endsWith('.patch'));

describe('a patch for a common change', () => {
	it('exists for ten of them', () => {
		expect(patches).toHaveLength(10);
	});

	it.each(patches)('applies, and touches a few files: %s', (name) => {
		const patch = join(root, 'test/patches', name);
		const files = readFileSync(patch, 'utf8').match(/^\+\+\+ src\//gm);
		expect(files?.length).toBeGreaterThan(0);
		expect(files?.length).toBeLessThanOrEqual(FILES_LIMIT);
		run('git', ['apply', '--check', '-p0', patch], root);
	});
});

describe.runIf(runsAllTests)('the tree with all patches', () => {
	const copy = temporaryFolder();
	const home = temporaryFolder();
	const env = { PATH: process.env['PATH'], HOME: home, ORCHESTRA_TRUST: 'all' };

	beforeAll(() => {
		for (const each of ['src', 'scripts', 'proto', 'data', 'library', 'package.json', 'tsconfig.json'])
			cpSync(join(root, each), join(copy, each), { recursive: true });
		symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
		for (const name of patches) run('git', ['apply', '-p0', join(root, 'test/patches', name)], copy);
		run(process.execPath, ['scripts/build.mjs'], copy);
		writeFiles(home, { 'server.mjs': server, 'orchestra.json': JSON.stringify(configuration) });
		atEndOfFile(() => mctl('hub', 'stop', '--all', '--force'));
	}, BUILD_MS);

	it('has the method of MCP, which reaches servers through the hub', () => {
		const request = { method: 'resources/metadata', params: { uri: 'note://one' } };
		expect(answerOf(request)).toContain('"result":{"size":7,"of":"note://one"}');
		expect(answerOf({ ...request, params: {} })).toContain('missing required parameter: uri');
	});

	it('has the kind of source', () => {
		const request = { method: 'tools/call', params: { name: 'now' } };
		expect(answerOf(request)).toMatch(/"text":"\d{4}-\d\d-\d\dT/);
	});

	it('has the key of servers, which limits their tools', () => {
		const tools = answerOf({ method: 'tools/list', params: {} });
		expect([tools.includes('notes__one'), tools.includes('notes__two')]).toEqual([true, false]);
	});

	it('has the key of the hub, which is in its log', async () => {
		expect(mctl('hub', 'start')).toContain('The hub is running');
		await until('it is logged', () => mctl('hub', 'logs').includes('Good morning'));
	});

	it('has the retry policy with a constant delay', async () => {
		const { RestartPolicy } = await load<typeof RestartPolicyModule>('rpc/restart-policy.ts');
		const options = { factor: 1, firstMs: 500, random: () => 0.5, clock: { now: () => 0 } };
		const policy = new RestartPolicy(options);
		const delays = [1, 2, 3].map(() => {
			policy.crashed({ error: new OrchestraError('closed', 'it ended'), isStart: false });
			return policy.delayMs;
		});
		expect(delays).toEqual([500, 500, 500]);
	});

	it('has the flag of the command, with its help', () => {
		expect(mctl('list', 'servers', '--count')).toBe('servers: 1\n');
		expect(mctl('list', '--help')).toContain('--count');
	});

	it('has the metric', async () => {
		const { HubMetrics } = await load<typeof HubMetricsModule>('hub/metrics/hub-metrics.ts');
		const { Hub } = await load<typeof HubModule>('hub/hub.ts');
		const metrics = new HubMetrics(new Hub({ sources: [], log: Log.silent }));
		expect(metrics.text()).toMatch(/^orchestra_backends 0$/m);
		metrics.close();
	});

	it('has the client of init', () => {
		writeFiles(home, { '.juniper/mcp.json': '{"mcpServers":{"files":{"command":"npx"}}}' });
		expect(mctl('list', '--clients')).toContain('juniper:files');
	});

	it('has the field of the journal', async () => {
		const { journalMembers } = await load<typeof JournalLineModule>('hub/journal/journal-line.ts');
		const call = {
			client: 'c',
			backend: 'b',
			method: 'tools/call',
			name: 't',
			ms: 1,
			outcome: 'ok',
		} as const;
		expect(journalMembers({ ...call, startedAt: new Date(0) })).toContain('"host":"');
	});

	it('has the screen of the dashboard', () => {
		const page = readdirSync(join(copy, 'dist/dashboard'), { recursive: true, encoding: 'utf8' })
			.filter((name) => /\.(?:js|html)$/.test(name))
			.map((name) => readFileSync(join(copy, 'dist/dashboard', name), 'utf8'));
		expect(page.some((text) => text.includes('This is the hub of'))).toBe(true);
	});

	/** A module of the copy. */
	function load<Module>(file: string): Promise<Module> {
		return import(/* @vite-ignore */ join(copy, 'src', file));
	}

	function mctl(...args: string[]): string {
		const main = join(copy, 'dist/cli/main.js');
		return spawnSync(process.execPath, [main, ...args], { cwd: home, env, encoding: 'utf8' }).stdout;
	}

	/** What `mctl serve` answers to a request after the handshake. */
	function answerOf(request: object): string {
		const clientInfo = { name: 'x', version: '1' };
		const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
		const input = [
			{ id: 1, method: 'initialize', params },
			{ id: 2, ...request },
		].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
		const args = [join(copy, 'dist/cli/main.js'), 'serve'];
		const options = { cwd: home, env, input: input.join(''), encoding: 'utf8' } as const;
		return spawnSync(process.execPath, args, options).stdout;
	}
});

const configuration = {
	mcpServers: { notes: { command: process.execPath, args: ['server.mjs'], maxTools: 1 } },
	hub: { greeting: 'Good morning' },
	limits: { listMs: 30_000 },
};

/** A server that knows the new method, with two tools. */
const server = `
	import { createInterface } from 'node:readline';
	const results = {
		initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { resources: {}, tools: {} }, serverInfo: { name: 'n', version: '1' } }),
		'resources/list': () => ({ resources: [{ uri: 'note://one', name: 'one' }] }),
		'resources/templates/list': () => ({ resourceTemplates: [] }),
		'tools/list': () => ({ tools: ['one', 'two'].map((name) => ({ name, inputSchema: { type: 'object' } })) }),
		'resources/metadata': ({ uri }) => ({ size: 7, of: uri }),
	};
	createInterface({ input: process.stdin }).on('line', (line) => {
		const { id, method, params } = JSON.parse(line);
		if (id === undefined) return;
		const result = results[method]?.(params);
		const error = { code: -32601, message: 'Method not found' };
		console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
	});
`;

function run(command: string, args: string[], cwd: string): void {
	const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
	expect(status, stdout + stderr).toBe(0);
}
