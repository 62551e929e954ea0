import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { mctl } from '../../support/mctl.ts';

const server = `stdio:node ${fileURLToPath(new URL('../../fixtures/stdio-server.mjs', import.meta.url))}`;

/** A legacy MCP server that answers each request with the methods that have come so far. */
const strictServer = `stdio:node -e '${[
	'const seen = [];',
	'require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {',
	'const { id, method } = JSON.parse(line); seen.push(method); if (id === undefined) return;',
	'const isRefused = method === "server/discover" || (method === "initialize" && process.argv[1] === "refuse");',
	'const result = { seen, protocolVersion: "2025-11-25", capabilities: {} };',
	'const answer = isRefused ? { error: { code: -32601, message: "no" } } : { result };',
	'console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer })); });',
].join(' ')}'`;

describe('mctl request', () => {
	it('prints the answer indented, and as one object with --json', async () => {
		const pretty = await mctl(['request', server, 'echo', '{"a":[1]}']);
		expect([pretty.stdout, pretty.code]).toEqual(['{\n  "a": [\n    1\n  ]\n}\n', 0]);
		const json = await mctl(['request', server, 'echo', '{"a":[1]}', '--json']);
		expect(JSON.parse(json.stdout)).toEqual({
			schema: 'orchestra.request/1',
			method: 'echo',
			result: { a: [1] },
		});
	});

	it.each(['tools/list', 'prompts/list', 'resources/list', 'logging/setLevel'])(
		'shakes hands with an MCP server before %s',
		async (method) => {
			const { stdout, code } = await mctl(['request', strictServer, method, '--json']);
			expect([JSON.parse(stdout).result.seen, code]).toEqual([
				['server/discover', 'initialize', 'notifications/initialized', method],
				0,
			]);
		},
	);

	it.each([
		[['tools/list', '--raw']],
		[['initialize']],
		[['ping']],
		[['tools/list', '{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}']],
	])('sends %j alone', async (words) => {
		const { stdout } = await mctl(['request', strictServer, ...words, '--json']);
		expect(JSON.parse(stdout).result.seen).toEqual([words[0]]);
	});

	it('sends the request even when the program refuses the handshake, and reports it', async () => {
		const { stdout, stderr, code } = await mctl([
			'request',
			`${strictServer} refuse`,
			'tools/list',
			'--json',
		]);
		expect([JSON.parse(stdout).result.seen, code]).toEqual([['tools/list'], 0]);
		expect(stderr).toContain('mctl: the program refused `initialize`: JSON-RPC error -32601: no');
	});

	it('quotes a response that is not JSON-RPC, at once', async () => {
		const program = `stdio:sh -c 'read line; echo {\\"id\\":1,\\"error\\":\\"bad\\"}; exec sleep 300'`;
		const { code, stderr } = await mctl(['request', program, 'x']);
		expect([code, stderr]).toEqual([69, expect.stringContaining('received {"id":1,"error":"bad"}')]);
	});

	it('exits 124 at the deadline, and names the flag that extends it', async () => {
		const { code, stderr } = await mctl(['request', 'stdio:sleep 30', 'x', '--timeout', '100']);
		const hint = 'hint: x got no response; raise --timeout if it needs longer.';
		expect([code, stderr]).toEqual([124, `mctl: request timed out after 100ms\n${hint}\n`]);
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
		expect(dead.stderr).toMatch(/hint: `.*` exited with code 5 after \d+ ms\. Last stderr lines: broken/);
	});

	it.each([
		[['request', 'stdio:cat'], 'mctl request needs a URI and a method'],
		[['request', 'stdio:cat', 'x', '{', '--json'], 'the params are not JSON'],
		[['request', 'stdio:cat', 'x', '{}', 'more'], 'too many arguments'],
	])('refuses %j with exit 64', async (args, message) => {
		const { code, stderr } = await mctl(args);
		expect([code, stderr]).toEqual([64, expect.stringContaining(message)]);
	});
});
