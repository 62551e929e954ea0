/*
 * Records the corpus of `npm run eval -- results`: results of real servers, called with the official SDK.
 *
 *     node eval/results/record.mjs --fixtures DIR --git PROGRAM --sqlite PROGRAM
 *
 * DIR is the folder of the package `@octokit/fixtures`, the programs are `mcp-server-git` and
 * `mcp-server-sqlite` of PyPI. Needs `git` and `sqlite3`. Writes `corpus.json.gz`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const root = resolve(import.meta.dirname, '../..');
const valueOf = (flag) => process.argv[process.argv.indexOf(flag) + 1];
const [fixtures, gitServer, sqliteServer] = ['--fixtures', '--git', '--sqlite'].map(valueOf);
/** Longer results make the file large and the questions no better. */
const MOST_CHARACTERS = 400_000;
const folder = mkdtempSync(join(tmpdir(), 'results-'));
const corpus = [];

try {
	for (const each of ['docs', 'data', 'CHANGELOG.md', 'ARCHITECTURE.md', 'orchestra.schema.json', 'man'])
		cpSync(join(root, each), join(folder, each), { recursive: true });
	cpSync(join(fixtures, 'scenarios/api.github.com'), join(folder, 'api'), { recursive: true });
	makeTables();
	await files();
	await git();
	await database();
	await memory();
	writeFileSync(join(import.meta.dirname, 'corpus.json.gz'), gzipSync(JSON.stringify(corpus), { level: 9 }));
	console.log(`${corpus.length} results`);
} finally {
	rmSync(folder, { recursive: true, force: true });
}

async function files() {
	const server = join(root, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');
	await record('files', process.execPath, [server, folder], async (call) => {
		for (const path of ['docs', 'api', '.']) await call('directory_tree', { path: join(folder, path) });
		await call('list_directory_with_sizes', { path: join(folder, 'docs') });
		await call('search_files', { path: folder, pattern: '**/*.json' });
		const pages = readdirSync(join(folder, 'docs')).filter((name) => name.endsWith('.md'));
		for (const name of [...pages.slice(0, 14), '../CHANGELOG.md', '../ARCHITECTURE.md', '../man/mctl.1'])
			await call('read_text_file', { path: join(folder, 'docs', name) });
		await call('read_text_file', { path: join(folder, 'orchestra.schema.json') });
		await call('read_text_file', { path: join(folder, 'orders.csv') });
		await call('read_text_file', { path: join(folder, 'server.log') });
		await call('read_text_file', { path: join(folder, 'events.ndjson') });
		for (const name of readdirSync(join(folder, 'api'))) {
			for (const file of ['normalized-fixture.json', 'raw-fixture.json'])
				await call('read_text_file', { path: join(folder, 'api', name, file) });
		}
	});
}

async function git() {
	const tree = { repo_path: root };
	await record('git', gitServer, ['--repository', root], async (call) => {
		await call('git_log', { ...tree, max_count: 60 });
		const commits = execFileSync('git', ['log', '--no-merges', '--format=%H', '-12'], {
			cwd: root,
			encoding: 'utf8',
		});
		for (const revision of commits.trim().split('\n')) await call('git_show', { ...tree, revision });
	});
}

async function database() {
	await record('sqlite', sqliteServer, ['--db-path', join(folder, 'shop.db')], async (call) => {
		await call('read_query', { query: 'SELECT * FROM orders LIMIT 2000' });
		await call('read_query', {
			query: 'SELECT id, customer, total FROM orders ORDER BY total DESC LIMIT 500',
		});
		await call('read_query', { query: 'SELECT customer, count(*) AS orders FROM orders GROUP BY customer' });
		await call('list_tables', {});
	});
}

async function memory() {
	const server = join(root, 'node_modules/@modelcontextprotocol/server-memory/dist/index.js');
	const env = { MEMORY_FILE_PATH: join(folder, 'memory.json') };
	const entities = Array.from({ length: 300 }, (_, at) => ({
		name: `service-${at}`,
		entityType: at % 3 === 0 ? 'database' : 'service',
		observations: [`runs in region ${at % 7}`, `owner is team ${at % 11}`],
	}));
	await record(
		'memory',
		process.execPath,
		[server],
		async (call, use) => {
			await use('create_entities', { entities });
			await call('read_graph', {});
			await call('search_nodes', { query: 'database' });
		},
		env,
	);
}

/** Calls of one server; results that say something are kept. */
async function record(name, command, args, work, env = {}) {
	const client = new Client({ name: 'recorder', version: '1' });
	await client.connect(
		new StdioClientTransport({ command, args, env: { ...process.env, ...env }, stderr: 'ignore' }),
	);
	const use = (tool, input) => client.callTool({ name: tool, arguments: input });
	const call = async (tool, input) => {
		const result = JSON.parse(
			JSON.stringify(await use(tool, input))
				.replaceAll(folder, '/project')
				.replaceAll(root, '/project'),
		);
		const size = JSON.stringify(result.content).length;
		if (!result.isError && size > 500 && size < MOST_CHARACTERS)
			corpus.push({ server: name, tool, content: result.content });
	};
	await work(call, use);
	await client.close();
}

function makeTables() {
	const customers = ['Ada', 'Grace', 'Linus', 'Barbara', 'Edsger', 'Donald'];
	const states = ['open', 'paid', 'sent', 'returned'];
	const orders = Array.from({ length: 3000 }, (_, at) => {
		const total = ((at * 7919) % 50_000) / 100;
		return { id: at + 1, customer: customers[(at * 31) % 6], state: states[(at * 17) % 4], total };
	});
	const rows = orders.map(
		({ id, customer, state, total }) => `${id},${customer},${state},${total.toFixed(2)}`,
	);
	writeFileSync(join(folder, 'orders.csv'), `id,customer,state,total\n${rows.join('\n')}\n`);
	writeFileSync(join(folder, 'events.ndjson'), `${orders.map((each) => JSON.stringify(each)).join('\n')}\n`);
	const log = orders.map(({ id, state, customer }) => {
		const at = new Date(Date.UTC(2026, 0, 1, 0, 0, id * 7)).toISOString();
		return `${at} ${id % 89 === 0 ? 'ERROR' : 'INFO'} order ${id} of ${customer} is ${state}`;
	});
	writeFileSync(join(folder, 'server.log'), `${log.join('\n')}\n`);
	const values = orders.map(({ id, customer, state, total }) => `(${id},'${customer}','${state}',${total})`);
	const sql = `CREATE TABLE orders(id INTEGER, customer TEXT, state TEXT, total REAL);INSERT INTO orders VALUES ${values.join(',')};`;
	execFileSync('sqlite3', [join(folder, 'shop.db')], { input: sql });
}
