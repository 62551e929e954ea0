/*
 * Records the corpus of `npm run eval -- results`: results of real servers about real data, called
 * with the official SDK.
 *
 *     node eval/results/record.mjs --npm DIR --python DIR
 *
 * DIR of npm has `npm install @modelcontextprotocol/server-filesystem @modelcontextprotocol/server-memory
 * @octokit/fixtures`; DIR of Python is a venv with `mcp-server-git mcp-server-sqlite mcp-server-time 'mcp<2'`.
 * Needs Debian with `git`, `sqlite3` and `nodejs-doc`. Writes `corpus.json.gz`. The questions are about what was recorded
 * last: whoever records again reads them again (`questions.txt`).
 */
import { execFileSync } from 'node:child_process';
import {
	copyFileSync,
	cpSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const root = resolve(import.meta.dirname, '../..');
const valueOf = (flag) => resolve(process.argv[process.argv.indexOf(flag) + 1]);
const [npm, python] = ['--npm', '--python'].map(valueOf);
const modules = join(npm, 'node_modules');
const sdk = join(modules, '@modelcontextprotocol/sdk');
/** Longer results make the file large and the questions no better. */
const MOST_CHARACTERS = 450_000;
const folder = mkdtempSync(join(tmpdir(), 'results-'));
const corpus = [];

try {
	copyData();
	makeDatabase();
	await files();
	await git();
	await database();
	await memory();
	await time();
	writeFileSync(join(import.meta.dirname, 'corpus.json.gz'), gzipSync(JSON.stringify(corpus), { level: 9 }));
	console.log(`${corpus.length} results`);
} finally {
	rmSync(folder, { recursive: true, force: true });
}

/** What the servers read: code, a log, tables, pages, and recorded answers of an API. */
function copyData() {
	cpSync(sdk, join(folder, 'sdk'), {
		recursive: true,
		filter: (path) => !/\.map$|\/cjs(\/|$)|examples/.test(path),
	});
	cpSync(join(modules, '@octokit/fixtures/scenarios/api.github.com'), join(folder, 'api'), {
		recursive: true,
	});
	for (const name of ['docs', 'CHANGELOG.md', 'orchestra.schema.json'])
		cpSync(join(root, name), join(folder, 'hub', name), { recursive: true });
	mkdirSync(join(folder, 'system'));
	for (const path of [
		'/var/log/dpkg.log',
		'/usr/share/zoneinfo/zone1970.tab',
		'/usr/share/zoneinfo/iso3166.tab',
		'/usr/share/doc/nodejs/api/timers.html',
		'/usr/share/doc/nodejs/api/path.html',
		'/usr/share/doc/nodejs/api/os.html',
		'/usr/share/doc/nodejs/api/dgram.html',
	])
		copyFileSync(path, join(folder, 'system', path.split('/').at(-1)));
	copyFileSync(join(npm, 'package-lock.json'), join(folder, 'system/package-lock.json'));
	const records = readdirSync(join(python, 'lib'), { recursive: true }).filter((path) =>
		/(pydantic|mcp)-[\d.]+\.dist-info\/RECORD$/.test(path),
	);
	for (const path of records)
		copyFileSync(join(python, 'lib', path), join(folder, 'system', `${path.split('/').at(-2)}.csv`));
}

async function files() {
	const server = join(modules, '@modelcontextprotocol/server-filesystem/dist/index.js');
	await record('files', process.execPath, [server, folder], async (call) => {
		const at = (path) => ({ path: join(folder, path) });
		for (const path of ['sdk', 'api', '.']) await call('directory_tree', at(path));
		for (const path of ['hub/docs', 'sdk/dist/esm/shared', 'system'])
			await call('list_directory_with_sizes', at(path));
		await call('search_files', { ...at('sdk'), pattern: '**/*.d.ts' });
		await call('search_files', { ...at('api'), pattern: '**/*.json' });
		const code = [
			'types.js',
			'spec.types.d.ts',
			'shared/protocol.js',
			'client/auth.js',
			'client/index.js',
			'client/streamableHttp.js',
			'server/mcp.js',
			'server/index.js',
		];
		for (const name of code) await call('read_text_file', at(`sdk/dist/esm/${name}`));
		for (const name of ['README.md', 'package.json']) await call('read_text_file', at(`sdk/${name}`));
		for (const name of readdirSync(join(folder, 'system')).sort())
			await call('read_text_file', {
				...at(`system/${name}`),
				...(name.endsWith('.log') ? { head: 2500 } : {}),
			});
		for (const name of [
			'CHANGELOG.md',
			'orchestra.schema.json',
			'docs/cli.md',
			'docs/configuration.md',
			'docs/fabric.md',
			'docs/errors.md',
		])
			await call('read_text_file', at(`hub/${name}`));
		for (const name of readdirSync(join(folder, 'api')).sort())
			await call('read_text_file', at(`api/${name}/normalized-fixture.json`));
	});
}

async function git() {
	const tree = { repo_path: root };
	await record('git', join(python, 'bin/mcp-server-git'), ['--repository', root], async (call) => {
		await call('git_log', { ...tree, max_count: 300 });
		const commits = execFileSync('git', ['log', '--no-merges', '--format=%H', '-200', '--shortstat'], {
			cwd: root,
			encoding: 'utf8',
		});
		const large = [...commits.matchAll(/^([\da-f]{40})\n\n.* (\d+) insertions/gm)].filter(
			([, , count]) => count > 150 && count < 3000,
		);
		for (const [, revision] of large.slice(0, 8)) await call('git_show', { ...tree, revision });
	});
}

async function database() {
	await record(
		'sqlite',
		join(python, 'bin/mcp-server-sqlite'),
		['--db-path', join(folder, 'shop.db')],
		async (call) => {
			for (const query of [
				'SELECT * FROM packages ORDER BY name',
				'SELECT section, count(*) AS packages, sum(kilobytes) AS kilobytes FROM packages GROUP BY section ORDER BY section',
				"SELECT name, version, kilobytes FROM packages WHERE section = 'libs' ORDER BY name",
				'SELECT * FROM zones',
				"SELECT zone, comments FROM zones WHERE comments != '' ORDER BY zone",
			])
				await call('read_query', { query });
		},
	);
}

async function memory() {
	const server = join(modules, '@modelcontextprotocol/server-memory/dist/index.js');
	const env = { MEMORY_FILE_PATH: join(folder, 'memory.json') };
	const { packages } = JSON.parse(readFileSync(join(npm, 'package-lock.json'), 'utf8'));
	const known = Object.entries(packages).flatMap(([path, about]) =>
		path === '' ? [] : [{ name: path.replace(/.*node_modules\//, ''), ...about }],
	);
	const entities = known.map(({ name, version, license, engines }) => ({
		name,
		entityType: 'package',
		observations: [
			`version ${version}`,
			`license ${license}`,
			...(engines?.node ? [`needs node ${engines.node}`] : []),
		],
	}));
	const relations = known.flatMap(({ name, dependencies = {} }) =>
		Object.keys(dependencies).map((to) => ({ from: name, to, relationType: 'depends on' })),
	);
	await record(
		'memory',
		process.execPath,
		[server],
		async (call, use) => {
			await use('create_entities', { entities });
			await use('create_relations', { relations });
			await call('read_graph', {});
			await call('search_nodes', { query: 'ISC' });
			await call('open_nodes', { names: ['express', 'ajv', 'zod', 'hono', 'nock', 'glob'] });
		},
		env,
	);
}

async function time() {
	await record('time', join(python, 'bin/mcp-server-time'), [], async (call) => {
		await call('get_current_time', { timezone: 'Asia/Kathmandu' });
		await call('convert_time', {
			source_timezone: 'Europe/Zurich',
			time: '14:30',
			target_timezone: 'America/St_Johns',
		});
	});
}

/** Calls of one server; what it answered is kept. */
async function record(name, command, args, work, env = {}) {
	const client = new Client({ name: 'recorder', version: '1' });
	await client.connect(
		new StdioClientTransport({ command, args, env: { ...process.env, ...env }, stderr: 'ignore' }),
	);
	const use = (tool, input) => client.callTool({ name: tool, arguments: input });
	// Names of folders and branches of the machine that records mean nothing elsewhere.
	const named = (text) =>
		text
			.replaceAll(folder, '/project')
			.replaceAll(root, '/project')
			.replaceAll(/Merge branch '.*?(?=\\n|$)/gm, 'Merge branch');
	const call = async (tool, input) => {
		const result = JSON.parse(named(JSON.stringify(await use(tool, input))));
		if (result.isError) throw new Error(`${tool}: ${JSON.stringify(result).slice(0, 300)}`);
		const size = JSON.stringify(result.content).length;
		const about = Object.values(input)
			.map((value) => named(String(value)).replace('/project/', ''))
			.join(' ');
		if (size < MOST_CHARACTERS)
			corpus.push({ name: `${tool} ${about}`.trim(), server: name, content: result.content });
	};
	await work(call, use);
	await client.close();
}

/** The packages of this machine, and the time zones of the world. */
function makeDatabase() {
	const format = '${Package}\t${Version}\t${Section}\t${Priority}\t${Installed-Size}\n';
	const packages = execFileSync('dpkg-query', ['-W', '-f', format], { encoding: 'utf8', maxBuffer: 1 << 24 });
	const zones = readFileSync('/usr/share/zoneinfo/zone1970.tab', 'utf8')
		.split('\n')
		.filter((line) => line !== '' && !line.startsWith('#'))
		.map((line) => [...line.split('\t'), ''].slice(0, 4).join('\t'));
	writeFileSync(join(folder, 'packages.tsv'), packages);
	writeFileSync(join(folder, 'zones.tsv'), `${zones.join('\n')}\n`);
	const commands = [
		'CREATE TABLE packages(name TEXT, version TEXT, section TEXT, priority TEXT, kilobytes INTEGER);',
		'CREATE TABLE zones(countries TEXT, position TEXT, zone TEXT, comments TEXT);',
		'.mode tabs',
		`.import ${join(folder, 'packages.tsv')} packages`,
		`.import ${join(folder, 'zones.tsv')} zones`,
	];
	execFileSync('sqlite3', [join(folder, 'shop.db')], { input: commands.join('\n') });
	rmSync(join(folder, 'packages.tsv'));
	rmSync(join(folder, 'zones.tsv'));
}
