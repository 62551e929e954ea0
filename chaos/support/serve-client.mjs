/* A client of one `mctl serve` that is about to be treated badly: a request that gets no answer gives undefined. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { main } from './hub-processes.mjs';
import { killNow } from './processes.mjs';

const ANSWER_MS = 60_000;

export class ServeClient {
	#child;
	#exited;
	#waiting = new Map();
	#nextId = 1;

	/** Start it. `onClientRequest` gives the result of an elicitation. */
	static async start({ cwd, env, onClientRequest }) {
		const client = new ServeClient({ cwd, env, onClientRequest });
		await client.request('initialize', {
			protocolVersion: '2025-11-25',
			capabilities: onClientRequest ? { elicitation: {} } : {},
			clientInfo: { name: 'chaos', version: '1' },
		});
		return client;
	}

	constructor({ cwd, env, onClientRequest }) {
		this.#child = spawn(process.execPath, [main, 'serve'], {
			cwd,
			env: { PATH: process.env.PATH, ORCHESTRA_TRUST: 'all', LOG_LEVEL: 'error', ...env },
			stdio: ['pipe', 'pipe', 'ignore'],
		});
		this.#exited = once(this.#child, 'exit').then(() => this.#settleAll());
		this.#child.stdin.on('error', () => {}); // a server that ended is reported by its missing answer
		createInterface({ input: this.#child.stdout }).on('line', (line) => {
			const message = JSON.parse(line);
			if (message.method === undefined) return this.#waiting.get(message.id)?.(message);
			if (message.id !== undefined) this.#send({ id: message.id, result: onClientRequest?.(message.params) });
		});
	}

	get pid() {
		return this.#child.pid;
	}

	async request(method, params) {
		const id = this.#nextId++;
		const answer = new Promise((resolve) => {
			const timer = setTimeout(resolve, ANSWER_MS);
			this.#waiting.set(id, (message) => {
				clearTimeout(timer);
				this.#waiting.delete(id);
				resolve(message);
			});
		});
		this.#send({ id, method, params });
		return answer;
	}

	/** Resolves when it has ended, by itself or by force. */
	async end() {
		this.#child.stdin.end();
		const timer = setTimeout(() => killNow(this.#child.pid), ANSWER_MS);
		await this.#exited;
		clearTimeout(timer);
	}

	#send(message) {
		this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
	}

	#settleAll() {
		for (const settle of [...this.#waiting.values()]) settle(undefined);
	}
}
