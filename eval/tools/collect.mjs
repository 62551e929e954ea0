/*
 * Install the public MCP servers of `eval/servers.json`, start each, and pack their tool
 * lists into `catalogue.json.gz`, which the eval reads: `node eval/tools/collect.mjs`.
 * Installed packages stay in a cache folder outside of the repository
 * (`ORCHESTRA_EVAL_CACHE`); a server that has its list there is not started again.
 * Install scripts do not run, and servers get no environment of ours but PATH. Only
 * servers under a free licence, named in `servers.json`, are in the catalogue.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { connectServer } from '../../dist/mcp/index.js';

const INSTALL_MS = 900_000;
const START_MS = 60_000;
/** Servers that are installed or started at the same time. */
const PARALLEL = 2;
const run = promisify(execFile);
const cache = process.env.ORCHESTRA_EVAL_CACHE ?? join(homedir(), '.cache', 'orchestra-eval');
const catalogue = join(import.meta.dirname, 'catalogue.json.gz');

/** Collect what is missing. Prints one line per server. */
async function collect() {
	const servers = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'servers.json'), 'utf8'));
	mkdirSync(join(cache, 'lists'), { recursive: true });
	const waiting = servers.filter(({ name }) => !existsSync(listFile(name)));
	const worker = async () => {
		for (let server = waiting.shift(); server; server = waiting.shift()) await collectOne(server);
	};
	await Promise.all(Array.from({ length: PARALLEL }, worker));
	const lists = servers
		.filter(({ name }) => existsSync(listFile(name)))
		.map(({ name }) => JSON.parse(readFileSync(listFile(name), 'utf8')))
		.sort((a, b) => (a.name < b.name ? -1 : 1));
	writeFileSync(catalogue, gzipSync(JSON.stringify(lists), { level: 9 }));
	console.log(`${lists.length} servers, ${lists.reduce((sum, { tools }) => sum + tools.length, 0)} tools`);
}

async function collectOne(server) {
	try {
		const target = await install(server);
		const listed = await listTools(server, target);
		writeFileSync(listFile(server.name), JSON.stringify({ name: server.name, ...listed }));
		console.log(`${server.name}: ${listed.tools.length} tools`);
	} catch (error) {
		console.log(`${server.name}: ${String(error.message).split('\n')[0]}`);
	}
}

async function listTools({ name, args = [], env = {}, files = {} }, { command, before }) {
	const home = join(cache, 'home', name);
	mkdirSync(home, { recursive: true });
	for (const [file, content] of Object.entries(files)) {
		mkdirSync(dirname(join(home, file)), { recursive: true });
		writeFileSync(join(home, file), JSON.stringify(content));
	}
	const record = { command, args: [...before, ...args], cwd: home, env: { ...env, HOME: home } };
	const parentEnvironment = { PATH: process.env.PATH };
	const client = await connectServer(record, { parentEnvironment, stderr: 'ignore', startMs: START_MS });
	try {
		const { tools } = await client.listTools();
		return { serverInfo: client.serverInfo, instructions: client.instructions, tools };
	} finally {
		await client.close();
	}
}

function install(server) {
	if (server.npm) return installNpm(server);
	return server.go ? installGo(server) : installPyPi(server);
}

async function installNpm({ name, npm, version = 'latest' }) {
	const folder = join(cache, 'npm', name);
	mkdirSync(folder, { recursive: true });
	const manifest = join(folder, 'node_modules', npm, 'package.json');
	if (!existsSync(manifest)) {
		const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--prefix', folder];
		await run('nice', ['-n', '10', 'npm', 'install', ...flags, `${npm}@${version}`], {
			timeout: INSTALL_MS,
			cwd: folder,
		});
	}
	const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
	const program = typeof bin === 'string' ? bin : (bin[npm.split('/').at(-1)] ?? Object.values(bin)[0]);
	return { command: process.execPath, before: [join(folder, 'node_modules', npm, program)] };
}

/** `requires` holds further requirements, for a package that does not bound its own. */
async function installPyPi({ name, pypi, version, command = pypi, requires = [] }) {
	const folder = join(cache, 'pypi', name);
	const program = join(folder, 'bin', command);
	if (!existsSync(program)) {
		await run('nice', ['-n', '10', 'python3', '-m', 'venv', folder], { timeout: INSTALL_MS });
		const flags = ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:'];
		const python = join(folder, 'bin', 'python');
		await run('nice', ['-n', '10', python, ...flags, version ? `${pypi}==${version}` : pypi, ...requires], {
			timeout: INSTALL_MS,
		});
	}
	return { command: program, before: [] };
}

/** A Go module is built from source, with cgo off. */
async function installGo({ name, go, version = 'latest' }) {
	const folder = join(cache, 'go', name);
	const program = join(folder, go.split('/').at(-1));
	if (!existsSync(program)) {
		mkdirSync(folder, { recursive: true });
		const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0' };
		await run('nice', ['-n', '10', 'go', 'install', `${go}@${version}`], { timeout: INSTALL_MS, env });
	}
	return { command: program, before: [] };
}

function listFile(name) {
	return join(cache, 'lists', `${name}.json`);
}

await collect();
