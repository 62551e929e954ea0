/*
 * A driver of HTTP servers that costs little itself: sockets that stay open, requests
 * that are bytes already, and one request at a time on each socket. An answer is found
 * by its length; its text is checked once, before the clock starts.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

/** A request as bytes. */
export function encodeHttp(url, headers, body) {
	const { host, pathname } = new URL(url);
	const lines = Object.entries({
		Host: host,
		'Content-Type': 'application/json',
		Accept: 'application/json, text/event-stream',
		'Content-Length': Buffer.byteLength(body),
		...headers,
	}).map(([name, value]) => `${name}: ${value}\r\n`);
	return Buffer.from(`POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

const SHORT = 65_536;
const SILENCE_MS = 60_000;

/** One socket with at most one request in flight. */
class Line {
	#socket;
	#text = '';
	#onAnswer = () => {};
	#onClosed = () => {};

	constructor(socket) {
		this.#socket = socket;
		socket.setNoDelay(true).setEncoding('latin1');
		socket.on('data', (text) => this.#take(text));
		socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error(`no answer within ${SILENCE_MS} ms`)));
		let reason = new Error('the server closed the connection in the middle of a request');
		socket.on('error', (error) => {
			reason = error;
		});
		socket.on('close', () => this.#onClosed(reason));
	}

	ask(bytes, onAnswer, onClosed) {
		this.#onAnswer = onAnswer;
		this.#onClosed = onClosed;
		this.#socket.write(bytes);
	}

	close() {
		this.#onClosed = () => {};
		this.#socket.destroy();
	}

	#take(text) {
		this.#text = this.#text === '' ? text : this.#text + text;
		// A long answer without a length is looked at only when it may be complete.
		const mayEnd = this.#text.length < SHORT || text.endsWith('\r\n\r\n') || text.length < SHORT;
		if (!mayEnd) return;
		const end = endOfAnswer(this.#text);
		if (end === -1) return;
		const answer = this.#text.slice(0, end);
		this.#text = this.#text.slice(end);
		this.#onAnswer(answer);
	}
}

/** Where the first answer ends; -1 while it is not whole. */
function endOfAnswer(text) {
	const head = text.indexOf('\r\n\r\n');
	if (head === -1) return -1;
	const length = /content-length: (\d+)/i.exec(text.slice(0, head))?.[1];
	if (length !== undefined) return text.length >= head + 4 + Number(length) ? head + 4 + Number(length) : -1;
	const last = text.indexOf('\r\n0\r\n\r\n', head);
	return last === -1 ? -1 : last + 7;
}

export async function openLines(url, count) {
	const { hostname, port } = new URL(url);
	return Promise.all(
		Array.from({ length: count }, async () => {
			const socket = connect(Number(port), hostname);
			await once(socket, 'connect');
			return new Line(socket);
		}),
	);
}

/** One answer as text, headers included. */
export function askOnce([line], bytes) {
	return new Promise((resolve, reject) => line.ask(bytes, resolve, reject));
}

/** Keep every line busy for `ms`; the number of answers. Throws when an answer is not a success. `bytes` may be a map from each line to its own. */
export function drive(lines, bytes, ms) {
	const endAt = performance.now() + ms;
	let count = 0;
	let open = lines.length;
	return new Promise((resolve, reject) => {
		for (const line of lines) {
			const request = bytes instanceof Map ? bytes.get(line) : bytes;
			const next = (answer) => {
				if (answer !== undefined) {
					count++;
					if (!answer.startsWith('HTTP/1.1 200')) return reject(new Error(answer.slice(0, 300)));
				}
				if (performance.now() < endAt) return line.ask(request, next, reject);
				open--;
				if (open === 0) resolve(count);
			};
			next();
		}
	});
}
