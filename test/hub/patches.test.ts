/*
 * What ARCHITECTURE.md says about a new method and a new kind of source: two patches of a few files that apply to a
 * copy of this tree, build and work.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const root = resolve(import.meta.dirname, '../..');
/** Most files of a patch. */
const FILES_LIMIT = 4;
const BUILD_MS = 300_000;

describe.runIf(runsAllTests)('a patch of a few files', () => {
	it('adds a method of MCP that reaches servers through the hub', { timeout: BUILD_MS }, () => {
		const place = patched('new-method.patch');
		writeFiles(place.home, { 'server.mjs': server, 'orchestra.json': JSON.stringify(configuration) });
		const request = { method: 'resources/metadata', params: { uri: 'note://one' } };
		expect(place.ask(request)).toContain('"result":{"size":7,"of":"note://one"}');
		expect(place.ask({ ...request, params: {} })).toContain('missing required parameter: uri');
	});

	it('adds a kind of source', { timeout: BUILD_MS }, () => {
		const place = patched('new-source.patch');
		expect(place.ask({ method: 'tools/call', params: { name: 'now' } })).toMatch(/"text":"\d{4}-\d\d-\d\dT/);
	});
});

const configuration = { mcpServers: { notes: { command: process.execPath, args: ['server.mjs'] } } };

/** A server that knows the new method. */
const server = `
	import { createInterface } from 'node:readline';
	const results = {
		initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { resources: {} }, serverInfo: { name: 'n', version: '1' } }),
		'resources/list': () => ({ resources: [{ uri: 'note://one', name: 'one' }] }),
		'resources/templates/list': () => ({ resourceTemplates: [] }),
		'tools/list': () => ({ tools: [] }),
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

/** A copy of this tree with a patch, built. */
function patched(name: string): { home: string; ask: (request: object) => string } {
	const patch = join(root, 'test/patches', name);
	expect(readFileSync(patch, 'utf8').match(/^\+\+\+ /gm)?.length).toBeLessThanOrEqual(FILES_LIMIT);
	const copy = temporaryFolder();
	for (const each of ['src', 'scripts', 'proto', 'data', 'library', 'package.json', 'tsconfig.json'])
		cpSync(join(root, each), join(copy, each), { recursive: true });
	symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
	run('git', ['apply', '-p0', patch], copy);
	run(process.execPath, ['scripts/build.mjs'], copy);
	const home = temporaryFolder();
	return { home, ask: (request) => answerOf(join(copy, 'dist/cli/main.js'), home, request) };
}

function answerOf(main: string, home: string, request: object): string {
	const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
	const input = [
		{ id: 1, method: 'initialize', params },
		{ id: 2, ...request },
	]
		.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
		.join('');
	const env = { PATH: process.env['PATH'], HOME: home, ORCHESTRA_TRUST: 'all' };
	return spawnSync(process.execPath, [main, 'serve'], { cwd: home, env, input, encoding: 'utf8' }).stdout;
}

function run(command: string, args: string[], cwd: string): void {
	const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
	expect(status, stdout + stderr).toBe(0);
}
