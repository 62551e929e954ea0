/*
 * `mctl demo`: the product at work, checking itself.
 *
 * Every step does the real thing and compares what came back; a step that fails
 * says what was expected, and the command exits non-zero.
 */
import { OrchestraError } from '../../errors.ts';
import { missingFolders, removeEmptyFolders } from '../../files/empty-folders.ts';
import { printable, printableLine } from '../../printable.ts';
import { keepOwnerRecord, recordFolder } from '../../process/guard/owner-record.ts';
import type { Command } from '../command.ts';
import { gatewaySteps } from './gateway-steps.ts';
import { hubSteps } from './hub-steps.ts';
import { pipeSteps } from './pipe-steps.ts';
import { serveSteps } from './serve-steps.ts';
import { taskSteps } from './task-steps.ts';

const demoSteps = [...gatewaySteps, ...pipeSteps, ...serveSteps, ...hubSteps, ...taskSteps];

export const demo: Command = {
	usage: 'mctl demo',
	examples: ['mctl demo'],
	flags: {},

	async run(input) {
		const { out, signal } = input;
		leaveNoFolder(input.environment);
		let failures = 0;
		for (const { title, run } of demoSteps) {
			signal.throwIfAborted();
			const started = performance.now();
			try {
				const seen = await run(input);
				const ms = (performance.now() - started).toFixed(0).padStart(5);
				out.line(`${out.style('green', '✓')} ${title}  ${out.style('dim', `${ms} ms`)}`);
				for (const line of seen) out.line(`    ${out.style('dim', printableLine(line))}`);
			} catch (error) {
				failures++;
				out.line(`${out.style('red', '✗')} ${title}`);
				out.line(`    ${printable(OrchestraError.from(error).message)}`);
			}
		}
		if (failures === 0) return out.line(`\nAll ${demoSteps.length} steps passed.`);
		throw new OrchestraError('tool_failed', `${failures} of ${demoSteps.length} steps failed`, {
			hint: 'Run `LOG_LEVEL=debug mctl demo` and read the step that failed.',
		});
	},
};

/** The steps start programs, and this process keeps a record of them: its folder goes with the demo, unless it was there before. */
function leaveNoFolder(environment: Readonly<NodeJS.ProcessEnv>): void {
	const created = missingFolders(recordFolder(environment));
	keepOwnerRecord(environment);
	// After the record, which is removed at exit too.
	process.once('exit', () => removeEmptyFolders(created));
}
