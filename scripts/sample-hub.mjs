/*
 * A hub to look at: official servers, a plugin and tools behind it, one server that fails, rules and a
 * view, and three clients of the official SDK that called it. For pictures and for walks through the page.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { root } from './steps.mjs';

const main = join(root, 'dist', 'cli', 'main.js');
const official = (name) => join(root, 'node_modules', '@modelcontextprotocol', name, 'dist', 'index.js');
const { execPath: node } = process;

const configuration = {
	tools: { roots: [join(root, 'examples', 'tools')] },
	plugins: [
		{
			id: 'tools.projects',
			binary: node,
			args: [join(root, 'examples', 'plugins', 'projects', 'plugin.mjs')],
		},
	],
	mcpServers: {
		files: { command: node, args: [official('server-filesystem'), '.'] },
		memory: { command: node, args: [official('server-memory')] },
		everything: { command: node, args: [official('server-everything')] },
		github: { command: node, args: ['-e', 'console.error("GITHUB_TOKEN is not valid"); process.exit(3)'] },
		billing: { command: node, args: ['billing.mjs'], env: { KEY: '${BILLING_KEY}' } },
		drawings: { command: node, args: [official('server-everything')], disabled: true },
	},
	policy: [
		{ tools: 'files__write_file', action: 'ask', reason: 'changes files' },
		{ tools: 'files__move_file', action: 'deny' },
	],
	views: { reader: { allow: ['files__read_*', 'files__list_*', 'memory__*'] } },
	clients: { cursor: { view: 'reader' } },
};

/** How often each client calls which tool, in one round. */
const plans = [
	['claude-code', 'files__read_text_file', { path: 'notes.txt' }, 9],
	['claude-code', 'files__list_directory', { path: '.' }, 5],
	['claude-code', 'everything__get-sum', { a: 7, b: 35 }, 12],
	['claude-code', 'everything__echo', { message: 'hello' }, 6],
	['claude-code', 'memory__read_graph', {}, 4],
	['claude-code', 'files__read_text_file', { path: 'missing.txt' }, 1],
	['cursor', 'files__read_text_file', { path: 'notes.txt' }, 7],
	['cursor', 'memory__search_nodes', { query: 'hub' }, 3],
	['codex', 'everything__trigger-long-running-operation', { duration: 0.15, steps: 2 }, 1],
	[
		'codex',
		'memory__create_entities',
		{ entities: [{ name: 'hub', entityType: 'idea', observations: ['one'] }] },
		1,
	],
];

export class SampleHub {
	folder = mkdtempSync(join(tmpdir(), 'orchestra-sample-'));
	home = join(this.folder, 'home');
	cwd = join(this.folder, 'shop');
	#clients = [];

	constructor() {
		mkdirSync(this.home);
		mkdirSync(join(this.cwd, 'resources', 'guides'), { recursive: true });
		mkdirSync(join(this.home, '.cursor'));
		writeFileSync(
			join(this.home, '.cursor', 'mcp.json'),
			JSON.stringify({ mcpServers: { notes: { command: node, args: [official('server-memory')] } } }),
		);
		writeFileSync(join(this.cwd, 'orchestra.json'), JSON.stringify(configuration, null, 2));
		writeFileSync(join(this.cwd, 'notes.txt'), 'a line\n');
		writeFileSync(
			join(this.cwd, 'resources', 'guides', 'testing.md'),
			'---\ntitle: Testing\ndescription: How to write a test\n---\n# Testing\n\nSee it **fail** first.\n',
		);
	}

	/** Run a command; returns what it prints. */
	run(...words) {
		const { stdout, stderr, status } = spawnSync(node, [main, ...words], {
			cwd: this.cwd,
			encoding: 'utf8',
			env: {
				PATH: process.env.PATH,
				HOME: this.home,
				ORCHESTRA_TRUST: 'all',
				BROWSER: 'none',
				COLUMNS: '100',
			},
		});
		if (status !== 0) process.stderr.write(stderr);
		return stdout;
	}

	/** A link to the page, which starts the hub. */
	link() {
		return new URL(JSON.parse(this.run('dashboard', '--json')).url);
	}

	/** Let the clients call, so many rounds. */
	async call(rounds) {
		const { origin } = this.link();
		const token = this.run('hub', 'token').trim();
		const requestInit = { headers: { authorization: `Bearer ${token}` } };
		for (const name of new Set(plans.map(([client]) => client))) {
			const client = new Client({ name, version: '1.0.0' });
			await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', origin), { requestInit }));
			await client.listTools();
			this.#clients.push([name, client]);
		}
		const clients = new Map(this.#clients);
		for (let round = 0; round < rounds; round++)
			for (const [client, name, input, times] of plans)
				for (let time = 0; time < times; time++)
					await clients.get(client).callTool({ name, arguments: input });
	}

	async close() {
		for (const [, client] of this.#clients) await client.close();
		this.run('hub', 'stop', '--all', '--force');
		rmSync(this.folder, { recursive: true, force: true });
	}
}
