/* Secrets that an import stores before it writes the entries that name them. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CommandInput } from '../../src/cli/command.ts';
import { type AnsweredServer, withInputsStored } from '../../src/cli/init/ask-inputs.ts';
import { temporaryFolder } from '../support/workspace.ts';

it('are there for the import, and gone when it fails', async () => {
	const home = temporaryFolder();
	const state = join(home, '.local/state/orchestra');
	const stored = (): string[] =>
		existsSync(join(state, 'secrets')) ? readdirSync(join(state, 'secrets')) : [];
	// Nothing else of it is read.
	const input = {
		cwd: home,
		environment: { HOME: home },
		signal: new AbortController().signal,
	} as unknown as CommandInput;
	const options = { input, fileOf: () => join(home, 'config.json') };
	const entries = await withInputsStored([answered('one'), answered('two')], options, async (servers) => {
		expect([stored().length, readdirSync(join(state, 'unfinished')).length]).toEqual([2, 2]);
		return servers.map(({ entry }) => entry['env']);
	});
	const reference = { TOKEN: expect.stringMatching(/^Bearer \$\{file:/) as string };
	expect(entries).toEqual([reference, reference]);
	const failing = withInputsStored([answered('three')], options, async () => {
		expect(stored()).toHaveLength(3);
		throw new Error('changed by another program');
	});
	await expect(failing).rejects.toThrow('changed by another program');
	expect([stored().length, readdirSync(join(state, 'unfinished'))]).toEqual([2, []]);
});

function answered(name: string): AnsweredServer {
	const entry = { command: 'cat', env: { TOKEN: 'Bearer ${input:token}' } };
	const input = {
		key: 'token',
		description: undefined,
		isRequired: true,
		isSecret: true,
		format: 'string',
		default: undefined,
		choices: [],
		isRepeated: false,
	} as const;
	const server = { name, original: name, entry, sources: [], differsFrom: undefined, equals: undefined };
	return { server, inputs: [input], values: new Map([['token', ['hunter2hunter2']]]) };
}
