/* Orchestrators in the test process, and bridges to them: real links, and the real mctl where it matters. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { runBridge } from '../../src/bridge/run-bridge.ts';
import { loadIdentity } from '../../src/link/certificates/certificates.ts';
import type { LinkKind } from '../../src/link/link.ts';
import { Log } from '../../src/log.ts';
import { McpSession, sharedState } from '../../src/mcp/server/mcp-session.ts';
import type { Provider } from '../../src/mcp/server/provider.ts';
import { FEATURES } from '../../src/plugin/features.ts';
import type { PluginHandlers } from '../../src/plugin/server/handlers.ts';
import { servePlugin } from '../../src/plugin/server/plugin-server.ts';
import { Peer } from '../../src/rpc/peer.ts';
import { startMctl } from './mctl.ts';

export interface Orchestrator {
	address: string;
	folder: string;
	close(): Promise<void>;
}

export interface Place {
	folder: string;
	address?: string;
	kind?: LinkKind;
}

/** An orchestrator with these handlers only, on this address if one is given. */
export async function startOrchestrator(place: Place, handlers: PluginHandlers): Promise<Orchestrator> {
	const { folder, address = 'localhost:0', kind = 'quic' } = place;
	const identity = await loadIdentity(folder, 'orchestrator');
	const server = await servePlugin({ kind, address, identity, handlers });
	const close = (): Promise<void> => server.close();
	onTestFinished(close);
	return { address: server.address, folder, close };
}

/** A hub with the tunnel feature that serves an MCP session on each tunnel. */
export function startHub(place: Place, provider: Provider, also: PluginHandlers = {}): Promise<Orchestrator> {
	const shared = sharedState();
	return startOrchestrator(place, {
		register: () => ({ accepted: true, features: [...FEATURES] }),
		tunnel: (tunnel) => {
			const session = new McpSession(provider, { shared });
			const peer = new Peer(tunnel, {
				...session.peerOptions,
				onEnd: () => {
					session.close();
					peer.cancelIncoming('the tunnel is closed');
				},
			});
			session.connect(peer);
			tunnel.start(peer);
		},
		...also,
	});
}

/** The client's end of a bridge: lines in, lines out. */
export class BridgeClient {
	readonly lines: string[] = [];
	readonly #input: NodeJS.WritableStream;
	#wake: (() => void)[] = [];

	constructor(input: NodeJS.WritableStream, output: NodeJS.ReadableStream) {
		this.#input = input;
		let rest = '';
		output.on('data', (chunk: Buffer) => {
			const lines = `${rest}${chunk.toString('utf8')}`.split('\n');
			rest = lines.pop() ?? '';
			this.lines.push(...lines);
			for (const wake of this.#wake.splice(0)) wake();
		});
	}

	send(...messages: (string | object)[]): void {
		const lines = messages.map((message) =>
			typeof message === 'string' ? message : JSON.stringify(message),
		);
		this.#input.write(lines.map((line) => `${line}\n`).join(''));
	}

	/** The first line that fits, now or later; it is taken out. */
	async line(fits: (message: Record<string, unknown>) => boolean): Promise<string> {
		for (;;) {
			const at = this.lines.findIndex((line) => fits(JSON.parse(line)));
			if (at !== -1) return this.lines.splice(at, 1)[0] ?? '';
			await new Promise<void>((resolve) => this.#wake.push(resolve));
		}
	}

	answer(id: unknown): Promise<string> {
		return this.line((message) => message['id'] === id && message['method'] === undefined);
	}

	/** Send a request and take its answer, parsed. */
	async call(id: number | string, method: string, params?: object): Promise<Answer> {
		this.send({ jsonrpc: '2.0', id, method, params });
		return JSON.parse(await this.answer(id));
	}

	end(): void {
		this.#input.end();
	}
}

export interface Answer {
	result?: Record<string, unknown>;
	error?: { code: number; message: string; data?: Record<string, unknown> };
}

export interface RunningBridge {
	client: BridgeClient;
	/** Lines of stderr that say where it connected to. */
	said: string[];
	ended: Promise<void>;
}

/** A bridge in this process, with pipes in session. */
export function openBridge(
	{ address, folder }: Orchestrator,
	options: { kind?: LinkKind; queueMs?: number; limitBytes?: number } = {},
): RunningBridge {
	const input = new PassThrough();
	const output = new PassThrough();
	const said: string[] = [];
	const ended = runBridge({
		...options,
		findHub: () => Promise.resolve({ address, certsDir: folder }),
		say: (line) => said.push(line),
		input,
		output,
		log: Log.silent,
	});
	onTestFinished(async () => {
		input.end();
		await ended.catch(() => {}); // tests that expect an error await it
	});
	return { client: new BridgeClient(input, output), said, ended };
}

export interface BridgeProcess {
	child: ChildProcessWithoutNullStreams;
	client: BridgeClient;
	stderr: () => string;
	exited: Promise<[code: number | null, signal: string | null]>;
}

/** `mctl bridge` as an agent starts it. */
export function startBridge(
	{ address, folder }: Orchestrator,
	env: Record<string, string> = {},
): BridgeProcess {
	const args = ['bridge', '--orchestrator-addr', address, '--certs-dir', folder];
	const child = startMctl(args, { env });
	let stderr = '';
	child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
	const exited = once(child, 'close') as Promise<[number | null, string | null]>;
	onTestFinished(async () => {
		child.kill('SIGKILL');
		await exited;
	});
	return { child, client: new BridgeClient(child.stdin, child.stdout), stderr: () => stderr, exited };
}

export const initialize = {
	jsonrpc: '2.0',
	id: 1,
	method: 'initialize',
	params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
