/* `mctl list` and `mctl run` with what plugins offer, as a stranger would use them. */
import { describe, expect, it } from 'vitest';
import { configuredFolder, plugin, pluginWith } from '../support/plugins.ts';
import { writeFiles } from '../support/workspace.ts';

const echo = `echo: tool(({ text, times }) => ({ text, times }), { type: 'object', properties: { times: { type: 'number' } } }),
	refuse: tool(() => { throw toolFailure('not today', { code: 'validation_error' }); }),
	die: tool(() => process.exit(7)),
	hang: tool(() => new Promise(() => {}))`;

describe('mctl list', () => {
	it('shows the tools, prompts and resources of plugins and of the storage', async () => {
		const { mctl, folder } = configuredFolder({
			plugins: [
				plugin(
					'tools.more',
					`const prompts = { greet: { description: 'Greet', arguments: [{ name: 'who', required: true }], render: () => 'hi' } };
await definePlugin({ id, version: '1.0.0', tools: { ${echo} }, prompts }).run();`,
				),
			],
		});
		writeFiles(folder, { '.projects/notes/today.md': 'x' });
		const { tools } = JSON.parse((await mctl(['list', '--json'])).stdout);
		expect(tools.find(({ id }: { id: string }) => id === 'echo')).toMatchObject({ runtime: 'plugin' });
		expect((await mctl(['list', 'tools'])).stdout).toMatch(/^echo +plugin +x$/m);
		expect((await mctl(['list', 'prompts'])).stdout).toMatch(/^greet who= +Greet$/m);
		expect((await mctl(['list', 'resources'])).stdout).toMatch(/^orchestra:\/\/notes\/today/m);
	});

	it('starts nothing where there are no plugins', async () => {
		const { stdout, stderr, code } = await configuredFolder({}).mctl(['list', '--examples']);
		expect([code, stderr]).toEqual([0, '']);
		expect(stdout).toContain('hello-world');
	});
});

describe('mctl run', () => {
	it('runs a tool of a plugin, with the types that its schema names', async () => {
		const { mctl } = configuredFolder({ plugins: [pluginWith('tools.echo', echo)] });
		const { stdout, code } = await mctl(['run', 'echo', 'times=3', '--json']);
		const events = stdout
			.trim()
			.split('\n')
			.map((line) => JSON.parse(line));
		expect(events).toMatchObject([
			{ type: 'started', toolId: 'echo' },
			{ type: 'result', toolId: 'echo', payload: { text: expect.stringContaining('"times":3') } },
		]);
		expect(code).toBe(0);
	});

	it.each([
		[['refuse'], 1, 'not today'],
		[['die'], 69, 'outcome is unknown'],
		[['hang', '--timeout', '300'], 124, 'was not complete within its total time of 300ms'],
		[['ecko'], 64, 'did you mean: echo'],
	])(
		'exits for %j as for any tool',
		async (words, exitCode, text) => {
			const { mctl } = configuredFolder({ plugins: [pluginWith('tools.echo', echo)] });
			const { stderr, code } = await mctl(['run', ...words]);
			expect(code).toBe(exitCode);
			expect(stderr).toContain(text);
		},
		20_000,
	);

	it('says which plugin is down when it does not find the tool', async () => {
		const { mctl } = configuredFolder({
			plugins: [plugin('tools.broken', `console.error('no disk'); process.exit(3);`)],
		});
		const { stderr, code } = await mctl(['run', 'anything']);
		expect(code).toBe(64);
		expect(stderr).toMatch(/there is no tool "anything".*the plugin tools\.broken is down.*no disk/);
	});

	it('uses the shared hub when it runs, and does not start its plugins twice', async () => {
		const { mctl } = configuredFolder({
			plugins: [pluginWith('tools.pid', `pid: tool(() => String(process.pid))`)],
		});
		await mctl(['hub', 'start']);
		try {
			const first = await mctl(['run', 'pid']);
			const second = await mctl(['run', 'pid']);
			expect([first.code, first.stdout]).toEqual([0, second.stdout]);
		} finally {
			await mctl(['hub', 'stop']);
		}
	});
});
