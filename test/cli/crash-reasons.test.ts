/* A program that crashes: every command says why, in the words of the program and without its stack. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstOf, someOf } from '../support/all-tests.ts';
import { mcpFolder } from '../support/mcp-folder.ts';
import { manifestOf } from '../support/tool-folder.ts';

const REASON = "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'no-such-package' imported from";
const files = { 'crash.mjs': "import 'no-such-package';\n" };
const crashing = { command: process.execPath, args: ['crash.mjs'] };
const noSuchFile = join(import.meta.dirname, 'no-such-file.mjs');
const crashingPlugin = {
	'orchestra.json': JSON.stringify({ plugins: [{ id: 'broken', binary: 'node', args: [noSuchFile] }] }),
};
const STACK = /^\s*at |node:internal|Node\.js v\d/m;

describe('a server that crashes', () => {
	it.each(
		someOf<[string[], number]>([
			[['list', 'servers', '--check'], 1],
			[['doctor', '--check'], 1],
			[['call', 'broken', 'read'], 69],
			[['call', 'narrow', 'read'], 69],
			[['call', 'narrow'], 69],
			[['run', 'narrow__read'], 69],
			[['show', 'narrow', 'read'], 69],
			[['prompt', 'narrow__read'], 69],
		]),
	)(
		'is explained by mctl %s',
		async (words, exitCode) => {
			const narrow = { ...crashing, allow: ['read'], deny: ['write'] };
			const { run } = mcpFolder({ broken: crashing, narrow }, files);
			const { stdout, stderr, code } = await run(...words);
			expect(stdout + stderr).toContain(REASON);
			expect(stdout + stderr).not.toMatch(STACK);
			expect(stdout + stderr).not.toContain('Unknown tool');
			expect(code).toBe(exitCode);
		},
		60_000,
	);

	it('is explained with a hub that runs, too', async () => {
		const { run } = mcpFolder({ narrow: { ...crashing, allow: ['read'] } }, files);
		await run('hub', 'start');
		const { stderr, code } = await run('call', 'narrow', 'read');
		expect(stderr).toContain(REASON);
		expect(code).toBe(69);
	});

	it('leaves no call in the journal: none was made', async () => {
		const { run, env } = mcpFolder({ narrow: { ...crashing, allow: ['read'] } }, files);
		await run('call', 'narrow', 'read');
		expect(journalText(env['XDG_STATE_HOME'] ?? '')).not.toContain('narrow__');
	});
});

it('a tool that crashes is explained by mctl check', async () => {
	const { run } = mcpFolder(
		{},
		{
			'tools/broken/manifest.json': manifestOf('broken', { runtime: 'node', entry: 'main.mjs' }),
			'tools/broken/main.mjs': "import 'no-such-package';\n",
		},
	);
	const { stdout, code } = await run('check', 'broken');
	expect(stdout).toContain(REASON);
	expect(stdout).not.toMatch(STACK);
	expect(code).toBe(1);
});

describe('a plugin that crashes', () => {
	it.each(firstOf(['call', 'run', 'show']))(
		'is named with its reason by mctl %s of a tool that nothing lists, with a hub and without',
		async (command) => {
			const { run } = mcpFolder({}, crashingPlugin);
			const alone = await run(command, 'of.the-plugin');
			await run('hub', 'start');
			const shared = await run(command, 'of.the-plugin');
			for (const { stderr, code } of [alone, shared]) {
				expect(stderr).toMatch(
					/^mctl: there is no tool.* "of\.the-plugin"\. It may belong to a plugin that is down: the plugin broken /,
				);
				expect(stderr).toContain(`Error: Cannot find module '${noSuchFile}'`);
				expect(stderr).not.toMatch(STACK);
				expect(code).toBe(64);
			}
		},
		60_000,
	);

	it('is not named for a tool of a server', async () => {
		const both = { ...JSON.parse(crashingPlugin['orchestra.json']), mcpServers: { narrow: crashing } };
		const { run } = mcpFolder({}, { ...files, 'orchestra.json': JSON.stringify(both) });
		await run('hub', 'start');
		expect((await run('call', 'narrow', 'read')).stderr).not.toContain('plugin');
		expect((await run('call', 'of-no-server')).stderr).not.toContain('narrow');
	});
});

/** Everything that journals have. */
function journalText(folder: string): string {
	const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
	const journals = names.filter((name) => name.endsWith('.ndjson'));
	return journals.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
}
