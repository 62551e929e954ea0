/*
 * HTTP on the loopback in front of a stdio server, for the conformance suite,
 * which speaks nothing else. A harness, not a product: one child for each legacy
 * session, and one child for all modern requests, whose ids are renumbered.
 *
 *     node test/conformance/relay.mjs     prints the URL, runs until its stdin ends
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { isLoopback, refusalOf, statusOf } from './http-rules.mjs';
import { Pipe } from './pipe.mjs';

const subject = [fileURLToPath(new URL('server.mjs', import.meta.url))];
const sessions = new Map();
const modern = new Pipe(subject);

const server = createServer((request, response) => {
	serve(request, response).catch((error) => {
		process.stderr.write(`relay: ${error.stack}\n`);
		if (!response.headersSent) response.writeHead(500);
		response.end();
	});
});
server.listen(0, '127.0.0.1', () => {
	process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`);
});
process.stdin.resume().on('end', () => {
	for (const pipe of [modern, ...sessions.values()]) pipe.close();
	server.close();
	server.closeAllConnections();
});

async function serve(request, response) {
	if (!isLoopback(request.headers)) return answer(response, 403, { error: 'not a local host or origin' });
	if (request.method === 'POST') return post(request, response, await bodyOf(request));
	const pipe = sessions.get(request.headers['mcp-session-id']);
	if (pipe === undefined) return answer(response, 405);
	if (request.method === 'GET') return pipe.listen(streamTo(response));
	sessions.delete(request.headers['mcp-session-id']);
	pipe.close();
	answer(response, request.method === 'DELETE' ? 200 : 405);
}

async function post(request, response, body) {
	const refusal = refusalOf(request.headers, body);
	if (refusal) return answer(response, 400, refusal);
	if (isModern(request.headers, body)) return relay(modern, body, response, true);
	const pipe = sessionFor(request, response, body);
	if (pipe === undefined) return;
	if (body.method === undefined || body.id === undefined) {
		pipe.send(body);
		return answer(response, 202);
	}
	relay(pipe, body, response, false);
}

function isModern(headers, body) {
	const version =
		headers['mcp-protocol-version'] ?? body.params?._meta?.['io.modelcontextprotocol/protocolVersion'];
	return version !== undefined && version > '2025-11-25';
}

function sessionFor(request, response, body) {
	const id = request.headers['mcp-session-id'];
	if (body.method === 'initialize' && id === undefined) {
		const created = randomUUID();
		response.setHeader('mcp-session-id', created);
		sessions.set(created, new Pipe(subject));
		return sessions.get(created);
	}
	const known = sessions.get(id);
	if (known === undefined) answer(response, id === undefined ? 400 : 404, { error: 'no such session' });
	return known;
}

/** One answer is plain JSON; anything before it makes a stream of events. */
function relay(pipe, body, response, isModernRequest) {
	const call = pipe.call(body, (message, isLast) => {
		if (isLast && !response.headersSent) {
			return answer(response, isModernRequest ? statusOf(message, body) : 200, message);
		}
		if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
		response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
		if (isLast) response.end();
	});
	response.on('close', () => call.abandon());
}

function streamTo(response) {
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	response.flushHeaders();
	return (message) => response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

function answer(response, status, body) {
	response.writeHead(status, body === undefined ? {} : { 'content-type': 'application/json' });
	response.end(body === undefined ? undefined : JSON.stringify(body));
}

async function bodyOf(request) {
	let text = '';
	for await (const chunk of request.setEncoding('utf8')) text += chunk;
	return JSON.parse(text);
}
