import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkTool, type Finding } from '../../src/tool/check.ts';
import { bundledToolsRoot, readToolAt } from '../../src/tool/discover.ts';
import type { DiscoveredTool } from '../../src/tool/tool.ts';
import { nodeTool, shellTool } from '../support/tool-folder.ts';

describe('checkTool', () => {
	it('passes hello-world without a finding', async () => {
		const findings = await check(readToolAt(join(bundledToolsRoot, 'hello-world')));
		expect(findings.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
		expect(findings.length).toBeGreaterThan(6);
	});

	it.each([
		['a late start', `event log '{"level":"info","message":"x"}'; event result '{}'`, 'started first'],
		['a stray print', `echo hello; event started '{}'; event result '{}'`, 'nothing but events on stdout'],
		['no result', `event started '{}'`, 'a normal run'],
		['a crash', 'exit 3', 'a normal run'],
	])('fails a tool with %s, and says what to do', async (_, script, title) => {
		const failure = (await check(shellTool(script))).find(({ verdict }) => verdict === 'fail');
		expect(failure?.title).toBe(title);
		expect(failure?.advice).toMatch(/\.$/);
	});

	it('does not count the compilation of a first start against the time limit', async () => {
		const answer = `case $request in '{"context":{'*) event started '{}'; event result '{}' ;; *) event error '{"message":"no"}'; exit 1 ;; esac`;
		const tool = shellTool(`[ -e built ] || { sleep 2.2; touch built; }; request=$(cat); ${answer}`, {
			inputSchema: { type: 'object' },
		});
		expect((await check(tool)).filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
	});

	it('warns about a tool that accepts a malformed request', async () => {
		const findings = await check(
			shellTool(`event started '{}'; event result '{}'`, { requiredConfig: ['a'] }),
		);
		const warned = findings.filter(({ verdict }) => verdict === 'warn').map(({ title }) => title);
		expect(warned).toEqual(['inputSchema', 'malformed request', 'empty request', 'missing configuration']);
	});

	it('warns about an invalid timestamp and a log event without a level', async () => {
		const tool = nodeTool(
			`emit('started'); console.log(JSON.stringify({ type: 'log', ts: 'now', toolId: 'node-tool', payload: {} })); emit('result');`,
		);
		const titles = (await check(tool)).filter(({ verdict }) => verdict === 'warn').map(({ title }) => title);
		expect(titles).toEqual(expect.arrayContaining(['ts', 'log']));
	});

	it('fails a tool with an invalid schema or with a result that does not match it', async () => {
		const broken = shellTool('', { inputSchema: { properties: { a: { type: 'nope' } } } });
		expect((await check(broken))[0]).toMatchObject({ verdict: 'fail', title: 'inputSchema' });
		const unfit = shellTool(`event result '{"n":"x"}'`, {
			outputSchema: { properties: { n: { type: 'number' } } },
		});
		expect(await check(unfit)).toContainEqual(
			expect.objectContaining({ verdict: 'fail', title: 'result', detail: 'result.n must be number' }),
		);
	});
});

async function check(tool: DiscoveredTool): Promise<Finding[]> {
	const findings: Finding[] = [];
	for await (const finding of checkTool(tool, { input: {}, config: { a: 'x' }, workspaceRoot: '/' }))
		findings.push(finding);
	return findings;
}
