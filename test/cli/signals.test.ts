/* Servers and signals: the first ends them cleanly with 0, the second at once with the code of the signal. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { firstOf } from '../support/all-tests.ts';
import { mctl, startMctl } from '../support/mctl.ts';
import { gateway } from '../support/served-hub.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const codes = [
	['SIGTERM', 143],
	['SIGINT', 130],
] as const;

describe.each(['serve', 'bridge'])('mctl %s', (command) => {
	const tried = firstOf(command === 'serve' ? codes : codes.toReversed());

	it.each(tried)('with a running call ends with 0 at %s, and its server is gone', async (signal) => {
		const { child, pids } = await withRunningCall(command, 'hang');
		const exited = once(child, 'exit');
		child.kill(signal);
		expect(await exited).toEqual([0, null]);
		// The servers of a bridge are those of the shared hub, which lives on.
		expect(command === 'serve' ? pids().filter(isRunning) : []).toEqual([]);
	});

	it.each(tried)('with a running call ends at once at a second %s, with %i', async (signal, code) => {
		const { child } = await withRunningCall(command, 'hang');
		const exited = once(child, 'exit');
		child.kill(signal);
		const again = setInterval(() => child.kill(signal), 20);
		expect(await exited).toEqual([code, null]);
		clearInterval(again);
	});
});

describe('mctl serve', () => {
	it('ends with 0 at SIGTERM while it starts', async () => {
		const place = project();
		const child = startMctl(['serve'], { cwd: place.folder, env: { ...place.env, LOG_LEVEL: 'info' } });
		const exited = once(child, 'exit');
		await once(child.stderr, 'data'); // its first log line
		child.kill('SIGTERM');
		expect(await exited).toEqual([0, null]);
	});

	it('answers a call that ends soon after the signal', async () => {
		const { child, lines } = await withRunningCall('serve', 'sleep', { ms: 200 });
		child.kill('SIGTERM');
		await once(child, 'exit');
		expect(lines().at(-1)).toMatchObject({ id: 2, result: { content: [{ text: 'slept' }] } });
	});

	it('takes a signal during the drain after the end of its input', async () => {
		const { child } = await withRunningCall('serve', 'hang');
		child.stdin.end();
		const exited = once(child, 'exit');
		child.kill('SIGTERM');
		expect(await exited).toEqual([0, null]);
	});
});

function project(): { folder: string; env: Record<string, string>; starts: string } {
	const folder = temporaryFolder();
	writeFiles(folder, { 'orchestra.json': JSON.stringify({ mcpServers: { gate: gateway() } }) });
	const starts = join(folder, 'starts');
	const env = { HOME: folder, XDG_STATE_HOME: join(folder, 'state'), STARTS: starts, ORCHESTRA_TRUST: 'all' };
	onTestFinished(async () => {
		await mctl(['hub', 'stop'], { cwd: folder, env });
	});
	return { folder, env, starts };
}

async function withRunningCall(command: string, tool: string, input: object = {}) {
	const { folder, env, starts } = project();
	const child = startMctl([command], { cwd: folder, env });
	let stdout = '';
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		stdout += text;
	});
	child.stderr.resume();
	const lines = (): unknown[] =>
		stdout
			.split('\n')
			.filter((line) => line !== '')
			.map((line) => JSON.parse(line));
	const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
	send({ id: 1, method: 'initialize', params });
	const listed = { id: 3, method: 'tools/call', params: { name: 'gate__pid' } };
	send(listed);
	await until('the server answers', () => lines().some((line) => (line as { id: number }).id === 3));
	send({ id: 2, method: 'tools/call', params: { name: `gate__${tool}`, arguments: input } });
	if (tool === 'hang') await until('the call runs', () => events().includes('called'));
	return { child, lines, pids: () => [...eventsOf('start')] };

	function send(message: object): void {
		child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
	}
	function events(): string[] {
		return readFileSync(starts, 'utf8').split(/[ \n]/);
	}
	function eventsOf(event: string): number[] {
		return readFileSync(starts, 'utf8')
			.split('\n')
			.filter((line) => line.startsWith(`${event} `))
			.map((line) => Number(line.split(' ')[1]));
	}
}

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}
