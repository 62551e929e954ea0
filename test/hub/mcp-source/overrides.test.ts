/* `overrides` of a server, as clients, the server and the pins see them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../../src/config/load.ts';
import { OverriddenTools } from '../../../src/hub/sources/mcp/tools/overridden-tools.ts';
import { overrideProblems } from '../../../src/hub/sources/mcp/tools/override-problems.ts';
import { Log } from '../../../src/log.ts';
import type { Tool } from '../../../src/protocol/mcp-types.ts';
import { realServer } from '../../support/mcp-folder.ts';
import { mctl } from '../../support/mctl.ts';
import { serveServers } from '../../support/served-hub.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const search: Tool = {
	name: 'search',
	description: 'Searches.',
	inputSchema: {
		type: 'object',
		properties: {
			query: { type: 'string' },
			region: { enum: ['eu', 'us', 'asia'] },
			limit: { type: 'integer' },
			tenant: { type: 'string' },
		},
		required: ['query', 'limit', 'tenant'],
	},
};

describe('a tool with overrides', () => {
	const parameters = {
		query: { description: 'What to look for' },
		region: { enum: ['eu'] },
		limit: { default: 5 },
		tenant: { hidden: true, value: 'acme' },
	};
	const tools = overridden({ search: { title: 'Look', annotations: { readOnlyHint: true }, parameters } });

	it('has the descriptions and the schema of the configuration', () => {
		expect(tools.apply([search])).toEqual([
			{
				name: 'search',
				title: 'Look',
				description: 'Searches.',
				annotations: { readOnlyHint: true },
				inputSchema: {
					type: 'object',
					properties: {
						query: { type: 'string', description: 'What to look for' },
						region: { enum: ['eu'] },
						limit: { type: 'integer', default: 5 },
					},
					required: ['query'],
				},
			},
		]);
	});

	it('is the same object for the same tool, so that it does not count as changed', () => {
		expect(tools.apply([search])[0]).toBe(tools.apply([search])[0]);
	});

	it('gets fixed values whatever the client sends, and defaults where it sends nothing', async () => {
		expect(await tools.valuesFor('search', { tenant: 'other' })).toEqual({ tenant: 'acme', limit: 5 });
		expect(await tools.valuesFor('search', { limit: 9 })).toEqual({ tenant: 'acme' });
	});

	it('takes no value outside of its smaller enum', () => {
		expect(tools.refusedValue('search', { region: 'us' })).toBe('region must be one of "eu"');
		expect(tools.refusedValue('search', { region: 'eu' })).toBeUndefined();
	});

	it('leaves the plain route only when calls need values', () => {
		const descriptions = overridden({
			search: { description: 'x', parameters: { query: { description: 'y' } } },
		});
		expect([
			tools.hasValues('search'),
			descriptions.hasValues('search'),
			descriptions.hasValues('toString'),
		]).toEqual([true, false, false]);
	});
});

it.each([
	[{ serch: { title: 'x' } }, 'overrides.serch is no tool of web; did you mean search?'],
	[
		{ search: { parameters: { tenat: { hidden: true, value: 1 } } } },
		'tenat is no parameter of search; did you mean tenant?',
	],
	[
		{ search: { parameters: { region: { enum: ['eu', 'uss'] } } } },
		'"uss", which the tool does not take; did you mean',
	],
])('says what was probably meant: %j', (overrides, problem) => {
	expect(overrideProblems(overrides, [search], 'web')).toEqual([expect.stringContaining(problem)]);
});

it('leaves a tool out whose override does not fit', () => {
	const lines: string[] = [];
	const overrides = { search: { parameters: { tenat: { hidden: true, value: 1 } } } };
	const log = { warn: (text: string) => void lines.push(text) };
	const tools = new OverriddenTools({ server: 'web', overrides, environment: {}, log });
	expect(tools.apply([search])).toEqual([]);
	expect(tools.apply([{ ...search }])).toEqual([]);
	expect(lines).toHaveLength(1);
	expect(tools.problems.get('search')).toBe(lines[0]);
});

it.each([
	[{ read: { parameters: { a: { hidden: true } } } }, 'a value, because the parameter is hidden'],
	[{ read: { parameters: { a: { value: 1 } } } }, 'true, because the parameter has a fixed value'],
	[{ read: { descripton: 'x' } }, 'did you mean description'],
	[{ read: { annotations: { readOnlyHnt: true } } }, 'did you mean readOnlyHint'],
	[{ read: { parameters: { a: { enum: [] } } } }, 'at least one value'],
])('is a problem of the configuration: %j', (overrides, problem) => {
	const cwd = writeFiles(temporaryFolder(), {
		'orchestra.json': JSON.stringify({ mcpServers: { s: { command: 'x', overrides } } }),
	});
	const { problems } = loadConfiguration({ cwd, environment: { HOME: cwd, ORCHESTRA_TRUST: 'all' } });
	expect(problems.map(({ message }) => message).join('\n')).toContain(problem);
});

it('changes what a client of a real server sees and sends; a secret is in no list', async () => {
	const folder = temporaryFolder();
	writeFileSync(join(folder, 'note.txt'), 'one\ntwo\nthree\n');
	writeFileSync(join(folder, 'path'), join(folder, 'note.txt'), { mode: 0o600 });
	const overrides = {
		read_text_file: {
			description: 'Reads the note.',
			parameters: { path: { hidden: true, value: `\${file:${join(folder, 'path')}}` }, head: { default: 2 } },
		},
	};
	const served = await serveServers(
		{ files: { ...realServer('filesystem', folder), overrides } },
		{ folder },
	);
	const client = await served.client();
	const { tools } = (await client.request('tools/list')) as { tools: Tool[] };
	const tool = tools.find(({ name }) => name === 'files__read_text_file');
	expect(tool?.description).toBe('Reads the note.');
	expect(JSON.stringify(tool)).not.toContain('path');
	expect(await client.call('files__read_text_file', { path: '/etc/passwd' })).toBe('one\ntwo');
	expect(await client.call('files__read_text_file', { head: 1 })).toBe('one');
	expect(served.opened.hub.sources.find(({ id }) => id === 'files')?.status.drifted).toBe(0);
});

it('shows no fixed value in a list, and lists what clients see', async () => {
	const folder = writeFiles(temporaryFolder(), { 'orchestra.json': '' });
	const overrides = {
		read_text_file: {
			annotations: { readOnlyHint: false },
			parameters: { path: { hidden: true, value: `\${TENANT}` } },
		},
		write_file: { parameters: { pat: { hidden: true, value: 'x' } } },
	};
	const files = { ...realServer('filesystem', folder), overrides };
	const policy = [{ tools: '*', when: { readOnly: false }, action: 'deny' }];
	writeFileSync(join(folder, 'orchestra.json'), JSON.stringify({ mcpServers: { files }, policy }));
	const env = { HOME: folder, XDG_STATE_HOME: folder, ORCHESTRA_TRUST: 'all', TENANT: 'canary' };
	const at = { cwd: folder, env };
	await mctl(['learn'], at);
	const { stdout } = await mctl(['list', '--json'], at);
	expect(stdout).not.toContain('canary');
	expect(JSON.parse(stdout).servers[0].tools).toBe(13);
	expect((await mctl(['policy', 'test', 'files__read_text_file'], at)).stdout).toContain('deny');
});

function overridden(
	overrides: ConstructorParameters<typeof OverriddenTools>[0]['overrides'],
): OverriddenTools {
	return new OverriddenTools({ server: 'web', overrides, environment: {}, log: Log.silent });
}
