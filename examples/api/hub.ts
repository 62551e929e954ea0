/* `orchestra-hub`: a hub, tools, a library and an HTTP listener in a program of your own. */
import { ok } from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
	type ConnectServerOptions,
	connectServer,
	type DiscoveredTool,
	type Discovery,
	discoverTools,
	type ErrorCode,
	HelperSpawner,
	type HttpServing,
	type Hub,
	type KnownToolEvent,
	knownEvent,
	Library,
	type LibraryOptions,
	Log,
	type LogOptions,
	type McpClient,
	type OpenedHub,
	type OpenHubOptions,
	OrchestraError,
	openHub,
	type RunOptions,
	type RunSummary,
	runTool,
	type ServeHttpOptions,
	type ServeMcpOptions,
	type ServerDefinition,
	type ServerTarget,
	serve,
	serveHttp,
	starterLibrary,
	type ToolEvent,
	type ToolRun,
} from 'orchestra-hub';

const clock: ServerDefinition = {
	name: 'clock',
	version: '1.0.0',
	tools: { now: { run: () => new Date().toISOString() } },
};
const quiet: LogOptions = { level: 'error', format: 'text', write: () => {}, now: () => new Date() };
const log = new Log('example', quiet);

if (process.argv[2] === 'serve') {
	const options: ServeMcpOptions = { log };
	await serve(clock, options);
} else {
	const folder = await mkdtemp(join(tmpdir(), 'example-'));
	try {
		await useHub(folder);
		await run(folder);
		await find();
		report();
	} finally {
		await rm(folder, { recursive: true });
	}
}

/** The hub of a folder, with what its configuration names, served over HTTP to a client. */
async function useHub(folder: string): Promise<void> {
	const server = { command: process.execPath, args: [import.meta.filename, 'serve'] };
	await writeFile(join(folder, 'orchestra.json'), JSON.stringify({ mcpServers: { clock: server } }));
	const environment = { ...process.env, HOME: folder, XDG_STATE_HOME: folder, ORCHESTRA_TRUST: 'all' };
	const options: OpenHubOptions = { cwd: folder, environment, log };
	const opened: OpenedHub = await openHub(options);
	const { hub }: { hub: Hub } = opened;
	const http: ServeHttpOptions = { address: '127.0.0.1:0', token: crypto.randomUUID(), log };
	const serving: HttpServing = await serveHttp(hub, http);
	const settings: ConnectServerOptions = { auth: false };
	const target: ServerTarget = { url: serving.url, headers: { Authorization: `Bearer ${http.token}` } };
	const client: McpClient = await connectServer(target, settings);
	const result = await client.callTool('clock__now');
	ok(result.isError !== true);
	await client.close();
	await serving.close();
	await opened.close();
}

/** Run a tool of a folder; a helper process starts it, which is faster in a large program. */
async function run(folder: string): Promise<void> {
	const found: Discovery = discoverTools(['examples/tools']);
	const hello: DiscoveredTool | undefined = found.tools.find(({ id }) => id === 'hello-world');
	ok(hello && found.problems.length === 0);
	const spawner = new HelperSpawner();
	const options: RunOptions = { input: { name: 'Ada' }, workspaceRoot: folder, spawner };
	const running: ToolRun = runTool(hello, options);
	const events: ToolEvent[] = [];
	for await (const event of running) events.push(event);
	const known: (KnownToolEvent | undefined)[] = events.map(knownEvent);
	ok(known.some((event) => event?.type === 'log' && event.payload.message !== ''));
	const summary: RunSummary = await running.summary;
	ok(summary.outcome === 'ok' && summary.result?.['message'] === 'Hello, Ada!');
	spawner.close();
}

/** The fragments of a library that a task needs. */
async function find(): Promise<void> {
	const options: LibraryOptions = { ...starterLibrary(), watch: false };
	const library = Library.open(options);
	const { text } = await library.find('write a tool in python', { mode: 'full', maxTokens: 1000 });
	ok(text.includes('orchestr8://'));
	await library.close();
}

/** Every error has a code, and most have a hint. */
function report(): void {
	const details = { hint: 'Name one that is there.', data: { name: 'x' } };
	const code: ErrorCode = 'not_found';
	const error = OrchestraError.from(new OrchestraError(code, 'there is no x', details));
	ok(OrchestraError.is(error, 'not_found') && error.hint === details.hint);
}
