/*
 * One stdio server behind the relay. Several HTTP requests share the pipe, so ids
 * and progress tokens are renumbered on the way in and put back on the way out.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

export class Pipe {
	#child;
	#calls = new Map();
	#listener;
	#nextId = 1;

	constructor(args) {
		this.#child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
		createInterface({ input: this.#child.stdout }).on('line', (line) => this.#take(JSON.parse(line)));
	}

	/** A notification, or the client's response to a request: it gets no response. */
	send(message) {
		this.#child.stdin.write(`${JSON.stringify(message)}\n`);
	}

	/** A request. `deliver` gets all that belongs to it, the answer last. */
	call(message, deliver) {
		const id = this.#nextId++;
		const token = message.params?._meta?.progressToken;
		this.#calls.set(id, { id: message.id, token, deliver });
		const params =
			token === undefined
				? message.params
				: { ...message.params, _meta: { ...message.params._meta, progressToken: id } };
		this.send({ ...message, id, params });
		return {
			abandon: () => {
				if (!this.#calls.delete(id)) return;
				this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
			},
		};
	}

	/** What belongs to no request goes to `listener`. */
	listen(listener) {
		this.#listener = listener;
	}

	close() {
		this.#child.stdin.end();
	}

	#take(message) {
		if (message.method === undefined) {
			const call = this.#calls.get(message.id);
			this.#calls.delete(message.id);
			return call?.deliver({ ...message, id: call.id }, true);
		}
		const call = this.#callOf(message);
		if (call) call.deliver(restored(message, call), false);
		else this.#listener?.(message);
	}

	/** Client requests and logs name no request on a pipe: they are given to the newest one. */
	#callOf({ method, params }) {
		if (method === 'notifications/progress') return this.#calls.get(params.progressToken);
		const subscription = params?._meta?.[SUBSCRIPTION];
		if (subscription !== undefined) return this.#calls.get(subscription);
		if (/list_changed|resources\/updated/.test(method)) return undefined;
		return [...this.#calls.values()].at(-1);
	}
}

function restored(message, { id, token }) {
	const { params } = message;
	if (message.method === 'notifications/progress')
		return { ...message, params: { ...params, progressToken: token } };
	if (params?._meta?.[SUBSCRIPTION] === undefined) return message;
	return { ...message, params: { ...params, _meta: { ...params._meta, [SUBSCRIPTION]: id } } };
}
