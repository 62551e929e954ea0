/* Bundles (`.mcpb`): added, called and removed by the built program; hostile ones leave nothing behind. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pinPlace } from '../../../src/trust/pins/pin-place.ts';
import { serveRaw } from '../../support/http-server.ts';
import { type MctlResult, mctl, mctlProcess, startMctl } from '../../support/mctl.ts';
import { npmPackage, startRegistry } from '../../support/registry-server.ts';
import { until } from '../../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';
import { type ZippedFile, zipOf } from '../../support/zip.ts';

const program = `
import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', (line) => {
	const { id, method } = JSON.parse(line);
	if (id === undefined) return;
	const text = JSON.stringify({ words: process.argv.slice(2), key: process.env.KEY, cwd: process.cwd(), from: import.meta.dirname });
	const results = {
		initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'files', version: '1' } },
		'tools/list': { tools: [{ name: 'where', inputSchema: { type: 'object' } }] },
		'tools/call': { content: [{ type: 'text', text }] },
	};
	const result = results[method];
	console.log(JSON.stringify(result ? { jsonrpc: '2.0', id, result } : { jsonrpc: '2.0', id, error: { code: -32601, message: method } }));
});
`;
const manifest = {
	manifest_version: '0.3',
	name: 'files',
	version: '1.0.0',
	description: 'Files',
	author: { name: 'Ada' },
	user_config: {
		dirs: { type: 'directory', multiple: true, required: true, title: 'Folders', description: 'To use' },
		key: { type: 'string', sensitive: true, title: 'Key', description: 'A key' },
		level: { type: 'number', title: 'Level', description: 'How much', default: 3, min: 1, max: 5 },
		note: { type: 'string', title: 'Note', description: 'Optional' },
	},
	server: {
		type: 'node',
		entry_point: 'server/index.mjs',
		mcp_config: {
			command: 'nothing',
			args: [
				'${__dirname}/server/index.mjs',
				'${user_config.dirs}',
				'--level=${user_config.level}',
				'--note=${user_config.note}',
			],
			env: { KEY: '${user_config.key}', NOTE: '${user_config.note}' },
			platform_overrides: { [process.platform]: { command: 'node' } },
		},
	},
};

describe('a bundle', () => {
	it('shows who signed it before anything is written, and one that was changed after that is refused', async () => {
		const signed = readFileSync(new URL('../../fixtures/bundles/signed.mcpb', import.meta.url));
		const place = openPlace(signed);
		expect((await place.add('--dry-run')).stderr).toMatch(
			/signed +by CN=MCPB Self-Signed .*self-signed: nobody/,
		);
		expect((await openPlace(bundleOf(manifest)).add('--dry-run')).stderr).toMatch(
			/signed +no; nothing proves/,
		);
		const { signer } = JSON.parse((await place.add('--dry-run', '--json')).stdout) as { signer: unknown };
		expect(signer).toMatchObject({ certification: 'self-signed' });
		signed.writeUInt8(0, 40);
		const changed = openPlace(signed);
		const { code, stderr } = await changed.add('--yes');
		expect([code, stderr]).toEqual([
			64,
			expect.stringContaining('the signature of the bundle does not match'),
		]);
		expect(changed.leftBehind()).toEqual([]);
	});

	it.each(['0', '9', 'many'])('takes no number outside of its range, such as %s', async (level) => {
		const place = openPlace(bundleOf(manifest));
		const { code, stderr } = await place.add('--set', 'dirs=/one', '--set', `level=${level}`, '--yes');
		expect([code, stderr]).toEqual([64, expect.stringContaining('--set level: use a number from 1 to 5')]);
		expect(place.leftBehind()).toEqual([]);
	});

	it('is added, called and removed with its files', async () => {
		const place = openPlace(bundleOf(manifest));
		const { code, stderr } = await place.add(
			'--set',
			'dirs=/one',
			'--set',
			'dirs=/two',
			'--set',
			'key=secretsecret',
			'--yes',
		);
		expect([code, stderr]).toEqual([0, expect.stringContaining('files 1.0.0, a bundle')]);
		const [folder = ''] = place.bundles();
		expect(place.entry()).toEqual({
			command: 'node',
			args: [join(place.folder, folder, 'server/index.mjs'), '/one', '/two', '--level=3'],
			env: { KEY: expect.stringMatching(/^\$\{file:/) as string },
			cwd: join(place.folder, folder),
		});
		const called = await place.run('call', 'files', 'where');
		expect(JSON.parse(called.stdout)).toMatchObject({
			key: 'secretsecret',
			words: ['/one', '/two', '--level=3'],
			from: join(place.folder, folder, 'server'),
		});
		expect(readFileSync(join(place.cwd, 'orchestra.lock'), 'utf8')).toContain(
			'package "files" "bundle" "files" "1.0.0" "mcpb" "x.mcpb" sha256:',
		);
		await place.run('remove', 'files');
		expect(place.bundles()).toEqual([]);
	});

	it('says which values are missing, and leaves nothing behind', async () => {
		const place = openPlace(bundleOf(manifest));
		const { code, stderr } = await place.add('--yes');
		expect([code, stderr]).toEqual([
			64,
			expect.stringContaining('these values are missing: dirs (Folders: To use)'),
		]);
		expect(place.leftBehind()).toEqual([]);
	});

	it('with an empty text for a value that is required is refused, and what is optional is named', async () => {
		const place = openPlace(bundleOf(manifest));
		const { code, stderr } = await place.add('--set', 'dirs=', '--yes');
		expect([code, stderr]).toEqual([64, expect.stringContaining('--set dirs: it needs a value')]);
		expect(place.leftBehind()).toEqual([]);
		const dry = await place.add('--set', 'dirs=one', '--set', 'note=x', '--dry-run');
		expect(dry.stderr).toMatch(/^optional key, level \(3\): --set NAME=VALUE$/m);
		expect(dry.stderr).toContain(`index.mjs ${join(place.cwd, 'one')} --level=3`);
	});

	it.each(['SIGKILL', 'SIGINT'] as const)(
		'that is added or removed when %s comes leaves nothing behind',
		async (signal) => {
			const place = openPlace(bundleOf(manifest));
			const words = ['add', './x.mcpb', '--set', 'dirs=/one', '--set', 'key=secretsecret', '--yes'];
			// The lock of the pins lets each command come as far as them, and no further.
			let letGo = place.lockPins();
			let child = place.start(...words);
			await until(
				'it has come to the pins',
				() => place.secrets().length === 1 && place.bundles().length === 1,
			);
			child.kill(signal);
			if (signal === 'SIGINT') letGo();
			expect(await once(child, 'exit')).toEqual(signal === 'SIGINT' ? [130, null] : [null, 'SIGKILL']);
			letGo();
			await place.run('outdated');
			expect([...place.leftBehind(), ...place.secrets(), ...place.unfinished()]).toEqual([]);
			expect((await place.run(...words)).code).toBe(0);
			letGo = place.lockPins();
			child = place.start('remove', 'files');
			await until(
				'its entry and files are gone',
				() => place.entry() === undefined && place.bundles().length === 0,
			);
			child.kill(signal);
			if (signal === 'SIGINT') letGo();
			await once(child, 'exit');
			letGo();
			await place.run('outdated');
			expect(place.unfinished()).toEqual([]);
			const lock = join(place.cwd, 'orchestra.lock');
			expect(existsSync(lock) && readFileSync(lock, 'utf8').includes('package "files"')).toBe(false);
		},
	);

	it('of a name that another mctl adds at the same moment is refused, and the other one is whole', async () => {
		const place = openPlace(bundleOf(manifest));
		const words = ['add', './x.mcpb', '--set', 'dirs=/one', '--yes', '--set'];
		const letGo = place.lockPins();
		const first = place.start(...words, 'key=firstsecret');
		await until('it has stored its secret', () => place.secrets().length === 1);
		const second = await place.run(...words, 'key=secondsecret');
		expect([second.code, second.stderr]).toEqual([
			64,
			expect.stringContaining('another mctl changes "files"'),
		]);
		letGo();
		expect(await once(first, 'exit')).toEqual([0, null]);
		expect((await place.run('call', 'files', 'where')).stdout).toContain('firstsecret');
	});

	it.each([
		['another server is added', 'other', ['other', 'files'], 0],
		['a server of its name is', 'files', ['files'], 64],
	])('while %s by another program keeps that', async (_, name, names, expected) => {
		const place = openPlace(bundleOf(manifest));
		const letGo = place.lockPins();
		const child = place.start('add', './x.mcpb', '--set', 'dirs=/one', '--set', 'key=secretsecret', '--yes');
		await until('it has stored its secret', () => place.secrets().length === 1);
		writeFiles(place.cwd, { 'orchestra.json': `{"mcpServers":{"${name}":{"command":"cat"}}}` });
		letGo();
		expect(await once(child, 'exit')).toEqual([expected, null]);
		const { mcpServers } = JSON.parse(readFileSync(join(place.cwd, 'orchestra.json'), 'utf8'));
		expect([Object.keys(mcpServers), mcpServers[name]]).toEqual([names, { command: 'cat' }]);
		expect(place.secrets()).toHaveLength(names.length - 1);
		expect(place.bundles()).toHaveLength(names.length - 1);
	});

	it('is taken from a URL only with its hash', async () => {
		const bytes = bundleOf({
			...manifest,
			user_config: {},
			server: {
				...manifest.server,
				mcp_config: { command: 'node', args: ['${__dirname}/server/index.mjs'] },
			},
		});
		const server = await serveRaw(({ path }, response) =>
			path.endsWith('/y.mcpb') ? response.end(bytes) : response.writeHead(302, { location: '/y.mcpb' }).end(),
		);
		const url = `${new URL(server.url).origin}/x.mcpb`;
		const place = openPlace(bytes);
		expect((await place.run('add', url, '--yes')).stderr).toContain('needs --sha256 HASH');
		expect((await place.run('add', url, '--yes', '--sha256', '0'.repeat(64))).stderr).toContain(
			'has another content than expected',
		);
		expect(place.leftBehind()).toEqual([]);
		const hash = createHash('sha256').update(bytes).digest('hex');
		expect((await place.run('add', url, '--yes', '--sha256', hash)).code).toBe(0);
		const registry = await startRegistry({
			name: 'io.github.acme/bundled',
			version: '1.0.0',
			packages: [{ ...npmPackage(url, '1.0.0'), registryType: 'mcpb', fileSha256: hash }],
		});
		expect(
			(
				await place.run(
					'add',
					'io.github.acme/bundled',
					'--as',
					'listed',
					'--yes',
					'--registry',
					registry.url,
				)
			).code,
		).toBe(0);
		expect((await place.run('call', 'listed', 'where')).code).toBe(0);
	});

	it.skipIf(process.platform === 'win32')('leaves nothing behind where nothing can be written', async () => {
		const place = openPlace(bundleOf(manifest));
		const words = ['add', './x.mcpb', '--set', 'dirs=/x', '--set', 'key=secretsecret', '--yes'];
		const { code, stderr } = await place.runOnFullDisk(...words);
		expect([code, stderr]).toEqual([69, expect.stringContaining('cannot be written: EFBIG')]);
		expect([...place.leftBehind(), ...place.secrets(), ...place.unfinished()]).toEqual([]);
	});

	it.each([
		['a path out of its folder', [{ name: '../../evil', content: 'x' }], 'invalid relative path'],
		['an absolute path', [{ name: '/etc/evil', content: 'x' }], 'absolute path'],
		['a backslash', [{ name: 'a\\..\\b', content: 'x' }], 'invalid characters'],
		['a link', [{ name: 'link', content: '/etc/passwd', mode: 0o120777 }], 'is a link or a device'],
		[
			'a name twice',
			[
				{ name: 'a', content: '1' },
				{ name: 'a', content: '2' },
			],
			'EEXIST',
		],
		['a claim of 3 GB', [{ name: 'bomb', content: 'x', claimedSize: 3_000_000_000 }], 'size mismatch'],
	] as [string, ZippedFile[], string][])(
		'with %s is refused, and leaves nothing behind',
		async (_, files, reason) => {
			const place = openPlace(
				bundleOf(
					{
						...manifest,
						user_config: {},
						server: { type: 'node', entry_point: 'a', mcp_config: { command: 'node', args: [] } },
					},
					...files,
				),
			);
			const { code, stderr } = await place.add('--yes');
			expect([code, stderr]).toEqual([64, expect.stringContaining(reason)]);
			expect(place.leftBehind()).toEqual([]);
		},
	);

	it.each([
		['no zip', Buffer.from('hello'), 'cannot be used'],
		['no manifest', zipOf({ name: 'a', content: '' }), 'has no manifest.json'],
		['a broken manifest', zipOf({ name: 'manifest.json', content: '{' }), 'cannot be used'],
		['no server', bundleOf({ ...manifest, server: undefined }), 'server must be an object'],
		[
			'a variable of the environment',
			bundleOf({
				...manifest,
				server: { ...manifest.server, mcp_config: { command: 'node', args: ['${cmd:id}'] } },
			}),
			'nothing is known about ${cmd:id}',
		],
		[
			'a default that names a command',
			bundleOf({
				...manifest,
				user_config: { ...manifest.user_config, note: { type: 'string', default: '${cmd:id}' } },
			}),
			'nothing is known about ${cmd:id}',
		],
		[
			'a command out of its folder',
			bundleOf({ ...manifest, server: { type: 'binary', mcp_config: { command: '../../run', args: [] } } }),
			'its command ../../run leads out of it',
		],
		[
			'a variable with another name than is shown',
			bundleOf({
				...manifest,
				server: { ...manifest.server, mcp_config: { command: 'node', env: { 'A=B': '1' } } },
			}),
			'mcpConfig.env must be an object of variables',
		],
		[
			'another platform',
			bundleOf({ ...manifest, compatibility: { platforms: ['plan9'] } }),
			'works on plan9',
		],
	])('that has %s is refused', async (_, bytes, reason) => {
		const place = openPlace(bytes);
		const { code, stderr } = await place.add('--set', 'dirs=/x', '--yes');
		expect([code, stderr]).toEqual([64, expect.stringContaining(reason)]);
		expect(place.leftBehind()).toEqual([]);
	});
});

function bundleOf(value: object, ...more: ZippedFile[]): Buffer {
	return zipOf(
		{ name: 'manifest.json', content: JSON.stringify(value) },
		{ name: 'server/index.mjs', content: program },
		...more,
	);
}

interface Place {
	readonly cwd: string;
	/** Where bundles are unpacked. */
	readonly folder: string;
	bundles(): string[];
	/** Names of stored secrets, and of records of changes that were not finished. */
	secrets(): string[];
	unfinished(): string[];
	/** Keep other processes from writing pins. Returns how to let them. */
	lockPins(): () => void;
	/** Run mctl in a process of its own. */
	start(...words: string[]): ReturnType<typeof startMctl>;
	/** Run mctl in a process that can make files, and write no byte to them. */
	runOnFullDisk(...words: string[]): Promise<MctlResult>;
	/** What a failed command may not leave. */
	leftBehind(): string[];
	entry(): unknown;
	add(...words: string[]): Promise<MctlResult>;
	run(...words: string[]): Promise<MctlResult>;
}

function openPlace(bytes: Uint8Array): Place {
	const home = temporaryFolder();
	const cwd = writeFiles(join(home, 'work'), { 'orchestra.json': '{"mcpServers":{}}' });
	writeFileSync(join(cwd, 'x.mcpb'), bytes);
	const state = join(home, '.local/state/orchestra');
	const folder = join(state, 'bundles');
	const env = {
		HOME: home,
		XDG_CONFIG_HOME: '',
		XDG_STATE_HOME: '',
		DBUS_SESSION_BUS_ADDRESS: '',
		NO_PROXY: '127.0.0.1',
	};
	const namesIn = (path: string): string[] => (existsSync(path) ? readdirSync(path) : []);
	const bundles = (): string[] => namesIn(folder);
	const text = (): string => readFileSync(join(cwd, 'orchestra.json'), 'utf8');
	const run = (...words: string[]): Promise<MctlResult> => mctl(words, { cwd, env });
	return {
		cwd,
		folder,
		bundles,
		secrets: () => namesIn(join(state, 'secrets')),
		unfinished: () => namesIn(join(state, 'unfinished')),
		lockPins: () => {
			const pins = pinPlace(join(cwd, 'orchestra.json'), { HOME: home }).folder;
			writeFiles(pins, { '.lock': `${process.pid}\n` });
			return () => rmSync(join(pins, '.lock'), { force: true });
		},
		start: (...words) => startMctl(words, { cwd, env }),
		runOnFullDisk: (...words) => mctlProcess(words, { cwd, env, before: 'ulimit -f 0' }),
		leftBehind: () => [
			...bundles(),
			...(text() === '{"mcpServers":{}}' ? [] : ['orchestra.json']),
			...readdirSync(cwd).filter((name) => name === 'orchestra.lock'),
		],
		entry: () => (JSON.parse(text()) as { mcpServers: Record<string, unknown> }).mcpServers['files'],
		add: (...words) => run('add', './x.mcpb', ...words),
		run,
	};
}
