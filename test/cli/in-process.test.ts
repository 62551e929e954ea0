/*
 * Commands within this process: they end with everything closed, and two at once do not
 * get in each other's way.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callServer, callServerUri, mcpFolder } from '../support/mcp-folder.ts';
import { mctl } from '../support/mctl.ts';
import { until } from '../support/waiting.ts';
import { writeFiles } from '../support/workspace.ts';

/** What keeps a process alive, or receives its signals and its end. */
function openThings(): Record<string, number> {
	const counts: Record<string, number> = {};
	const kinds = process.getActiveResourcesInfo().filter((kind) => !/^(?:Timeout|Immediate)$/.test(kind));
	for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
	for (const event of ['SIGINT', 'SIGTERM', 'exit', 'beforeExit', 'uncaughtException'])
		counts[event] = process.listenerCount(event);
	return counts;
}

it.each([
	[['list']],
	[['call', 'py', 'add', 'numbers=1,2']],
	[['call', 'py', 'ad']],
	[['call', 'dead', 'x']],
	[['run', 'hello-world', 'name=you']],
	[['show', 'py', 'add']],
	[['request', callServerUri, 'tools/list']],
	[['pipe', 'stdio:cat']],
	[['read', 'orchestr8://guides/server-hangs']],
	[['doctor', '--check']],
	[['learn', 'py']],
	[['types', 'py']],
])('mctl %j leaves nothing open', async (words) => {
	const { run } = mcpFolder({ py: callServer, dead: { command: 'false' } });
	await run(...words); // starts the guard of this process, which stays
	await run('hub', 'stop', '--all', '--force'); // loads what the end of the test loads
	const before = openThings();
	await run(...words);
	await until('everything is closed', () => {
		const after = openThings();
		return Object.entries(after).every(([kind, count]) => count <= (before[kind] ?? 0));
	}).catch(() => expect(openThings()).toEqual(before));
});

it('commands at once have their own folders, variables and answers', async () => {
	const places = ['one', 'two', 'three'].map((name) => {
		const { cwd, env } = mcpFolder({ [name]: { command: 'cat', env: { TOKEN: '${TOKEN}' } } });
		writeFiles(cwd, { 'prompts/hello.md': `---\ntitle: ${name}\n---\n${name} says {{what}}\n` });
		return { name, cwd, env: { ...env, TOKEN: name } };
	});
	const answers = await Promise.all(
		places.map(async ({ cwd, env }) => {
			const listed = await mctl(['list', 'servers', '--json'], { cwd, env });
			const prompt = await mctl(['prompt', 'hello', 'what=hi'], { cwd, env });
			const made = await mctl(['new', 'tool', 'mine', '--json'], { cwd, env });
			return [JSON.parse(listed.stdout).servers[0].name, prompt.stdout, JSON.parse(made.stdout).path];
		}),
	);
	expect(answers).toEqual(
		places.map(({ name, cwd }) => [name, `${name} says hi\n`, join(cwd, 'tools/mine')]),
	);
});
