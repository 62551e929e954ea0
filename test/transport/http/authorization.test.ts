/* The authorization hook: tokens, refusals, retries. */
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../../src/errors.ts';
import type { HttpAuth, Unauthorized } from '../../../src/transport/http/http-auth.ts';
import { connectHttp, modern, type Received, result, sendJson, serveRaw } from '../../support/http-server.ts';
import { deferred } from '../../support/waiting.ts';

describe('authorization', () => {
	it('sends the token with every request, over a configured header', async () => {
		const server = await serveGuarded('good');
		const { peer } = await connectHttp(server.url, {
			auth: hook('good'),
			headers: { authorization: 'Basic x' },
		});
		expect(await peer.request('tools/call', {})).toEqual({ ok: 1 });
	});

	it('sends the configured header when the hook has no token', async () => {
		const server = await serveRaw(({ message, headers }, response) =>
			sendJson(response, result(message.id, { auth: headers.authorization })),
		);
		const { peer } = await connectHttp(server.url, {
			auth: hook(undefined),
			headers: { Authorization: 'Basic x' },
		});
		expect(await peer.request('tools/call', {})).toEqual({ auth: 'Basic x' });
	});

	it('asks the hook once after a 401, with every challenge, and repeats the request once', async () => {
		const server = await serveGuarded('new');
		const auth = hook('old', 'new');
		const { peer } = await connectHttp(server.url, { auth });
		expect(await peer.request('tools/call', {})).toEqual({ ok: 1 });
		expect(server.received).toHaveLength(2);
		expect(auth.refusals).toHaveLength(1);
		const [refusal] = auth.refusals;
		expect(refusal).toMatchObject({ status: 401, url: server.url, token: 'old' });
		expect(refusal?.challenges.map(({ scheme }) => scheme)).toEqual(['basic', 'bearer']);
		expect(refusal?.challenges[1]?.parameters.get('resource_metadata')).toBe('https://x/prm');
	});

	it('fails with one hint when the new token is refused too', async () => {
		const server = await serveGuarded('never');
		const { peer } = await connectHttp(server.url, { auth: hook('a', 'b', 'c'), serverName: 'shop' });
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({
			hint: 'Run: mctl auth shop',
			data: { status: 401, outcome: 'not_run' },
		});
		expect(server.received).toHaveLength(2);
	});

	it('fails when the hook gives up, in the middle of a session too', async () => {
		let isOpen = true;
		const server = await serveRaw(({ message }, response) =>
			isOpen ? sendJson(response, result(message.id)) : response.writeHead(401).end(),
		);
		const { peer } = await connectHttp(server.url, { auth: hook('a') });
		await peer.request('tools/call', {});
		isOpen = false;
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({ data: { status: 401 } });
		isOpen = true;
		await peer.request('tools/call', {});
	});

	it('takes an error of the hook as the error of the call', async () => {
		const server = await serveGuarded('x');
		const failing: HttpAuth = {
			token: () => Promise.resolve(undefined),
			onUnauthorized: () => Promise.reject(new OrchestraError('io', 'the issuer is down')),
		};
		const { peer } = await connectHttp(server.url, { auth: failing });
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({ message: 'the issuer is down' });
	});

	it('steps up once after 403 with insufficient_scope, and not after another 403', async () => {
		const refuse = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="write"' };
		const server = await serveRaw(({ headers, message }, response) => {
			if (headers.authorization === 'Bearer wide') sendJson(response, result(message.id, { ok: 1 }));
			else response.writeHead(403, headers.authorization === 'Bearer narrow' ? refuse : {}).end();
		});
		const auth = hook('narrow', 'wide');
		const { peer } = await connectHttp(server.url, { auth });
		expect(await peer.request('tools/call', {})).toEqual({ ok: 1 });
		expect(auth.refusals).toMatchObject([{ status: 403, token: 'narrow' }]);
		const denied = await connectHttp(server.url, { auth: hook('other', 'wide') });
		await expect(denied.peer.request('tools/call', {})).rejects.toMatchObject({ data: { status: 403 } });
	});

	it('lets the probe go on to initialize', async () => {
		const server = await serveGuarded('never');
		const { peer } = await connectHttp(server.url, { auth: hook('a') });
		await expect(peer.request('server/discover', modern())).rejects.toMatchObject({ code: 'rpc' });
	});

	it('does not send a call that was canceled meanwhile', async () => {
		const server = await serveGuarded('new');
		const asked = deferred();
		const decided = deferred<'retry'>();
		const slow: HttpAuth = {
			token: () => Promise.resolve('old'),
			onUnauthorized: () => {
				asked.resolve();
				return decided.promise;
			},
		};
		const { peer } = await connectHttp(server.url, { auth: slow });
		const stop = new AbortController();
		const call = peer.request('tools/call', modern(), { signal: stop.signal });
		await asked.promise;
		stop.abort();
		await expect(call).rejects.toMatchObject({ code: 'canceled' });
		decided.resolve('retry');
		await new Promise((resolve) => setImmediate(resolve));
		expect(server.received).toHaveLength(1);
	});
});

/** A hook with these tokens, one after the other; gives up after the last. */
function hook(...tokens: (string | undefined)[]): HttpAuth & { refusals: Unauthorized[] } {
	const refusals: Unauthorized[] = [];
	return {
		refusals,
		token: () => Promise.resolve(tokens[refusals.length]),
		onUnauthorized: (refusal) => {
			refusals.push(refusal);
			return Promise.resolve(refusals.length < tokens.length ? 'retry' : 'fail');
		},
	};
}

function serveGuarded(token: string) {
	const challenge = 'Basic realm="a, b", Bearer resource_metadata="https://x/prm"';
	return serveRaw(({ headers, message }: Received, response) => {
		if (headers.authorization === `Bearer ${token}`) sendJson(response, result(message.id, { ok: 1 }));
		else response.writeHead(401, { 'www-authenticate': challenge }).end();
	});
}
