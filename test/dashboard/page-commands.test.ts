/* The commands that the page lets the hub run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandArgs, commandText, readPageCommand } from '../../src/dashboard/commands/page-commands.ts';
import { startAuthorizationServer } from '../support/authorization-server.ts';
import { openTestDashboard } from '../support/dashboard.ts';

describe('a command of the page', () => {
	it('is shown as it is run', () => {
		const command = readPageCommand({
			kind: 'add-command',
			name: 'files',
			args: ['npx', '-y', 'a server'],
			env: ['KEY=${KEY}'],
		});
		expect(commandText(command)).toBe(`mctl add files '--env=KEY=\${KEY}' -- npx -y 'a server'`);
	});

	it('has no flag that a field brings, whatever is in the fields', () => {
		const kinds = ['add-command', 'add-url', 'add-listed', 'search', 'import', 'connect', 'sign-in'];
		const text = fc.string().map((each) => `-${each}`);
		fc.assert(
			fc.property(fc.constantFrom(...kinds), text, fc.array(text), (kind, word, list) => {
				const names = ['name', 'url', 'query', 'client', 'server'].map((name) => [name, word]);
				const lists = ['args', 'env', 'headers', 'values', 'names'].map((name) => [name, list]);
				const args = argsOf({ kind, ...Object.fromEntries([...names, ...lists]) });
				const before = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
				for (const each of before.filter((one) => one.startsWith('-')))
					expect(each).toMatch(/^--(?:env|header|set|only|client)=|^--(?:yes|dry-run)$/);
			}),
		);
	});

	it('has the plan of a listed server, without a request and without a change', async () => {
		const { login, served } = await openTestDashboard();
		const before = readFileSync(join(served.folder, 'orchestra.json'), 'utf8');
		const plan = { kind: 'add-listed', name: 'filesystem', values: [], isDryRun: true };
		const lines = await (await login()).call('/api/commands', plan);
		expect(lines.at(-1)).toMatchObject({
			kind: 'result',
			result: { schema: 'orchestra.add-plan/1', values: [{ name: 'folder', isRequired: true }] },
		});
		expect(readFileSync(join(served.folder, 'orchestra.json'), 'utf8')).toBe(before);
	});

	it('ends with the error of the command', async () => {
		const { login } = await openTestDashboard();
		const again = { kind: 'add-command', name: 'py', args: ['true'], env: [] };
		const lines = await (await login()).call('/api/commands', again);
		expect(lines.at(-1)).toMatchObject({
			kind: 'error',
			error: { code: 'bad_input', message: expect.stringContaining('has a server "py" already') },
		});
	});

	it.skipIf(process.platform !== 'linux')('has none of its values on a command line', async () => {
		const { login, served } = await openTestDashboard();
		const file = join(served.folder, 'parent');
		// The command starts the server that it added, to learn its tools.
		const spy = `fs.writeFileSync(process.argv[1], fs.readFileSync('/proc/' + process.ppid + '/cmdline'))`;
		const args = [process.execPath, '-e', spy, file];
		const command = { kind: 'add-command', name: 'spy', args, env: ['TOKEN=very-private-9'] };
		const lines = await (await login()).call('/api/commands', command);
		expect(lines.at(-1)).toMatchObject({ kind: 'result', result: { name: 'spy' } });
		expect(readFileSync(join(served.folder, 'orchestra.json'), 'utf8')).toContain('very-private-9');
		expect(readFileSync(file, 'utf8').split('\0')).toEqual([process.execPath, '-', '']);
	});

	it('signs in: its address is a line of the reply, and its end is the end of the sign-in', async () => {
		const authority = await startAuthorizationServer();
		const { login } = await openTestDashboard({ servers: { remote: { type: 'http', url: authority.url } } });
		const lines = await (await login()).call(
			'/api/commands',
			{ kind: 'sign-in', server: 'remote' },
			({ text }) => {
				const url = /^\s*(http\S+)\s*$/.exec(String(text))?.[1];
				return url === undefined ? undefined : fetch(url);
			},
		);
		expect(lines.at(-1)).toMatchObject({ kind: 'result', result: { server: 'remote', state: 'signed_in' } });
	});
});

/** Empty when the hub refuses it. */
function argsOf(body: Record<string, unknown>): string[] {
	try {
		return commandArgs(readPageCommand(body));
	} catch {
		return [];
	}
}
