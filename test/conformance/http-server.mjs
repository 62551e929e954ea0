/*
 * The provider of the conformance suite behind our HTTP listener. The suite sends no
 * token, so a proxy adds it and changes nothing else.
 *
 *     node test/conformance/http-server.mjs [hub FOLDER]        prints the URL, runs until its stdin ends
 *
 * With `hub` it is the hub of a folder with a configuration.
 */
import { randomUUID } from 'node:crypto';
import { createServer, request as send } from 'node:http';
import { join } from 'node:path';
import { Log, openHub, serveHttp } from '../../dist/index.js';
import { provider } from './provider.mjs';

const token = randomUUID();
const [kind, folder = ''] = process.argv.slice(2);
const opened = kind === 'hub' ? await openFolder(folder) : undefined;
const serving = await serveHttp(opened?.hub ?? provider, { token });
const target = new URL(serving.url);

const proxy = createServer((request, response) => {
	const headers = { ...request.headers, authorization: `Bearer ${token}` };
	for (const name of ['host', 'origin'])
		headers[name] = headers[name]?.replace(`:${port()}`, `:${target.port}`);
	if (headers.origin === undefined) delete headers.origin;
	const { method, url: path } = request;
	const forwarded = send({ host: target.hostname, port: target.port, method, path, headers }, (answer) => {
		response.writeHead(answer.statusCode, answer.headers);
		response.flushHeaders();
		answer.pipe(response);
		answer.on('error', () => response.destroy());
	});
	request.pipe(forwarded);
	forwarded.on('error', () => response.destroy());
	response.on('close', () => forwarded.destroy());
});
proxy.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${port()}/mcp\n`));
process.stdin.resume().on('end', async () => {
	await serving.close();
	await opened?.close();
	proxy.close();
	proxy.closeAllConnections();
});

/** The hub of this folder, which has a state of its own; its servers are known when it answers. */
async function openFolder(cwd) {
	const environment = {
		...process.env,
		HOME: cwd,
		XDG_STATE_HOME: join(cwd, 'state'),
		ORCHESTRA_TRUST: 'all',
	};
	const made = await openHub({ cwd, environment, log: Log.silent, listWaitMs: 20_000 });
	await made.hub.list('tools');
	return made;
}

function port() {
	return proxy.address().port;
}
