/* What stands between a client and a tool stands between a plan and it: views, limits, budgets, traces, client requests, changes. */
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { type Span, Tracer } from '../../../src/telemetry/tracer.ts';
import { planHub, runPlan } from '../../support/plans.ts';

const limits = { listMs: 20_000 };

describe('a call of a plan', () => {
	it('reaches only the tools in the view of its client', async () => {
		const more = {
			views: { graph: { allow: ['memory__*', 'run_plan'] } },
			clients: { test: { view: 'graph' } },
		};
		const { client } = await planHub({ more });
		expect(await runPlan(client, 'return (await tools.memory.readGraph()).entities.length')).toBe('0');
		const hidden = `const name = 'readTextFile'; return tools.files[name]({ path: '/' })`;
		expect(await runPlan(client, hidden)).toMatch(/there is no server "files"/);
		expect(await runPlan(client, `return await tools.files.readTextFile({})`)).toMatch(/no server "files"/);
	});

	it('of a server that failed to start says why', async () => {
		const { client } = await planHub({ servers: { dead: { command: 'sh', args: ['-c', 'exit 3'] } } });
		const said = await runPlan(client, 'return await tools.dead.anything({})');
		expect(said).toMatch(/there is no server "dead"[^]*Failed to start: dead \(.*exited.*\)/);
	});

	it('counts for the limits of its client', async () => {
		const { client } = await planHub({ more: { limits: { ...limits, identicalCalls: 3 } } });
		const code = `for (let at = 0; at < 5; at++) await tools.memory.readGraph()`;
		expect(await runPlan(client, code)).toMatch(/limits\.identicalCalls[^]*which are not undone: 3;/);
	});

	it('counts for the calls a minute', async () => {
		const { client } = await planHub({ more: { limits: { ...limits, callsPerMinute: { tool: 2 } } } });
		const code = `for (const query of ['a', 'b', 'c']) await tools.memory.searchNodes({ query })`;
		expect(await runPlan(client, code)).toMatch(/limits\.callsPerMinute\.tool[^]*which are not undone: 2;/);
	});

	it('gives the program the whole result, and the client of the plan a short one', async () => {
		const { client, folder } = await planHub({ more: { results: { budgetTokens: 1000 } } });
		const code = `const content = Array.from({ length: 5000 }, (_, at) => 'line ' + at).join('\\n');
			await tools.files.writeFile({ path: input + '/long.txt', content });
			const { content: read } = await tools.files.readTextFile({ path: input + '/long.txt' });
			return read === content ? read : 'another text';`;
		const result = await client.request('tools/call', {
			name: 'run_plan',
			arguments: { code, input: folder },
		});
		const text = JSON.stringify(result);
		expect(text).toMatch(/line 0[^]*orchestra\/handle/);
		expect(text.length).toBeLessThan(8000);
	});

	it('is in the trace of the plan', async () => {
		const spans: Span[] = [];
		const counts = { exported: 0, dropped: 0 };
		const exporter = { counts, export: (span: Span) => spans.push(span), close: () => Promise.resolve() };
		const { client } = await planHub({ tracer: new Tracer(exporter) });
		await runPlan(client, 'return (await tools.memory.readGraph()).entities.length');
		const [plan, call] = ['run_plan', 'memory__read_graph'].map((name) =>
			spans.filter(({ attributes }) => attributes['gen_ai.tool.name'] === name),
		);
		const ids = plan?.map(({ spanId }) => spanId);
		expect(call?.map(({ traceId }) => traceId)).toEqual(call?.map(() => plan?.[0]?.traceId));
		expect(ids).toContain(call?.find(({ kind }) => kind === 2)?.parentSpanId);
	});

	it('brings the client request of its server to the client', async () => {
		const { client } = await planHub({
			servers: { every: everything },
			capabilities: { elicitation: { form: {} } },
			onClientRequest: () => ({ action: 'accept', content: { name: 'Ada' } }),
		});
		const code = `return await tools.every.triggerElicitationRequest({})`;
		expect(await runPlan(client, code)).toMatch(/Name: Ada/);
	});
});

const everything = {
	command: process.execPath,
	args: [createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')],
};
