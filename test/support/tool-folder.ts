/* Tools made for one test, in folders that vanish with it. */
import { readToolAt } from '../../src/tool/discover.ts';
import type { ToolEvent } from '../../src/tool/event.ts';
import { type RunOptions, runTool } from '../../src/tool/run.ts';
import type { RunSummary } from '../../src/tool/summary.ts';
import type { DiscoveredTool } from '../../src/tool/tool.ts';
import { temporaryFolder, writeFiles } from './workspace.ts';

/** A manifest that is right, with `changes`. */
export function manifestOf(id: string, changes: Record<string, unknown> = {}): string {
	return JSON.stringify({
		manifestVersion: 1,
		id,
		version: '1.0.0',
		name: id,
		description: `The tool ${id}`,
		...('command' in changes || 'runtime' in changes ? {} : { command: ['sh', 'main.sh'] }),
		...changes,
	});
}

/** A tool that is a shell script. `$event` in it prints an event: `event log '{"level":"info","message":"x"}'`. */
export function shellTool(script: string, changes: Record<string, unknown> = {}): DiscoveredTool {
	const folder = writeFiles(temporaryFolder(), {
		'manifest.json': manifestOf('sh-tool', changes),
		'main.sh': `${shellEvent('sh-tool')}\n${script}\n`,
	});
	return readToolAt(folder);
}

/** The text of a shell function that prints an event. */
export function shellEvent(id: string): string {
	return `event() { printf '{"type":"%s","ts":"2025-02-25T10:00:00.000Z","toolId":"${id}","payload":%s}\\n' "$1" "$2"; }`;
}

/** A tool that is a script of Node, with `emit(type, payload)` and `request` at hand. */
export function nodeTool(script: string, changes: Record<string, unknown> = {}): DiscoveredTool {
	const folder = writeFiles(temporaryFolder(), {
		'manifest.json': manifestOf('node-tool', { runtime: 'node', entry: 'main.cjs', ...changes }),
		'main.cjs': `const line = (type, payload = {}) => JSON.stringify({ type, ts: new Date().toISOString(), toolId: 'node-tool', payload }) + '\\n';
const emit = (type, payload) => process.stdout.write(line(type, payload));
${script}`,
	});
	return readToolAt(folder);
}

/** Run a tool to its end. */
export async function runToEnd(
	tool: DiscoveredTool,
	options: RunOptions = {},
): Promise<{ events: ToolEvent[]; types: string[]; summary: RunSummary }> {
	const run = runTool(tool, options);
	const events: ToolEvent[] = [];
	for await (const event of run) events.push(event);
	return { events, types: events.map(({ type }) => type), summary: await run.summary };
}
