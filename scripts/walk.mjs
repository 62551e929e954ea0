/*
 * The first five minutes of a new user, and the way back: clone, demo, both ways to
 * install, init over twelve files of nine clients, use, edit, undo.
 *
 *   node scripts/walk.mjs [--keep]
 *
 * Everything happens in a temporary folder with a home of its own; --keep leaves it there.
 * Git, Node.js and the npm registry are all it needs. It checks itself, and exits with 1
 * at the first thing that is not as it must be.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text as textFrom } from 'node:stream/consumers';

const repository = dirname(import.meta.dirname);
const top = realpathSync(mkdtempSync(join(tmpdir(), 'orchestra-walk-')));
const home = join(top, 'home');
const work = join(home, 'work');
const clone = join(top, 'clone');
const server = join(home, 'echo-server.mjs');
/** How long one answer of a server may take. */
const ANSWER_MS = 60_000;

/** An MCP server in one file: its tool `echo` answers with the name of the server and the text. */
const SERVER = `import { createInterface } from 'node:readline';
const send = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
const info = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1' } };
const tool = { name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };
for await (const line of createInterface({ input: process.stdin })) {
	const { id, method, params } = JSON.parse(line);
	if (id === undefined) continue;
	if (method === 'initialize') send(id, info);
	else if (method === 'tools/list') send(id, { tools: [tool] });
	else if (method === 'tools/call') send(id, { content: [{ type: 'text', text: process.argv[2] + ' ' + params.arguments.text }] });
	else console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no ' + method } }));
}
`;

const applications = process.platform === 'darwin' ? 'Library/Application Support' : '.config';
const command = process.execPath;
const entry = (name) => ({ command, args: [server, name] });
const list = (name) => ({ type: 'local', command: [command, server, name], enabled: true });
const table = (name) =>
	`[mcp_servers.${name}]\ncommand = ${JSON.stringify(command)}\nargs = [${JSON.stringify(server)}, "${name}"]\n`;
const json = (value, space = 2) => `${JSON.stringify(value, null, space)}\n`;

/** Twelve files of nine clients. */
const clients = [
	client('.claude.json', 'mcpServers', 'claude', { numStartups: 7, tips: { a: 1 } }),
	client('work/.mcp.json', 'mcpServers', 'claude-project'),
	client(`${applications}/Claude/claude_desktop_config.json`, 'mcpServers', 'desktop'),
	client('.cursor/mcp.json', 'mcpServers', 'cursor'),
	client('work/.cursor/mcp.json', 'mcpServers', 'cursor-project'),
	client(`${applications}/Code/User/mcp.json`, 'servers', 'code', { inputs: [] }),
	client('work/.vscode/mcp.json', 'servers', 'code-project'),
	client('.codeium/windsurf/mcp_config.json', 'mcpServers', 'windsurf'),
	client('.gemini/settings.json', 'mcpServers', 'gemini', { theme: 'GitHub' }),
	client('.config/zed/settings.json', 'context_servers', 'zed', { ui_font_size: 16 }),
	client('.config/opencode/opencode.json', 'mcp', 'opencode'),
	client('.codex/config.toml', 'mcp_servers', 'codex'),
];

/** A file with a server of its own; those of the user have one more, which all have. */
function client(file, key, name, more = {}) {
	const one = key === 'mcp' ? list : entry;
	const shared = name.endsWith('-project') ? {} : { everywhere: one('everywhere') };
	const text = file.endsWith('.toml')
		? `model = "o3" # the best\n\n${table(name)}\n[profiles.fast]\nmodel = "mini"\n`
		: json({ ...more, [key]: { [name]: one(name), ...shared } });
	return { file, key, name, text };
}

const environment = {
	...Object.fromEntries(
		Object.entries(process.env).filter(([name]) => !/^(?:XDG_|CLAUDE_|CODEX_|ORCHESTRA_)/.test(name)),
	),
	HOME: home,
	// The first run of a clone installs packages from the registry that this user has.
	npm_config_userconfig: join(homedir(), '.npmrc'),
	npm_config_cache: join(homedir(), '.npm'),
};

async function main() {
	await step('clone', () => run('git', ['clone', '--quiet', '--depth', '1', `file://${repository}`, clone]));
	await step('./mctl demo, which installs and builds first', () => {
		const { stdout } = run('./mctl', ['demo'], { cwd: clone });
		match(stdout, /\S/);
	});
	const installs = { 'a link to the checkout': await linked(), 'npm pack and npm i -g': await packed() };
	for (const [title, bin] of Object.entries(installs)) await walkWith(title, bin);
}

function linked() {
	const bin = join(top, 'linked');
	return step('install: a link to the checkout on PATH', () => {
		mkdirSync(bin);
		symlinkSync(join(clone, 'mctl'), join(bin, 'mctl'));
		return bin;
	});
}

function packed() {
	return step('install: npm pack, npm i -g', () => {
		const npm = { cwd: clone, env: process.env };
		const [{ filename }] = JSON.parse(
			run('npm', ['pack', '--json', '--silent', '--ignore-scripts'], npm).stdout,
		);
		run(
			'npm',
			['i', '-g', '--no-audit', '--no-fund', '--silent', '--prefix', join(top, 'npm'), join(clone, filename)],
			npm,
		);
		return join(top, 'npm', 'bin');
	});
}

/** init, use, edit, undo with the `mctl` of this folder. */
async function walkWith(title, bin) {
	console.log(`\n${title}`);
	const mctl = (...args) => run('mctl', args, { cwd: work, path: bin });
	writeHome();
	const before = snapshot();
	await step('mctl list --clients shows every server, and changes nothing', () => {
		const { clients: listed } = JSON.parse(mctl('list', '--clients', '--json').stdout);
		for (const { name } of clients)
			ok(
				listed.some((each) => each.server === name && each.state === 'not imported'),
				name,
			);
		deepStrictEqual(snapshot(), before);
	});
	await step('mctl init --dry-run changes nothing', () => {
		match(mctl('init', '--dry-run').stdout, /\+\+\+ .*orchestra\.json/);
		deepStrictEqual(snapshot(), before);
	});
	await step(`mctl init --yes: ${clients.length} files`, () => {
		match(mctl('init', '--yes').stdout, /Undo: mctl init --undo/);
		// The servers of the project are the user's own here.
		mctl('trust');
	});
	for (const client of clients) {
		await step(`use: ${client.file}`, async () => {
			strictEqual(await callThrough(client, bin), `${client.name} hello`);
		});
	}
	await step('mctl init --undo: every byte as before', () => {
		mctl('hub', 'stop', '--all', '--force');
		mctl('init', '--undo');
		deepStrictEqual(snapshot(), before);
	});
	await step('edit: mctl add, files written again by their clients, a file deleted', () => editAll(mctl));
	await step('mctl init --undo: every server is back, and everything that was written since is there', () => {
		mctl('init', '--undo');
		checkUndone();
	});
	mctl('hub', 'stop', '--all', '--force');
}

/** As their programs do it: another layout, more keys, a server more. */
function editAll(mctl) {
	mctl('init', '--yes');
	mctl('add', 'later', '--scope', 'project', '--', command, server, 'later');
	for (const { file, key } of clients) {
		const path = join(home, file);
		if (file.endsWith('.toml')) writeFileSync(path, `${readFileSync(path, 'utf8')}\n${table('later')}`);
		else if (file.includes('windsurf')) rmSync(path);
		else {
			const value = JSON.parse(readFileSync(path, 'utf8'));
			value[key].later = entry('later');
			writeFileSync(path, json({ since: { a: [1] }, ...value }, '\t'));
		}
	}
}

function checkUndone() {
	for (const { file, key, text } of clients) {
		const now = readFileSync(join(home, file), 'utf8');
		if (file.includes('windsurf')) strictEqual(now, text);
		else if (file.endsWith('.toml')) {
			ok(
				!now.includes('[mcp_servers.orchestra]') &&
					now.includes(table('codex')) &&
					now.includes(table('later')),
				now,
			);
			ok(now.includes('model = "o3" # the best'), now);
		} else {
			const { since, ...value } = JSON.parse(now);
			const old = JSON.parse(text);
			old[key].later = entry('later');
			deepStrictEqual([since, value], [{ a: [1] }, old], file);
		}
	}
	const own = readFileSync(join(work, 'orchestra.json'), 'utf8');
	ok(own.includes('"later"') && !own.includes('"cursor-project"'), own);
	ok(!existsSync(join(home, '.config/orchestra/config.json')), 'the configuration of the user is gone');
}

function writeHome() {
	rmSync(home, { recursive: true, force: true });
	for (const [file, text] of [
		['echo-server.mjs', SERVER],
		...clients.map(({ file, text }) => [file, text]),
	]) {
		mkdirSync(dirname(join(home, file)), { recursive: true });
		writeFileSync(join(home, file), text);
	}
}

/** Every file of the home but the state of mctl. */
function snapshot() {
	const names = readdirSync(home, { recursive: true, encoding: 'utf8' });
	return Object.fromEntries(
		names
			.filter((name) => !/^\.local|^\.orchestra/.test(name) && statSync(join(home, name)).isFile())
			.sort()
			.map((name) => [name, readFileSync(join(home, name), 'latin1')]),
	);
}

/** One call, through exactly what the entry of the client says. */
async function callThrough({ file, key, name }, bin) {
	const words = entryWords(readFileSync(join(home, file), 'utf8'), file, key);
	const [program, ...args] = words;
	const env = { ...environment, PATH: `${bin}${delimiter}${process.env.PATH}` };
	const child = spawn(program, args, { cwd: work, env, stdio: 'pipe' });
	const exited = once(child, 'exit');
	const log = textFrom(child.stderr);
	const timer = setTimeout(() => child.kill(), ANSWER_MS);
	const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
	const clientInfo = { name: 'walk', version: '1' };
	const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
	send({ id: 1, method: 'initialize', params });
	try {
		for await (const line of createInterface({ input: child.stdout })) {
			const { id, result, error } = JSON.parse(line);
			if (id === 1) {
				send({ method: 'notifications/initialized' });
				send({
					id: 2,
					method: 'tools/call',
					params: { name: `${name}__echo`, arguments: { text: 'hello' } },
				});
			}
			if (id === 2) return result?.content?.[0]?.text ?? JSON.stringify(error);
		}
		throw new Error(`${words.join(' ')} ended without an answer:\n${await log}`);
	} finally {
		child.stdin.end();
		await exited;
		clearTimeout(timer);
	}
}

/** The command line of the entry that `mctl init` wrote. */
function entryWords(text, file, key) {
	if (file.endsWith('.toml')) {
		const [, own = ''] = text.split('[mcp_servers.orchestra]');
		const value = (key) => JSON.parse(new RegExp(`^${key} = (.*)$`, 'm').exec(own)?.[1] ?? '""');
		return [value('command'), ...value('args')];
	}
	const { command: program, args = [] } = JSON.parse(text)[key].orchestra;
	return [program, args].flat();
}

/** Run a program to its end. Throws with its output when it fails. */
function run(program, args, { cwd = top, env = environment, path } = {}) {
	const PATH = path === undefined ? env.PATH : `${path}${delimiter}${env.PATH}`;
	const result = spawnSync(program, args, {
		cwd,
		env: { ...env, PATH },
		encoding: 'utf8',
		maxBuffer: 64 * 1024 * 1024,
	});
	if (result.status === 0) return result;
	const output = `${result.stdout ?? ''}${result.stderr ?? ''}${result.error ?? ''}`;
	throw new Error(`${program} ${args.join(' ')} failed (${result.status ?? result.signal}):\n${output}`);
}

/** Print a step with its time when it is done. */
async function step(title, work) {
	const startedAt = performance.now();
	try {
		const value = await work();
		console.log(`✓ ${title} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
		return value;
	} catch (error) {
		console.error(`✗ ${title}`);
		throw error;
	}
}

try {
	await main();
	console.log('\nThe walk is complete.');
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
} finally {
	if (existsSync(join(clone, 'dist/cli/main.js')))
		execFileSync(process.execPath, [join(clone, 'dist/cli/main.js'), 'hub', 'stop', '--all', '--force'], {
			cwd: top,
			env: environment,
			stdio: 'ignore',
		});
	if (process.argv.includes('--keep')) console.log(`The folder is ${top}`);
	else rmSync(top, { recursive: true, force: true, maxRetries: 5 });
}
