/* Every way in which an MCP server fails: the error says what, how and what to do next. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Source } from '../../../src/hub/source.ts';
import type { SourceStatus } from '../../../src/hub/source-status.ts';
import { StartLimiter } from '../../../src/hub/sources/mcp/process/start-limiter.ts';
import { serverLogPath } from '../../../src/hub/sources/mcp/server-files.ts';
import { ToolScans } from '../../../src/hub/sources/mcp/tools/tool-scans.ts';
import { McpSource } from '../../../src/hub/sources/mcp-source.ts';
import { Log } from '../../../src/log.ts';
import { serveRaw } from '../../support/http-server.ts';
import { gateway, type ServedHub, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

/** The error of the first call of a server that was never seen. */
async function failureOf(entry: object): Promise<{ message: string; data: Record<string, unknown> }> {
	const served = await serveServers({ bad: entry, good: gateway() });
	const client = await served.client();
	const failed = client.failure('bad__echo', { text: 'x' });
	// One bad server neither delays nor hides another.
	expect(await client.call('good__echo', { text: 'fine' })).toBe('fine');
	return failed;
}

describe('an MCP server that does not start', () => {
	it('because its program is not found is named with the command', async () => {
		const { message, data } = await failureOf({ command: 'no-such-program', args: ['-x'] });
		expect(message).toContain(
			'the MCP server bad could not be started: command "no-such-program" was not found on PATH',
		);
		expect(message).toContain('Command: no-such-program -x');
		expect(message).toContain('Next: Install no-such-program');
		expect(data).toMatchObject({
			code: 'spawn',
			server: 'bad',
			phase: 'spawn',
			elapsedMs: { spawn: expect.any(Number) },
		});
	});

	it.each([
		[429, '50'],
		[503, '50'],
	])('because it is overloaded (%i) is not asked again before the time it names', async (status, after) => {
		const server = await serveRaw((_request, response) =>
			response.writeHead(status, { 'retry-after': after }).end(),
		);
		const client = await (await serveServers({ busy: { type: 'http', url: server.url } })).client();
		await client.failure('busy__echo', { text: 'x' });
		const asked = server.received.length;
		const { message } = await client.failure('busy__echo', { text: 'x' });
		expect(message).toMatch(
			/the MCP server busy is down and a call in (50|[34]\d) s or later starts it again/,
		);
		expect(server.received).toHaveLength(asked);
	});

	it('because its program is not executable says how to change that', async () => {
		const folder = writeFiles(temporaryFolder(), { server: 'echo' });
		const { message } = await failureOf({ command: join(folder, 'server') });
		expect(message).toContain('is not executable');
		expect(message).toContain('Next: Run: chmod +x');
	});

	it('because it exits gives its exit code and last stderr lines', async () => {
		const { message, data } = await failureOf(gateway({}, 'exits'));
		expect(message).toContain('the MCP server bad failed in the handshake: its process exited with code 3');
		expect(message).toContain('Last stderr lines:\n  reading the settings\n  fatal: no TOKEN is set');
		expect(data).toMatchObject({
			phase: 'initialize',
			exitCode: 3,
			stderr: ['reading the settings', 'fatal: no TOKEN is set'],
			elapsedMs: { spawn: expect.any(Number), initialize: expect.any(Number) },
		});
	});

	it('because it exits silently with 0 is suspected to be no server', async () => {
		const { message, data } = await failureOf(gateway({}, 'exits-silently'));
		expect(message).toContain('exited with code 0');
		expect(message).toContain('it is probably not an MCP server for stdio');
		expect(data['exitCode']).toBe(0);
	});

	it('because it never answers is ended at its own deadline', async () => {
		const { message, data } = await failureOf(gateway({ startMs: 300 }, 'hangs'));
		expect(message).toContain(
			'the MCP server bad did not answer the handshake: the server was not ready within 300ms',
		);
		expect(message).toContain('raise startMs of mcpServers.bad');
		expect(data['code']).toBe('timeout');
	});

	it('because it answers garbage shows what it printed', async () => {
		const { message, data } = await failureOf(gateway({ startMs: 3000 }, 'garbage'));
		expect(message).toContain('Lines on stdout that are not messages:\n  <html>404</html>');
		expect(data['strayLines']).toEqual(['<html>404</html>']);
	});

	it('because it speaks an unknown protocol version names the version', async () => {
		const { message } = await failureOf(gateway({}, 'wrong-version'));
		expect(message).toContain('the MCP server bad failed in the handshake');
		expect(message).toContain('1999-01-01');
	});

	it('is no reason for an unknown tool of another server', async () => {
		const served = await serveServers({ bad: gateway({}, 'exits'), gate: gateway() });
		const client = await served.client();
		await client.request('tools/list');
		expect((await client.failure('gate__nope')).message).toBe('Unknown tool: gate__nope');
		expect((await client.failure('bad__nope')).message).toContain('no TOKEN is set');
	});

	it('because its entry has a problem is named with the problem', async () => {
		const served = await serveServers({ unset: gateway({}, 'normal', { TOKEN: '${NO_SUCH_VARIABLE}' }) });
		const { message } = await (await served.client()).failure('unset__echo');
		expect(message).toContain('Unknown tool: unset__echo. Its server is left out: ');
		expect(message).toContain('mcpServers.unset.env.TOKEN is ${NO_SUCH_VARIABLE}, not set');
	});

	it('is tried again with a delay, and its calls get the cause and the time meanwhile', async () => {
		const served = await serveServers({ bad: gateway({}, 'exits') });
		const client = await served.client();
		await client.request('tools/list');
		await until('it is tried three times', () => served.events('start').length === 3);
		await until('it waits', () => statusOf(served)?.state === 'failed');
		const status = statusOf(served);
		expect(status).toMatchObject({
			state: 'failed',
			error: { message: expect.stringContaining('exited with code 3') },
		});
		expect(status?.nextTryAt?.getTime()).toBeGreaterThan(Date.now());
	});

	it('five times within a minute is left alone for 5 minutes, and its calls get the cause and the time', async () => {
		const clock = { now: 0 };
		const served = await serveServers({ bad: gateway({}, 'exits') });
		await served.opened.hub.replaceSources([sourceAt(served, clock)]);
		const client = await served.client();
		for (let round = 1; round <= 5; round++) {
			clock.now += 10_000;
			await client.failure('bad__echo');
		}
		clock.now += 60_000;
		const { message, data } = await client.failure('bad__echo');
		expect(message).toContain(
			'the MCP server bad is down and a call in 240 s or later starts it again; this call did not run.',
		);
		expect(message).toContain('fatal: no TOKEN is set');
		expect(data).toMatchObject({ exitCode: 3, nextTryInMs: 240_000 });
		// One that exits on the probe is started once more without it.
		expect(served.events('start')).toHaveLength(2 * 5);
		clock.now += 240_000;
		expect((await client.failure('bad__echo')).message).toContain('failed in the handshake');
		expect(served.events('start')).toHaveLength(2 * 6);
	});

	it('is not tried again when it must not restart', async () => {
		const served = await serveServers({ bad: gateway({ restart: false }, 'exits') });
		const client = await served.client();
		await client.failure('bad__echo');
		const { message, data } = await client.failure('bad__echo');
		expect(message).toContain('the MCP server bad is down and is not restarted; this call did not run.');
		expect(message).toContain('fatal: no TOKEN is set');
		expect(data).toMatchObject({
			exitCode: 3,
			hint: expect.stringContaining('Set restart of mcpServers.bad'),
		});
		expect(statusOf(served)).toMatchObject({ state: 'failed', nextTryAt: undefined });
	});
});

describe('an MCP server that runs', () => {
	it('and prints to stdout works all the same', async () => {
		const served = await serveServers({ loud: gateway({}, 'prints') });
		expect(await (await served.client()).call('loud__echo', { text: 'x' })).toBe('x');
	});

	it('and dies during a call gives its exit code and last stderr lines', async () => {
		const client = await (await serveServers({ gate: gateway() })).client();
		const { message, data } = await client.failure('gate__die');
		expect(message).toContain(
			'ended during the call; the outcome is unknown: its process exited with code 9',
		);
		expect(message).toContain('fatal: the disk is on fire');
		expect(message).toContain('Next: Check whether the call took effect');
		expect(data).toMatchObject({
			exitCode: 9,
			stderr: ['fatal: the disk is on fire'],
			elapsedMs: { call: expect.any(Number) },
		});
	});

	it('and crashes on every third call is started again after the first delay: answers forget the crashes', async () => {
		const clock = { now: 0 };
		const served = await serveServers({ bad: gateway() });
		await served.opened.hub.replaceSources([sourceAt(served, clock)]);
		const client = await served.client();
		for (let crash = 1; crash <= 4; crash++) {
			for (const text of ['one', 'two']) expect(await client.call('bad__echo', { text })).toBe(text);
			await client.failure('bad__die');
			const { nextTryAt } = statusOf(served) ?? {};
			expect(nextTryAt?.getTime()).toBeLessThan(Date.now() + 1300);
			clock.now += 1300;
		}
	});

	it('and closes its stdout is ended, and the outcome is unknown', async () => {
		const served = await serveServers({ gate: gateway() });
		const client = await served.client();
		const { message } = await client.failure('gate__close-stdout');
		expect(message).toContain('the outcome is unknown');
		await until('it is gone', () => served.opened.hub.processes().length === 0);
		expect(await client.call('gate__echo', { text: 'again' })).toBe('again');
	});

	it('and sends a message over the limit fails that call only', async () => {
		const served = await serveServers({ gate: gateway() });
		const client = await served.client();
		const { message } = await client.failure('gate__big', { bytes: 65 * 1024 * 1024 });
		expect(message).toContain('limit of 67108864 bytes');
		expect(message).toContain('Raise limits.messageBytes');
		expect(await client.call('gate__echo', { text: 'on' })).toBe('on');
	});

	it('has its stderr in its own log', async () => {
		const served = await serveServers({ gate: gateway() });
		const client = await served.client();
		await client.failure('gate__die');
		const file = serverLogPath(join(served.folder, 'state/orchestra'), 'gate');
		const text = (): string => readFileSync(file, 'utf8');
		await until('the end is logged', () => text().includes('ended:'));
		expect(text()).toMatch(/\[orchestra\] started: pid \d+, gateway 1\.2\.3, MCP 2025-11-25/);
		await until('its last line is logged', () => /\[\d+\] fatal: the disk is on fire/.test(text()));
	});
});

/** The source of the only server, with a clock of its own for restarts. */
function sourceAt({ opened, folder }: ServedHub, clock: { now: number }): Source {
	const [entry] = opened.configuration().mcpServers;
	if (entry === undefined) throw new Error('the configuration has no server');
	return new McpSource({
		entry,
		environment: process.env,
		folder: join(folder, 'state'),
		version: '1',
		limiter: new StartLimiter(),
		clients: opened.hub.clients,
		review: { stores: new Map(), scans: new ToolScans() },
		log: Log.silent,
		now: () => clock.now,
	});
}

function statusOf(served: Awaited<ReturnType<typeof serveServers>>): SourceStatus | undefined {
	return served.opened.hub.sources.find(({ id }) => id === 'bad')?.status;
}
