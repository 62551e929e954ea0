/* Ask a URL and time each phase of the answer. Node alone, no library. */
import http from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';

const DAY_MS = 86_400_000;
let toolId = 'http-probe';

function emit(type, payload) {
	process.stdout.write(`${JSON.stringify({ type, ts: new Date().toISOString(), toolId, payload })}\n`);
}

function fail(message, code) {
	emit('error', { message, code, recoverable: true });
	process.exitCode = 1;
}

/** One request: status, headers of interest, and milliseconds from its start to each phase. */
function probe(url, { method, timeoutMs }) {
	return new Promise((resolve, reject) => {
		const start = performance.now();
		const timing = {};
		const mark = (phase) => () => (timing[phase] ??= Math.round((performance.now() - start) * 10) / 10);
		const { request: ask } = url.protocol === 'https:' ? https : http;
		const request = ask(url, { method, agent: false, signal: AbortSignal.timeout(timeoutMs) });
		let validDays;
		request.on('socket', (socket) => {
			socket.once('lookup', mark('dnsMs'));
			socket.once('connect', mark('connectMs'));
			socket.once('secureConnect', () => {
				mark('tlsMs')();
				const until = Date.parse(socket.getPeerCertificate().valid_to);
				validDays = Math.floor((until - Date.now()) / DAY_MS);
			});
		});
		request.on('response', (response) => {
			mark('firstByteMs')();
			let bytes = 0;
			response.on('data', (chunk) => (bytes += chunk.length));
			response.on('error', reject);
			response.on('end', () => {
				mark('totalMs')();
				const { location, server, 'content-type': contentType } = response.headers;
				resolve({ status: response.statusCode, bytes, contentType, location, server, validDays, ...timing });
			});
		});
		request.on('error', reject);
		request.end();
	});
}

function readUrl(address) {
	const url = URL.canParse(address) ? new URL(address) : undefined;
	return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

async function main() {
	let request;
	try {
		request = JSON.parse(await text(process.stdin));
	} catch {
		return fail('stdin is not a JSON request', 'BAD_REQUEST');
	}
	toolId = request.context?.toolId ?? toolId;
	emit('started', {});
	const { url: address, method = 'GET', count = 1, timeoutMs = 5000 } = request.input ?? {};
	const url = readUrl(address);
	if (!url) return fail(`"${address}" is not an http or https address`, 'BAD_URL');
	const answers = [];
	for (let asked = 1; asked <= count; asked++) {
		try {
			answers.push(await probe(url, { method, timeoutMs }));
		} catch (error) {
			const why =
				error.name === 'AbortError' || error.name === 'TimeoutError'
					? `no answer in ${timeoutMs} ms`
					: error.message;
			return fail(`${url.href} does not answer: ${why || error.code}`, 'UNREACHABLE');
		}
		emit('progress', { progress: asked, total: count, message: `status ${answers.at(-1).status}` });
	}
	const times = answers.map(({ totalMs }) => totalMs).sort((a, b) => a - b);
	const median = times[Math.floor(times.length / 2)];
	emit('result', {
		url: url.href,
		...answers.at(-1),
		...(count > 1 && { count, fastestMs: times[0], medianMs: median, slowestMs: times.at(-1) }),
	});
}

await main();
