import dns from 'node:dns';
import { createServer, type RequestListener } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { RESPONSE_LIMIT_BYTES } from '../../src/oauth/auth-limits.ts';
import { GuardedHttp } from '../../src/oauth/guarded-http.ts';
import { covers } from '../../src/oauth/resource-metadata.ts';
import { networkClass } from '../../src/transport/http/network-class.ts';
import { thrownBy } from '../support/programs.ts';

const servers: { close: () => void }[] = [];
afterAll(() => {
	for (const server of servers) server.close();
});

describe('a request to a URL that a server named', () => {
	it.each([
		['http://example.com/', 'not an https:// URL'],
		['file:///etc/passwd', 'not an https:// URL'],
		['https://user:word@example.com/', 'not an https:// URL'],
		['https://10.0.0.1/', 'a private network'],
		['https://192.168.1.1/', 'a private network'],
		['https://169.254.169.254/latest/meta-data', 'a reserved network'],
		['https://[fe80::1]/', 'a reserved network'],
		['https://[::ffff:10.0.0.1]/', 'a private network'],
		['https://127.0.0.1/', 'a loopback network'],
		['http://localhost:1/', 'a loopback network'],
		['https://0x7f.1/', 'a loopback network'],
	])('is refused for %s when the server is public', async (target, reason) => {
		const error = await thrownBy(() => new GuardedHttp(['https://93.184.215.14/mcp']).fetch(target));
		expect(error).toMatchObject({ code: 'bad_input', message: expect.stringContaining(reason) });
	});

	it('does not show the path and the query of its target', async () => {
		const http = new GuardedHttp(['http://127.0.0.1:9/']);
		const error = await thrownBy(() => http.fetch('http://127.0.0.1:9/secret?code=secret'));
		expect(String(error)).not.toContain('secret');
	});

	it('is permitted again after an outage of the name server', async () => {
		const url = await serve((_, response) => void response.end('{}'));
		const nameServer = fakeNameServer();
		const http = new GuardedHttp(['https://mcp.test/', url.replace('127.0.0.1', 'other.test')]);
		nameServer.isDown = true;
		expect(String(await thrownBy(() => http.fetch(url)))).toContain('a loopback network');
		nameServer.isDown = false;
		expect((await http.fetch(url)).status).toBe(200);
	});

	it('ends with an error when the response is too large', async () => {
		const url = await serve((_, response) => void response.end('x'.repeat(RESPONSE_LIMIT_BYTES + 1)));
		const error = await thrownBy(() => new GuardedHttp([url]).fetch(url));
		expect(error).toMatchObject({ code: 'io', message: expect.stringContaining('larger than') });
	});

	it('ends with an error when the connection closes within the response', async () => {
		const url = await serve((_, response) => {
			response.writeHead(200, { 'content-length': 100 });
			response.write('half', () => response.destroy());
		});
		expect(await thrownBy(() => new GuardedHttp([url]).fetch(url))).toMatchObject({ code: 'io' });
	});

	it('follows a bounded number of redirects', async () => {
		let hops = 0;
		const url = await serve((_, response) => {
			hops++;
			response.writeHead(302, { location: `/${hops}` }).end();
		});
		expect(await new GuardedHttp([url]).json(url)).toBeUndefined();
		expect(hops).toBe(4);
	});

	it('ends when it is canceled', async () => {
		const cancel = new AbortController();
		const url = await serve(() => cancel.abort(new Error('enough')));
		expect(String(await thrownBy(() => new GuardedHttp([url], cancel.signal).fetch(url)))).toContain(
			'enough',
		);
	});
});

describe('the class of an address', () => {
	it.each([
		['8.8.8.8', 'public'],
		['2606:4700::1111', 'public'],
		['127.8.9.1', 'loopback'],
		['::1', 'loopback'],
		['::ffff:127.0.0.1', 'loopback'],
		['::ffff:7f00:1', 'loopback'],
		['172.31.255.255', 'private'],
		['172.32.0.1', 'public'],
		['100.64.0.1', 'private'],
		['fd00::1', 'private'],
		['64:ff9b::a00:1', 'private'],
		['64:ff9b::10.0.0.1', 'private'],
		['2002:a00:1::', 'private'],
		['0.0.0.0', 'reserved'],
		['::', 'reserved'],
		['fe80::1%eth0', 'reserved'],
		['255.255.255.255', 'reserved'],
	])('of %s is %s', (address, expected) => {
		expect(networkClass(address)).toBe(expected);
	});
});

describe('a resource covers a URL', () => {
	it.each([
		['https://a.example/mcp', 'https://a.example/mcp', true],
		['https://a.example', 'https://a.example/mcp', true],
		['https://a.example/mcp/', 'https://a.example/mcp', true],
		['https://a.example/mcp', 'https://a.example/mcp/x', true],
		['https://a.example/mc', 'https://a.example/mcp', false],
		['https://a.example/mcp/x', 'https://a.example/mcp', false],
		['http://a.example/mcp', 'https://a.example/mcp', false],
		['https://a.example:8443/mcp', 'https://a.example/mcp', false],
		['https://a.example.evil.example/', 'https://a.example/mcp', false],
		['https://a.example/mcp#x', 'https://a.example/mcp', false],
		['a.example', 'https://a.example/mcp', false],
	])('%s and %s: %s', (resource, url, expected) => {
		expect(covers(resource, url)).toBe(expected);
	});
});

async function serve(listener: RequestListener): Promise<string> {
	const server = createServer(listener);
	servers.push({ close: () => (server.closeAllConnections(), server.close()) });
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A resolver that knows every name as this machine, or none while it is down. */
function fakeNameServer(): { isDown: boolean } {
	const state = { isDown: false };
	const real = dns.lookup;
	const fake = (_host: string, _options: object, callback: (...result: unknown[]) => void): void =>
		state.isDown
			? callback(Object.assign(new Error('no name server'), { code: 'EAI_AGAIN' }))
			: callback(null, [{ address: '127.0.0.1', family: 4 }]);
	Object.assign(dns, { lookup: fake });
	syncBuiltinESMExports();
	onTestFinished(() => {
		Object.assign(dns, { lookup: real });
		syncBuiltinESMExports();
	});
	return state;
}
