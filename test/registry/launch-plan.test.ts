/* From an entry of a registry to an entry of the configuration. */
import { describe, expect, it } from 'vitest';
import { planLaunch } from '../../src/registry/launch-plan.ts';
import { readServerRecord, type ServerRecord } from '../../src/registry/server-record.ts';

const notes = record({
	packages: [
		{
			registryType: 'npm',
			identifier: '@acme/notes-mcp',
			version: '2.1.0',
			transport: { type: 'stdio' },
			runtimeArguments: [{ type: 'positional', value: '-y' }],
			packageArguments: [
				{ type: 'named', name: '--root', format: 'filepath', isRequired: true, description: 'Folder' },
				{ type: 'named', name: '--mode', value: 'ro' },
				{ type: 'positional', valueHint: 'tag', isRepeated: true },
				{ type: 'named', name: '--color=', default: 'never' },
				{ type: 'named', name: '--verbose', format: 'boolean' },
			],
			environmentVariables: [
				{ name: 'NOTES_TOKEN', isRequired: true, isSecret: true },
				{ name: 'NOTES_LOG', default: 'info' },
				{ name: 'NOTES_OTHER' },
			],
		},
	],
	remotes: [
		{
			type: 'streamable-http',
			url: 'https://{tenant}.acme.example/mcp',
			variables: { tenant: { isRequired: true } },
			headers: [
				{
					name: 'Authorization',
					value: 'Bearer {key}',
					variables: { key: { isSecret: true, isRequired: true } },
				},
			],
		},
	],
});

describe('the plan for an entry', () => {
	it('is its package on stdio: arguments in order, flags once, defaults, nothing for what is not given', () => {
		const plan = planLaunch(notes);
		expect(plan.source).toEqual({
			type: 'npm',
			identifier: '@acme/notes-mcp',
			version: '2.1.0',
			sha256: undefined,
		});
		expect(
			plan.inputs.filter(({ isRequired }) => isRequired).map(({ key, isSecret }) => [key, isSecret]),
		).toEqual([
			['root', false],
			['NOTES_TOKEN', true],
		]);
		expect(plan.alternatives).toEqual(['remote https://{tenant}.acme.example/mcp']);
		const values = new Map([
			['root', ['/n']],
			['tag', ['a', 'b']],
			['verbose', ['true']],
			['NOTES_TOKEN', ['${keychain:x}']],
		]);
		expect(plan.entry(values)).toEqual({
			command: 'npx',
			args: [
				'-y',
				'@acme/notes-mcp@2.1.0',
				'--root',
				'/n',
				'--mode',
				'ro',
				'a',
				'b',
				'--color=never',
				'--verbose',
			],
			env: { NOTES_TOKEN: '${keychain:x}', NOTES_LOG: 'info' },
		});
	});

	it('is its address when that is wanted, with every variable filled in', () => {
		const plan = planLaunch(notes, 'remote');
		expect(plan.inputs.map(({ key }) => key)).toEqual(['tenant', 'key']);
		expect(
			plan.entry(
				new Map([
					['tenant', ['t$&']],
					['key', ['${K}']],
				]),
			),
		).toEqual({
			type: 'http',
			url: 'https://t$&.acme.example/mcp',
			headers: { Authorization: 'Bearer ${K}' },
		});
	});

	it.each([
		['pypi', { registryType: 'pypi', identifier: 'notes-mcp', version: '1.0' }, ['uvx', 'notes-mcp==1.0']],
		[
			'nuget',
			{
				registryType: 'nuget',
				identifier: 'Acme.Notes',
				version: '1.0',
				packageArguments: [{ type: 'positional', value: 'x' }],
			},
			['dnx', 'Acme.Notes@1.0', '--yes', '--', 'x'],
		],
		[
			'an image, whose entry begins with run too',
			{
				registryType: 'oci',
				identifier: 'ghcr.io/acme/notes:2.1',
				runtimeArguments: [
					{ type: 'positional', value: 'run' },
					{ type: 'positional', value: '--rm' },
					{ type: 'named', name: '-v', value: '/data:/data' },
				],
				environmentVariables: [{ name: 'A', value: '1' }],
			},
			['docker', 'run', '-i', '--rm', '-v', '/data:/data', '-e', 'A', 'ghcr.io/acme/notes:2.1'],
		],
		[
			'another runtime that is known',
			{ registryType: 'npm', identifier: 'n', version: '1.0.0', runtimeHint: 'bunx' },
			['bunx', '-y', 'n@1.0.0'],
		],
		[
			'the place of a package',
			npm({ registryBaseUrl: 'https://npm.acme.example/', runtimeArguments: words('--yes') }),
			['npx', '--yes', '--registry=https://npm.acme.example/', 'n@1.0.0'],
		],
		[
			'the usual place of a package',
			{ registryType: 'pypi', identifier: 'n', version: '1.0', registryBaseUrl: 'https://pypi.org' },
			['uvx', 'n==1.0'],
		],
		[
			'a language as the runtime',
			{ registryType: 'pypi', identifier: 'n', version: '1.0', runtimeHint: 'python' },
			['uvx', 'n==1.0'],
		],
	])('knows %s', (_, item, words) => {
		const { command, args } = planLaunch(record({ packages: [item] })).entry(new Map());
		expect([command, ...(args as string[])]).toEqual(words);
	});

	it.each([
		[
			'a shell as the runtime',
			{ registryType: 'npm', identifier: 'n', runtimeHint: 'bash' },
			'asks for the program "bash"',
		],
		[
			'a flag as the package',
			{ registryType: 'npm', identifier: '--eval=1' },
			'is not the name of a package',
		],
		[
			'a URL as the package',
			{ registryType: 'npm', identifier: 'https://evil.example/x.tgz' },
			'is not the name of a package',
		],
		[
			'a path as the package',
			{ registryType: 'pypi', identifier: '../../x' },
			'is not the name of a package',
		],
		[
			'a flag as the image',
			{ registryType: 'oci', identifier: '--privileged' },
			'is not the name of a package',
		],
		[
			'arguments for another program',
			{
				registryType: 'pypi',
				identifier: 'n',
				version: '1.0',
				runtimeHint: 'python',
				runtimeArguments: [{ type: 'positional', value: '-c' }],
			},
			'asks for the program "python"',
		],
		['a line for a shell', npm({ runtimeArguments: words('-y', '--call=id') }), 'have "--call=id"'],
		['a line for a shell in joined flags', npm({ runtimeArguments: words('-yc', 'id') }), 'have "-yc"'],
		[
			'another package by a flag',
			npm({ runtimeArguments: words('--package=evil') }),
			'have "--package=evil"',
		],
		['another package before its own', npm({ runtimeArguments: words('-y', 'evil') }), 'have "evil"'],
		[
			'another source',
			{ registryType: 'pypi', identifier: 'n', version: '1.0', runtimeArguments: words('--from', 'evil') },
			'have "--from"',
		],
		[
			'another image before its own',
			{ registryType: 'oci', identifier: 'a/b:1', runtimeArguments: words('-v', '/a:/a', 'evil') },
			'have "evil"',
		],
		[
			'a variable that loads code',
			npm({ environmentVariables: [{ name: 'NODE_OPTIONS', default: '--import=data:text/javascript,' }] }),
			'sets NODE_OPTIONS',
		],
		[
			'a variable of the package manager',
			npm({ environmentVariables: [{ name: 'npm_config_registry', value: 'https://evil.example' }] }),
			'sets npm_config_registry',
		],
		[
			'a place that its program cannot be told',
			{
				registryType: 'nuget',
				identifier: 'N',
				version: '1.0',
				registryBaseUrl: 'https://nuget.acme.example',
			},
			'is at https://nuget.acme.example',
		],
		['no version', { registryType: 'npm', identifier: 'n' }, 'has no version'],
		['a range', { registryType: 'npm', identifier: 'n', version: '1.x' }, 'is a range or a tag'],
		['a tag', { registryType: 'npm', identifier: 'n', version: 'next' }, 'is a range or a tag'],
		['an image without a tag', { registryType: 'oci', identifier: 'a:5000/b' }, 'neither a tag nor a digest'],
		['an unknown type', { registryType: 'cargo', identifier: 'x' }, 'type "cargo" is not supported'],
		['no way at all', undefined, 'it has no package and no address'],
	])('refuses %s', (_, item, reason) => {
		expect(() => planLaunch(record(item ? { packages: [item] } : {}))).toThrow(reason);
	});

	it('refuses another image where an optional value is left out', () => {
		const runtimeArguments = [
			...words('-v'),
			{ type: 'positional', valueHint: 'volume' },
			...words('-e', 'evil'),
		];
		const plan = planLaunch(
			record({ packages: [{ registryType: 'oci', identifier: 'a/b:1', runtimeArguments }] }),
		);
		expect(plan.entry(new Map([['volume', ['/a:/a']]]))['args']).toContain('a/b:1');
		expect(() => plan.entry(new Map())).toThrow('have "evil"');
	});

	it('refuses an address with a password', () => {
		expect(() => planLaunch(record({ remotes: [{ type: 'sse', url: 'https://a:b@evil.example' }] }))).toThrow(
			'the address at evil.example holds a user or a password',
		);
	});

	it('refuses an address that is none', () => {
		expect(() => planLaunch(record({ remotes: [{ type: 'sse', url: 'file:///etc/passwd' }] }))).toThrow(
			'is not an http:// or https:// address',
		);
	});

	it('fills variables in once: braces in a value stay as they are', () => {
		const variables = { one: { isRequired: true }, two: { isRequired: true } };
		const plan = planLaunch(record({ remotes: [{ type: 'sse', url: '{one}/{two}/{three}', variables }] }));
		const values = new Map([
			['one', ['https://a.example']],
			['two', ['{one}']],
		]);
		expect(plan.entry(values)['url']).toBe('https://a.example/{one}/{three}');
		expect(() => plan.entry(new Map([...values, ['one', ['javascript:x']]]))).toThrow('is not an http://');
	});

	it('marks a secret of the address, also when a header has it too', () => {
		const variables = { key: { isSecret: true, isRequired: true } };
		const headers = [{ name: 'X-Key', value: '{key}', variables }];
		const remote = { type: 'sse', url: 'https://a.example/?key={key}', variables, headers };
		expect(planLaunch(record({ remotes: [remote] })).inputs).toMatchObject([
			{ key: 'key', exposedIn: 'address' },
		]);
	});

	it('marks a secret of the command line, which every process can read', () => {
		const plan = planLaunch(
			record({
				packages: [
					{
						registryType: 'npm',
						identifier: 'n',
						version: '1.0.0',
						packageArguments: [{ type: 'named', name: '--token', isSecret: true, isRequired: true }],
					},
				],
			}),
		);
		expect(plan.inputs).toMatchObject([{ key: 'token', isSecret: true, exposedIn: 'command line' }]);
	});

	it('keeps a value secret that an argument of the same name does not', () => {
		const packageArguments = [{ type: 'named', name: '--KEY', isRequired: true }];
		const environmentVariables = [{ name: 'KEY', isRequired: true, isSecret: true }];
		const plan = planLaunch(record({ packages: [npm({ packageArguments, environmentVariables })] }));
		expect(plan.inputs).toMatchObject([{ key: 'KEY', isSecret: true, exposedIn: 'command line' }]);
	});
});

function npm(members: object): object {
	return { registryType: 'npm', identifier: 'n', version: '1.0.0', ...members };
}

function words(...values: string[]): object[] {
	return values.map((value) => ({ type: 'positional', value }));
}

function record(members: object): ServerRecord {
	return readServerRecord({
		server: { name: 'io.github.acme/notes', description: 'Notes', version: '2.1.0', ...members },
	});
}
