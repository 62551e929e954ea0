/* Real NATS servers on loopback: alone, in a cluster, killed and started again. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.ts';
import { until } from './waiting.ts';
import { temporaryFolder, writeFiles } from './workspace.ts';

/** Where `npm run test:fabric` builds it. */
const cached = join(homedir(), '.cache/orchestra-nats/nats-server');

/** The program: `NATS_SERVER`, the cache, or on PATH; undefined when there is none. */
export const natsServer: string | undefined = findServer();

function findServer(): string | undefined {
	const named = process.env['NATS_SERVER'];
	if (named) return named;
	if (existsSync(cached)) return cached;
	return spawnSync('nats-server', ['--version']).status === 0 ? 'nats-server' : undefined;
}

export interface NatsServer {
	readonly url: string;
	readonly port: number;
	readonly pid: number;
	/** Kill it, or another signal. Resolves when it has exited, unless it was only stopped. */
	kill(signal?: NodeJS.Signals): Promise<void>;
	/** Remove everything that it stored. */
	wipe(): void;
	/** Start it again, with the same port and storage. */
	start(): Promise<void>;
}

export interface NatsOptions {
	readonly folder?: string;
	/** More of the server's configuration. */
	readonly configuration?: string;
	/** The whole of it. */
	readonly whole?: string;
	readonly port?: number;
}

/** Start a server with JetStream on a free port. */
export async function startNats(options: NatsOptions = {}): Promise<NatsServer> {
	const { folder = temporaryFolder(), configuration = '', port = await freePort() } = options;
	writeFiles(folder, {
		'nats.conf':
			options.whole ??
			`listen: "127.0.0.1:${port}"\njetstream { store_dir: "${join(folder, 'store')}" }\n${configuration}\n`,
	});
	let child: ChildProcess;
	const server = {
		url: `nats://127.0.0.1:${port}`,
		port,
		get pid() {
			return child.pid ?? 0;
		},
		wipe() {
			rmSync(join(folder, 'store'), { recursive: true, force: true });
		},
		async start() {
			child = spawn(natsServer ?? 'nats-server', ['-c', join(folder, 'nats.conf')], { stdio: 'ignore' });
			await until(`a NATS server listens on ${port}`, () => canConnect(port));
		},
		async kill(signal: NodeJS.Signals = 'SIGKILL') {
			if (child.exitCode !== null || child.signalCode !== null) return;
			const exited = once(child, 'exit');
			child.kill(signal);
			if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await exited;
		},
	};
	await server.start();
	atEnd(() => server.kill());
	return server;
}

/** As `mctl fabric config --cluster` writes it: the routes of a node that hangs are dropped within seconds. */
const ROUTE_PING = 'ping_interval: "2s", ping_max: 2';

export interface ClusterServer extends NatsServer {
	/** Whether it follows the leader of its cluster. */
	isHealthy(): Promise<boolean>;
}

/** Servers that form a cluster and have elected a leader: on a busy machine that takes ten seconds and more. */
export async function startCluster(size = 3, more = ''): Promise<ClusterServer[]> {
	const ports = await Promise.all(Array.from({ length: 3 * size }, () => freePort()));
	const routes = ports.slice(size, 2 * size).map((port) => `nats://127.0.0.1:${port}`);
	const servers = await Promise.all(
		ports.slice(0, size).map((port, at) =>
			startNats({
				port,
				configuration: `server_name: n${at}\nhttp: "127.0.0.1:${ports[at + 2 * size]}"\ncluster { name: c, listen: "127.0.0.1:${ports[at + size]}", ${ROUTE_PING}, routes: ${JSON.stringify(routes)} }\n${more}`,
			}),
		),
	);
	for (const port of ports.slice(2 * size)) await until('the cluster has a leader', () => isHealthy(port));
	return servers.map((server, at) =>
		Object.assign(server, { isHealthy: () => isHealthy(ports[at + 2 * size] ?? 0) }),
	);
}

/** JetStream of a node is ready when it follows the leader of its cluster. */
async function isHealthy(port: number): Promise<boolean> {
	const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
	return answer?.ok === true;
}

/** A port that leads to another one, and can be shut. */
export interface Gate {
	readonly port: number;
	/** End all connections and accept none. */
	shut(): void;
	/** Keep all connections and accept more, and pass nothing on, as a server that hangs. */
	hang(): void;
	open(): void;
}

export async function startGate(target: number): Promise<Gate> {
	let isOpen = true;
	let isHung = false;
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		if (!isOpen) return void socket.destroy();
		if (isHung) {
			sockets.add(socket);
			return void socket.on('error', () => {}).on('close', () => sockets.delete(socket));
		}
		const onward = connect(target, '127.0.0.1');
		for (const each of [socket, onward]) {
			sockets.add(each);
			each.on('error', () => {}); // the close follows
			each.on('close', () => {
				sockets.delete(each);
				socket.destroy();
				onward.destroy();
			});
		}
		socket.pipe(onward).pipe(socket);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const shut = (): void => {
		isOpen = false;
		for (const each of sockets) each.destroy();
	};
	atEnd(() => {
		shut();
		server.close();
	});
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('no port');
	const hang = (): void => {
		isHung = true;
		for (const each of sockets) each.unpipe().pause();
	};
	return { port: address.port, shut, hang, open: () => void (isOpen = true) };
}

export async function freePort(): Promise<number> {
	const server = createServer();
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	server.close();
	await once(server, 'close');
	if (address === null || typeof address === 'string') throw new Error('no port');
	return address.port;
}

async function canConnect(port: number): Promise<boolean> {
	const socket = connect(port, '127.0.0.1');
	try {
		// A server sends INFO only when it is ready.
		await Promise.race([
			once(socket, 'data'),
			once(socket, 'close').then(() => Promise.reject(new Error('closed'))),
		]);
		return true;
	} catch {
		return false;
	} finally {
		socket.destroy();
	}
}
