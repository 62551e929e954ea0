import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml, stringify as stringifyYaml } from 'yaml';
import { parseJsonc } from '../../../src/config/jsonc.ts';
import { type AgentName, agentProgram, runAgent } from '../../support/agents.ts';
import { type ClientHome, clientHome, snapshot } from '../../support/client-home.ts';
import { type MctlResult, mctl } from '../../support/mctl.ts';

type Value = Record<string, unknown>;

const cursor = '.cursor/mcp.json';

describe('mctl init --undo after others wrote the file', () => {
	it.each<[string, (value: Value) => string]>([
		['another indentation', (value) => JSON.stringify(value, null, 4)],
		['one line', (value) => JSON.stringify(value)],
		['keys added', (value) => JSON.stringify({ ...value, added: { a: [1] } }, null, 2)],
		['keys in another order', (value) => JSON.stringify(reversed(value), null, 2)],
		['keys of its own in our entry', (value) => JSON.stringify(withEnv(value), null, 2)],
	])('restores the servers after %s', async (_, rewrite) => {
		const place = clientHome(/^\.cursor|^\.claude\.json/);
		await init(place, '--yes');
		for (const file of [cursor, '.claude.json']) edit(place, file, (text) => rewrite(jsonOf(text)));
		const others = [cursor, '.claude.json'].map((file) => withoutServers(jsonOf(textOf(place, file))));
		const { code, stderr } = await init(place, '--undo');
		expect([code, stderr]).toEqual([0, expect.stringMatching(/^note: changed files were copied/)]);
		for (const [index, file] of [cursor, '.claude.json'].entries()) {
			const value = jsonOf(textOf(place, file));
			expect(serversOf(value)).toEqual(serversOf(jsonOf(place.files[file] ?? '')));
			expect(withoutServers(value)).toEqual(others[index]);
		}
		expect(existsSync(join(place.project, 'orchestra.json'))).toBe(false);
		expect(existsSync(join(place.home, '.config/orchestra'))).toBe(false);
	});

	it('restores the servers into a file that was replaced, and keeps a copy with the time in its name', async () => {
		const place = clientHome(/^\.cursor/);
		await init(place, '--yes');
		edit(place, cursor, () => '{"mcpServers":{"mine":{"command":"m"}}}\n');
		const { stderr } = await init(place, '--undo');
		const { files, 'from-cursor': own } = serversOf(jsonOf(place.files[cursor] ?? ''));
		expect(serversOf(jsonOf(textOf(place, cursor)))).toEqual({
			mine: { command: 'm' },
			files,
			'from-cursor': own,
		});
		const [copy = ''] = /\/\S*mcp\.json\.\d{8}T\d{6}\.\d{3}Z/.exec(stderr) ?? [];
		expect(readFileSync(copy, 'utf8')).toBe('{"mcpServers":{"mine":{"command":"m"}}}\n');
		expect(statSync(copy).mode & 0o777).toBe(0o600);
		expect((await init(place, '--undo')).stderr).toContain('there is nothing to undo');
	});

	it('writes a deleted file again, byte for byte', async () => {
		const place = clientHome(/^\.cursor/);
		const before = snapshot(place.home);
		await init(place, '--yes');
		rmSync(join(place.home, '.cursor'), { recursive: true });
		const { code, stderr } = await init(place, '--undo');
		expect([code, stderr, snapshot(place.home)]).toEqual([0, '', before]);
	});

	it('restores the others when a file does not parse, names it, and finishes when it is corrected', async () => {
		const place = clientHome(/^\.cursor|windsurf/);
		const before = snapshot(place.home);
		await init(place, '--yes');
		const written = textOf(place, cursor);
		edit(place, cursor, () => '{ "mcpServers": { oops');
		const { code, stdout, stderr } = await init(place, '--undo');
		expect([code, stdout]).toEqual([64, expect.stringContaining('mcp_config.json')]);
		expect(stderr).toMatch(/mctl: 1 file was not restored: .*\.cursor\/mcp\.json:1: expected/);
		expect(textOf(place, cursor)).toBe('{ "mcpServers": { oops');
		// The servers of the broken file are nowhere else.
		expect(textOf(place, '.config/orchestra/config.json')).toContain('from-cursor');
		edit(place, cursor, () => written);
		expect((await init(place, '--undo')).code).toBe(0);
		expect(snapshot(place.home)).toEqual(before);
	});

	it('restores the old file with --force where the present one does not parse, and keeps a copy', async () => {
		const place = clientHome(/^\.cursor/);
		const before = snapshot(place.home);
		await init(place, '--yes');
		edit(place, cursor, () => 'oops');
		const { code, stderr } = await init(place, '--undo', '--force');
		expect([code, snapshot(place.home)]).toEqual([0, before]);
		const [copy = ''] = /\/\S*mcp\.json\.\d+T\S*/.exec(stderr) ?? [];
		expect(readFileSync(copy, 'utf8')).toBe('oops');
	});

	it('does not restore again what a first undo restored', async () => {
		const place = clientHome(/^\.cursor|windsurf/);
		await init(place, '--yes');
		edit(place, cursor, () => 'oops');
		await init(place, '--undo');
		edit(place, '.codeium/windsurf/mcp_config.json', () => '{"mcpServers":{}}');
		await init(place, '--undo', '--force');
		expect(textOf(place, '.codeium/windsurf/mcp_config.json')).toBe('{"mcpServers":{}}');
	});

	it('leaves a server alone that was added again under the old name, and says where the old one is', async () => {
		const place = clientHome(/^\.cursor/);
		await init(place, '--yes');
		edit(place, cursor, (text) =>
			text.replace('"mcpServers": {', '"mcpServers": { "files": {"command":"new"},'),
		);
		const { code, stderr } = await init(place, '--undo');
		expect([code, stderr]).toEqual([0, expect.stringContaining('has its own files by now, which stays')]);
		const servers = serversOf(jsonOf(textOf(place, cursor)));
		expect([servers['files'], Object.keys(servers).toSorted()]).toEqual([
			{ command: 'new' },
			['files', 'from-cursor'],
		]);
		const [backup = ''] = /the old one is in (\S+)/.exec(stderr)?.slice(1) ?? [];
		const copies = readdirSync(backup).map((name) => readFileSync(join(backup, name), 'utf8'));
		expect(copies).toContain(place.files[cursor]);
	});

	it('restores tables of Codex and lists of Continue', async () => {
		const place = clientHome(/codex\/config|continue\/config/);
		await init(place, '--yes');
		edit(place, '.codex/config.toml', (text) => `${text}\n[mcp_servers.later]\ncommand = "l"\n`);
		edit(place, '.continue/config.yaml', (text) =>
			stringifyYaml({ ...parseYaml(text), mcpServers: [{ name: 'later', command: 'l' }] }, { indent: 4 }),
		);
		edit(place, 'work/.codex/config.toml', () => '[mcp_servers]\n');
		expect((await init(place, '--undo')).code).toBe(0);
		expect(parseToml(textOf(place, '.codex/config.toml'))).toEqual({
			...parseToml(place.files['.codex/config.toml'] ?? ''),
			mcp_servers: {
				...Object(parseToml(place.files['.codex/config.toml'] ?? '')['mcp_servers']),
				later: { command: 'l' },
			},
		});
		expect(parseToml(textOf(place, 'work/.codex/config.toml'))).toEqual(
			parseToml(place.files['work/.codex/config.toml'] ?? ''),
		);
		const { mcpServers } = parseYaml(place.files['.continue/config.yaml'] ?? '');
		expect(parseYaml(textOf(place, '.continue/config.yaml')).mcpServers).toEqual([
			{ name: 'later', command: 'l' },
			...mcpServers,
		]);
		expect(existsSync(join(place.home, '.continue/mcpServers'))).toBe(false);
	});

	it('leaves every other file restored when one cannot be written', async () => {
		const place = clientHome(/^\.cursor|windsurf/);
		await init(place, '--yes');
		rmSync(join(place.home, cursor));
		mkdirSync(join(place.home, cursor));
		const { code, stderr } = await init(place, '--undo');
		expect([code, stderr]).toEqual([64, expect.stringContaining('1 file was not restored')]);
		expect(textOf(place, '.codeium/windsurf/mcp_config.json')).toBe(
			place.files['.codeium/windsurf/mcp_config.json'],
		);
	});

	it('keeps a symbolic link that came since, and restores its target', async () => {
		const place = clientHome(/^\.cursor/);
		await init(place, '--yes');
		writeFileSync(join(place.home, 'dotfiles.json'), textOf(place, cursor));
		rmSync(join(place.home, cursor));
		symlinkSync(join(place.home, 'dotfiles.json'), join(place.home, cursor));
		await init(place, '--undo');
		expect(textOf(place, 'dotfiles.json')).toBe(place.files[cursor]);
	});
});

describe('mctl init --undo and the own configuration', () => {
	it('keeps an orchestra.json with a server that mctl add wrote, without what init wrote', async () => {
		const place = clientHome(/^work\/\.cursor/);
		const env = { ...place.env, ORCHESTRA_TRUST: '' };
		await mctl(['trust'], { cwd: place.project, env });
		await mctl(['init', '--only', 'from-cursor-project'], { cwd: place.project, env });
		await mctl(['trust'], { cwd: place.project, env });
		await mctl(['add', 'mine', '--', 'node', 'x'], { cwd: place.project, env });
		const undone = await mctl(['init', '--undo'], { cwd: place.project, env });
		expect(undone.code).toBe(0);
		const text = textOf(place, 'work/orchestra.json');
		expect(serversOf(jsonOf(text))).toEqual({ mine: { command: 'node', args: ['x'] } });
		expect(text).toContain('// Programs that speak orchestra.plugin.v1.');
		// The edit is the user's own, so the file stays trusted.
		const { stderr } = await mctl(['list', 'servers'], { cwd: place.project, env });
		expect(stderr).toBe('');
		expect(textOf(place, 'work/.cursor/mcp.json')).toBe(place.files['work/.cursor/mcp.json']);
	});

	it('keeps a server that was changed since, and other settings', async () => {
		const place = clientHome(/^work\/\.cursor/);
		await init(place, '--yes');
		edit(place, 'work/orchestra.json', (text) =>
			text.replace('"requestMs": 30000', '"requestMs": 1000').replace('"cwd": "."', '"cwd": "./sub"'),
		);
		const { code, stderr } = await init(place, '--undo');
		expect([code, stderr]).toEqual([0, expect.stringContaining('has its own from-cursor-project by now')]);
		expect(jsonOf(textOf(place, 'work/orchestra.json'))).toMatchObject({
			mcpServers: { 'from-cursor-project': { cwd: './sub' } },
			limits: { requestMs: 1000 },
		});
	});

	it('removes an orchestra.json that only another program has formatted, and its lock', async () => {
		const place = clientHome(/^work\/\.cursor/);
		const before = snapshot(place.home);
		await init(place, '--yes');
		edit(place, 'work/orchestra.json', (text) => JSON.stringify(jsonOf(text)));
		writeFileSync(join(place.project, 'orchestra.lock'), '{}');
		expect((await init(place, '--undo')).code).toBe(0);
		expect(snapshot(place.home)).toEqual(before);
	});
});

describe('mctl init --undo after the real agent wrote its file', () => {
	const cases: [AgentName, string, RegExp, string[][]][] = [
		[
			'claude',
			'.claude.json',
			/^\.claude\.json/,
			[
				['mcp', 'add', 'later', '-s', 'user', '--', 'npx', 'later'],
				['mcp', 'add', 'gone', '--', 'npx', 'gone'],
				['mcp', 'remove', 'gone'],
				['mcp', 'get', 'later'],
			],
		],
		['codex', '.codex/config.toml', /^\.codex/, [['mcp', 'add', 'later', '--', 'npx', 'later']]],
		['gemini', '.gemini/settings.json', /^\.gemini/, [['mcp', 'add', '-s', 'user', 'later', 'npx', 'later']]],
		['opencode', '.config/opencode/opencode.json', /^\.config\/opencode/, [['debug', 'config']]],
	];
	const installed = cases.filter(([name]) => agentProgram(name) !== undefined);
	it.each(installed)(
		'%s',
		async (name, file, pattern, commands) => {
			const place = clientHome(pattern);
			const key = { claude: 'mcpServers', codex: 'mcp_servers', gemini: 'mcpServers', opencode: 'mcp' }[name];
			await init(place, '--yes');
			for (const command of commands) await runAgent(name, command, place);
			const written = valueOf(place, file);
			const { code, stderr } = await init(place, '--undo');
			expect([code, stderr]).toEqual([0, expect.not.stringContaining('not restored')]);
			const { later } = Object(written[key]);
			const old = Object(parsed(place.files[file] ?? '', file)[key]);
			const now = valueOf(place, file);
			expect(now[key]).toEqual(later === undefined ? old : { ...old, later });
			// The agent wrote what it writes at a start, and it is still there.
			const { [key]: _servers, projects: _projects, ...rest } = written;
			expect(now).toMatchObject(rest);
		},
		180_000,
	);

	for (const [name] of cases) {
		if (agentProgram(name) === undefined)
			it.skip(`${name} is not installed: set ORCHESTRA_AGENTS to a folder with it`);
	}
});

function init({ project, env }: ClientHome, ...flags: string[]): Promise<MctlResult> {
	return mctl(['init', ...flags], { cwd: project, env });
}

function textOf({ home }: ClientHome, file: string): string {
	return readFileSync(join(home, file), 'utf8');
}

function edit(place: ClientHome, file: string, change: (text: string) => string): void {
	writeFileSync(join(place.home, file), change(textOf(place, file)));
}

function jsonOf(text: string): Value {
	return Object(parseJsonc(text.replace(/^\uFEFF/, ''), 'x').value);
}

function parsed(text: string, file: string): Value {
	return file.endsWith('.toml') ? parseToml(text) : jsonOf(text);
}

function valueOf(place: ClientHome, file: string): Value {
	return parsed(textOf(place, file), file);
}

function serversOf(value: Value): Value {
	return Object(value['mcpServers']);
}

/** The rest of a file. */
function withoutServers(value: Value): Value {
	const { mcpServers: _servers, ...rest } = value;
	const { projects } = rest;
	if (projects === undefined) return rest;
	const others = Object.entries(Object(projects)).map(([folder, inner]) => {
		const { mcpServers: _servers, ...settings } = Object(inner);
		return [folder, settings];
	});
	return { ...rest, projects: Object.fromEntries(others) };
}

function reversed(value: unknown): unknown {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
	return Object.fromEntries(
		Object.entries(value)
			.toReversed()
			.map(([key, inner]) => [key, reversed(inner)]),
	);
}

function withEnv(value: Value): Value {
	const { orchestra, ...rest } = serversOf(value);
	return { ...value, mcpServers: { ...rest, orchestra: { ...Object(orchestra), env: {}, disabled: false } } };
}
