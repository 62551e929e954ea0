/* Other paths of the listener: the same checks, the longest path, errors. */
import { describe, expect, it } from 'vitest';
import type { HttpRoute } from '../../src/http/http-route.ts';
import { openListener, send } from '../support/http-listener.ts';

describe('a route of the HTTP listener', () => {
	it('is served after the checks of address and token, whatever the query is', async () => {
		const at = await pathsOf([says('/numbers', 'some')]);
		expect(await (await at('/numbers?a=/b')).text()).toMatch(/^some for token:[0-9a-f]{16}$/);
		expect((await at('/numbers', { token: undefined })).status).toBe(401);
		expect((await at('/numbers', { headers: { Host: 'evil' } })).status).toBe(403);
		expect((await at('/numbers/more')).status).toBe(404);
		expect((await at('/numbersmore')).status).toBe(404);
	});

	it('serves what is below a path that ends with a slash; the longest path wins', async () => {
		const at = await pathsOf([says('/api/', 'all'), says('/api/one/', 'one')]);
		expect(await (await at('/api/other')).text()).toMatch(/^all for token:/);
		expect(await (await at('/api/one/x')).text()).toMatch(/^one for token:/);
		expect((await at('/api')).status).toBe(404);
	});

	it('needs no token when it is public, but the right address', async () => {
		const at = await pathsOf([{ ...says('/login', 'hello'), isPublic: true }]);
		expect(await (await at('/login', { token: undefined })).text()).toBe('hello for ');
		expect((await at('/login', { token: undefined, headers: { Host: 'evil' } })).status).toBe(403);
	});

	it('that throws becomes status 500, without details', async () => {
		const broken = { path: '/broken', serve: () => Promise.reject(new Error('secret')) };
		const at = await pathsOf([broken]);
		const answer = await at('/broken');
		expect(answer.status).toBe(500);
		expect(await answer.text()).not.toContain('secret');
	});
});

function says(path: string, text: string): HttpRoute {
	return { path, serve: ({ response, principal }) => void response.end(`${text} for ${principal}`) };
}

async function pathsOf(
	routes: readonly HttpRoute[],
): Promise<(path: string, options?: Parameters<typeof send>[1]) => ReturnType<typeof send>> {
	const listener = await openListener({ routes });
	return (path, options = {}) => send(new URL(path, listener.url).href, { method: 'GET', ...options });
}
