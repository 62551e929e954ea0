import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readToolAt } from '../../src/tool/discover.ts';
import { runTool } from '../../src/tool/run.ts';
import type { DiscoveredTool } from '../../src/tool/tool.ts';
import { manifestOf, runToEnd } from '../support/tool-folder.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const sdk = fileURLToPath(new URL('../../dist/tool/serve-tool.js', import.meta.url));

describe('serveTool', () => {
	it('runs a function as a tool: its reports are events, its return value is the result', async () => {
		const tool =
			sdkTool(`serveTool(async ({ input, config, workspaceRoot, toolId, log, progress, artifact }) => {
			log.info('hi', { a: 1 });
			progress(1, 2, 'half');
			artifact('out.txt', { mimeType: 'text/plain' });
			return { input, config, workspaceRoot, toolId };
		});`);
		const { types, events, summary } = await runToEnd(tool, { input: { n: 1 }, workspaceRoot: '/w' });
		expect(types).toEqual(['started', 'log', 'progress', 'artifact', 'result']);
		expect(events[1]?.payload).toEqual({ level: 'info', message: 'hi', data: { a: 1 } });
		expect(events[2]?.payload).toEqual({ progress: 1, total: 2, message: 'half' });
		expect(summary.result).toEqual({ input: { n: 1 }, config: {}, workspaceRoot: '/w', toolId: 'sdk-tool' });
	});

	it('sends a stray console.log to stderr', async () => {
		const tool = sdkTool(`serveTool(() => { console.log('debugging'); return {}; });`);
		let stderr = '';
		const { summary } = await runToEnd(tool, { stderr: (chunk) => (stderr += chunk.toString()) });
		expect([summary.outcome, summary.malformedCount, stderr]).toEqual(['ok', 0, 'debugging\n']);
	});

	it('converts a toolFailure to an error event and exit 1', async () => {
		const { summary } = await runToEnd(
			sdkTool(`serveTool(() => { throw toolFailure('no token', { code: 'AUTH' }); });`),
		);
		expect(summary).toMatchObject({
			exitCode: 1,
			error: { message: 'no token', code: 'AUTH', isRecoverable: true },
		});
	});

	it('reports any other error as a crash with its stack on stderr', async () => {
		const { summary } = await runToEnd(sdkTool(`serveTool(() => { throw new TypeError('oops'); });`));
		expect(summary).toMatchObject({ exitCode: 2, outcome: 'crashed' });
		expect(summary.error?.stderr[0]).toBe('TypeError: oops');
	});

	it.each(['', 'nonsense', '[]', '{"input":{}}'])(
		'answers the request %j with an error event',
		async (requestText) => {
			const summary = await runTool(sdkTool('serveTool(() => ({}));'), { requestText }).finish();
			expect(summary).toMatchObject({ exitCode: 1, error: { code: 'BAD_REQUEST' } });
		},
	);
});

function sdkTool(script: string): DiscoveredTool {
	const folder = writeFiles(temporaryFolder(), {
		'manifest.json': manifestOf('sdk-tool', { runtime: 'node', entry: 'main.mjs' }),
		'main.mjs': `import { serveTool, toolFailure } from ${JSON.stringify(sdk)};\n${script}`,
	});
	return readToolAt(folder);
}
