import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { mctl } from '../support/mctl.ts';

const server = `stdio:node ${fileURLToPath(new URL('../fixtures/stdio-server.mjs', import.meta.url))}`;

describe('mctl request', () => {
	it('prints the answer, pretty for eyes and as one object for programs', async () => {
		const pretty = await mctl(['request', server, 'echo', '{"a":[1]}']);
		expect([pretty.stdout, pretty.code]).toEqual(['{\n  "a": [\n    1\n  ]\n}\n', 0]);
		const json = await mctl(['request', server, 'echo', '{"a":[1]}', '--json']);
		expect(JSON.parse(json.stdout)).toEqual({
			schema: 'orchestra.request/1',
			method: 'echo',
			result: { a: [1] },
		});
	});

	it('exits 124 when nothing came in time', async () => {
		const { code, stderr } = await mctl(['request', 'stdio:sleep 30', 'x', '--timeout', '100']);
		expect([code, stderr]).toEqual([124, expect.stringContaining('mctl: request timed out after 100ms')]);
	});

	it('exits 1 with the error of the server', async () => {
		const { code, stderr } = await mctl(['request', 'stdio:cat', 'x']);
		expect([code, stderr]).toEqual([
			1,
			expect.stringContaining('JSON-RPC error -32601: method not found: x'),
		]);
	});

	it('exits 69 when the program cannot be started or dies, and says why', async () => {
		const missing = await mctl(['request', 'stdio:nonexistent_command_12345', 'x']);
		expect([missing.code, missing.stderr]).toEqual([69, expect.stringContaining('was not found on PATH')]);
		const dead = await mctl(['request', `stdio:sh -c 'echo broken >&2; exit 5'`, 'x']);
		expect(dead.code).toBe(69);
		expect(dead.stderr).toMatch(/hint: `.*` exited with code 5 after \d+ ms\. Its last words: broken/);
	});

	it.each([
		[['request', 'stdio:cat'], 'mctl request needs a URI and a method'],
		[['request', 'stdio:cat', 'x', '{', '--json'], 'the params are not JSON'],
		[['request', 'stdio:cat', 'x', '{}', 'more'], 'too many words'],
	])('refuses %j with exit 64', async (args, message) => {
		const { code, stderr } = await mctl(args);
		expect([code, stderr]).toEqual([64, expect.stringContaining(message)]);
	});
});
