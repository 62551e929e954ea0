/* The step that shows a call which goes on when its client is killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { TASKS } from '../../protocol/tasks.ts';
import { DEMO_POLL_MS, DEMO_TASK_MS } from '../cli-limits.ts';
import { type DemoFolder, type DemoInput, type DemoStep, expect, inFolder, joinedText } from './step.ts';

export const taskSteps: readonly DemoStep[] = [
	{ title: 'a client is killed during a long call, and another one fetches the result', run: outliveClient },
];

const manifest = {
	manifestVersion: 1,
	id: 'build',
	version: '1.0.0',
	name: 'Build',
	description: 'Takes a while',
	command: ['sh', 'main.sh'],
	inputSchema: { type: 'object' },
};
const script = `read -r line
sleep 1
printf '{"type":"result","ts":"2025-02-25T10:00:00.000Z","toolId":"build","payload":{"built":true}}\\n'
`;

/** A modern client says with each request what it can do. */
const _meta = {
	'io.modelcontextprotocol/protocolVersion': '2026-07-28',
	'io.modelcontextprotocol/clientInfo': { name: 'demo', version: '1' },
	'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } },
};

function outliveClient(input: DemoInput): Promise<string[]> {
	return inFolder(input, async (demo) => {
		const { path, run, start } = demo;
		await mkdir(join(path, 'tools/build'), { recursive: true });
		await writeFile(join(path, 'tools/build/manifest.json'), JSON.stringify(manifest));
		await writeFile(join(path, 'tools/build/main.sh'), script);
		await writeFile(join(path, 'orchestra.json'), JSON.stringify({ tasks: { always: ['build'] } }));
		await run(['trust']);
		const { taskId, pid } = await callAndDie(demo, input);
		const second = await start(['bridge']);
		const result = await resultOf((params) => second.request('tasks/get', { ...params, _meta }), taskId);
		expect(joinedText(result).includes('"built"'), true);
		return [
			`bridge ${pid} was killed with task ${taskId.slice(0, 8)} in flight; another bridge has its result`,
		];
	});
}

/** A bridge that is killed as soon as its call is a task. */
async function callAndDie(
	{ path: cwd, env }: DemoFolder,
	{ environment, program }: DemoInput,
): Promise<{ taskId: string; pid: number }> {
	const bridge = spawn(process.execPath, [program, 'bridge'], {
		cwd,
		env: { ...environment, ...env },
		stdio: ['pipe', 'pipe', 'ignore'],
	});
	const params = { name: 'build', arguments: {}, _meta };
	bridge.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
	const [line] = await once(createInterface({ input: bridge.stdout }), 'line');
	bridge.kill('SIGKILL');
	await once(bridge, 'close');
	const { result } = JSON.parse(line);
	expect(result?.resultType, 'task');
	return { taskId: result.taskId, pid: bridge.pid ?? 0 };
}

async function resultOf(get: (params: object) => Promise<unknown>, taskId: string): Promise<unknown> {
	for (
		const endsAt = performance.now() + DEMO_TASK_MS;
		performance.now() < endsAt;
		await delay(DEMO_POLL_MS)
	) {
		// The status decides, and what a completed task has.
		const { status, result } = (await get({ taskId })) as { status?: string; result?: unknown };
		if (status !== 'working') {
			expect(status, 'completed');
			return result;
		}
	}
	return expect('working', 'completed');
}
