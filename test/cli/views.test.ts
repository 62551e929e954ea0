/* Views on the command line: serve, bridge and list show a part of the tools. */
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHubPlace } from '../support/hub-place.ts';
import { mctl } from '../support/mctl.ts';
import { writeFiles } from '../support/workspace.ts';

const files = {
	command: process.execPath,
	args: [resolve('node_modules/@modelcontextprotocol/server-filesystem/dist/index.js'), '.'],
};
const views = { review: { allow: ['files__read*'], deny: ['files__read_media_file'] }, none: { allow: [] } };
// The list of a server that starts slowly is waited for.
const configuration = { mcpServers: { files }, tools: { roots: [] }, views, limits: { listMs: 20_000 } };
const readers = ['files__read_file', 'files__read_multiple_files', 'files__read_text_file'];

describe('a view', () => {
	it('is what mctl serve --view and mctl bridge --view show and call', async () => {
		const place = openHubPlace(configuration);
		const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
		const input = [hello, list].map((message) => `${JSON.stringify(message)}\n`).join('');
		const served = await mctl(['serve', '--view', 'review'], { cwd: place.cwd, env: place.env, input });
		expect(namesIn(resultsIn(served.stdout)[1])).toEqual(readers);
		const bridge = place.bridge({}, ['--view', 'review']);
		await bridge.ready();
		expect(namesIn((await bridge.client.call(2, 'tools/list', {})).result)).toEqual(readers);
		const { error } = await bridge.client.call(3, 'tools/call', { name: 'files__write_file', arguments: {} });
		expect(error?.message).toBe('files__write_file is not in the view "review" of this client');
		const other = place.bridge();
		await other.ready();
		expect(namesIn((await other.client.call(2, 'tools/list', {})).result)).toContain('files__write_file');
	});

	it('is refused when it is not configured, with the names of those that are', async () => {
		const { run } = openHubPlace(configuration);
		for (const command of ['serve', 'bridge', 'list', 'types']) {
			const { code, stderr } = await run(command, '--view', 'odd');
			expect([code, stderr]).toEqual([
				64,
				expect.stringContaining('no view "odd"; the views are review, none'),
			]);
		}
	});
});

it('writes a call through call_tool to the journal as the call of the real tool', async () => {
	const place = openHubPlace({ ...configuration, toolList: { expose: 'search' } });
	const bridge = place.bridge();
	await bridge.ready();
	const input = { name: 'files__list_allowed_directories', arguments: {} };
	const { result } = await bridge.client.call(2, 'tools/call', { name: 'call_tool', arguments: input });
	expect(result?.['isError']).not.toBe(true);
	const { stdout } = await place.run('hub', 'logs', '--journal');
	expect(stdout).toContain('files__list_allowed_directories');
	expect(stdout).not.toContain('call_tool');
});

describe('a skill', () => {
	const notes =
		'---\nname: notes\ndescription: Write notes\nmetadata:\n  orchestra.tools: "files__read_t* files__list_directory"\n---\n\n# Notes\n\nRead first.\n';
	const tools = ['files__list_directory', 'files__read_text_file'];

	it('is a view of its tools, with its text before all instructions', async () => {
		const place = openHubPlace(configuration);
		writeFiles(place.cwd, { 'skills/notes/SKILL.md': notes });
		const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
		const input = [hello, list].map((message) => `${JSON.stringify(message)}\n`).join('');
		const served = await mctl(['serve', '--skill', 'notes'], { cwd: place.cwd, env: place.env, input });
		const [first, second] = resultsIn(served.stdout);
		expect(first?.['instructions']).toMatch(/^# Notes\n\nRead first\./);
		expect(namesIn(second).sort()).toEqual(tools);
		const bridge = place.bridge({}, ['--skill', 'notes']);
		expect((await bridge.client.call(1, 'initialize', hello.params)).result).toMatchObject({
			instructions: expect.stringMatching(/^# Notes\n\nRead first\./),
			serverInfo: { name: 'orchestra' },
		});
		expect(namesIn((await bridge.client.call(2, 'tools/list', {})).result).sort()).toEqual(tools);
		const { error } = await bridge.client.call(3, 'tools/call', { name: 'files__write_file', arguments: {} });
		expect(error?.message).toBe('files__write_file is not in the view of the skill "notes" of this client');
	});

	it('is refused when it is unknown, names no tools, or comes with a view', async () => {
		const place = openHubPlace(configuration);
		const plain = '---\nname: plain\ndescription: Nothing\n---\n\nText\n';
		writeFiles(place.cwd, { 'skills/notes/SKILL.md': notes, 'skills/plain/SKILL.md': plain });
		expect((await place.run('serve', '--skill', 'note')).stderr).toContain(
			'there is no skill note\nhint: did you mean: notes',
		);
		expect((await place.run('serve', '--skill', 'plain')).stderr).toContain('the skill plain names no tools');
		expect((await place.run('serve', '--skill', 'notes', '--view', 'review')).code).toBe(64);
		expect((await place.run('bridge', '--skill', 'notes', '--orchestrator-addr', 'x:1')).code).toBe(64);
	});
});

describe('mctl list --tokens', () => {
	it('shows what each server costs, and the total, also of a view', async () => {
		const { run } = openHubPlace(configuration);
		const { tokens: all } = JSON.parse((await run('list', '--tokens', '--json')).stdout);
		expect(all).toMatchObject([
			{ server: 'files', tools: 14 },
			{ server: 'total', tools: 14, tokens: all[0].tokens },
		]);
		const { stdout } = await run('list', '--tokens', '--view', 'review');
		expect(stdout).toMatch(/^SERVER +TOOLS +TOKENS[\s\S]*^files +3 [\s\S]*^total +3 /m);
	});
});

const hello = {
	jsonrpc: '2.0',
	id: 1,
	method: 'initialize',
	params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

function namesIn(result: unknown): string[] {
	const { tools = [] } = (result ?? {}) as { tools?: { name: string }[] };
	return tools.map(({ name }) => name);
}

/** The results of all answers, in the order of their requests. */
function resultsIn(stdout: string): (Record<string, unknown> | undefined)[] {
	const answers = stdout
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line));
	return answers.sort((one, other) => one.id - other.id).map(({ result }) => result);
}
