/* `mctl usage` and `/api/usage`: the same numbers from the same journal. */
import { expect, it } from 'vitest';
import { openTestDashboard } from '../support/dashboard.ts';
import { openHubPlace } from '../support/hub-place.ts';
import { realServer } from '../support/mcp-folder.ts';

const call = {
	at: new Date(Date.now() - 3_600_000).toISOString(),
	client: 'cursor',
	backend: 'memory',
	method: 'tools/call',
	name: 'memory__read_graph',
	ms: 12,
	outcome: 'ok',
	argumentsBytes: 2,
	resultBytes: 400,
};
const journal = `${JSON.stringify(call)}\n${JSON.stringify({ ...call, outcome: 'failed' })}\n`;

it('shows calls, their cost, and what was unused, with the command that leaves it out', async () => {
	const mcpServers = { memory: realServer('memory'), idle: realServer('memory') };
	const place = openHubPlace({ mcpServers }, {});
	await place.run('call', 'memory', 'read_graph');
	await place.run('call', 'memory', 'open_nodes', 'names=[]');
	const { stdout } = await place.run('usage');
	expect(stdout).toMatch(/^memory +2 +0 /m);
	expect(stdout).toMatch(/^idle +server +[\d,]+ +mctl disable idle$/m);
	const { stdout: json } = await place.run('usage', '--since', '1h', '--json');
	const { tools, unused, schema } = JSON.parse(json);
	expect(schema).toBe('orchestra.usage/1');
	expect(tools.map(({ name }: { name: string }) => name)).toContain('memory__read_graph');
	const [first] = unused.filter(({ kind }: { kind: string }) => kind === 'tool');
	expect((await place.run(...first.command.split(' ').slice(1))).code).toBe(0);
	const { stdout: listed } = await place.run('list', 'tools', '--json');
	expect(listed).not.toContain(`"${first.name}"`);
	const wrong = await place.run('usage', '--by', 'day');
	expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringContaining('server, tool or client')]);
});

it('gives the page the report, and another one for another time', async () => {
	const { login } = await openTestDashboard({ journal });
	const browser = await login();
	expect(await browser.get('/api/usage')).toMatchObject({
		totals: { calls: 2, failed: 1, resultTokens: 200 },
		tools: [{ name: 'memory__read_graph', server: 'memory', p95Ms: 12 }],
		unused: [{ kind: 'server', name: 'py', definitionTokens: expect.any(Number) }],
	});
	expect(await browser.get(`/api/usage?since=${Date.now() - 60_000}`)).toMatchObject({
		totals: { calls: 0 },
	});
});
