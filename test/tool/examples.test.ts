import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compile } from '../../src/schema/validate.ts';
import { bundledToolsRoot, discoverTools } from '../../src/tool/discover.ts';
import type { DiscoveredTool } from '../../src/tool/tool.ts';
import { runToEnd } from '../support/tool-folder.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const { tools, problems } = discoverTools([bundledToolsRoot]);
const hasPython = hasProgram('python3', '--version');

describe('the bundled tools', () => {
	it('are all found and have valid schemas', async () => {
		expect(problems).toEqual([]);
		for (const { inputSchema } of tools) if (inputSchema) await compile(inputSchema);
		for (const id of ['hello-world', 'word-count', 'disk-usage', 'http-probe', 'csv-summary']) {
			expect(tool(id).inputSchema?.['type']).toBe('object');
		}
	});
});

describe.skipIf(!hasPython)('word-count (skipped without python3)', () => {
	it('counts lines, words and characters of a text', async () => {
		const { summary } = await runToEnd(tool('word-count'), {
			input: { text: "to be\nor not to be, that's", top: 2 },
		});
		expect(summary.result).toEqual({
			lines: 2,
			words: 7,
			characters: 26,
			distinctWords: 5,
			top: [
				{ word: 'to', count: 2 },
				{ word: 'be', count: 2 },
			],
		});
	});

	it('reads a large file of the workspace and reports progress', async () => {
		const workspaceRoot = writeFiles(temporaryFolder(), { 'big.txt': 'ein Wort für dich\n'.repeat(120_000) });
		const { types, summary } = await runToEnd(tool('word-count'), {
			input: { path: 'big.txt' },
			workspaceRoot,
		});
		expect(summary.result).toMatchObject({ lines: 120_000, words: 480_000 });
		expect(types.filter((type) => type === 'progress').length).toBe(3);
	});

	it.each([
		[{ path: '../outside.txt' }, 'PATH_OUTSIDE'],
		[{ path: 'nowhere.txt' }, 'FILE_UNREADABLE'],
		[{}, 'NO_INPUT'],
	])('refuses %j', async (input, code) => {
		const { summary } = await runToEnd(tool('word-count'), { input, workspaceRoot: temporaryFolder() });
		expect(summary).toMatchObject({ exitCode: 1, error: { code, isRecoverable: true } });
	});
});

describe.skipIf(!hasPython)('csv-summary (skipped without python3)', () => {
	it('describes each column, and finds the delimiter', async () => {
		const workspaceRoot = writeFiles(temporaryFolder(), {
			'a.csv': 'city;people\nOslo;700\nBergen;300\nÅl;\n',
		});
		const { summary } = await runToEnd(tool('csv-summary'), { input: { path: 'a.csv' }, workspaceRoot });
		expect(summary.result).toEqual({
			rows: 3,
			columns: [
				{ name: 'city', kind: 'text', values: 3, empty: 0, distinct: 3, examples: ['Bergen', 'Oslo', 'Ål'] },
				{ name: 'people', kind: 'number', values: 2, empty: 1, distinct: 2, min: 300, max: 700, mean: 500 },
			],
		});
	});

	it('warns of rows with too many fields', async () => {
		const { events } = await runToEnd(tool('csv-summary'), {
			input: { text: 'a,b\n1,2,3\n', delimiter: ',' },
		});
		expect(events.map(({ payload }) => payload['message'])).toContain('1 rows do not have 2 fields');
	});
});

describe('disk-usage', () => {
	it('lists the largest entries first, also with special characters in their names', async () => {
		const workspaceRoot = writeFiles(temporaryFolder(), {
			'small.txt': 'x',
			'-rf "quoted" \\ folder/big.bin': 'x'.repeat(300_000),
			'.hidden/file': 'x'.repeat(100_000),
		});
		const { summary } = await runToEnd(tool('disk-usage'), { input: { top: 2 }, workspaceRoot });
		const entries = summary.result?.['entries'] as { path: string; kib: number }[];
		expect(entries.map(({ path }) => path)).toEqual(['-rf "quoted" \\ folder', '.hidden']);
		expect(entries[0]?.kib).toBeGreaterThan(290);
	});

	it('refuses a path that is not a folder', async () => {
		const { summary } = await runToEnd(tool('disk-usage'), {
			input: { path: 'nowhere' },
			workspaceRoot: '/',
		});
		expect(summary).toMatchObject({ exitCode: 1, error: { code: 'NOT_A_FOLDER' } });
	});
});

describe('http-probe', () => {
	it('reports status, size and times of a server', async () => {
		const server = createServer(
			(_, response) => void response.writeHead(418, { server: 'pot' }).end('short'),
		);
		await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
		const { summary } = await runToEnd(tool('http-probe'), { input: { url, count: 2 } });
		server.close();
		expect(summary.result).toMatchObject({ url, status: 418, bytes: 5, server: 'pot', count: 2 });
		expect(Number(summary.result?.['totalMs'])).toBeGreaterThan(0);
	});

	it.each([
		['http://127.0.0.1:1/', 'UNREACHABLE'],
		['ftp://x', 'BAD_URL'],
	])('fails for %s with %s', async (url, code) => {
		const { summary } = await runToEnd(tool('http-probe'), { input: { url } });
		expect(summary).toMatchObject({ exitCode: 1, error: { code } });
	});
});

describe('the one-file snippets', () => {
	it.each([
		['hello-sh', 'sh', '-c'],
		['hello-python', 'python3', '--version'],
	])('%s greets, and refuses input that is not a request', async (id, program, argument) => {
		if (!hasProgram(program, argument)) return console.log(`skipped: ${program} is not installed`);
		const good = await runToEnd(tool(id), { input: { name: 'Ada' } });
		expect(good.summary).toMatchObject({ outcome: 'ok', result: { message: 'Hello, Ada!' }, warnings: [] });
		const bad = await runToEnd(tool(id), { requestText: 'nonsense' });
		expect(bad.summary).toMatchObject({ exitCode: 1, error: { code: 'BAD_REQUEST' } });
	});

	it.each(['hello-go', 'hello-csharp', 'hello-powershell'])('%s has a valid manifest in its header', (id) => {
		expect(tool(id).file.startsWith(join(bundledToolsRoot, 'snippets'))).toBe(true);
	});
});

function tool(id: string): DiscoveredTool {
	const found = tools.find((each) => each.id === id);
	if (found === undefined) throw new Error(`no bundled tool ${id}`);
	return found;
}

function hasProgram(program: string, argument: string): boolean {
	return spawnSync(program, [argument, 'true']).error === undefined;
}
