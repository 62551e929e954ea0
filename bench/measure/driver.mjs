/*
 * One driver for every server. It writes requests that are bytes already, keeps
 * a number of them in flight, and counts answers by their length, so that it is
 * never the slower side. What the answers say is checked before and after the
 * timed part; inside it, an answer of another length stops the measurement.
 */
import { cpuMicros, failure, memory, startNode, stop } from './process.mjs';
import { TEXT } from './requests.mjs';

const SILENCE_MS = 10_000;
const CHECKED_CALLS = 100;
const SETTLE_MS = 60;
const SEND_MS = 2;
const ignore = () => {};

/** Start a server and open a conversation. The caller closes. */
export async function openServer(args, talk, { isEcho = false, isFree = false, cwd, env, program } = {}) {
	const startedAt = performance.now();
	const driver = new Driver(startNode(args, { cwd, env, isFree, program }), talk, isEcho);
	await driver.ask(talk.open);
	driver.coldMs = performance.now() - startedAt;
	if (talk.opened && !isEcho) driver.child.stdin.write(talk.opened);
	return driver;
}

class Driver {
	#talk;
	#isEcho;
	#answerSize = 0;

	constructor(child, talk, isEcho) {
		this.child = child;
		this.#talk = talk;
		this.#isEcho = isEcho;
	}

	get pid() {
		return this.child.pid;
	}

	/** Resident memory after the first answer, once the start is over. */
	async idleMemory() {
		await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
		return memory(this.pid);
	}

	/** Send one message and wait for one answer; its parsed body. */
	async ask(bytes) {
		const [body] = await this.#collect([bytes], 1);
		return JSON.parse(body);
	}

	/** Send one message, and ignore its answer and what arrives within `ms` after it: notifications at the start. */
	async letPass(bytes, ms) {
		const { stdout } = this.child;
		const { id } = JSON.parse(this.#talk.decode(bytes.toString())[0]);
		let text = '';
		await this.#listen(
			(chunk, done) => {
				text += chunk.toString('latin1');
				if (text.includes(`"id":${id}`)) done();
			},
			() => this.child.stdin.write(bytes),
		);
		stdout.on('data', ignore);
		await new Promise((resolve) => setTimeout(resolve, ms));
		stdout.off('data', ignore);
	}

	/** Call the tool with distinct ids and compare every answer; learn how long an answer is. */
	async check() {
		const { ring, decode } = this.#talk;
		const firstId = ring.nextId;
		const pieces = ring.take(CHECKED_CALLS);
		let size = 0;
		const bodies = await this.#collect(pieces, CHECKED_CALLS, (text) => {
			size = text.length;
			return decode(text);
		});
		const ids = new Set(bodies.map((body) => this.#checkAnswer(JSON.parse(body))));
		if (ids.size !== CHECKED_CALLS || !ids.has(firstId)) throw new Error('answers with wrong ids');
		this.#answerSize = size / CHECKED_CALLS;
	}

	#checkAnswer({ id, params, result }) {
		const text = this.#isEcho ? params.arguments.text : this.#talk.textOf(result);
		if (text !== TEXT) throw new Error(`a wrong answer to ${id}: ${JSON.stringify(result)}`);
		return id;
	}

	/** Keep `inFlight` calls going for `ms`; how many were answered, in how long. */
	flood(inFlight, ms) {
		const { ring } = this.#talk;
		const { stdin } = this.child;
		const size = this.#answerSize;
		let sent = 0;
		let bytes = 0;
		const send = (count) => {
			sent += count;
			for (const piece of ring.take(count)) stdin.write(piece);
		};
		const startedAt = performance.now();
		return this.#listen(
			(chunk, done) => {
				const before = Math.floor(bytes / size);
				bytes += chunk.length;
				const now = performance.now();
				const answered = Math.floor(bytes / size);
				if (now - startedAt < ms) {
					if (answered > before) send(answered - before);
				} else if (bytes === sent * size) done({ calls: sent, ms: now - startedAt });
			},
			() => send(inFlight),
		);
	}

	/** With `inFlight` calls going: calls per second for `ms` after `warmMs`, and the CPU microseconds of one; with `hubPid` those of a hub too. */
	async throughput(inFlight, { warmMs, ms, hubPid }) {
		await this.flood(inFlight, warmMs);
		const cpu = () => (hubPid ? cpuMicros(this.pid) + cpuMicros(hubPid) : cpuMicros(this.pid));
		const before = cpu();
		const flight = await this.flood(inFlight, ms);
		const used = before === undefined ? undefined : cpu() - before;
		return { perSecond: (flight.calls / flight.ms) * 1000, cpuMicros: used && used / flight.calls };
	}

	/** Begin `rate` calls per second for `ms`, with at most `inFlight` of them unanswered: how many, in how long. */
	steady(rate, ms, inFlight) {
		const { ring } = this.#talk;
		const size = this.#answerSize;
		const startedAt = performance.now();
		let sent = 0;
		let bytes = 0;
		const send = () => {
			const now = performance.now();
			const due = Math.floor((Math.min(now - startedAt, ms) * rate) / 1000);
			const count = Math.min(due - sent, inFlight - (sent - Math.floor(bytes / size)));
			if (count <= 0) return;
			sent += count;
			for (const piece of ring.take(count)) this.child.stdin.write(piece);
		};
		const timer = setInterval(send, SEND_MS);
		return this.#listen(
			(chunk, done) => {
				bytes += chunk.length;
				const now = performance.now();
				if (now - startedAt >= ms && bytes === sent * size) done({ calls: sent, ms: now - startedAt });
			},
			send,
			ms + SILENCE_MS,
		).finally(() => clearInterval(timer));
	}

	/** One call after the other for `ms`: how many, in how long, and the median latency in microseconds. */
	async inTurn(ms) {
		const { ring } = this.#talk;
		const latencies = [];
		const startedAt = performance.now();
		let sentAt = startedAt;
		let bytes = 0;
		const end = await this.#listen(
			(chunk, done) => {
				bytes += chunk.length;
				if (bytes < this.#answerSize) return;
				const now = performance.now();
				latencies.push(now - sentAt);
				bytes -= this.#answerSize;
				if (now - startedAt > ms) return done(now);
				sentAt = performance.now();
				this.child.stdin.write(ring.take(1)[0]);
			},
			() => this.child.stdin.write(ring.take(1)[0]),
		);
		latencies.sort((a, b) => a - b);
		const at = (share) => latencies[Math.floor(latencies.length * share)] * 1000;
		return { calls: latencies.length, ms: end - startedAt, p50Micros: at(0.5), p99Micros: at(0.99) };
	}

	/** Send one large call; milliseconds until its last byte is back, or undefined when `capMs` was not enough. */
	async echoLarge(bytes, text, capMs) {
		const chunks = [];
		const startedAt = performance.now();
		const endedAt = await this.#listen(
			(chunk, done) => {
				chunks.push(chunk);
				if (chunk.at(-1) === 0x0a) done(performance.now());
			},
			() => this.child.stdin.write(bytes),
			capMs,
		).catch(() => undefined);
		if (endedAt === undefined) return undefined;
		const { params, result } = JSON.parse(Buffer.concat(chunks).toString());
		const echoed = this.#isEcho ? params.arguments.text : result?.content?.[0]?.text;
		if (echoed !== text) throw new Error('a large echo came back changed');
		return endedAt - startedAt;
	}

	/** Send one call; milliseconds until a result of at least `size` bytes is back. */
	async receiveLarge(bytes, size) {
		let received = 0;
		const startedAt = performance.now();
		const endedAt = await this.#listen(
			(chunk, done) => {
				received += chunk.length;
				if (received > size && chunk.at(-1) === 0x0a) done(performance.now());
			},
			() => this.child.stdin.write(bytes),
		);
		return endedAt - startedAt;
	}

	/** Send messages and wait for as many answers within `ms`; their parsed bodies. */
	async askAll(pieces, ms) {
		const isAnswer = (body) => body.includes('"id":');
		const bodies = await this.#collect(
			pieces,
			pieces.length,
			(text) => this.#talk.decode(text).filter(isAnswer),
			ms,
		);
		return bodies.map((body) => JSON.parse(body));
	}

	close(graceMs) {
		return stop(this.child, graceMs);
	}

	#collect(pieces, count, decode = this.#talk.decode, limitMs = SILENCE_MS) {
		let text = '';
		return this.#listen(
			(chunk, done) => {
				text += chunk.toString('latin1');
				const bodies = decode(text);
				if (bodies.length >= count) done(bodies);
			},
			() => {
				for (const piece of pieces) this.child.stdin.write(piece);
			},
			limitMs,
		);
	}

	/** Give chunks to `take` until it calls `done`. Rejects when that takes longer than `limitMs`, or the subject ends. */
	#listen(take, begin, limitMs = SILENCE_MS) {
		const { child } = this;
		return new Promise((resolve, reject) => {
			const finish = (settle, value) => {
				clearTimeout(timer);
				child.stdout.off('data', onData);
				child.off('close', onClose);
				settle(value);
			};
			const fail = (what) => finish(reject, failure(child, what));
			const done = (value) => finish(resolve, value);
			const onData = (chunk) => {
				try {
					take(chunk, done);
				} catch (error) {
					fail(error.message);
				}
			};
			const onClose = (code, signal) => fail(`it ended with ${signal ?? `exit code ${code}`}`);
			const timer = setTimeout(() => fail(`no answer within ${limitMs} ms`), limitMs);
			child.stdout.on('data', onData);
			child.on('close', onClose);
			begin();
		});
	}
}
