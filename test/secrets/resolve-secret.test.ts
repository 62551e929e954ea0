import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { StdioServerEntry } from '../../src/config/configuration.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { withResolvedSecrets } from '../../src/oauth/client-secret.ts';
import { redact } from '../../src/redact.ts';
import { keychainCommand } from '../../src/secrets/keychain.ts';
import { resolveSecrets } from '../../src/secrets/resolve-secret.ts';
import { entryKey } from '../../src/secrets/secret-text.ts';
import { thrownBy } from '../support/programs.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const environment = { PATH: process.env['PATH'], HOME: '/nowhere', WORD: 'from the variable' };

describe('references', () => {
	test('a file, a command and a variable are put together, and only when asked for', async () => {
		const server = serverWith({
			A: '${file:token.txt}',
			B: 'x-${cmd:cat token.txt}-${WORD}',
			C: 'plain',
		});
		expect(server.record.env).toEqual({ C: 'plain' });
		expect(await resolved(server)).toEqual({
			A: 'file-token-1',
			B: 'x-file-token-1-from the variable',
			C: 'plain',
		});
		expect(redact('a file-token-1 b')).toBe('a ••• b');
	});

	test('the content of a variable is never read as a reference', async () => {
		const { configuration } = load({ A: '${EVIL}' }, { ...environment, EVIL: '${cmd:touch pwned}' });
		const [server] = configuration.mcpServers;
		expect(server?.secrets).toBeUndefined();
	});

	test('headers and the client secret of a remote server may be references', async () => {
		const cwd = temporaryFolder();
		const oauth = { clientId: 'me', clientSecret: '${file:token.txt}' };
		const remote = {
			url: 'https://example.com/mcp',
			headers: { 'X-Key': '${file:token.txt}', A: 'b' },
			oauth,
		};
		writeFiles(cwd, {
			'orchestra.json': JSON.stringify({ mcpServers: { remote } }),
			'token.txt': 'file-token-2',
		});
		const { configuration } = loadConfiguration({ cwd, environment, file: join(cwd, 'orchestra.json') });
		const [server] = configuration.mcpServers;
		if (server?.kind !== 'http') throw new Error('no remote server');
		expect(JSON.stringify(server)).not.toContain('file-token-2');
		expect(await resolveSecrets(server.headers, server.secrets, { environment })).toEqual({
			'X-Key': 'file-token-2',
			A: 'b',
		});
		const settings = await withResolvedSecrets(server.oauth ?? {}, environment);
		expect(settings.clientSecret).toBe('file-token-2');
	});

	test('a command gets the minimal environment and no shell', async () => {
		const server = serverWith({ A: '${cmd:printenv WORD}', B: '${cmd:echo $HOME;true}' });
		const { A, ...others } = server.secrets ?? {};
		expect(await thrownBy(() => resolveSecrets({}, A && { A }, { environment }))).toMatchObject({
			message: expect.stringContaining('exited with code 1'),
		});
		expect(await resolveSecrets({}, others, { environment })).toEqual({ B: '$HOME;true' });
	});

	test.each([
		['${file:absent.txt}', 'there is no such file'],
		['${file:.}', 'not a regular file'],
		['${file:empty.txt}', 'it is empty'],
		['${cmd:no-such-program-here x}', 'was not found'],
		['${cmd:sh -c "echo out-secret; echo err-secret >&2; exit 3"}', 'exited with code 3'],
		['${cmd:head -c 100000 /dev/zero}', 'more than'],
	])('%s fails with its place and reason, without output', async (reference, reason) => {
		const server = serverWith({ A: reference });
		const error = await thrownBy(() => resolved(server));
		expect(error).toMatchObject({ code: 'bad_input', hint: expect.any(String) });
		const { message } = error as Error;
		expect(message).toContain(reason);
		expect(message).toContain(`${server.file}:4: mcpServers.one.env.A cannot be resolved from ${reference}`);
		expect(message.replaceAll(reference, '')).not.toMatch(/out-secret|err-secret/);
	});

	test('a command that hangs is ended with the call', async () => {
		const server = serverWith({ A: '${cmd:sleep 600}' });
		const ending = new AbortController();
		const failing = thrownBy(() =>
			resolveSecrets({}, server.secrets, { environment, signal: ending.signal }),
		);
		ending.abort();
		expect(await failing).toMatchObject({ code: 'bad_input' });
	});

	test('an empty reference and one with a variable inside are problems of the file', () => {
		for (const value of ['${file:}', '${file:${HOME}/x}']) {
			const { problems, configuration } = load({ A: value });
			expect(problems.map(({ key }) => key)).toContain('mcpServers.one.env.A');
			expect(configuration.mcpServers).toEqual([]);
		}
	});

	test('a keychain without its program says how to install it', () => {
		const bare = { PATH: '/nowhere' };
		expect(() => keychainCommand('github', bare, 'linux')).toThrow('secret-tool is not installed');
		expect(() => keychainCommand('', bare, 'linux')).toThrow('is missing');
	});

	test('the program of the keychain gets service and account as arguments', () => {
		const folder = writeFiles(temporaryFolder(), { 'secret-tool': '#!/bin/sh\necho "$@"\n' });
		const { command, args } = keychainCommand('github/me', { PATH: folder }, 'linux');
		expect([command, ...(args ?? [])]).toEqual([
			'secret-tool',
			'lookup',
			'service',
			'github',
			'account',
			'me',
		]);
	});

	test('an entry whose lines moved is the same entry', () => {
		const [one, other] = [serverWith({ A: '${file:a}' }), serverWith({ A: '${file:b}' })];
		const { A } = one.secrets ?? {};
		expect(entryKey({ ...one, secrets: { A: { ...A, sourceLine: 99 } } })).toBe(entryKey(one));
		expect(entryKey(one)).not.toBe(entryKey({ ...other, file: one.file }));
	});
});

function serverWith(env: Record<string, string>): StdioServerEntry {
	const { configuration, problems } = load(env);
	expect(problems).toEqual([]);
	const [server] = configuration.mcpServers;
	if (server?.kind !== 'stdio') throw new Error('no server');
	return server;
}

function load(env: Record<string, string>, variables: Record<string, string | undefined> = environment) {
	const cwd = temporaryFolder();
	const lines = Object.entries(env).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
	const text = `{ "mcpServers": {\n"one": { "command": "cat",\n"env": {\n${lines.join(',\n')}\n} } } }`;
	writeFiles(cwd, { 'orchestra.json': text, 'token.txt': 'file-token-1\n', 'empty.txt': '\n' });
	return loadConfiguration({ cwd, environment: variables, file: join(cwd, 'orchestra.json') });
}

function resolved(server: StdioServerEntry): Promise<Record<string, string>> {
	return resolveSecrets(server.record.env ?? {}, server.secrets, { environment });
}
