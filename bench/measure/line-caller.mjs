/*
 * A client that counts lines: one request a line, one answer a line, in any order.
 * For chains whose answers differ in length, where the driver's counting by bytes
 * does not work.
 */
import { spawn } from 'node:child_process';
import { failure, keepStderr, stop } from './process.mjs';

const SILENCE_MS = 10_000;
const CLOSE_MS = 2000;

/** Start a program that speaks MCP on its stdio and open a session. The caller closes. */
export async function openCaller(command, args, options = {}) {
	const child = keepStderr(spawn(command, args, { ...options, stdio: 'pipe' }));
	const caller = new LineCaller(child);
	const clientInfo = { name: 'bench', version: '1.0.0' };
	await caller.ask('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo });
	return caller;
}

class LineCaller {
	#child;
	#lastId = 0;
	#text = '';
	#onAnswers = () => {};

	constructor(child) {
		this.#child = child;
		child.stdout.setEncoding('utf8').on('data', (chunk) => {
			const lines = (this.#text + chunk).split('\n');
			this.#text = lines.pop();
			const answers = lines.filter((line) => /"id":/.test(line));
			if (answers.length > 0) this.#onAnswers(answers);
		});
	}

	get pid() {
		return this.#child.pid;
	}

	async ask(method, params) {
		const [line] = await this.#exchange((done) => {
			this.#onAnswers = done;
			this.#send(method, params);
		});
		const { result, error } = JSON.parse(line);
		if (error) throw new Error(`${method}: ${error.message}`);
		return result;
	}

	/** One call after the other for `ms`; sorted latencies in milliseconds. */
	async inTurn(params, ms) {
		const latencies = [];
		const startedAt = performance.now();
		let sentAt = startedAt;
		await this.#exchange((done) => {
			this.#onAnswers = () => {
				const now = performance.now();
				latencies.push(now - sentAt);
				if (now - startedAt > ms) return done();
				sentAt = performance.now();
				this.#send('tools/call', params);
			};
			this.#send('tools/call', params);
		}, ms);
		return latencies.sort((a, b) => a - b);
	}

	/** Keep `inFlight` calls going for `ms`; calls answered a second. */
	async flood(params, inFlight, ms) {
		const startedAt = performance.now();
		let answered = 0;
		let open = inFlight;
		await this.#exchange((done) => {
			this.#onAnswers = (lines) => {
				answered += lines.length;
				open -= lines.length;
				if (performance.now() - startedAt < ms) {
					open += lines.length;
					for (let count = 0; count < lines.length; count++) this.#send('tools/call', params);
				} else if (open === 0) done();
			};
			for (let count = 0; count < inFlight; count++) this.#send('tools/call', params);
		}, ms);
		return (answered / (performance.now() - startedAt)) * 1000;
	}

	close() {
		return stop(this.#child, CLOSE_MS);
	}

	#send(method, params) {
		this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++this.#lastId, method, params })}\n`);
	}

	#exchange(begin, ms = 0) {
		return new Promise((resolve, reject) => {
			const settle = (finish, value) => {
				clearTimeout(timer);
				this.#child.off('close', onClose);
				this.#onAnswers = () => {};
				finish(value);
			};
			const fail = (what) => settle(reject, failure(this.#child, what));
			const onClose = (code, signal) => fail(`it ended with ${signal ?? `exit code ${code}`}`);
			const timer = setTimeout(() => fail(`no answer within ${SILENCE_MS + ms} ms`), SILENCE_MS + ms);
			this.#child.on('close', onClose);
			begin((value) => settle(resolve, value));
		});
	}
}
