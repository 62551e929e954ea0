/* The form that the tests hold the answers of a registry to. */
import { describe, expect, it } from 'vitest';
import { assertAnswer } from '../support/registry-api.ts';

const good = {
	server: {
		$schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
		name: 'io.github.acme/notes',
		description: 'Notes',
		version: '2.1.0',
		packages: [
			{
				registryType: 'npm',
				identifier: '@acme/notes-mcp',
				version: '2.1.0',
				transport: { type: 'stdio' },
				packageArguments: [
					{ type: 'named', name: '--root', format: 'filepath', isRequired: true },
					{ type: 'positional', valueHint: 'tag', isRepeated: true },
				],
				environmentVariables: [{ name: 'TOKEN', isSecret: true }],
			},
		],
		remotes: [
			{ type: 'sse', url: 'https://{tenant}.example/mcp', variables: { tenant: { isRequired: true } } },
		],
	},
	_meta: {
		'io.modelcontextprotocol.registry/official': { status: 'active', updatedAt: '2026-01-01T00:00:00Z' },
	},
};

describe('an answer of a registry', () => {
	it('of the published form is accepted', () => {
		assertAnswer('ServerResponse', good);
		assertAnswer('ServerList', { servers: [good], metadata: { count: 1, nextCursor: 'x' } });
	});

	it.each<[string, unknown]>([
		['without a version', { ...good, server: { ...good.server, version: undefined } }],
		['with a name without a namespace', { ...good, server: { ...good.server, name: 'notes' } }],
		['with a long description', { ...good, server: { ...good.server, description: 'x'.repeat(101) } }],
		['with an unknown status', meta({ status: 'gone' })],
		['with an unknown member of its status', meta({ status: 'active', extra: 1 })],
		['with a package without a transport', item({ transport: undefined })],
		['with "latest" as the version of a package', item({ version: 'latest' })],
		['with an argument that nothing names', item({ packageArguments: [{ type: 'positional' }] })],
		['with a flag without a name', item({ packageArguments: [{ type: 'named', value: 'x' }] })],
		['with a hash in capitals', item({ fileSha256: 'A'.repeat(64) })],
		['with a remote over stdio', { ...good, server: { ...good.server, remotes: [{ type: 'stdio' }] } }],
	])('%s is refused', (_, answer) => {
		expect(() => assertAnswer('ServerResponse', answer)).toThrow('no ServerResponse');
	});
});

function meta(official: object): unknown {
	return { ...good, _meta: { 'io.modelcontextprotocol.registry/official': official } };
}

function item(members: object): unknown {
	const [first] = good.server.packages;
	return { ...good, server: { ...good.server, packages: [{ ...first, ...members }] } };
}
