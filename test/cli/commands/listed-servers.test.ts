/* Servers of a registry: found, added, compared and upgraded by the built program, with a registry on this machine. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type RawServer, serveRaw } from '../../support/http-server.ts';
import { type MctlResult, mctl } from '../../support/mctl.ts';
import {
	type ListedServer,
	type LocalRegistry,
	npmPackage,
	startRegistry,
} from '../../support/registry-server.ts';
import { hasTerminal, mctlInTerminal, type TerminalResult, type Typed } from '../../support/terminal.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const needy = {
	name: 'io.github.acme/notes',
	version: '2.1.0',
	repository: { url: 'https://example.com/acme/notes', source: 'github' },
	packages: [
		npmPackage('@acme/notes-mcp', '2.1.0', {
			packageArguments: [
				{
					type: 'named',
					name: '--root',
					format: 'filepath',
					isRequired: true,
					description: 'The folder of the notes',
				},
			],
			environmentVariables: [
				{ name: 'NOTES_TOKEN', isRequired: true, isSecret: true, description: 'A token' },
			],
		}),
	],
};

describe('a server of a registry', () => {
	it('is found, and the reference servers are without a registry', async () => {
		const place = await openPlace(needy);
		const { stdout, code } = await place.run('search', 'notes');
		expect([code, stdout]).toEqual([0, expect.stringMatching(/io\.github\.acme\/notes +2\.1\.0 +local/)]);
		await place.registry.stop();
		const { stdout: offline, stderr } = await place.run('search', 'file');
		expect(offline).toMatch(/^filesystem /m);
		expect(stderr).toContain('warning: the request to');
	});

	it('is shown in full before anything is written', async () => {
		const place = await openPlace(needy);
		const { stderr, code } = await place.run('add', 'io.github.acme/notes', '--dry-run');
		expect(code).toBe(0);
		expect(stderr).toContain('io.github.acme/notes 2.1.0 of the registry local');
		expect(stderr).toContain('https://example.com/acme/notes');
		expect(stderr).toContain('npm @acme/notes-mcp 2.1.0');
		expect(stderr).toContain("npx -y @acme/notes-mcp@2.1.0 --root '<root>'");
		expect(stderr).toContain('everything that you may do');
		expect(place.text('orchestra.json')).toBe(place.before);
	});

	it('that needs values says which, without a terminal', async () => {
		const place = await openPlace(needy);
		const { stderr, code } = await place.run('add', 'io.github.acme/notes', '--yes');
		expect(code).toBe(64);
		expect(stderr).toContain(
			'these values are missing: root (The folder of the notes), NOTES_TOKEN (A token)',
		);
		expect((await place.run('add', 'io.github.acme/notes', '--set', 'rot=1')).stderr).toContain(
			'there is no value "rot"; there are: root, NOTES_TOKEN',
		);
		expect(place.text('orchestra.json')).toBe(place.before);
	});

	it('is added with its version pinned and its secret outside the file, and removed with both', async () => {
		const place = await openPlace(needy);
		const { code, stderr } = await place.run(
			'add',
			'io.github.acme/notes',
			'--set',
			'root=.',
			'--set',
			'NOTES_TOKEN=hunter2hunter2',
			'--yes',
		);
		expect([code, stderr]).toEqual([0, expect.not.stringContaining('hunter2')]);
		const entry = place.servers()['notes'] as { args: string[]; env: { NOTES_TOKEN: string } };
		expect(entry.args).toEqual(['-y', '@acme/notes-mcp@2.1.0', '--root', place.cwd]);
		const [, path = ''] = /^\$\{file:(.+)\}$/.exec(entry.env.NOTES_TOKEN) ?? [];
		expect(readFileSync(path, 'utf8')).toBe('hunter2hunter2\n');
		expect(statSync(path).mode & 0o777).toBe(0o600);
		expect(place.text('orchestra.lock')).toContain(
			'package "notes" "local" "io.github.acme/notes" "2.1.0" "npm" "@acme/notes-mcp"',
		);
		await place.run('remove', 'notes');
		expect(() => place.text('orchestra.lock')).toThrow('ENOENT');
		expect(() => statSync(path)).toThrow('ENOENT');
	});

	it('with shell characters in its arguments and values runs no shell: they arrive as they are', async () => {
		const words = [
			'; touch pwned #',
			'$(touch pwned)',
			'`touch pwned`',
			"a' && touch pwned 'b",
			'| touch "pwned" #',
		];
		const filesystem = packageVersion('server-filesystem');
		const listed = (name: string, version: string, more: object): ListedServer => ({
			name: `io.github.acme/${name.replace('server-', '')}`,
			version: '1.0.0',
			packages: [npmPackage(`@modelcontextprotocol/${name}`, version, more)],
		});
		const place = await openPlace(
			listed('server-filesystem', filesystem, {
				packageArguments: [
					...words.slice(1).map((value) => ({ type: 'positional', value })),
					{ type: 'positional', valueHint: 'folder', isRequired: true },
				],
			}),
			listed('server-everything', packageVersion('server-everything'), {
				environmentVariables: [{ name: 'EVIL', value: words.join(' ') }],
			}),
		);
		for (const word of words) mkdirSync(join(place.cwd, word), { recursive: true });
		const given = ['--set', `folder=${words[0]}`, '--yes'];
		const added = await place.run('add', 'io.github.acme/filesystem', ...given);
		expect([added.code, added.stderr]).toEqual([0, expect.stringContaining(`'; touch pwned #'`)]);
		expect((await place.run('add', 'io.github.acme/everything', '--yes')).code).toBe(0);
		const { stdout } = await place.run('call', 'filesystem', 'list_allowed_directories');
		for (const word of words) expect(stdout).toContain(join(place.cwd, word));
		const { env } = place.servers()['everything'] as { env: { EVIL: string } };
		expect(env.EVIL).toBe(words.join(' '));
		expect((await place.run('call', 'everything', 'get-env')).stdout).toContain(
			JSON.stringify(env.EVIL).slice(1, -1),
		);
		expect(readdirSync(place.cwd)).not.toContain('pwned');
		const refused = await place.run('add', 'io.github.acme/$(touch pwned)', '--yes');
		expect([refused.code, existsSync(join(place.cwd, 'pwned'))]).toEqual([64, false]);
	});

	it('of two projects with one name has a secret of its own in each', async () => {
		const place = await openPlace(needy);
		const add = (token: string, cwd: string): Promise<MctlResult> =>
			place.runIn(cwd, 'add', needy.name, '--set', 'root=.', '--set', `NOTES_TOKEN=${token}`, '--yes');
		const other = writeFiles(join(place.cwd, '..', 'other'), { 'orchestra.json': place.before });
		expect((await add('firstsecret', place.cwd)).code).toBe(0);
		expect((await add('othersecret', other)).code).toBe(0);
		expect(place.stored()).toEqual(['firstsecret\n', 'othersecret\n']);
		await place.runIn(other, 'remove', 'notes');
		expect(place.stored()).toEqual(['firstsecret\n']);
	});

	it.each([
		['a lock file that is damaged', { 'orchestra.lock': 'garbage\n' }],
		['a configuration that cannot be edited', { 'orchestra.json': '{"mcpServers":[]}' }],
	])('leaves nothing behind beside %s', async (_, files) => {
		const place = await openPlace(needy);
		writeFiles(place.cwd, files);
		const { code } = await place.run(
			'add',
			needy.name,
			'--set',
			'root=.',
			'--set',
			'NOTES_TOKEN=hunter2hunter2',
			'--yes',
		);
		expect(code).not.toBe(0);
		expect(place.stored()).toEqual([]);
		for (const [name, text] of Object.entries(files)) expect(place.text(name)).toBe(text);
		expect(readdirSync(place.cwd).sort()).toEqual(
			['node_modules', ...new Set(['orchestra.json', ...Object.keys(files)])].sort(),
		);
	});

	it('with a secret in its address takes a variable for it, and nothing that would be in the file', async () => {
		const variables = { key: { isSecret: true, isRequired: true } };
		const remotes = [{ type: 'sse', url: 'https://notes.example/mcp?key={key}', variables }];
		const place = await openPlace({ ...needy, packages: [], remotes });
		const { code, stderr } = await place.run('add', needy.name, '--yes', '--set', 'key=hunter2hunter2');
		expect([code, stderr]).toEqual([64, expect.stringContaining('must be a variable')]);
		expect([place.text('orchestra.json'), place.stored()]).toEqual([place.before, []]);
		expect((await place.run('add', needy.name, '--yes', '--set', 'key=${NOTES_KEY}')).code).toBe(0);
		expect(place.servers()['notes']).toEqual({
			type: 'sse',
			url: 'https://notes.example/mcp?key=${NOTES_KEY}',
		});
		expect((await place.run('doctor')).stdout).toContain('the server notes needs ${NOTES_KEY}, not set');
	});

	it('is upgraded to a package of its own kind, whatever the new entry lists first', async () => {
		const place = await openPlace({ ...needy, packages: [npmPackage('n', '1.0.0')] });
		await place.run('add', needy.name, '--yes');
		const other = {
			registryType: 'pypi',
			identifier: 'n-py',
			version: '9.0.0',
			transport: { type: 'stdio' },
		};
		place.registry.servers.push({ ...needy, version: '2.0.0', packages: [other, npmPackage('n', '2.0.0')] });
		place.forgetAnswers();
		expect(JSON.parse((await place.run('outdated', '--json')).stdout).servers).toMatchObject([
			{ latest: '2.0.0' },
		]);
		place.registry.servers.push({ ...needy, version: '3.0.0', packages: [other] });
		place.forgetAnswers();
		const { code, stderr } = await place.run('upgrade', 'notes', '--yes');
		expect([code, stderr]).toEqual([64, expect.stringContaining('cannot be added: it has no package')]);
		expect(place.text('orchestra.json')).toContain('n@1.0.0');
	});

	it.each([
		['npm', '@acme/notes', '@evil/notes', '1.0.0'],
		['oci', 'ghcr.io/acme/notes:1.0.0', 'ghcr.io/evil/notes:1.0.0', undefined],
	])('that is another package of %s by now is not upgraded, and nothing is started', async (...of) => {
		const [registryType, before, after, version] = of;
		const record = (identifier: string, newer: string): ListedServer => ({
			...needy,
			version: newer,
			packages: [{ registryType, identifier, version, transport: { type: 'stdio' } }],
		});
		const place = await openPlace(record(before, '1.0.0'));
		await place.run('add', needy.name, '--yes');
		const entry = place.text('orchestra.json');
		place.registry.servers.push(record(after, '2.0.0'));
		place.expireAnswers();
		const said = `is ${registryType} ${after}, and not ${before} any more`;
		const { code, stderr } = await place.run('upgrade', 'notes', '--yes');
		expect([code, stderr]).toEqual([64, expect.stringContaining(said)]);
		expect((await place.run('outdated', '--tools')).stdout).toContain(said);
		expect(place.text('orchestra.json')).toBe(entry);
	});

	it('whose address has another host by now gets no secret there', async () => {
		const record = (version: string, url: string): ListedServer => ({
			name: needy.name,
			version,
			remotes: [{ type: 'streamable-http', url }],
		});
		const place = await openPlace(record('1.0.0', 'http://127.0.0.1:9/mcp'));
		await place.run('add', needy.name, '--yes');
		place.registry.servers.push(record('2.0.0', 'http://localhost:9/mcp'));
		place.expireAnswers();
		const { code, stderr } = await place.run('upgrade', 'notes', '--yes');
		expect([code, stderr]).toEqual([
			64,
			expect.stringContaining('is remote http://localhost:9/mcp, and not'),
		]);
	});

	it('with the name of another one is refused, and --as gives it another name', async () => {
		const place = await openPlace({ ...needy, packages: [npmPackage('n', '1.0.0')] });
		await place.run('add', 'io.github.acme/notes', '--yes');
		const { code, stderr } = await place.run('add', 'io.github.acme/notes', '--yes');
		expect([code, stderr]).toEqual([64, expect.stringContaining('--as NAME')]);
		expect((await place.run('add', 'io.github.acme/notes', '--yes', '--as', 'n2')).code).toBe(0);
		expect(Object.keys(place.servers())).toEqual(['notes', 'n2']);
	});

	it('that is deprecated is added with a warning', async () => {
		const place = await openPlace({ ...needy, packages: [npmPackage('n', '1.0.0')] });
		place.registry.status.set(needy.name, { status: 'deprecated', statusMessage: 'use acme/other' });
		expect((await place.run('add', needy.name, '--yes')).stderr).toContain(
			'warning: io.github.acme/notes is deprecated: use acme/other',
		);
	});

	it('is compared with its pin, and upgraded after its tools were listed', async () => {
		const everything = (version: string) => ({
			name: 'io.github.acme/everything',
			version,
			packages: [npmPackage('@modelcontextprotocol/server-everything', version)],
		});
		const installed = packageVersion('server-everything');
		const place = await openPlace(everything('1.0.0'));
		await place.run('add', 'io.github.acme/everything', '--yes');
		place.registry.servers.push(everything(installed));
		place.forgetAnswers();
		const { stdout } = await place.run('outdated', '--json');
		expect(JSON.parse(stdout)).toMatchObject({
			servers: [{ name: 'everything', version: '1.0.0', latest: installed, isOutdated: true }],
		});
		const dry = await place.run('upgrade', 'everything', '--dry-run');
		expect([dry.code, dry.stderr]).toEqual([0, expect.stringContaining(`1.0.0 → ${installed}`)]);
		expect(place.text('orchestra.json')).toContain('server-everything@1.0.0');
		expect((await place.run('upgrade', 'everything', '--yes')).code).toBe(0);
		expect(place.text('orchestra.json')).toContain(`server-everything@${installed}`);
		expect(place.text('orchestra.lock')).toMatch(
			new RegExp(`package "everything" .*"${installed}".*\n\nserver "everything"\n  "`),
		);
		expect((await place.run('upgrade', 'everything')).stdout).toContain('is the newest version');
	});
});

describe('an upgrade', () => {
	it('shows how the tools differ from the accepted ones, and accepts them with the version', async () => {
		const place = await openRemote();
		const { stdout } = await place.run('outdated', '--tools');
		expect(stdout).toMatch(/notes: 1\.0\.0 → 2\.0\.0[^]*changed read[^]*Reads \[-1-\]\{\+2\+\}/);
		const { servers } = JSON.parse((await place.run('outdated', '--tools', '--json')).stdout);
		expect(servers).toMatchObject([{ isOutdated: true, tools: [{ tool: 'read', change: 'changed' }] }]);
		expect((await place.run('upgrade', 'notes', '--yes')).code).toBe(0);
		expect(place.text('orchestra.json')).toContain(place.urls[1]);
		expect((await place.run('outdated', '--json')).stdout).toContain('"isOutdated":false');
		expect((await place.run('trust', 'diff', 'notes')).stdout).not.toContain('changed');
	});

	it.each(['orchestra.json', 'orchestra.lock'])(
		'during which another program writes %s changes nothing',
		async (name) => {
			const place = await openRemote();
			const theirs = place.text(name).replaceAll('notes', 'theirs');
			const files = ['orchestra.json', 'orchestra.lock'] as const;
			const before = files.map((each) => (each === name ? theirs : place.text(each)));
			place.onList(() => writeFiles(place.cwd, { [name]: theirs }));
			const { code, stderr } = await place.run('upgrade', 'notes', '--yes');
			expect([code, stderr]).toEqual([64, expect.stringContaining('changed')]);
			expect(files.map((each) => place.text(each))).toEqual(before);
		},
	);

	it('that was killed between its two writes is ended by the next one', async () => {
		const place = await openRemote();
		const [old = '', next = ''] = place.urls;
		writeFiles(place.cwd, { 'orchestra.json': place.text('orchestra.json').replace(old, next) });
		expect((await place.run('trust')).code).toBe(0);
		expect((await place.run('outdated', '--json')).stdout).toContain('"isOutdated":true');
		const { code, stderr } = await place.run('upgrade', 'notes', '--yes');
		expect([code, stderr]).toEqual([0, expect.stringContaining('changed read')]);
		expect(place.text('orchestra.lock')).toContain('"2.0.0" "remote"');
	});
});

describe('an address with a variable', () => {
	it('is upgraded with the value that the user gave', async () => {
		const server = await serveNotes(1, () => {});
		const { origin } = new URL(server.url);
		const record = (version: string): ListedServer => ({
			name: needy.name,
			version,
			remotes: [
				{ type: 'streamable-http', url: `${origin}/{team}`, variables: { team: { isRequired: true } } },
			],
		});
		const place = await openPlace(record('1.0.0'));
		expect((await place.run('add', needy.name, '--yes', '--set', 'team=red')).code).toBe(0);
		place.registry.servers.push(record('2.0.0'));
		place.expireAnswers();
		const { code, stdout } = await place.run('upgrade', 'notes', '--yes');
		expect([code, stdout]).toEqual([0, expect.stringContaining('notes 2.0.0')]);
		expect(place.servers()['notes']).toMatchObject({ url: `${origin}/red` });
		expect(place.text('orchestra.lock')).toContain('"2.0.0" "remote"');
	});
});

/** A server at an address, added in version 1.0.0; its registry has 2.0.0 at another address by now. */
async function openRemote(): Promise<Place & { urls: string[]; onList(action: () => void): void }> {
	let listed = (): void => {};
	const servers = await Promise.all([1, 2].map((version) => serveNotes(version, () => listed())));
	const urls = servers.map(({ url }) => url);
	const record = (version: number): ListedServer => ({
		name: needy.name,
		version: `${version}.0.0`,
		remotes: [{ type: 'streamable-http', url: urls[version - 1] }],
	});
	const place = await openPlace(record(1));
	expect((await place.run('add', needy.name, '--yes')).code).toBe(0);
	expect((await place.run('list', 'servers', '--check')).code).toBe(0);
	place.registry.servers.push(record(2));
	place.expireAnswers();
	return { ...place, urls, onList: (action) => (listed = action) };
}

function serveNotes(version: number, onList: () => void): Promise<RawServer> {
	return serveRaw(({ body }, response) => {
		const { id, method } = JSON.parse(body || '{}') as { id?: number; method?: string };
		if (id === undefined) return response.writeHead(method === undefined ? 405 : 202).end();
		if (method === 'tools/list') onList();
		const serverInfo = { name: 'notes', version: String(version) };
		const results: Record<string, object> = {
			initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo },
			'tools/list': {
				tools: [{ name: 'read', description: `Reads ${version}`, inputSchema: { type: 'object' } }],
			},
		};
		const result = results[method ?? ''];
		const outcome = result ? { result } : { error: { code: -32_601, message: 'no such method' } };
		response.writeHead(200, { 'content-type': 'application/json' });
		return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
	});
}

describe.skipIf(!hasTerminal)('on a terminal', () => {
	it('the values are asked for, a secret is not shown, and nothing is written after a no', async () => {
		const place = await openPlace(needy);
		const answers: Typed[] = [
			['root: ', `${place.cwd}\r`],
			['NOTES_TOKEN (not shown): ', 'hunter2hunter2\r'],
			['Add it? [y/N] ', 'n\r'],
		];
		const refused = await place.inTerminal(answers, 'add', 'io.github.acme/notes');
		expect([refused.code, refused.screen]).toEqual([130, expect.stringContaining('nothing was written')]);
		expect(refused.screen).not.toContain('hunter2');
		expect(place.text('orchestra.json')).toBe(place.before);
		const done = await place.inTerminal(
			[...answers.slice(0, 2), ['Add it? [y/N] ', 'y\r']],
			'add',
			'io.github.acme/notes',
		);
		expect([done.code, done.screen]).toEqual([0, expect.stringContaining('notes in ')]);
		expect(done.screen + place.text('orchestra.json')).not.toContain('hunter2');
	});

	it('Ctrl-C at the prompt for a secret ends the command', async () => {
		const place = await openPlace(needy);
		const { code } = await place.inTerminal(
			[
				['root: ', '.\r'],
				['(not shown): ', 'abc\u0003'],
			],
			'add',
			'io.github.acme/notes',
		);
		expect(code).toBe(130);
		expect(place.text('orchestra.json')).toBe(place.before);
	});
});

function packageVersion(name: string): string {
	const file = resolve(
		import.meta.dirname,
		'../../../node_modules/@modelcontextprotocol',
		name,
		'package.json',
	);
	return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

interface Place {
	readonly cwd: string;
	readonly registry: LocalRegistry;
	readonly before: string;
	text(name: string): string;
	servers(): Record<string, unknown>;
	/** Begin with an empty state folder. */
	forgetAnswers(): void;
	/** The answers of the registry are not fresh any more. */
	expireAnswers(): void;
	/** The secrets that are stored as files. */
	stored(): string[];
	runIn(cwd: string, ...words: string[]): Promise<MctlResult>;
	run(...words: string[]): Promise<MctlResult>;
	inTerminal(typed: readonly Typed[], ...words: string[]): Promise<TerminalResult>;
}

async function openPlace(...servers: Parameters<typeof startRegistry>): Promise<Place> {
	const registry = await startRegistry(...servers);
	const home = temporaryFolder();
	const cwd = join(home, 'work');
	const before = '{"mcpServers":{}}';
	writeFiles(home, {
		'.config/orchestra/config.json': JSON.stringify({ registries: [{ name: 'local', url: registry.url }] }),
		'work/orchestra.json': before,
	});
	// npx takes an installed package of the right version without a network.
	symlinkSync(resolve(import.meta.dirname, '../../../node_modules'), join(cwd, 'node_modules'));
	// A keyring of the person who runs the tests is not used.
	const env = {
		HOME: home,
		XDG_CONFIG_HOME: '',
		XDG_STATE_HOME: '',
		DBUS_SESSION_BUS_ADDRESS: '',
		HTTPS_PROXY: 'http://127.0.0.1:9',
		NO_PROXY: '127.0.0.1',
	};
	const text = (name: string): string => readFileSync(join(cwd, name), 'utf8');
	let state = 0;
	const options = () => ({ cwd, env: { ...env, XDG_STATE_HOME: join(home, `state-${state}`) } });
	return {
		cwd,
		registry,
		before,
		text,
		servers: () => (JSON.parse(text('orchestra.json')) as { mcpServers: Record<string, unknown> }).mcpServers,
		forgetAnswers: () => void state++,
		expireAnswers: () =>
			rmSync(join(home, `state-${state}`, 'orchestra/registry'), { recursive: true, force: true }),
		stored: () => {
			const folder = join(home, `state-${state}`, 'orchestra/secrets');
			const names = existsSync(folder) ? readdirSync(folder) : [];
			return names.map((name) => readFileSync(join(folder, name), 'utf8')).sort();
		},
		runIn: (folder, ...words) => mctl(words, { ...options(), cwd: folder }),
		run: (...words) => mctl(words, options()),
		inTerminal: (typed, ...words) => mctlInTerminal(words, { ...options(), typed, columns: 200 }),
	};
}
