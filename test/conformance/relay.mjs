/*
 * HTTP on the loopback in front of a stdio server, for the conformance suite,
 * which speaks nothing else. A harness, not a product: one child for each legacy
 * session, and one child for all modern requests, whose ids are renumbered.
 *
 *     node test/conformance/relay.mjs [gateway|gateway-legacy]     prints the URL, runs until its stdin ends
 *
 * With an argument the server is behind a hub: `mctl serve`, which speaks to it in
 * the modern or the legacy era.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLoopback, refusalOf, statusOf } from './http-rules.mjs';
import { Pipe } from './pipe.mjs';
import { withHubKeys, withSuiteKeys } from './question-keys.mjs';

const program = fileURLToPath(new URL('server.mjs', import.meta.url));
const subject = process.argv[2] === undefined ? { args: [program] } : gateway(process.argv[2]);
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

/** `mctl serve` in a folder whose only MCP server is ours, with its names as they are. */
function gateway(kind) {
	const cwd = mkdtempSync(join(tmpdir(), 'orchestra-gateway-'));
	process.on('exit', () => rmSync(cwd, { recursive: true, force: true }));
	const args = kind === 'gateway-legacy' ? [program, '--legacy'] : [program];
	const everything = { command: process.execPath, args, prefix: false, scope: 'session' };
	writeFileSync(join(cwd, 'orchestra.json'), JSON.stringify({ mcpServers: { everything } }));
	const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
	const env = { HOME: cwd, XDG_STATE_HOME: join(cwd, 'state'), LOG_LEVEL: 'warn', ORCHESTRA_TRUST: 'all' };
	return { args: [main, 'serve'], options: { cwd, env: { ...process.env, ...env } } };
}

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
	const isRenamed = isModernRequest && process.argv[2] === 'gateway-legacy';
	const call = pipe.call(isRenamed ? withHubKeys(body) : body, (received, isLast) => {
		const message = isRenamed ? withSuiteKeys(received) : received;
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
