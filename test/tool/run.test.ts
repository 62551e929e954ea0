import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { bundledToolsRoot, readToolAt } from '../../src/tool/discover.ts';
import { runTool } from '../../src/tool/run.ts';
import { isAlive } from '../support/programs.ts';
import { nodeTool, runToEnd, shellTool } from '../support/tool-folder.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const helloWorld = readToolAt(join(bundledToolsRoot, 'hello-world'));

describe('runTool', () => {
	it('delivers started, logs and the result of hello-world', async () => {
		const { types, summary } = await runToEnd(helloWorld);
		expect(types).toEqual(['started', 'log', 'log', 'result']);
		expect(summary).toMatchObject({
			outcome: 'ok',
			exitCode: 0,
			result: { message: 'Hello, World!', toolId: 'hello-world' },
			eventCount: 4,
			malformedCount: 0,
			warnings: [],
		});
	});

	it('sends one request with the context and the input, then end of file', async () => {
		const tool = shellTool('event result "$(cat)"', { requiredConfig: ['a.b'] });
		const { summary } = await runToEnd(tool, {
			input: { n: 1 },
			config: { a: { b: 'x' }, other: 1 },
			workspaceRoot: '/work',
		});
		expect(summary.result).toEqual({
			context: { toolId: 'sh-tool', config: { 'a.b': 'x' }, workspaceRoot: '/work' },
			input: { n: 1 },
		});
	});

	it('runs in the folder of the tool, with only the named variables', async () => {
		const tool = shellTool(
			'event result "{\\"cwd\\":\\"$(pwd -P)\\",\\"a\\":\\"$A_VAR\\",\\"b\\":\\"$B_VAR\\"}"',
			{
				env: ['A_VAR'],
			},
		);
		const environment = { ...process.env, A_VAR: '1', B_VAR: '2' };
		const { summary } = await runToEnd(tool, { environment });
		expect(summary.result).toMatchObject({ a: '1', b: '' });
		expect(summary.result?.['cwd']).toMatch(new RegExp(`${tool.folder}$`));
	});

	it('fails before the start when required configuration is missing, naming the key', async () => {
		const mark = join(temporaryFolder(), 'ran');
		const tool = shellTool(`mkdir ${mark}`, { requiredConfig: ['azdo.token'] });
		const { events, summary } = await runToEnd(tool);
		expect(events).toHaveLength(1);
		expect(events[0]).toMatchObject({
			isSynthetic: true,
			payload: { code: 'CONFIG_MISSING', keys: ['azdo.token'] },
		});
		expect(summary).toMatchObject({ outcome: 'not_started', exitCode: 1 });
		expect(summary.error?.message).toContain('"azdo.token"');
		mkdirSync(mark); // throws if the tool has run
	});

	it('treats an empty string as a value', async () => {
		const tool = shellTool(`grep -q '"url":""' && event result '{}'`, { requiredConfig: ['url'] });
		expect((await runToEnd(tool, { config: { url: '' } })).summary.outcome).toBe('ok');
	});

	it('passes the variables that the manifest declares, by name and by prefix', async () => {
		const tool = shellTool(`event result "{\\"seen\\":\\"$M_CONTROL_ONE-$M_CONTROL_TWO-$OTHER\\"}"`, {
			env: ['M_CONTROL_*', '*'],
		});
		const environment = { PATH: process.env['PATH'], M_CONTROL_ONE: '1', M_CONTROL_TWO: '2', OTHER: '3' };
		expect((await runToEnd(tool, { environment })).summary.result).toEqual({ seen: '1-2-' });
	});

	it('reports a start that may have happened as an unknown outcome, not as a failed start', async () => {
		const unknown = new OrchestraError('closed', 'outcome unknown: the spawn helper died');
		const spawner = { spawn: () => Promise.reject(unknown) };
		const { summary } = await runToEnd(shellTool(''), { spawner });
		expect(summary).toMatchObject({ outcome: 'crashed', error: { code: 'TOOL_OUTCOME_UNKNOWN' } });
		expect(summary.error?.message).toContain('outcome unknown');
	});

	it('names the missing program, without the PATH', async () => {
		const tool = shellTool('', { command: ['no-such-runtime', 'x'] });
		const { summary } = await runToEnd(tool);
		expect(summary).toMatchObject({ exitCode: 69, error: { code: 'TOOL_SPAWN' } });
		expect(summary.error?.message).toBe('sh-tool needs no-such-runtime, which is not installed');
	});

	it('fails before the start when the input is not valid, naming each field', async () => {
		const { summary } = await runToEnd(helloWorld, { input: { name: 3, nam: 'x' } });
		expect(summary).toMatchObject({ outcome: 'not_started', exitCode: 64, error: { code: 'INPUT_INVALID' } });
		expect(summary.error?.message).toContain('input.name must be string');
		expect(summary.error?.message).toContain('input.nam is not a field');
	});

	it('reports a missing program', async () => {
		const tool = shellTool('', { command: ['no-such-program'] });
		const { events, summary } = await runToEnd(tool);
		expect(events.map(({ payload }) => payload['code'])).toEqual(['TOOL_SPAWN']);
		expect(summary).toMatchObject({ outcome: 'not_started', exitCode: 69 });
	});

	it('returns the last result of several', async () => {
		const tool = shellTool(`event result '{"n":1}'; event result '{"n":2}'`);
		expect((await runToEnd(tool)).summary.result).toEqual({ n: 2 });
	});

	it('passes on an expected failure with the code of the tool', async () => {
		const tool = shellTool(
			`event error '{"message":"Token invalid","code":"AUTH_FAILED","recoverable":true}'; exit 1`,
		);
		const { types, summary } = await runToEnd(tool);
		expect(types).toEqual(['error']);
		expect(summary).toMatchObject({
			outcome: 'failed',
			exitCode: 1,
			error: { message: 'Token invalid', code: 'AUTH_FAILED', isRecoverable: true },
			warnings: [],
		});
	});

	it('reports exit 3 without events as one crash, with the last lines of stderr', async () => {
		const { events, summary } = await runToEnd(shellTool('echo first >&2; echo the reason >&2; exit 3'));
		expect(events).toHaveLength(1);
		expect(events[0]?.payload).toMatchObject({
			code: 'TOOL_CRASH',
			exitCode: 3,
			stderr: ['first', 'the reason'],
		});
		expect(summary).toMatchObject({ outcome: 'crashed', exitCode: 3 });
	});

	it.each(['SIGKILL', 'SIGTERM', 'SIGSEGV', 'SIGABRT', 'SIGINT', 'SIGHUP', 'SIGUSR1'] as const)(
		'names %s when it killed the tool',
		async (signal) => {
			const { events, summary } = await runToEnd(
				shellTool(`event started '{}'; kill -${signal.slice(3)} $$`),
			);
			expect(events.at(-1)?.payload).toMatchObject({ code: 'TOOL_CRASH', signal });
			expect(events.at(-1)?.payload['message']).toContain(signal);
			expect(summary.exitCode).toBeGreaterThan(128);
		},
	);

	it.each([
		['exit 0 without a result', `event started '{}'`, 'failed', 'exited with code 0 but sent no result'],
		[
			'exit 1 without an error',
			`event result '{}'; exit 1`,
			'failed',
			'exited with code 1 but sent no error',
		],
		[
			'an error and then exit 0',
			`event error '{"message":"x"}'`,
			'failed',
			'sent an error event but exited with code 0',
		],
		[
			'a recovered error and then exit 0',
			`event error '{"message":"x"}'; event result '{}'`,
			'ok',
			'sent an error event but exited with code 0',
		],
		[
			'events of another tool',
			`event result '{}' | sed s/sh-tool/other/`,
			'ok',
			'sends events of toolId "other"',
		],
	])('reports the contradiction between events and exit code of %s', async (_, script, outcome, words) => {
		const { summary } = await runToEnd(shellTool(script));
		expect(summary.outcome).toBe(outcome);
		expect(summary.warnings).toHaveLength(1);
		expect(summary.warnings[0]).toMatchObject({ kind: 'contradiction' });
		expect(summary.warnings[0]?.message).toContain(words);
	});

	it('can be read once, and finishes without a reader', async () => {
		expect(await runTool(helloWorld).finish()).toMatchObject({ outcome: 'ok' });
	});
});

describe('a run with limits', () => {
	it('stops a tool at its deadline and leaves no process', async () => {
		const tool = shellTool('echo $$ > pid; sleep 60 & sleep 60');
		const { events, summary } = await runToEnd(tool, { timeoutMs: 300 });
		expect(events.map(({ payload }) => payload)).toMatchObject([
			{ code: 'RUNNER_TIMEOUT', message: 'Tool exceeded timeout of 300ms' },
		]);
		expect(summary).toMatchObject({ outcome: 'timeout', exitCode: 124 });
		expect(isAlive(Number(readFileSync(join(tool.folder, 'pid'), 'utf8')))).toBe(false);
	});

	it('kills a tool that ignores SIGTERM, and its descendants', async () => {
		const tool = shellTool(
			`trap '' TERM; (trap '' TERM; sleep 61) & echo $! > pid; event started '{}'; sleep 60`,
		);
		const { summary } = await runToEnd(tool, { timeoutMs: 200 });
		expect(summary.outcome).toBe('timeout');
		expect(isAlive(Number(readFileSync(join(tool.folder, 'pid'), 'utf8')))).toBe(false);
	});

	it('stops 100,000 events at 10,000', async () => {
		const tool = nodeTool(
			`for (let i = 0; i < 100000; i++) emit('log', { level: 'info', message: String(i) });`,
		);
		const { events, summary } = await runToEnd(tool);
		expect(events).toHaveLength(10_001);
		expect(events.at(-1)?.payload).toMatchObject({ code: 'RUNNER_MAX_EVENTS' });
		expect(events[9999]?.payload['message']).toBe('9999');
		expect(summary).toMatchObject({ outcome: 'limit', exitCode: 2, eventCount: 10_000 });
	});

	it('accepts an event of 9 MiB', async () => {
		const tool = nodeTool(`emit('result', { text: 'x'.repeat(9 * 1024 * 1024) });`);
		const { summary } = await runToEnd(tool);
		expect(summary.outcome).toBe('ok');
		expect(summary.result?.['text']).toHaveLength(9 * 1024 * 1024);
	});

	it('stops an endless line at 10 MiB, and keeps the events before it', async () => {
		const { events, summary } = await runToEnd(shellTool(`event started '{}'; yes x | tr -d '\\n'`));
		expect(events.map(({ type, payload }) => [type, payload['code']])).toEqual([
			['started', undefined],
			['error', 'RUNNER_MAX_OUTPUT_BYTES'],
		]);
		expect(summary).toMatchObject({ outcome: 'limit', exitCode: 2 });
	});

	it('survives any amount of stderr', async () => {
		const tool = nodeTool(`const words = 'e'.repeat(1000) + '\\n';
			let left = 20000;
			(function more() { while (left-- > 0) if (!process.stderr.write(words)) return process.stderr.once('drain', more); emit('result', {}); })();`);
		let bytes = 0;
		const { summary } = await runToEnd(tool, { stderr: (chunk) => (bytes += chunk.length) });
		expect(summary.outcome).toBe('ok');
		expect(bytes).toBe(20000 * 1001);
	});
});

describe('a run with a hostile tool', () => {
	it('counts garbage between events and shows each line, cut at 200 characters', async () => {
		const tool =
			shellTool(`echo 'Loading…'; event started '{}'; echo '{"type":3}'; echo '[1]'; printf 'x%.0s' $(seq 300); echo
			echo '{"type":"a","ts":"b","toolId":"sh-tool","payload":[]}'; event result '{}'`);
		const warnings: string[] = [];
		const { types, summary } = await runToEnd(tool, { onWarning: ({ message }) => warnings.push(message) });
		expect(types).toEqual(['started', 'result']);
		expect(summary).toMatchObject({ outcome: 'ok', malformedCount: 2, unexpectedCount: 3 });
		expect(warnings).toContain('malformed NDJSON: Loading…');
		expect(warnings).toContain('unexpected stdout shape: {"type":3}');
		expect(warnings).toContain(`malformed NDJSON: ${'x'.repeat(200)}`);
	});

	it('counts all garbage lines but reports a bounded number', async () => {
		const tool = nodeTool(`process.stdout.write('x\\n'.repeat(5000)); emit('result', {});`);
		const { summary } = await runToEnd(tool);
		expect(summary.malformedCount).toBe(5000);
		expect(summary.warnings).toHaveLength(100);
	});

	it('decodes a character that is split between two chunks', async () => {
		const tool = nodeTool(`const bytes = Buffer.from(line('result', { face: '😀' }));
			const at = bytes.indexOf(0xf0) + 2;
			process.stdout.write(bytes.subarray(0, at), () => setTimeout(() => process.stdout.write(bytes.subarray(at)), 30));`);
		expect((await runToEnd(tool)).summary.result).toEqual({ face: '😀' });
	});

	it('keeps events of unknown types and a last line without a newline', async () => {
		const { types, events } = await runToEnd(
			shellTool(`event custom '{"x":1}'; event result '{}' | tr -d '\\n'`),
		);
		expect(types).toEqual(['custom', 'result']);
		expect(Buffer.from(events[1]?.raw ?? []).at(-1)).not.toBe(10);
	});

	it.each([
		['never reads stdin', `event result '{}'`, 'ok'],
		['closes stdin at once', `exec <&-; event result '{}'`, 'ok'],
		['dies at once', 'exit 0', 'failed'],
	])('survives a tool that %s, with a request that fills the pipe', async (_, script, outcome) => {
		const { summary } = await runToEnd(shellTool(script), { input: { big: 'x'.repeat(3_000_000) } });
		expect(summary.outcome).toBe(outcome);
	});

	it('waits for a tool that closed its stdout but still works', async () => {
		const { summary } = await runToEnd(shellTool(`event result '{}'; exec >&-; sleep 0.2; exit 4`));
		expect(summary).toMatchObject({ outcome: 'crashed', exitCode: 4 });
	});

	it('does not wait for a descendant that left the group and holds stdout open', async () => {
		const tool = nodeTool(`const options = { detached: true, stdio: ['ignore', 'inherit', 'inherit'] };
			require('node:child_process').spawn('sleep', ['60'], options).unref();
			emit('result', {});`);
		const { summary } = await runToEnd(tool);
		expect(summary.outcome).toBe('ok');
	});

	it('stops processes that a tool left in its group', async () => {
		const tool = shellTool(`sleep 60 >/dev/null 2>&1 & echo $! > pid; event result '{}'`);
		expect((await runToEnd(tool)).summary.outcome).toBe('ok');
		expect(isAlive(Number(readFileSync(join(tool.folder, 'pid'), 'utf8')))).toBe(false);
	});
});

describe('a run that its reader controls', () => {
	const endless = `echo $$ > pid; i=0; while :; do event log '{"level":"info","message":"x"}'; done`;

	it('is canceled when the reader stops reading', async () => {
		const tool = shellTool(endless);
		const run = runTool(tool);
		for await (const _ of run) break;
		expect(await run.summary).toMatchObject({ outcome: 'canceled', exitCode: 130 });
		expect(isAlive(Number(readFileSync(join(tool.folder, 'pid'), 'utf8')))).toBe(false);
	});

	it('is canceled by its signal, and its last event says so', async () => {
		const controller = new AbortController();
		const run = runTool(shellTool(`event started '{}'; sleep 60`), { signal: controller.signal });
		const codes: unknown[] = [];
		for await (const { payload } of run) {
			codes.push(payload['code']);
			controller.abort();
		}
		expect(codes).toEqual([undefined, 'RUNNER_CANCELED']);
		expect(await run.summary).toMatchObject({ outcome: 'canceled', exitCode: 130 });
	});

	it('does not start when its signal is aborted already', async () => {
		const { summary } = await runToEnd(helloWorld, { signal: AbortSignal.abort() });
		expect(summary).toMatchObject({ outcome: 'canceled', exit: null, exitCode: 130 });
	});

	it('applies backpressure to the tool when the reader is slow', async () => {
		const tool = nodeTool(`const fs = require('node:fs');
			for (let i = 0; i < 9000; i++) { fs.writeSync(1, line('log', { level: 'info', message: 'x'.repeat(900) })); fs.writeFileSync('count', String(i)); }
			emit('result', {});`);
		const run = runTool(tool);
		const events = run[Symbol.asyncIterator]();
		await events.next();
		const count = (): number => Number(readFileSync(join(tool.folder, 'count'), 'utf8'));
		await until('the tool has written', () => existsSync(join(tool.folder, 'count')));
		const seen: number[] = [];
		await until(
			'the tool is stuck in its write',
			() => seen.push(count()) > 20 && seen.at(-20) === seen.at(-1),
		);
		expect(count()).toBeLessThan(3000);
		await events.return?.();
		expect((await run.summary).outcome).toBe('canceled');
	});
});
