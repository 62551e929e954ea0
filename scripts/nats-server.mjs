/* Finds nats-server, or builds it with Go into a folder of the user's cache. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';

const MODULE = 'github.com/nats-io/nats-server/v2@v2.14.9';
const folder = join(homedir(), '.cache/orchestra-nats');

/** The program: `NATS_SERVER`, the cache, or on PATH; undefined when there is none. */
export function findNatsServer() {
	if (process.env.NATS_SERVER) return process.env.NATS_SERVER;
	const cached = join(folder, 'nats-server');
	if (existsSync(cached)) return cached;
	return spawnSync('nats-server', ['--version']).status === 0 ? 'nats-server' : undefined;
}

/** The same, built when it is missing and Go is present. */
export function ensureNatsServer() {
	const found = findNatsServer();
	if (found || spawnSync('go', ['version']).status !== 0) return found;
	console.error(`building ${MODULE} into ${folder}`);
	mkdirSync(folder, { recursive: true });
	const env = { ...process.env, GOBIN: folder };
	const { status } = spawnSync('go', ['install', MODULE], { env, stdio: 'inherit' });
	return status === 0 ? join(folder, 'nats-server') : undefined;
}

/** A TCP port of 127.0.0.1 that nothing listens on now. */
export async function freePort() {
	const server = createServer();
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address();
	server.close();
	await once(server, 'close');
	return port;
}
