/* Hubs and workers of a fabric for tests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { FabricRule } from '../../src/config/configuration.ts';
import { FabricSource } from '../../src/fabric/calls/fabric-source.ts';
import { FabricWorker, type WorkerSettings } from '../../src/fabric/worker/fabric-worker.ts';
import { Hub } from '../../src/hub/hub.ts';
import type { HubOptions } from '../../src/hub/hub-options.ts';
import type { Source } from '../../src/hub/source.ts';
import { Log } from '../../src/log.ts';
import { McpSession, sharedState } from '../../src/mcp/server/mcp-session.ts';
import type { Change } from '../../src/mcp/server/provider.ts';
import type { CallToolResult, Tool } from '../../src/protocol/mcp-types.ts';
import { Peer } from '../../src/rpc/peer.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';
import { toolsSource } from '../fixtures/fabric/tools-source.mjs';
import { atEnd, atEndOfFile } from './at-end.ts';
import { bundle } from './bundle.ts';
import { fakeSource } from './fake-source.ts';
import { until } from './waiting.ts';
import { temporaryFolder } from './workspace.ts';

const fixture = resolve(import.meta.dirname, '../fixtures/fabric/worker.mjs');
/** Below the packages, so that the program finds them. */
const cache = resolve(import.meta.dirname, `../../node_modules/.cache/orchestra-fabric-${process.pid}`);
let built: Promise<string> | undefined;

/** The program of a worker, built once for a file of tests. */
function workerProgram(): Promise<string> {
	if (built === undefined) {
		built = bundle(fixture, cache);
		atEndOfFile(() => {
			built = undefined;
			rmSync(cache, { recursive: true, force: true });
		});
	}
	return built;
}

/** A hub that uses the tools of others, and one client of it. */
export interface UsingHub {
	readonly source: FabricSource;
	readonly hub: Hub;
	readonly log: string[];
	/** Notifications that the client received. */
	readonly notifications: { method: string; params: unknown }[];
	/** The text of the result, or the message of the error after `error: `. */
	call(name: string, input?: object, options?: CallOptions): Promise<string>;
	/** Wait until this tool is listed. */
	sees(tool: string): Promise<void>;
	/** Wait until this many workers advertise a group. */
	seesWorkers(group: string, count: number): Promise<void>;
	tools(): Promise<string[]>;
	close(): Promise<void>;
}

export interface CallOptions {
	readonly signal?: AbortSignal;
	readonly meta?: object;
}

export interface UsingOptions {
	readonly name?: string;
	readonly use?: readonly string[];
	readonly credentials?: string;
	readonly ca?: string;
	/** Which workers may run its calls. */
	readonly rules?: readonly FabricRule[];
	/** Answers client requests. */
	readonly onClientRequest?: (method: string, params: unknown) => unknown;
	readonly hub?: Hub;
	/** The journal, the policy and other dependencies of the hub. */
	readonly deps?: Pick<HubOptions, 'journal' | 'gate' | 'trace'>;
}

function recordingLog(lines: string[]): Log {
	return new Log('test', {
		level: 'info',
		format: 'text',
		write: (line) => lines.push(line),
		now: () => new Date(),
	});
}

/** A hub with nothing but the fabric. */
export async function useFabric(servers: readonly string[], options: UsingOptions = {}): Promise<UsingHub> {
	const { name = 'agent-hub', use = ['*'], onClientRequest } = options;
	const log: string[] = [];
	const source = new FabricSource({
		access: { servers, name, ...accessOf(options) },
		patterns: use,
		rules: options.rules,
		log: recordingLog(log),
	});
	source.warm();
	const hub = new Hub({ ...options.deps, sources: [source] });
	const close = (): Promise<void> => hub.close();
	atEnd(close);
	const client = await connect(hub, onClientRequest);
	const tools = async (): Promise<string[]> => (await source.list()).map((tool) => tool.name);
	return {
		source,
		hub,
		log,
		notifications: client.notifications,
		tools,
		call: client.call,
		sees: (tool) => until(`${tool} is listed`, async () => (await tools()).includes(tool)),
		seesWorkers: (group, count) =>
			until(`${count} workers offer ${group}`, () => source.workersOf(group).length === count),
		close,
	};
}

function accessOf({ credentials, ca }: UsingOptions): object {
	return { ...(credentials !== undefined && { credentials: async () => credentials }), ca };
}

async function connect(
	hub: Hub,
	onClientRequest: UsingOptions['onClientRequest'],
): Promise<Pick<UsingHub, 'call' | 'notifications'>> {
	const [ours, theirs] = memoryPair();
	const session = new McpSession(hub, { shared: sharedState() });
	const server = new Peer(theirs, session.peerOptions);
	session.connect(server);
	theirs.start(server);
	const notifications: UsingHub['notifications'] = [];
	const peer = new Peer(ours, {
		onNotification: (method, params) => notifications.push({ method, params }),
		onRequest: ({ method, params }) => onClientRequest?.(method, params),
	});
	ours.start(peer);
	const clientInfo = { name: 'test', version: '1' };
	const capabilities = onClientRequest ? { elicitation: {}, sampling: {} } : {};
	await peer.request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
	const call: UsingHub['call'] = async (name, input = {}, { signal, meta } = {}) => {
		const params = { name, arguments: input, ...(meta && { _meta: meta }) };
		try {
			const result = (await peer.request('tools/call', params, {
				timeoutMs: 60_000,
				...(signal && { signal }),
			})) as {
				content: { text: string }[];
			};
			return result.content[0]?.text ?? '';
		} catch (error) {
			return `error: ${(error as Error).message}`;
		}
	};
	return { notifications, call };
}

/** A worker in this process. */
export async function offerFabric(
	servers: readonly string[],
	options: UsingOptions &
		Partial<WorkerSettings> & { group?: string; sources?: Source[]; drainMs?: number } = {},
): Promise<{ worker: FabricWorker; file: string; log: string[] }> {
	const { name = 'gpu-box', group = name, patterns = ['*'], labels, limits, drainMs } = options;
	const file = join(temporaryFolder(), 'runs');
	const log: string[] = [];
	const sources = options.sources ?? [toolsSource(name, file) as Source];
	const hub = options.hub ?? new Hub({ ...options.deps, sources });
	const access = { servers, name, ...accessOf(options) };
	const worker = new FabricWorker({
		access,
		group,
		patterns,
		labels,
		limits,
		drainMs,
		hub,
		log: recordingLog(log),
	});
	atEnd(async () => {
		await worker.close();
		await hub.close();
	});
	await worker.open();
	return { worker, file, log };
}

/** A source whose tools change; `called` has the calls. */
export function changingTools(first: Readonly<Record<string, string>>): {
	readonly source: Source;
	readonly called: string[];
	/** List tools with these descriptions by name from now on. */
	setTools(descriptions: Readonly<Record<string, string>>): void;
} {
	let tools = first;
	const called: string[] = [];
	const listeners = new Set<(change: Change) => void>();
	const listed = (): Tool[] =>
		Object.entries(tools).map(([name, description]) => ({
			name,
			description,
			inputSchema: { type: 'object' },
		}));
	const callTool = ({ name }: { name: string }): CallToolResult => {
		called.push(name);
		return { content: [{ type: 'text', text: `called ${name}` }] };
	};
	const watch = (listener: (change: Change) => void): (() => void) => {
		listeners.add(listener);
		return () => listeners.delete(listener);
	};
	const source = fakeSource('changing', { lists: { tools: listed }, callTool }, { watch });
	const setTools = (descriptions: Readonly<Record<string, string>>): void => {
		tools = descriptions;
		for (const listener of listeners) listener({ kind: 'tools' });
	};
	return { source, called, setTools };
}

export interface WorkerProcess {
	readonly child: ChildProcess;
	readonly name: string;
	kill(signal?: NodeJS.Signals): void;
	exited: Promise<unknown>;
}

/** A worker as a process; its runs are written to `file`. */
export async function startWorker(
	servers: readonly string[],
	file: string,
	{ name, group = 'gpu' }: { name: string; group?: string },
): Promise<WorkerProcess> {
	const program = await workerProgram();
	const child = spawn(process.execPath, [program, servers.join(','), name, group, file], {
		stdio: ['ignore', 'pipe', process.env['FABRIC_DEBUG'] ? 'inherit' : 'ignore'],
	});
	const exited = once(child, 'exit');
	atEnd(() => {
		child.kill('SIGCONT');
		child.kill('SIGKILL');
	});
	const isOpen = once(child.stdout ?? child, 'data').then(() => true);
	if (!(await Promise.race([isOpen, exited.then(() => false)])))
		throw new Error(`the worker ${name} did not start`);
	return { child, name, exited, kill: (signal = 'SIGKILL') => void child.kill(signal) };
}

/** The lines that workers wrote. */
export function runsIn(file: string): string[] {
	if (!existsSync(file)) return [];
	return readFileSync(file, 'utf8')
		.split('\n')
		.filter((line) => line !== '');
}
