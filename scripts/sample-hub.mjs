/*
 * A hub to look at: official servers, a plugin and tools behind it, one server that fails, rules and a
 * view, and three clients of the official SDK that called it. For pictures and for walks through the page.
 *
 * A crowded one has eleven servers: besides the others one with 10,000 tools, one with long calls, one with skills, one
 * whose tools changed and one that wants a sign-in; 100,000 calls, calls that wait, tasks, a result that was stored, and
 * workers of a fabric where there is a nats-server.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { findNatsServer, freePort } from './nats-server.mjs';
import { root } from './steps.mjs';

const main = join(root, 'dist', 'cli', 'main.js');
const official = (name) => join(root, 'node_modules', '@modelcontextprotocol', name, 'dist', 'index.js');
const fixture = (name, ...words) => ({
	command: node,
	args: [join(root, 'test', 'fixtures', 'servers', name), ...words],
});
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

const TOOLS = 10_000;
const CALLS = 100_000;
const IN_FLIGHT = 64;
/** Every so many calls one fails. */
const FAILURES = 50;
/** How long a call waits for an approval. */
const WAITING_MS = 3_600_000;
const WORKERS = ['gpu-1', 'gpu-2'];

/** What a crowded hub has besides. */
const crowd = (signIn, fabric) => ({
	mcpServers: {
		...configuration.mcpServers,
		warehouse: { ...fixture('page-server.mjs', String(TOOLS)), record: true },
		work: fixture('task-server.mjs', 'plain'),
		guides: fixture('skills-server.mjs'),
		notes: fixture('drifting-server.mjs', 'tools.json', 'calls.log'),
		tracker: { type: 'http', url: `${signIn}/mcp` },
	},
	tasks: { always: ['work__slow_compute'] },
	...(fabric && { fabric: { ...fabric, name: 'laptop', use: ['gpu__*'] } }),
});

const noteTool = (description) =>
	JSON.stringify({ tools: [{ name: 'write', description, inputSchema: { type: 'object' } }] });

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

/** The calls of a crowded hub besides, in each round. */
const crowdPlans = [
	['claude-code', 'warehouse__tool_00007', { text: 'seven' }, 4],
	['claude-code', 'warehouse__attack', { fails: true }, 1],
	['codex', 'notes__write', {}, 2],
	['codex', 'warehouse__count', {}, 3],
	['codex', 'warehouse__crash', {}, 1],
	['codex', 'guides__nothing', {}, 1],
	['codex', 'gpu__everything__echo', { message: 'from afar' }, 4],
];

export class SampleHub {
	folder = mkdtempSync(join(tmpdir(), 'orchestra-sample-'));
	home = join(this.folder, 'home');
	cwd = join(this.folder, 'shop');
	#clients = [];
	#signIn = createServer((_, response) =>
		response.writeHead(401, { 'www-authenticate': 'Bearer scope="issues:read"' }).end(),
	);
	#isCrowded;
	#fabric = [];

	constructor({ isCrowded = false } = {}) {
		this.#isCrowded = isCrowded;
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

	async #makeCrowd() {
		await once(this.#signIn.listen(0, '127.0.0.1'), 'listening');
		const more = crowd(`http://127.0.0.1:${this.#signIn.address().port}`, await this.#openFabric());
		const files = {
			'orchestra.json': JSON.stringify({ ...configuration, ...more }, null, 2),
			'tools.json': noteTool('Writes a note for you.'),
			'long.log': Array.from({ length: 10_000 }, (_, at) => `${at + 1} a line of the log\n`).join(''),
		};
		for (const [name, text] of Object.entries(files)) writeFileSync(join(this.cwd, name), text);
	}

	/** A NATS server and two equal workers; undefined where there is no nats-server. */
	async #openFabric() {
		const program = findNatsServer();
		if (program === undefined) return undefined;
		const port = await freePort();
		const store = join(this.folder, 'nats');
		const settings = { servers: [`nats://127.0.0.1:${port}`] };
		const words = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', store];
		this.#fabric.push(spawn(program, words, { stdio: 'ignore' }));
		for (const name of WORKERS) {
			const cwd = join(this.folder, name);
			mkdirSync(cwd);
			const mcpServers = { everything: configuration.mcpServers.everything };
			const fabric = { ...settings, name, group: 'gpu', offer: ['*'], use: [], labels: ['cuda'] };
			writeFileSync(join(cwd, 'orchestra.json'), JSON.stringify({ mcpServers, fabric }));
			this.#fabric.push(spawn(node, [main, 'worker'], { cwd, env: this.#environment, stdio: 'ignore' }));
		}
		return settings;
	}

	/** Many calls through a bridge, as fast as they go. */
	async #flood() {
		const bridge = spawn(node, [main, 'bridge'], {
			cwd: this.cwd,
			env: this.#environment,
			stdio: ['pipe', 'pipe', 'ignore'],
		});
		const send = (id, method, params) =>
			bridge.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
		// A page that is open, so that the hub retains them.
		const reading = new AbortController();
		const authorization = `Bearer ${this.run('hub', 'token').trim()}`;
		const page = await fetch(new URL('/api/events', this.link()), {
			headers: { authorization },
			signal: reading.signal,
		});
		const drained = page.body.pipeTo(new WritableStream()).catch(() => undefined);
		let sent = 0;
		let answered = 0;
		const call = () => {
			sent += 1;
			const tool = String((sent * sent) % TOOLS).padStart(5, '0');
			const isFailure = sent % FAILURES === 0;
			const name = isFailure ? 'warehouse__attack' : `warehouse__tool_${tool}`;
			send(sent, 'tools/call', { name, arguments: isFailure ? { fails: true } : { text: tool } });
		};
		const clientInfo = { name: 'night-job', version: '1' };
		send(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
		for await (const line of createInterface({ input: bridge.stdout })) {
			const { id } = JSON.parse(line);
			if (id === 0) for (let slot = 0; slot < IN_FLIGHT; slot++) call();
			else if (typeof id === 'number' && ++answered === CALLS) bridge.stdin.end();
			else if (typeof id === 'number' && sent < CALLS) call();
		}
		reading.abort();
		await drained;
	}

	/** A tool that changed, a stored result, a task, and calls that wait for an approval. */
	async #leaveOpen(clients) {
		writeFileSync(join(this.cwd, 'tools.json'), noteTool('Writes a note for everyone.'));
		this.run('server', 'restart', 'notes');
		const slow = { name: 'work__slow_compute', arguments: { seconds: 600, label: 'sum' } };
		const task = { ttl: 600_000 };
		const claude = clients.get('claude-code');
		await claude.callTool({ name: 'files__read_text_file', arguments: { path: join(this.cwd, 'long.log') } });
		await claude.experimental.tasks.callToolStream(slow, CallToolResultSchema, { task }).next();
		const waiting = [
			{ path: 'notes.txt', content: 'a line\nand another one\n'.repeat(40) },
			{ path: 'plan.md', content: '# Plan' },
		];
		for (const input of waiting)
			claude
				.callTool({ name: 'files__write_file', arguments: input }, undefined, { timeout: WAITING_MS })
				.catch(() => undefined); // until the end
	}

	get #environment() {
		return {
			PATH: process.env.PATH,
			HOME: this.home,
			ORCHESTRA_TRUST: 'all',
			BROWSER: 'none',
			COLUMNS: '100',
		};
	}

	/** Run a command; returns what it prints. */
	run(...words) {
		const { stdout, stderr, status } = spawnSync(node, [main, ...words], {
			cwd: this.cwd,
			encoding: 'utf8',
			env: this.#environment,
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
		if (this.#isCrowded) await this.#makeCrowd();
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
			for (const [client, name, input, times] of this.#isCrowded ? [...plans, ...crowdPlans] : plans)
				for (let time = 0; time < times; time++)
					await clients
						.get(client)
						.callTool({ name, arguments: input })
						.catch(() => undefined); // a failed call is to be seen
		if (!this.#isCrowded) return;
		await this.#flood();
		await this.#leaveOpen(clients);
	}

	async close() {
		for (const [, client] of this.#clients) await client.close();
		this.run('hub', 'stop', '--all', '--force');
		for (const child of this.#fabric.reverse()) {
			const exited = once(child, 'exit');
			if (child.exitCode === null && child.kill()) await exited;
		}
		this.#signIn.close();
		rmSync(this.folder, { recursive: true, force: true });
	}
}
