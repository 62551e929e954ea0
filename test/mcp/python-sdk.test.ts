/*
 * The MCP SDK for Python as a client of `mctl serve` and `mctl bridge`, with plugins that start one after the other.
 * ORCHESTRA_PYTHON_MCP names a python with the package `mcp`; nothing is downloaded here.
 */
import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openHubPlace } from '../support/hub-place.ts';
import { pluginWith } from '../support/plugins.ts';

const python = process.env['ORCHESTRA_PYTHON_MCP'];
const hasSdk = python !== undefined && spawnSync(python, ['-c', 'import mcp']).status === 0;
if (!hasSdk) console.warn('skipped, the MCP SDK for Python: ORCHESTRA_PYTHON_MCP names no python with mcp');

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const program = fileURLToPath(new URL('../fixtures/python_mcp_client.py', import.meta.url));

const event = (type: string, payload: object): string =>
	JSON.stringify({ type, ts: '2025-02-25T10:00:00.000Z', toolId: 'noisy', payload });
const files = {
	'work/prompts/hello.md': '---\narguments:\n  - name: who\n---\nHello {{who}}!',
	'work/resources/guides/retry.md': '# Retry\n\nWait longer.\n',
	'work/tools/noisy/manifest.json': JSON.stringify({
		manifestVersion: 1,
		id: 'noisy',
		version: '1.0.0',
		name: 'Noisy',
		description: 'Logs, then answers',
		command: ['sh', 'main.sh'],
	}),
	'work/tools/noisy/main.sh': `cat >/dev/null
echo '${event('log', { level: 'error', message: 'trouble' })}'
echo '${event('progress', { progress: 1 })}'
echo '${event('result', { text: 'noisy is done' })}'
`,
};

describe.skipIf(!hasSdk)('the MCP SDK for Python', () => {
	it.each(['serve', 'bridge'])(
		'lists and calls everything of mctl %s, and ends',
		async (command) => {
			const plugins = [
				pluginWith('tools.one', `one: tool(() => 'one')`),
				pluginWith('tools.two', `two: tool(() => 'two')`),
			];
			const { cwd, env } = openHubPlace({ plugins }, files);
			const words = [program, cwd, process.execPath, main, command];
			const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
			const line = [...words.slice(0, 2), 'env', ...variables, ...words.slice(2)];
			const { stdout } = await promisify(execFile)(python ?? '', line, { timeout: 50_000 });
			const got = JSON.parse(stdout);
			for (const list of got.lists) expect(list).toEqual(expect.arrayContaining(['noisy', 'one', 'two']));
			expect(got).toMatchObject({
				prompts: ['hello'],
				resources: expect.arrayContaining(['orchestr8://guides/retry']),
				called: ['one', 'two', 'noisy is done'],
			});
			expect(got.prompt).toContain('Hello a#b&c%d!');
		},
		60_000,
	);
});
