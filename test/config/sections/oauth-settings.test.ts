import { describe, expect, it } from 'vitest';
import type { RemoteServerEntry } from '../../../src/config/configuration.ts';
import { loadConfiguration } from '../../../src/config/load.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

describe('oauth of a remote server', () => {
	it('is read with its variables expanded', () => {
		const { oauth, problems } = read({
			clientId: 'id',
			clientSecret: '${SECRET}',
			scopes: 'read  write',
			callbackPort: 8765,
			callbackHost: 'localhost',
			resource: false,
			issuer: 'https://issuer.example/tenant',
			allowMissingPkce: true,
			allowIssuerSlash: true,
			clientMetadataUrl: 'https://example.com/client.json',
		});
		expect(problems).toEqual([]);
		expect(oauth).toEqual({
			clientId: 'id',
			clientSecret: 'hidden',
			scopes: ['read', 'write'],
			callbackPort: 8765,
			callbackHost: 'localhost',
			sendsResource: false,
			issuer: 'https://issuer.example/tenant',
			allowMissingPkce: true,
			allowIssuerSlash: true,
			clientMetadataUrl: 'https://example.com/client.json',
		});
	});

	it('is absent without the key, and takes an array of scopes', () => {
		expect(read(undefined)).toEqual({ oauth: undefined, problems: [] });
		expect(read({ scopes: ['a', 'b'] }).oauth?.scopes).toEqual(['a', 'b']);
	});

	it.each([
		[{ callbackPort: 70_000 }, 'callbackPort is 70000 (a number); allowed: a port from 1 to 65535'],
		[{ callbackPort: 'x' }, 'callbackPort is "x" (a string); allowed: a whole number above 0'],
		[
			{ callbackHost: '0.0.0.0' },
			'callbackHost is "0.0.0.0" (a string); allowed: "127.0.0.1", "localhost", "::1"',
		],
		[
			{ issuer: 'http://issuer.example' },
			'issuer is "http://issuer.example" (a string); allowed: an https:// URL',
		],
		[{ clientMetadataUrl: 'https://example.com/' }, 'clientMetadataUrl is "https://example.com/" (a string)'],
		[{ clientSecret: 42 }, 'clientSecret is a number; allowed: a non-empty string'],
		[{ clientSecret: '${NO_SUCH}' }, 'clientSecret is ${NO_SUCH}, not set'],
		[{ resource: 'no' }, 'resource is "no" (a string); allowed: true or false'],
		[{ clientID: 'x' }, 'clientID is an unknown key; allowed: account, clientId, clientSecret'],
	])('with %j is reported', (oauth, message) => {
		const { problems } = read(oauth);
		expect(problems).toEqual([expect.stringContaining(`mcpServers.remote.oauth.${message}`)]);
	});
});

function read(oauth: object | undefined) {
	const remote = { url: 'https://example.com/mcp', oauth };
	const cwd = writeFiles(temporaryFolder(), { 'orchestra.json': JSON.stringify({ mcpServers: { remote } }) });
	const { configuration, problems } = loadConfiguration({
		cwd,
		environment: { HOME: cwd, SECRET: 'hidden', ORCHESTRA_TRUST: 'all' },
	});
	const entry = configuration.mcpServers.find(
		(server): server is RemoteServerEntry => server.kind === 'http',
	);
	return { oauth: entry?.oauth, problems: problems.map((problem) => problem.message) };
}
